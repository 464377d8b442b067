import { expect, test } from 'vitest';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { fieldNamesFormat } from './field-names.ts';

const names = [
  { parent_type: 'Parcel', prefix: 'the_', mapping: { code: 'number' } },
  { parent_type: 'Place', suffix: '_v2' },
];

test('the form shows names of fields and writes them back unchanged', () => {
  const draft = fieldNamesFormat.read(names);
  expect(draft instanceof Unreadable ? draft.reason : fieldNamesFormat.write(draft)).toEqual(names);
});

test.each([
  [{}, 'It must be a list.'],
  [['Parcel'], 'Each item must be an object with "parent_type".'],
  [[{ parent_type: 'Parcel', other: 1 }], 'The form has no input for "other".'],
])('says why the form cannot show %j', (json, reason) => {
  expect(fieldNamesFormat.read(json)).toEqual(new Unreadable(reason));
});
