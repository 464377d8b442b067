/** The names of remote relationships of tables, and the columns that they compare. */
import { DEFAULT_SOURCE, SourceName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, functionOf, resolveSources, tableIn, typeOf } from '../../../test/support/model/catalog.ts';
import { type Catalog, relationKey } from '../../postgres/catalog/catalog-types.ts';

const types = [
  ...['timestamp', 'timetz', 'time', 'xml', 'bytea', 'inet', 'cidr', 'interval'].map((name, index) =>
    typeOf(200 + index, name),
  ),
  typeOf(300, 'citext', { schema: 'public', extension: 'citext' }),
  typeOf(301, 'mood', { schema: 'public', kind: 'enum' }),
  typeOf(302, 'other_mood', { schema: 'public', kind: 'enum' }),
  typeOf(400, 'author', { schema: 'public', kind: 'composite' }),
];
const authors = { author: { columns: { id: 'int4!', parent: 'int4', color: 'text' }, key: ['id'] } };

/** Returns why a column of type `from` cannot be joined to one of type `to`. */
function mismatch(from: string, to: string): string | undefined {
  const own = catalogOf({ author: { columns: { id: from } } }, types);
  const other = catalogOf({ target: { columns: { key: to } } }, types);
  const model = resolveSources(
    [
      { name: 'default', tables: [{ table: 'author', remote_relationships: [toTarget('join', { id: 'key' })] }] },
      { name: 'other', tables: [{ table: 'target' }] },
    ],
    new Map([
      [DEFAULT_SOURCE, own],
      [SourceName.parse('other'), other],
    ]),
  );
  return model.inconsistencies[0]?.reason;
}

function toTarget(name: string, field_mapping: object, more: object = {}) {
  const to_source = { source: 'other', table: 'target', relationship_type: 'object', field_mapping, ...more };
  return { name, definition: { to_source } };
}

describe('the columns of a remote relationship', () => {
  test.each([
    ['int4', 'numeric'],
    ['text', 'varchar'],
    ['text', 'citext'],
    ['citext', 'text'],
    ['uuid', 'uuid'],
    ['bool', 'bool'],
    ['jsonb', 'jsonb'],
    ['bytea', 'bytea'],
    ['date', 'date'],
    ['timestamp', 'timestamptz'],
    ['timestamptz', 'timestamp'],
    ['time', 'time'],
    ['inet', 'inet'],
    ['interval', 'interval'],
    ['mood', 'mood'],
    ['int4[]', 'int8[]'],
    ['mood[]', 'mood[]'],
  ])('of types %s and %s are compared', (from, to) => {
    expect(mismatch(from, to)).toBeUndefined();
  });

  test.each([
    ['int4', 'text'],
    ['text', 'int4'],
    ['citext', 'int4'],
    ['uuid', 'text'],
    ['date', 'timestamp'],
    ['timestamptz', 'date'],
    ['time', 'timetz'],
    ['inet', 'cidr'],
    ['mood', 'other_mood'],
    ['mood', 'text'],
    ['json', 'json'],
    ['xml', 'xml'],
    ['json[]', 'json[]'],
    ['int4[]', 'text[]'],
    ['int4', 'int4[]'],
    ['int4[]', 'int4'],
  ])('of types %s and %s are not compared', (from, to) => {
    expect(mismatch(from, to)).toBe(
      `remote relationship "join": field_mapping: column "id" has type ${from} and column "key" has type ${to}; the two cannot be compared`,
    );
  });
});

const bare = catalogOf({ ...authors, colors: { columns: { value: 'text!' }, key: ['value'] } }, types);
const target = catalogOf({
  target: { columns: { key: 'int4!', color: 'text' }, key: ['key'] },
  colors: { columns: { value: 'text!' }, key: ['value'] },
});
const textOid = [...bare.types.values()].find(({ name }) => name === 'text')?.oid ?? 0;
const row = { name: 'row', type: 400, hasDefault: false };
const functions = [
  functionOf('plain', { arguments: [row], returnType: textOid }),
  functionOf('limited', { arguments: [row, { name: 'a', type: textOid, hasDefault: false }], returnType: textOid }),
];
const catalog = { ...bare, functions: new Map(functions.map((one) => [relationKey('public', one.name), [one]])) };

