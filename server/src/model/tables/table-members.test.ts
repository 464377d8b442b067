/** Properties of tables, columns and sources from the catalog and the metadata. */
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveSources, resolveTables, tableIn } from '../../../test/support/model/catalog.ts';
import {
  type Catalog,
  type CatalogColumn,
  type CatalogRelation,
  relationKey,
} from '../../postgres/catalog/catalog-types.ts';

const bare = catalogOf({
  author: { columns: { id: 'int4!', full_name: 'text', color: 'text' }, key: ['id'] },
  colors: { columns: { value: 'text!', comment: 'text' }, key: ['value'] },
  'shop.big_order': { columns: { id: 'int4!', total_sum: 'numeric' }, key: ['id'] },
});
const authorKey = relationKey('public', 'author');

/** The catalog with changes of the table `author` and of its columns. */
function changed(
  more: Partial<CatalogRelation>,
  columns: Readonly<Record<string, Partial<CatalogColumn>>> = {},
): Catalog {
  const author = bare.relations.get(authorKey);
  if (author === undefined) throw new Error('the catalog has no table author');
  const list = author.columns.map((column) => ({ ...column, ...columns[column.name] }));
  return { ...bare, relations: new Map([...bare.relations, [authorKey, { ...author, columns: list, ...more }]]) };
}

const author = (catalog: Catalog, entry: object = {}) =>
  tableIn(resolveTables([{ table: 'author', ...entry }], catalog), 'author');

describe('a column', () => {
  test.each<[string, Partial<CatalogColumn>, object]>([
    ['without a default', {}, { hasDefault: false, writable: 'yes' }],
    ['with a default', { hasDefault: true }, { hasDefault: true, writable: 'yes' }],
    ['that is generated', { generated: true }, { hasDefault: true, writable: 'no' }],
    ['that is always an identity', { identity: 'always' }, { hasDefault: true, writable: 'no' }],
    ['that is an identity by default', { identity: 'by default' }, { hasDefault: true, writable: 'yes' }],
  ])('%s may be left out and written accordingly', (_what, more, expected) => {
    expect(author(changed({}, { id: more })).columns.get('id')).toMatchObject(expected);
  });

  test('of an unknown type is left out', () => {
    expect([...author(changed({}, { full_name: { type: 9 } })).columnsByName.keys()]).toEqual(['id', 'color']);
  });

  test('of an unknown type is no part of the primary key', () => {
    expect(author(changed({}, { id: { type: 9 } })).primaryKey).toEqual([]);
  });

  test('may have a name that objects of JavaScript have', () => {
    const odd = catalogOf({ author: { columns: { constructor: 'int4!', toString: 'text' } } });
    const configuration = { column_config: {}, custom_column_names: {} };
    expect([...author(odd, { configuration }).columns.keys()]).toEqual(['constructor', 'toString']);
  });
});

describe('a table', () => {
  test.each<[string, Partial<CatalogRelation>, object]>([
    ['that is a view', { kind: 'view' }, { isView: true }],
    ['of a view with a volatile function', { isVolatile: true }, { isVolatile: true }],
    ['from which others may inherit', { hasChildren: true }, { hasChildren: true }],
    [
      'whose primary key is checked at the end of the transaction',
      { primaryKey: { name: 'author_pkey', columns: ['id'], deferrable: true } },
      { primaryKeyDeferrable: true, primaryKeyName: 'author_pkey' },
    ],
    [
      'with unique keys',
      { uniqueKeys: [{ name: 'one', columns: ['color'] }] },
      { uniqueKeys: [{ name: 'one', columns: ['color'] }] },
    ],
    [
      'that only permits updates',
      { insertable: false, deletable: false },
      { insertable: false, updatable: true, deletable: false },
    ],
  ])('%s is marked', (_what, more, expected) => {
    expect(author(changed(more))).toMatchObject(expected);
  });

  test('has none of these marks otherwise', () => {
    const table = author(changed({}));
    const marks = ['isView', 'isVolatile', 'hasChildren', 'primaryKeyDeferrable', 'isEntity', 'customNamed'];
    const names = ['convention', 'typeSuffix', 'rootComments', 'hidden'];
    expect([...marks, ...names].filter((mark) => mark in table)).toEqual([]);
    expect(table).toMatchObject({ insertable: true, updatable: true, deletable: true, primaryKeyName: 'author_pkey' });
  });

  test('without a primary key has none', () => {
    expect(author(changed({ primaryKey: undefined }))).toMatchObject({
      primaryKey: undefined,
      primaryKeyName: undefined,
    });
  });

  test('has the members of its entry', () => {
    const custom_root_fields = {
      select: { name: 'all', comment: 'All rows' },
      select_by_pk: { name: 'one', comment: null },
      insert: 'put',
      delete: { name: 'drop', comment: '' },
    };
    const entry = {
      apollo_federation_config: { enable: 'v1' },
      configuration: { custom_name: 'writer', custom_root_fields },
    };
    expect(author(bare, entry)).toMatchObject({
      isEntity: true,
      customNamed: true,
      rootComments: { select: 'All rows', delete: '' },
      streamRoot: 'writer_stream',
      connectionRoot: 'writer_connection',
      mutationRoots: { insert: 'put', insert_one: 'insert_writer_one' },
    });
    expect(Object.keys(author(bare, entry).rootComments ?? {})).toEqual(['select', 'delete']);
  });
});

