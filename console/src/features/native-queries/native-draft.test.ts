import { expect, test } from 'vitest';
import {
  lineErrorOf,
  lineMark,
  type ModelEntry,
  modelDraftOf,
  modelErrors,
  modelFrom,
  type QueryEntry,
  queryDraftOf,
  queryErrors,
  queryFrom,
  signatureOf,
} from './native-draft.ts';

const query: QueryEntry = {
  root_field_name: 'best',
  code: 'select 1',
  returns: 'rated',
  arguments: {
    least: { type: 'int', nullable: false, description: 'The least' },
    like: { type: 'text', nullable: true },
  },
  object_relationships: [
    { name: 'author', using: { column_mapping: { a: 'id' }, remote_table: { schema: 'public', name: 'author' } } },
  ],
};

test('a draft of a native query keeps what the form does not show', () => {
  expect(queryFrom(queryDraftOf(query, []), query)).toEqual(query);
});

test('a draft of a logical model keeps permissions and types that are objects', () => {
  const model: ModelEntry = {
    name: 'rated',
    description: 'Rated',
    fields: [
      { name: 'id', type: 'int', description: 'The key' },
      { name: 'tags', type: { array: { scalar: 'text' }, nullable: true } },
      { name: 'rating', type: 'int', nullable: true },
    ],
    select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {} } }],
  };
  expect(modelFrom(modelDraftOf(model), model)).toEqual(model);
});

test('a cleared description and removed arguments are no members', () => {
  const draft = { ...queryDraftOf(query, []), description: ' ', arguments: [] };
  expect(queryFrom(draft, { ...query, description: 'Before' })).toEqual({
    root_field_name: 'best',
    code: 'select 1',
    returns: 'rated',
    object_relationships: query.object_relationships,
  });
});

test('reports missing names at their fields', () => {
  expect(Object.keys(queryErrors(queryDraftOf(undefined, [])))).toEqual(['name', 'code', 'returns']);
  expect(Object.keys(modelErrors(modelDraftOf(undefined)))).toEqual(['name']);
});

test.each([
  [
    'in native query "a": Failed to validate query: line 2: column "titel" does not exist',
    { line: 2, message: 'column "titel" does not exist' },
  ],
  ['line 1: "{{" is not closed by "}}"', { line: 1, message: '"{{" is not closed by "}}"' }],
  ['the argument "id" is not used in the SQL; remove it', undefined],
])('reads the line of the error %s', (message, expected) => {
  expect(lineErrorOf(message)).toEqual(expected);
});

test.each([
  [2, 'titel'],
  [9, 'from a, b'],
])('marks the text of line %d, or of the last line', (line, marked) => {
  const text = 'select id\n  titel  \n  from a, b\t';
  const mark = lineMark(text, { line, message: 'wrong' });
  expect(mark).toMatchObject({ message: 'wrong', severity: 'error' });
  expect(text.slice(mark.from, mark.to)).toBe(marked);
});

test('prints the signature with the nullability of arguments', () => {
  expect(signatureOf(query)).toBe('best(least: int!, like: text): rated');
});
