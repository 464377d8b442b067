import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { columnType, draftOf } from '../../../test/support/model/draft.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Draft } from '../types/draft.ts';
import { graphqlScalars, postgresScalars, tableEnums } from './postgres-scalars.ts';

const colors: ColumnType = {
  ...columnType('String'),
  scalar: 'colors_enum',
  enumeration: [
    { value: 'red', comment: 'like roses' },
    { value: 'blue', comment: undefined },
  ],
};

/** Returns a draft whose table `car` has a column of the enum, besides one of type `mood` in another source. */
function draft(): Draft {
  const { draft: made } = draftOf({
    tables: { car: { id: 'Int', spare: 'String' }, person: { id: 'Int' } },
    otherTables: { guest: { mood: 'enum mood' } },
  });
  const car = made.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey('public', 'car'));
  const person = made.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey('public', 'person'));
  for (const [table, name] of [
    [car, 'paint'],
    [person, 'favorite'],
  ] as const) {
    const id = table?.columns.get('id');
    if (table === undefined || id === undefined) throw new Error('the draft is not complete');
    (table.columns as Map<string, typeof id>).set(name, { ...id, name, field: name, type: { ...colors } });
  }
  return made;
}

describe('the scalars that actions may use without a definition', () => {
  const scalars = postgresScalars(draft());

  test('are those of GraphQL', () => {
    expect([...graphqlScalars].map(([name, scalar]) => [name, scalar])).toEqual(
      ['Int', 'Float', 'String', 'Boolean', 'ID'].map((name) => [
        name,
        { kind: 'scalar', name, origin: 'graphql', description: undefined },
      ]),
    );
  });

  test.each([
    ...['bigint', 'numeric', 'timestamptz', 'uuid', 'jsonb', 'bytea', 'inet', 'money', 'name'],
    ...['oid', 'bit', 'varbit', 'xml', 'tsvector', 'tsquery'],
    ...['int4range', 'int8range', 'numrange', 'daterange', 'tsrange', 'tstzrange'],
    ...['citext', 'ltree', 'lquery', 'ltxtquery', 'geometry', 'geography', 'raster'],
    'mood',
  ])('include %s of PostgreSQL', (name) => {
    expect(scalars.get(name)).toEqual({ kind: 'scalar', name, origin: 'postgres', description: undefined });
  });

  test.each(['Int', 'String', 'colors_enum', 'none'])('do not include %s among those of PostgreSQL', (name) => {
    expect(scalars.has(name)).toBe(false);
  });

  test.each([
    ['int4', 'Int'],
    ['varchar', 'String'],
    ['bool', 'Boolean'],
    ['int8', 'bigint'],
    ['decimal', 'numeric'],
  ])('have the alias %s for %s', (alias, name) => {
    expect(scalars.get(alias)).toBe(graphqlScalars.get(name) ?? scalars.get(name));
    expect(scalars.get(alias)?.name).toBe(name);
  });

  test('have no alias that is the type of a column', () => {
    const { draft: other } = draftOf({ tables: { odd: { value: 'enum decimal' } } });
    expect(postgresScalars(other).get('decimal')).toMatchObject({ name: 'decimal' });
  });
});

test('the enums of enum tables have their values with comments, once for all columns', () => {
  expect([...tableEnums(draft())]).toEqual([
    [
      'colors_enum',
      {
        kind: 'enum',
        name: 'colors_enum',
        description: undefined,
        values: [
          { value: 'red', description: 'like roses', deprecated: undefined },
          { value: 'blue', description: undefined, deprecated: undefined },
        ],
        column: colors,
      },
    ],
  ]);
});