describe('the naming convention of a source', () => {
  const resolved = (entry: object = {}, more: object = {}) => {
    const customization = { naming_convention: 'graphql-default', ...more };
    const tables = [{ table: { schema: 'shop', name: 'big_order' }, ...entry }];
    return resolveSources([{ name: 'default', customization, tables }], new Map([[DEFAULT_SOURCE, bare]]));
  };

  test('puts types in Pascal case, and fields in camel case', () => {
    const model = resolved();
    expect(model.sources.get(DEFAULT_SOURCE)?.convention).toBe('graphql-default');
    expect(tableIn(model, 'shop.big_order')).toMatchObject({
      graphqlName: 'ShopBigOrder',
      convention: 'graphql-default',
      roots: { select: 'shopBigOrder' },
      streamRoot: 'shopBigOrderStream',
      connectionRoot: 'shopBigOrderConnection',
      mutationRoots: { insert: 'insertShopBigOrder' },
    });
    expect([...tableIn(model, 'shop.big_order').columns.keys()]).toEqual(['id', 'totalSum']);
  });

  test('does not change custom names', () => {
    const configuration = { custom_name: 'my_order', column_config: { total_sum: { custom_name: 'my_sum' } } };
    const table = tableIn(resolved({ configuration }), 'shop.big_order');
    expect([table.graphqlName, ...table.columns.keys()]).toEqual(['my_order', 'id', 'my_sum']);
  });

  test('is followed by the prefix and suffix of the source', () => {
    const more = { type_names: { prefix: 'P', suffix: 'S' }, root_fields: { prefix: 'r', suffix: 'z' } };
    expect(tableIn(resolved({}, more), 'shop.big_order')).toMatchObject({
      graphqlName: 'PShopBigOrder',
      typeSuffix: 'S',
      roots: { select: 'rShopBigOrderz' },
      streamRoot: 'rShopBigOrderStreamz',
      connectionRoot: 'rShopBigOrderConnectionz',
      mutationRoots: { insert: 'rInsertShopBigOrderz' },
    });
  });

  test('that is not known drops the source', () => {
    const { inconsistencies } = resolved({}, { naming_convention: 'none' });
    expect(inconsistencies[0]).toMatchObject({
      type: 'source',
      code: 'not-supported',
      path: '$.sources[0].customization.naming_convention',
      reason: expect.stringContaining('naming_convention "none" is not known'),
    });
  });
});

describe('a column that refers to an enum table', () => {
  const key = { foreignSchema: 'public', foreignTable: 'colors', foreignColumns: ['value'] };
  const values = [{ value: 'red', comment: undefined }];
  const catalog = {
    ...changed({ foreignKeys: [{ name: 'fk', columns: ['color'], ...key }] }),
    enumValues: new Map([[relationKey('public', 'colors'), values]]),
  };
  const resolved = (customization?: object) => {
    const tables = [{ table: 'author' }, { table: 'colors', is_enum: true }];
    const source = { name: 'default', tables, ...(customization && { customization }) };
    return resolveSources([source], new Map([[DEFAULT_SOURCE, catalog]]));
  };

  test('has the values of the enum', () => {
    const type = tableIn(resolved(), 'author').columns.get('color')?.type;
    expect(type).toMatchObject({ name: 'text', scalar: 'colors_enum', enumeration: values });
    expect(type).not.toHaveProperty('upperCase');
  });

  test('shows them in upper case by the naming convention', () => {
    const type = tableIn(resolved({ naming_convention: 'graphql-default' }), 'author').columns.get('color')?.type;
    expect(type).toMatchObject({ scalar: 'ColorsEnum', upperCase: true });
  });

  test('has the prefix and suffix of the source in the name of the enum', () => {
    const type = tableIn(resolved({ type_names: { prefix: 'p_', suffix: '_s' } }), 'author').columns.get('color')?.type;
    expect(type?.scalar).toBe('p_colors_enum_s');
  });

  test('is left out if its type is unknown', () => {
    const foreignKeys = [{ name: 'fk', columns: ['color'], ...key }];
    const odd = { ...changed({ foreignKeys }, { color: { type: 9 } }), enumValues: catalog.enumValues };
    const model = resolveTables([{ table: 'author' }, { table: 'colors', is_enum: true }], odd);
    expect([...tableIn(model, 'author').columns.keys()]).toEqual(['id', 'full_name']);
  });

  test('is a plain column if the table is no enum table', () => {
    const model = resolveTables([{ table: 'author' }, { table: 'colors' }], catalog);
    expect(tableIn(model, 'author').columns.get('color')?.type).toMatchObject({ scalar: 'String' });
  });

  test('drops an enum table that is not valid, with the reason', () => {
    const model = resolveTables([{ table: 'author' }, { table: 'colors', is_enum: true }], {
      ...catalog,
      enumValues: new Map(),
    });
    expect(model.inconsistencies).toMatchObject([
      {
        type: 'table',
        path: '$.sources[0].tables[1]',
        code: 'invalid-configuration',
        reason: 'the table "colors" cannot be used as an enum because the table must have at least one row',
      },
    ]);
  });
});