function resolve(...remote_relationships: readonly object[]) {
  const related = (name: string) => ({
    name,
    using: { manual_configuration: { remote_table: 'author', column_mapping: { id: 'parent' } } },
  });
  const author = {
    table: 'author',
    object_relationships: [related('parent_row')],
    array_relationships: [related('children')],
    computed_fields: ['plain', 'limited'].map((name) => ({ name, definition: { function: name } })),
    remote_relationships,
  };
  const others = [{ table: 'target' }, { table: 'colors', is_enum: true, configuration: { custom_name: 'shades' } }];
  const key = { foreignSchema: 'public', foreignTable: 'colors', foreignColumns: ['value'] };
  const relation = target.relations.get(relationKey('public', 'target'));
  if (relation === undefined) throw new Error('the catalog has no table target');
  const linked = { ...relation, foreignKeys: [{ name: 'fk', columns: ['color'], ...key }] };
  const model = resolveSources(
    [
      { name: 'default', tables: [author] },
      { name: 'other', tables: others },
    ],
    new Map<SourceName, Catalog>([
      [DEFAULT_SOURCE, catalog],
      [
        SourceName.parse('other'),
        {
          ...target,
          relations: new Map([...target.relations, [relationKey('public', 'target'), linked]]),
          enumValues: new Map([[relationKey('public', 'colors'), [{ value: 'red', comment: undefined }]]]),
        },
      ],
    ]),
  );
  return {
    joins: [...tableIn(model, 'author').joins.keys()],
    reasons: model.inconsistencies.map(({ reason }) => reason),
  };
}

describe('the name of a remote relationship', () => {
  test.each([
    ['id', 'a column'],
    ['parent_row', 'a relationship'],
    ['children', 'a relationship'],
    ['children_aggregate', 'the aggregate of a relationship'],
    ['plain', 'a computed field'],
  ])('is not "%s", that of %s', (name, owner) => {
    expect(resolve(toTarget(name, { id: 'key' }))).toEqual({
      joins: [],
      reasons: [`remote relationship "${name}": the table has ${owner} "${name}" already; choose another name`],
    });
  });

  test.each(['parent_row_aggregate', 'id_aggregate', 'none_aggregate', 'children_aggregate_all'])(
    'may be "%s", which nothing has',
    (name) => {
      expect(resolve(toTarget(name, { id: 'key' }))).toEqual({ joins: [name], reasons: [] });
    },
  );

  test('may be that of the aggregate of a relationship to one row', () => {
    expect(resolve(toTarget('one', { id: 'key' }), toTarget('one_aggregate', { id: 'key' }))).toEqual({
      joins: ['one', 'one_aggregate'],
      reasons: [],
    });
  });

  test('is rejected if that of its aggregate is in use', () => {
    const list = toTarget('one', { id: 'key' }, { relationship_type: 'array' });
    expect(resolve(toTarget('one_aggregate', { id: 'key' }), list)).toEqual({
      joins: ['one_aggregate'],
      reasons: [
        'remote relationship "one": the table has a remote relationship "one_aggregate" already; choose another name',
      ],
    });
  });
});

describe('a remote relationship', () => {
  test('may have a computed field as its key, if that needs no arguments', () => {
    expect(resolve(toTarget('a', { plain: 'key' })).reasons).toEqual([
      'remote relationship "a": field_mapping: column "plain" has type text and column "key" has type int4; the two cannot be compared',
    ]);
    expect(resolve(toTarget('a', { limited: 'key' })).reasons).toEqual([
      'remote relationship "a": field_mapping: table author has no column "limited"; use one of "id", "parent", "color"',
    ]);
  });

  test('cannot compare with the values of an enum table', () => {
    expect(resolve(toTarget('a', { color: 'color' })).reasons).toEqual([
      'remote relationship "a": field_mapping: column "color" has the values of an enum table, and nothing can be joined to those',
    ]);
  });
});

test('a remote relationship of a dropped table is reported', () => {
  const tables = [{ table: { schema: 'shop', name: 'none' }, remote_relationships: [toTarget('a', { id: 'key' })] }];
  const { inconsistencies } = resolveSources([{ name: 'default', tables }], new Map([[DEFAULT_SOURCE, catalog]]));
  expect(inconsistencies.at(-1)).toMatchObject({
    type: 'remote_relationship',
    name: 'remote_relationship a in table shop.none in source default',
    path: '$.sources[0].tables[0].remote_relationships[0]',
    reason: 'remote relationship "a": table shop.none in source default was dropped or could not be read; fix it first',
  });
});
