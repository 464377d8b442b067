import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { compile, ident, sql } from '../../postgres/sql/sql.ts';
import type { ColumnType } from '../types/column-type.ts';
import { arrayOf } from './column-types.ts';
import { argumentType, castsOf, operatorNamed, operators, operatorsOf } from './operators.ts';
import { isNotNull, isNull } from './operators-common.ts';

const equality = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte', '_in', '_nin', '_is_null'];
const patterns = ['like', 'ilike', 'similar', 'regex', 'iregex'].flatMap((name) => [`_${name}`, `_n${name}`]);

describe('the operators of each family', () => {
  test.each<readonly [string, readonly string[]]>([
    ['Int', equality],
    ['numeric', equality],
    ['Boolean', equality],
    ['uuid', equality],
    ['timestamptz', equality],
    ['interval', equality],
    ['bytea', equality],
    ['inet', equality],
    ['enum mood', equality],
    ['composite item', equality],
    ['String', [...equality, ...patterns]],
    ['bpchar', [...equality, ...patterns]],
    ['citext citext', [...equality, ...patterns]],
    ['Int[]', [...equality, '_contains', '_contained_in']],
    ['range int4range', [...equality, '_contains', '_contained_in']],
    [
      'jsonb',
      [
        ...equality,
        '_contains',
        '_contained_in',
        '_has_key',
        '_has_keys_any',
        '_has_keys_all',
        '_jsonb_path_exists',
        '_jsonb_path_match',
      ],
    ],
    ['json', ['_is_null']],
    ['json[]', ['_is_null']],
    ['other xml', ['_is_null']],
    ['other point', ['_is_null']],
    ['other line', ['_eq', '_neq', '_in', '_nin', '_is_null']],
    ['hstore hstore', ['_eq', '_neq', '_in', '_nin', '_is_null']],
    ['lquery lquery', ['_is_null']],
    ['other pg_snapshot', ['_is_null']],
    ['other box', equality],
    ['other box[]', ['_is_null']],
    [
      'ltree ltree',
      [
        ...equality,
        '_ancestor',
        '_ancestor_any',
        '_descendant',
        '_descendant_any',
        '_matches',
        '_matches_any',
        '_matches_fulltext',
        '_matches_fulltext_any',
      ],
    ],
    [
      'geometry geometry',
      [
        ...equality,
        '_st_contains',
        '_st_crosses',
        '_st_equals',
        '_st_overlaps',
        '_st_touches',
        '_st_within',
        '_st_intersects',
        '_st_3d_intersects',
        '_st_d_within',
        '_st_3d_d_within',
      ],
    ],
    ['geography geography', [...equality, '_st_intersects', '_st_d_within']],
    [
      'raster raster',
      [
        '_eq',
        '_neq',
        '_in',
        '_nin',
        '_is_null',
        '_st_intersects_rast',
        '_st_intersects_nband_geom',
        '_st_intersects_geom_nband',
      ],
    ],
  ])('%s', (type, names) => {
    expect(
      operatorsOf(columnType(type))
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort());
  });

  test('operators of a type have unique names and descriptions', () => {
    for (const type of [
      'Int',
      'String',
      'jsonb',
      'Int[]',
      'geometry geometry',
      'geography geography',
      'raster raster',
    ]) {
      const names = operatorsOf(columnType(type)).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
    for (const { description } of operators) expect(description).toMatch(/^[a-z].*[a-z0-9D]$/);
  });
});

/** The condition for a left side `"c"` and, on the right, `$1` cast as the printer casts it. */
function printed(type: ColumnType, name: string): string {
  const operator = operatorNamed(name, type);
  if (operator === undefined) throw new Error(`no ${name}`);
  const right = operator.members ? sql`$1, $2` : sql`$1::${ident(argumentType(operator, type).sqlName)}`;
  return compile(operator.print(ident('c'), right, type)).text;
}

describe('their SQL', () => {
  test('operators and functions of an extension are named with its schema', () => {
    const citext = { ...columnType('citext citext'), sqlName: 'ext.citext', extensionSchema: 'ext' };
    expect(printed(citext, '_eq')).toBe('"c" operator("ext".=) $1::"ext.citext"');
    expect(printed(citext, '_in')).toBe('"c" operator("ext".=) any ($1::"ext.citext[]")');
    expect(printed(citext, '_neq')).toBe('not ("c" operator("ext".=) $1::"ext.citext")');
    expect(printed(citext, '_nin')).toBe('not ("c" operator("ext".=) any ($1::"ext.citext[]"))');
    expect(printed(citext, '_nlike')).toBe('"c" operator("ext".!~~) $1::"ext.citext"');
    expect(printed(citext, '_similar')).toBe('"c" operator("ext".~) similar_to_escape($1::"ext.citext"::text)');
    const geometry = { ...columnType('geometry geometry'), extensionSchema: 'ext' };
    expect(printed(geometry, '_st_within')).toBe('"ext"."st_within"("c", $1::"geometry")');
  });

  test('both constant forms of _is_null can use an index', () => {
    expect(compile(isNull.print(ident('c'), sql`$1`, columnType('Int'))).text).toBe('"c" is null');
    expect(compile(isNotNull.print(ident('c'), sql`$1`, columnType('Int'))).text).toBe('"c" is not null');
  });
});

test('casts are to text and between the two spatial types', () => {
  expect(castsOf(columnType('jsonb')).map(({ name, type }) => [name, type.name])).toEqual([['String', 'text']]);
  const casts = (type: string) => castsOf(columnType(type)).map((one) => [one.name, one.type.name]);
  expect([casts('geometry geometry'), casts('geography geography')]).toEqual([
    [['geography', 'geography']],
    [['geometry', 'geometry']],
  ]);
  expect(castsOf(arrayOf(columnType('jsonb')))).toEqual([]);
});

test('columns that refer to an enum table have the operators of equality and null', () => {
  const names = operatorsOf({ ...columnType('String'), enumeration: [] }).map(({ name }) => name);
  expect(names).toEqual(['_eq', '_neq', '_in', '_nin', '_is_null']);
});

test('the tests of null apply to every type', () => {
  expect([isNull.appliesTo(columnType('json')), isNotNull.appliesTo(columnType('json'))]).toEqual([true, true]);
});
