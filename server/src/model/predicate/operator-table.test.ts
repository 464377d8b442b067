/** Every operator: its SQL and the description that the schema has of it. */
import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { compile, ident, sql } from '../../postgres/sql/sql.ts';
import type { ColumnType } from '../types/column-type.ts';
import { argumentType, operatorNamed } from './operators.ts';

/** The condition for a left side `"c"` and, on the right, `$1` cast as the printer casts it. */
function printed(type: ColumnType, name: string): string | undefined {
  const operator = operatorNamed(name, type);
  const right = operator?.members
    ? sql`$1, $2`
    : sql`$1::${ident(operator ? argumentType(operator, type).sqlName : '')}`;
  return operator && compile(operator.print(ident('c'), right, type)).text;
}

test.each([
  ['Int', '_eq', '"c" = $1::"int4"', 'equal to the value'],
  ['Int', '_neq', '"c" <> $1::"int4"', 'not equal to the value'],
  ['Int', '_gt', '"c" > $1::"int4"', 'greater than the value'],
  ['Int', '_lt', '"c" < $1::"int4"', 'less than the value'],
  ['Int', '_gte', '"c" >= $1::"int4"', 'greater than the value or equal to it'],
  ['Int', '_lte', '"c" <= $1::"int4"', 'less than the value or equal to it'],
  ['Int', '_in', '"c" = any ($1::"int4[]")', 'equal to one of the values'],
  ['Int', '_nin', '"c" <> all ($1::"int4[]")', 'equal to none of the values'],
  ['Int', '_is_null', '("c" is null) = $1::"bool"', 'null, or not null'],
  ['String', '_like', '"c" like $1::"text"', 'matches the pattern'],
  ['String', '_nlike', '"c" not like $1::"text"', 'does not match the pattern'],
  ['String', '_ilike', '"c" ilike $1::"text"', 'matches the pattern, whatever the case'],
  ['String', '_nilike', '"c" not ilike $1::"text"', 'does not match the pattern, whatever the case'],
  ['String', '_similar', '"c" similar to $1::"text"', 'matches the SQL regular expression'],
  ['String', '_nsimilar', '"c" not similar to $1::"text"', 'does not match the SQL regular expression'],
  ['String', '_regex', '"c" ~ $1::"text"', 'matches the POSIX regular expression'],
  ['String', '_nregex', '"c" !~ $1::"text"', 'does not match the POSIX regular expression'],
  ['String', '_iregex', '"c" ~* $1::"text"', 'matches the POSIX regular expression, whatever the case'],
  ['String', '_niregex', '"c" !~* $1::"text"', 'does not match the POSIX regular expression, whatever the case'],
  [
    'Int[]',
    '_in',
    '"c" = any (select item.value::int4[] from unnest($1::"text[]") as item (value))',
    'equal to one of the values',
  ],
  [
    'Int[]',
    '_nin',
    '"c" <> all (select item.value::int4[] from unnest($1::"text[]") as item (value))',
    'equal to none of the values',
  ],
  ['Int[]', '_contains', '"c" @> $1::"int4[]"', 'contains the value'],
  ['Int[]', '_contained_in', '"c" <@ $1::"int4[]"', 'is contained in the value'],
  ['jsonb', '_has_key', '"c" ? $1::"text"', 'has the string as a key or an element at its top'],
  ['jsonb', '_has_keys_any', '"c" ?| $1::"text[]"', 'has one of the strings as a key or an element at its top'],
  ['jsonb', '_has_keys_all', '"c" ?& $1::"text[]"', 'has all of the strings as keys or elements at its top'],
  ['jsonb', '_jsonb_path_exists', '"c" @? $1::"text"::jsonpath', 'the JSON path gives an item'],
  ['jsonb', '_jsonb_path_match', '"c" @@ $1::"text"::jsonpath', 'the JSON path gives true'],
  ['ltree ltree', '_ancestor', '"c" @> $1::"ltree"', 'is an ancestor of the path, or the path'],
  ['ltree ltree', '_ancestor_any', '"c" @> $1::"ltree[]"', 'is an ancestor of one of the paths, or one of them'],
  ['ltree ltree', '_descendant', '"c" <@ $1::"ltree"', 'is a descendant of the path, or the path'],
  ['ltree ltree', '_descendant_any', '"c" <@ $1::"ltree[]"', 'is a descendant of one of the paths, or one of them'],
  ['ltree ltree', '_matches', '"c" ~ $1::"lquery"', 'matches the lquery'],
  ['ltree ltree', '_matches_any', '"c" ? $1::"text[]"::lquery[]', 'matches one of the lqueries'],
  ['ltree ltree', '_matches_fulltext', '"c" @ $1::"ltxtquery"', 'matches the ltxtquery'],
  ['ltree ltree', '_matches_fulltext_any', '"c" @ any ($1::"text[]"::ltxtquery[])', 'matches one of the ltxtqueries'],
  ['geometry geometry', '_st_contains', '"st_contains"("c", $1::"geometry")', 'contains the geometry'],
  ['geometry geometry', '_st_crosses', '"st_crosses"("c", $1::"geometry")', 'crosses the geometry'],
  [
    'geometry geometry',
    '_st_equals',
    '"st_equals"("c", $1::"geometry")',
    'is equal to the geometry, whatever the direction',
  ],
  [
    'geometry geometry',
    '_st_overlaps',
    '"st_overlaps"("c", $1::"geometry")',
    'overlaps with the geometry, neither containing the other',
  ],
  [
    'geometry geometry',
    '_st_touches',
    '"st_touches"("c", $1::"geometry")',
    'touches the geometry, their insides apart',
  ],
  ['geometry geometry', '_st_within', '"st_within"("c", $1::"geometry")', 'lies within the geometry'],
  [
    'geometry geometry',
    '_st_intersects',
    '"st_intersects"("c", $1::"geometry")',
    'has a point in common with the value',
  ],
  [
    'geometry geometry',
    '_st_3d_intersects',
    '"st_3dintersects"("c", $1::"geometry")',
    'has a point in common with the geometry in 3D',
  ],
  [
    'geometry geometry',
    '_st_d_within',
    '"st_dwithin"("c", $1, $2)',
    'is no further from the geometry than the distance',
  ],
  [
    'geometry geometry',
    '_st_3d_d_within',
    '"st_3ddwithin"("c", $1, $2)',
    'is no further from the geometry in 3D than the distance',
  ],
  [
    'raster raster',
    '_st_intersects_rast',
    '"st_intersects"("c", $1::"raster")',
    'has a point in common with the raster',
  ],
  [
    'raster raster',
    '_st_intersects_nband_geom',
    '"st_intersects"("c", $1, $2)',
    'has a band that has a point in common with the geometry',
  ],
  [
    'raster raster',
    '_st_intersects_geom_nband',
    '"st_intersects"("c", $1, $2)',
    'has a point in common with the geometry, in one band or in all',
  ],
  [
    'geography geography',
    '_st_d_within',
    '"st_dwithin"("c", $1, $2)',
    'is no further from the geography than the distance in meters',
  ],
])('%s %s is %s, and %s', (name, operator, text, description) => {
  const type = columnType(name);
  expect([printed(type, operator), operatorNamed(operator, type)?.description]).toEqual([text, description]);
});

