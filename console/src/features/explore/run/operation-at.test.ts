/** Tests of the choice of the operation under the caret. */
import { expect, test } from 'vitest';
import { operationsIn } from '../../../shared/graphql/operation-draft.ts';
import { operationAt, textToSend } from './operation-at.ts';

const text = 'query A { a }\n\nfragment F on T { x }\n\nmutation B {\n  b\n}\n{ c }';
const operations = operationsIn(text);
const at = (part: string) => operationAt(operations, text.indexOf(part));

test('chooses the operation under the caret, also after its end and in a fragment below it', () => {
  expect(at('a }')?.name).toBe('A');
  expect(at('fragment')?.name).toBe('A');
  expect(at('  b')?.name).toBe('B');
  expect(at('{ c')?.kind).toBe('query');
  expect(operationAt(operationsIn('\n\n query Z { z }'), 0)?.name).toBe('Z');
  expect(operationAt([], 3)).toBeUndefined();
});

test('sends an operation alone where another has no name or the same one, with unchanged positions', () => {
  for (const part of ['{ c', 'a }']) {
    const sent = textToSend(text, operations, at(part));
    expect(sent).toHaveLength(text.length);
    expect(operationsIn(sent)).toHaveLength(1);
    expect(sent.indexOf(part)).toBe(text.indexOf(part));
    expect(sent).toContain('fragment F on T');
  }
  const named = 'query A { a } query B { b }';
  expect(textToSend(named, operationsIn(named), operationsIn(named)[0])).toBe(named);
  const twice = 'query A { a } query A { b }';
  expect(textToSend(twice, operationsIn(twice), operationsIn(twice)[1])).toBe('              query A { b }');
});
