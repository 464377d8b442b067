import { NativeQuery } from '@joinery/metadata/native-queries/schema';
import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../../test/support/model/catalog.ts';
import { lineOf, probeOf } from './probe.ts';

function probe(code: string, written?: Readonly<Record<string, string>>): string | undefined {
  const types = Object.entries(written ?? {}).map(([name, type]) => [name, { type }]);
  const query = { root_field_name: 'q', returns: 'row', code, arguments: written && Object.fromEntries(types) };
  return probeOf(NativeQuery.parse(query), catalogOf({}));
}

describe('the probe of a native query', () => {
  test('reads no row, and has the null of the SQL type of each argument in its place', () => {
    expect(probe('select {{a}}, {{b}} or {{ a }} as c;', { a: 'varchar(5)', b: 'boolean' })).toBe(
      'select * from (\nselect (null::varchar), (null::bool) or (null::varchar) as c\n) as "q" limit 0',
    );
  });

  test('needs no arguments', () => {
    expect(probe('select 1')).toBe('select * from (\nselect 1\n) as "q" limit 0');
  });

  test.each([
    ['a template that is not valid', 'select {{a', { a: 'int' }],
    ['an argument that is not declared', 'select {{a}}', {}],
    ['an argument of an unknown type', 'select {{a}}', { a: 'nothing' }],
  ])('is undefined for %s', (_what, code, written) => {
    expect(probe(code, written)).toBeUndefined();
  });
});

describe('the line of a position in a probe', () => {
  const text = 'select * from (\none\n😀two\n) as "q" limit 0';
  test.each([
    ['before the SQL', 1, 1],
    ['at the start of the SQL', 17, 1],
    ['at the line break that ends a line', 20, 1],
    ['after a line break', 21, 2],
    ['after a character of two code units', 22, 2],
    ['after the SQL', 40, 2],
  ])('%s is the line of the SQL', (_where, position, line) => {
    expect(lineOf(text, position)).toBe(line);
  });

  test('counts characters, not code units', () => {
    expect(lineOf('select * from (\n😀😀\nx\n) as "q" limit 0', 20)).toBe(2);
  });
});