describe('a source', () => {
  const sourceOf = (written: object, catalog: Catalog = bare) => {
    const source = { name: 'default', tables: [{ table: 'author' }], ...written };
    return resolveSources([source], new Map([[DEFAULT_SOURCE, catalog]])).sources.get(DEFAULT_SOURCE);
  };

  test('has its namespace with the types', () => {
    const customization = { root_fields: { namespace: 'shop' }, type_names: { prefix: 'p_' } };
    expect(sourceOf({ customization })?.namespace).toMatchObject({ name: 'shop', types: { query: 'p_shop_query' } });
  });

  test.each([
    ['its query tags', { query_tags: { format: 'sqlcommenter' } }, true],
    ['no query tags that are disabled', { query_tags: { disabled: true } }, false],
    ['no query tags by default', {}, false],
  ])('has %s', (_what, written, present) => {
    expect('queryTags' in Object(sourceOf(written))).toBe(present);
  });

  test('is marked if SQL of the database reads the session', () => {
    expect(sourceOf({}, { ...bare, readsSession: true })?.readsSession).toBe(true);
    expect(sourceOf({})).not.toHaveProperty('readsSession');
  });

  test('has no members that it does not set', () => {
    expect(['namespace', 'convention'].filter((member) => member in Object(sourceOf({})))).toEqual([]);
  });
});

describe('the configuration of a column', () => {
  const configured = (configuration: object) => resolveTables([{ table: 'author', configuration }], bare);

  test.each([
    ['column_config', { column_config: { color: { custom_name: 'id' } } }],
    ['custom_column_names', { custom_column_names: { color: 'id' } }],
  ])('with the name of another column in %s is reported, and the column is left out', (member, configuration) => {
    const model = configured(configuration);
    expect(model.inconsistencies).toEqual([
      {
        type: 'table_configuration',
        name: `configuration ${member}.color of table author in source default`,
        path: `$.sources[0].tables[0].configuration.${member}.color`,
        code: 'already-exists',
        reason:
          'table "author": column "color" has the custom name "id", which column "id" has already; choose another',
        definition: expect.objectContaining(configuration),
      },
    ]);
    expect([...tableIn(model, 'author').columns.keys()]).toEqual(['id', 'full_name']);
  });

  test('may exchange the names of two columns', () => {
    const model = configured({ custom_column_names: { id: 'color', color: 'id' } });
    expect(model.inconsistencies).toEqual([]);
    expect([...tableIn(model, 'author').columns].map(([field, { name }]) => [field, name])).toEqual([
      ['color', 'id'],
      ['full_name', 'full_name'],
      ['id', 'color'],
    ]);
  });

  test('of two columns cannot give them one name', () => {
    const model = configured({ custom_column_names: { id: 'x', color: 'x' } });
    expect(model.inconsistencies.map(({ path }) => path)).toEqual([
      '$.sources[0].tables[0].configuration.custom_column_names.color',
    ]);
  });

  test('of an unknown column is reported for each member', () => {
    const model = configured({ custom_column_names: { none: 'x' }, column_config: { none: { comment: 'y' } } });
    expect(model.inconsistencies.map(({ path, reason }) => [path.split('configuration.')[1], reason])).toEqual(
      ['column_config', 'custom_column_names'].map((member) => [
        `${member}.none`,
        'table "author": it has no column "none", so the configuration of that column has no effect; remove it',
      ]),
    );
  });
});
