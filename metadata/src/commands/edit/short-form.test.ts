/** Tests of commands whose arguments may be a name alone. */
import { expect, test } from 'vitest';
import { commands } from '../registry.ts';

test.each([
  ['track_table', { tabel: 'author' }, '$.tabel', 'unknown argument "tabel"; did you mean "table"?'],
  ['track_table', { nmae: 'author' }, '$.nmae', 'unknown argument "nmae"; did you mean "name"?'],
  ['track_table', { relation: 'author' }, '$.relation', 'unknown argument "relation"; missing argument "table"'],
  [
    'track_table',
    { table: { relation: 'a' } },
    '$.table.relation',
    'unknown member "relation"; missing argument "name"',
  ],
  ['track_table', { name: 'author', is_enum: true }, '$.name', 'unknown argument "name"; missing argument "table"'],
  ['track_table', { source: 'default' }, '$.table', 'missing argument "table"'],
  ['track_table', {}, '$.table', 'missing argument "table"'],
  ['track_table', { schema: 'public' }, '$.name', 'missing argument "name"'],
  ['track_table', 5, '$', 'must be a string, not a number; or must be an object, not a number'],
  ['track_function', { functoin: 'search' }, '$.functoin', 'unknown argument "functoin"; did you mean "function"?'],
  ['track_function', { routine: 'search' }, '$.routine', 'unknown argument "routine"; missing argument "function"'],
  ['untrack_function', { functoin: 'search' }, '$.functoin', 'unknown argument "functoin"; did you mean "function"?'],
])('%s reports the unknown member of %j', (name, args, path, message) => {
  expect(() => commands.get(name)?.parse(args)).toThrow(
    expect.objectContaining({ code: 'parse-failed', path, message }),
  );
});

test.each([
  ['track_table', 'author'],
  ['track_table', { name: 'author' }],
  ['track_table', { schema: 'public', name: 'author' }],
  ['track_table', { table: 'author', is_enum: true }],
  ['untrack_function', { schema: 'public', name: 'search' }],
])('%s accepts %j', (name, args) => {
  expect(() => commands.get(name)?.parse(args)).not.toThrow();
});
