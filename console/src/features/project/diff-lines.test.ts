import { describe, expect, it } from 'vitest';
import { diffOf } from './diff-lines.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('');

describe('diffOf', () => {
  it('shows all lines of a new file as added', () => {
    expect(diffOf({ path: 'a', after: 'x\ny\n' })).toEqual({
      path: 'a',
      change: 'new',
      added: 2,
      removed: 0,
      lines: [
        { kind: 'added', text: 'x' },
        { kind: 'added', text: 'y' },
      ],
    });
  });

  it('shows changed lines with three lines around them, and gaps between', () => {
    const { lines, change } = diffOf({
      path: 'a',
      before: numbers(20),
      after: numbers(20).replace('2\n', 'two\n').replace('19\n', ''),
    });
    expect(change).toBe('changed');
    expect(lines.map(({ kind, text }) => `${kind[0]} ${text}`)).toEqual([
      ...['s 1', 'r 2', 'a two', 's 3', 's 4', 's 5'],
      ...['g line 16', 's 16', 's 17', 's 18', 'r 19', 's 20'],
    ]);
  });

  it('ignores a missing line end at the end of a file', () => {
    expect(diffOf({ path: 'a', before: 'x' }).lines).toEqual([{ kind: 'removed', text: 'x' }]);
  });
});
