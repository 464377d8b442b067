/** Tests of the errors of invalid arguments, which have a path and a hint. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { jsonPath } from '../../json.ts';
import { QualifiedTable } from '../../names.ts';
import { RelationshipUsing } from '../../schema/relationships.ts';
import { parseArguments } from './arguments.ts';

const Arguments = z.strictObject({
  name: z.string().min(1).optional(),
  kind: z.enum(['object', 'array']).optional(),
  count: z.int().min(0).max(100).optional(),
  table: QualifiedTable.optional(),
  using: RelationshipUsing.optional(),
  list: z.array(z.strictObject({ name: z.string() })).optional(),
  'odd name': z.boolean().optional(),
});

test.each([
  [{ nmae: 'a' }, '$.nmae', 'unknown argument "nmae"; did you mean "name"?'],
  [{ name: '' }, '$.name', 'must not be empty'],
  [{ name: 5 }, '$.name', 'must be a string, not a number'],
  [{ list: [{ name: null }] }, '$.list[0].name', 'must be a string, not null'],
  [{ kind: 'both' }, '$.kind', 'must be one of "object", "array"'],
  [{ count: -1 }, '$.count', 'must be at least 0'],
  [{ count: 101 }, '$.count', 'must be at most 100'],
  [{ count: 1.5 }, '$.count', 'must be a whole number, not a fraction'],
  [{ table: {} }, '$.table.name', 'missing argument "name"'],
  [{ table: { tabel: 'a' } }, '$.table.tabel', 'unknown member "tabel"; missing argument "name"'],
  [
    { using: { manual_mapping: {} } },
    '$.using.manual_mapping',
    'unknown member "manual_mapping"; missing argument "foreign_key_constraint_on"; or missing argument "manual_configuration"',
  ],
  [{ table: 5 }, '$.table', 'must be a string, not a number; or must be an object, not a number'],
  [{ list: {} }, '$.list', 'must be a list, not an object'],
  [{ list: [{ name: 'a' }, {}] }, '$.list[1].name', 'missing argument "name"'],
  [{ 'odd name': 1 }, '$["odd name"]', 'must be a boolean, not a number'],
  [
    { using: { manual_configuration: {} } },
    '$.using.manual_configuration',
    'missing argument "remote_table"; or missing argument "remote_native_query"',
  ],
  [
    { using: {} },
    '$.using',
    'missing argument "foreign_key_constraint_on"; or missing argument "manual_configuration"',
  ],
  [[], '$', 'must be an object, not a list'],
  [undefined, '$', 'the arguments are missing'],
])('%j: at %s, %s', (input, path, message) => {
  expect(() => parseArguments(Arguments, input)).toThrow(
    expect.objectContaining({ code: 'parse-failed', path, message }),
  );
});

test('the path quotes a name that is not an identifier in brackets', () => {
  expect(jsonPath(['a', 0, 'b c', '"'])).toBe('$.a[0]["b c"]["\\""]');
});

test('an optional argument that is null is absent', () => {
  expect(parseArguments(Arguments, { name: null, count: 1, table: null })).toEqual({ count: 1 });
});