describe('with the schema of its extension', () => {
  const inExtension = (name: string) => ({ ...columnType(name), extensionSchema: 'ext' });

  test.each([
    ['citext citext', '_gt', '"c" operator("ext".>) $1::"citext"'],
    ['citext citext', '_lt', '"c" operator("ext".<) $1::"citext"'],
    ['citext citext', '_gte', '"c" operator("ext".>=) $1::"citext"'],
    ['citext citext', '_lte', '"c" operator("ext".<=) $1::"citext"'],
    ['citext citext', '_like', '"c" operator("ext".~~) $1::"citext"'],
    ['citext citext', '_ilike', '"c" operator("ext".~~*) $1::"citext"'],
    ['citext citext', '_nilike', '"c" operator("ext".!~~*) $1::"citext"'],
    ['citext citext', '_nsimilar', '"c" operator("ext".!~) similar_to_escape($1::"citext"::text)'],
    ['citext citext', '_regex', '"c" operator("ext".~) $1::"citext"'],
    ['citext citext', '_nregex', '"c" operator("ext".!~) $1::"citext"'],
    ['citext citext', '_iregex', '"c" operator("ext".~*) $1::"citext"'],
    ['citext citext', '_niregex', '"c" operator("ext".!~*) $1::"citext"'],
    ['ltree ltree', '_ancestor', '"c" operator("ext".@>) $1::"ltree"'],
    ['ltree ltree', '_matches_any', '"c" operator("ext".?) $1::"text[]"::"ext".lquery[]'],
    ['ltree ltree', '_matches_fulltext_any', '"c" operator("ext".@) any ($1::"text[]"::"ext".ltxtquery[])'],
    ['geography geography', '_st_intersects', '"ext"."st_intersects"("c", $1::"geography")'],
  ])('%s %s is %s', (name, operator, text) => {
    expect(printed(inExtension(name), operator)).toBe(text);
  });
});

test.each([
  [
    'geometry geometry',
    '_st_d_within',
    [
      ['from', 'geometry', undefined],
      ['distance', 'float8', undefined],
    ],
  ],
  [
    'geometry geometry',
    '_st_3d_d_within',
    [
      ['from', 'geometry', undefined],
      ['distance', 'float8', undefined],
    ],
  ],
  [
    'geography geography',
    '_st_d_within',
    [
      ['from', 'geography', undefined],
      ['distance', 'float8', undefined],
      ['use_spheroid', 'bool', true],
    ],
  ],
  [
    'raster raster',
    '_st_intersects_nband_geom',
    [
      ['nband', 'int4', undefined],
      ['geommin', 'geometry', undefined],
    ],
  ],
  [
    'raster raster',
    '_st_intersects_geom_nband',
    [
      ['geommin', 'geometry', undefined],
      ['nband', 'int4', null],
    ],
  ],
])('the members of %s %s are %j', (name, operator, members) => {
  const type = columnType(name);
  const found = operatorNamed(operator, type)?.members?.(type);
  expect(found?.map((member) => [member.name, member.type.sqlName, member.default])).toEqual(members);
});

test.each([
  ['geometry geometry', '_st_d_within', 'st_d_within_input'],
  ['geometry geometry', '_st_3d_d_within', 'st_d_within_input'],
  ['geography geography', '_st_d_within', 'st_d_within_geography_input'],
  ['raster raster', '_st_intersects_nband_geom', 'st_intersects_nband_geom_input'],
  ['raster raster', '_st_intersects_geom_nband', 'st_intersects_geom_nband_input'],
])('the input of %s %s is named %s', (name, operator, input) => {
  expect(operatorNamed(operator, columnType(name))?.argument).toEqual({ input });
});

test('the distance is a Float in GraphQL', () => {
  const type = columnType('geometry geometry');
  expect(operatorNamed('_st_d_within', type)?.members?.(type)[1]?.type.scalar).toBe('Float');
});
