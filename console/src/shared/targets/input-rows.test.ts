import { expect, test } from 'vitest';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { inputRows, inputsText, withKnown } from './input-rows.ts';

const text = (json: unknown) => JSON.stringify(json, null, 2);

test('templates are shown as they are and other values as JSON, and are written back unchanged', () => {
  const json = { order: '{{$body.id}}', count: 5, lines: [1, { a: true }], note: 'plain' };
  const rows = inputRows(text(json));
  if (rows instanceof Unreadable) throw new Error(rows.reason);
  expect(rows.map((row) => row.text)).toEqual(['{{$body.id}}', '5', '[1,{"a":true}]', 'plain']);
  expect(inputsText(rows)).toBe(text(json));
});

test('rows without a name or a value are omitted, and no rows are no inputs', () => {
  expect(inputsText([{ key: 0, name: 'a', text: '' }])).toBe('');
  expect(inputRows('')).toEqual([]);
});

test.each(['{', '"{{$body}}"', '{"count": "5"}'])('the form cannot show %s', (written) => {
  expect(inputRows(written)).toBeInstanceOf(Unreadable);
});

test('each known name has a row, also without a value', () => {
  const rows = withKnown(
    [
      { key: 0, name: 'other', text: '1' },
      { key: 1, name: 'b', text: '2' },
    ],
    ['a', 'b'],
  );
  expect(rows.map(({ name, text: shown }) => [name, shown])).toEqual([
    ['a', ''],
    ['b', '2'],
    ['other', '1'],
  ]);
});
