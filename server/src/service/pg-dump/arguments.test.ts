import { expect, it } from 'vitest';
import { ServiceError } from '../../base/errors.ts';
import { dumpArguments } from './arguments.ts';

it.each([
  [
    ['-O', '-x', '--schema-only', '--schema', 'public'],
    ['--no-owner', '--no-privileges', '--schema-only', '--schema=public'],
  ],
  [
    ['-Oxs', '-npublic', '-n', 'Other'],
    ['--no-owner', '--no-privileges', '--schema-only', '--schema=public', '--schema=Other'],
  ],
  [
    ['--data-only', '--column-inserts', '--table', '"public"."a b"'],
    ['--data-only', '--column-inserts', '--table="public"."a b"'],
  ],
  [['--schema=$(id)'], ['--schema=$(id)']],
  [['-t', '-f'], ['--table=-f']],
  [['--format=plain', '-Fp', '--encoding', 'UTF8', '-n', 'a'], ['--schema=a']],
])('writes %j in the long form', (given, expected) => {
  expect(dumpArguments(given, '$.opts')).toEqual(expected);
});

it('excludes the schema of the service where nothing is selected', () => {
  expect(dumpArguments(['-s', '--exclude-schema', 'hdb_catalog'], '$.opts')).toEqual([
    '--schema-only',
    '--exclude-schema=hdb_catalog',
    '--exclude-schema=joinery',
  ]);
});

it.each([
  ['writes a file', ['--file=/tmp/x'], 0],
  ['writes a file', ['-f', '/tmp/x'], 0],
  ['writes a file, in a group', ['-Of/tmp/x'], 0],
  ['writes a file, abbreviated', ['--fil=/tmp/x'], 0],
  ['reads a file', ['-s', '--filter=/etc/passwd'], 1],
  ['connects elsewhere', ['--dbname=postgres://other/db'], 0],
  ['connects elsewhere', ['-h', 'other'], 0],
  ['connects elsewhere, without an option', ['-s', 'postgres://other/db'], 1],
  ['prompts for a password', ['-W'], 0],
  ['has another format', ['-Fd'], 0],
  ['lacks its value', ['--schema'], 0],
  ['has a value that it does not take', ['--clean=yes'], 0],
  ['has an unknown name', ['--constructor'], 0],
  ['has an unknown name, with a value', ['--toString=plain'], 0],
  ['is empty', [''], 0],
])('rejects an option that %s: %j', (_reason, given, index) => {
  const rejected = (): unknown => {
    try {
      return dumpArguments(given, '$.opts');
    } catch (error) {
      return error;
    }
  };
  expect(rejected()).toBeInstanceOf(ServiceError);
  expect(rejected()).toMatchObject({ code: 'parse-failed', path: `$.opts[${index}]` });
});
