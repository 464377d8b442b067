import { DEFAULT_SOURCE, SourceName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveSources, resolveTables, tableIn, typeOf } from '../../../test/support/model/catalog.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';

const catalog = catalogOf(
  {
    author: {
      columns: { id: 'int4!', name: 'text' },
      key: ['id'],
      comment: 'The authors',
      columnComments: { id: 'its number', name: 'as printed' },
    },
    odd: { columns: { id: 'int4!', 'first name': 'text', __hidden: 'text' }, key: ['id'] },
    users: { columns: { id: 'int4!' }, key: ['id'] },
    'shop.order': { columns: { id: 'int4!', line: 'int4!', state: 'state' }, key: ['line', 'id'] },
    shop_order: { columns: { id: 'int4' } },
    'users address': { columns: { id: 'int4' } },
    bare: { columns: {} },
    unnamed: { columns: { 'a b': 'text' } },
    state: { columns: { id: 'int4' } },
    '2nd shop.order': { columns: { id: 'int4' } },
    таблица: { columns: { id: 'int4' } },
  },
  [typeOf(50, 'state', { kind: 'enum', schema: 'shop', labels: ['new', 'paid'], sqlName: 'shop.state' })],
);

describe('a table', () => {
  const model = resolveTables([{ table: 'author' }, { table: { schema: 'shop', name: 'order' } }], catalog);
  const author = tableIn(model, 'author');

  test('names are those of the table, with the schema as prefix outside of public', () => {
    expect(author).toMatchObject({
      graphqlName: 'author',
      roots: { select: 'author', select_by_pk: 'author_by_pk', select_aggregate: 'author_aggregate' },
      comment: 'The authors',
    });
    expect(tableIn(model, 'shop.order')).toMatchObject({
      graphqlName: 'shop_order',
      roots: { select: 'shop_order', select_by_pk: 'shop_order_by_pk', select_aggregate: 'shop_order_aggregate' },
    });
    expect(model.inconsistencies).toEqual([]);
  });

  test('a column without a valid GraphQL name is not a field, but can be used in keys and rules', () => {
    const resolved = resolveTables([{ table: 'odd' }], catalog);
    const odd = tableIn(resolved, 'odd');
    expect([...odd.columns.keys()]).toEqual(['id']);
    expect([...odd.columnsByName.keys()]).toEqual(['id', 'first name', '__hidden']);
    expect(resolved.inconsistencies).toMatchObject([
      {
        type: 'unsupported',
        name: 'column first name of table odd in source default',
        path: '$.sources[0].tables[0]',
        reason: expect.stringContaining('set a custom_name such as "first_name" in column_config'),
        accepted: true,
      },
      { name: 'column __hidden of table odd in source default' },
    ]);
  });

  test('columns have types, nullability and comments', () => {
    expect(author.columns.get('id')).toMatchObject({ nullable: false, comment: 'its number', type: { scalar: 'Int' } });
    expect(author.columns.get('name')).toMatchObject({ nullable: true, comment: 'as printed' });
    expect(tableIn(model, 'shop.order').columns.get('state')?.type).toMatchObject({
      family: 'enum',
      scalar: 'state',
      sqlName: 'shop.state',
      labels: ['new', 'paid'],
    });
  });

  test('preserves the order of a key of several columns', () => {
    expect(tableIn(model, 'shop.order').primaryKey?.map(({ name }) => name)).toEqual(['line', 'id']);
  });
});

describe('the configuration of a table', () => {
  const configured = (configuration: unknown) => resolveTables([{ table: 'author', configuration }], catalog);

  test('a custom name is the base of all names', () => {
    expect(tableIn(configured({ custom_name: 'writer' }), 'author')).toMatchObject({
      graphqlName: 'writer',
      roots: { select: 'writer', select_by_pk: 'writer_by_pk', select_aggregate: 'writer_aggregate' },
    });
  });

  test('custom root fields override, written as names or as objects', () => {
    const custom_root_fields = {
      select: 'gather',
      select_by_pk: { name: 'one', comment: 'x' },
      select_aggregate: null,
    };
    expect(tableIn(configured({ custom_root_fields }), 'author').roots).toEqual({
      select: 'gather',
      select_by_pk: 'one',
      select_aggregate: 'author_aggregate',
    });
  });

  test('a custom name of a column is its field name, and the newer member takes precedence over the older', () => {
    const custom_column_names = { name: 'ignored', id: 'key' };
    const column_config = { name: { custom_name: 'title', comment: 'other' } };
    const author = tableIn(configured({ custom_column_names, column_config, comment: 'Mine' }), 'author');
    expect([...author.columns.keys()]).toEqual(['key', 'title']);
    expect(author.columns.get('title')).toMatchObject({ name: 'name', comment: 'other' });
    expect(author.columnsByName.get('name')).toBe(author.columns.get('title'));
    expect(author.comment).toBe('Mine');
  });

  test('an empty comment hides that of the database', () => {
    const author = tableIn(configured({ comment: '', column_config: { id: { comment: '' } } }), 'author');
    expect([author.comment, author.columns.get('id')?.comment]).toEqual([undefined, undefined]);
  });

  test('drops only the column whose custom name another column has', () => {
    const model = configured({ column_config: { id: { custom_name: 'name' } } });
    expect([...tableIn(model, 'author').columns.keys()]).toEqual(['name']);
    expect(model.inconsistencies).toMatchObject([
      { code: 'already-exists', path: '$.sources[0].tables[0].configuration.column_config.id' },
    ]);
  });

  test('reports the configuration of an unknown column, and accepts the table', () => {
    const model = configured({ column_config: { unknown: { custom_name: 'x' } } });
    expect(tableIn(model, 'author').columns.size).toBe(2);
    expect(model.inconsistencies).toMatchObject([
      {
        type: 'table_configuration',
        name: 'configuration column_config.unknown of table author in source default',
        code: 'not-exists',
        path: '$.sources[0].tables[0].configuration.column_config.unknown',
      },
    ]);
  });
});

describe('a table that GraphQL does not permit is hidden and listed as inconsistent', () => {
  test.each([
    ['users address', '"users address" is not a GraphQL name', 'set a custom_name such as "users_address"'],
    ['2nd shop.order', '"2nd shop_order" is not a GraphQL name', 'set a custom_name such as "_2nd_shop_order"'],
    ['таблица', '"таблица" is not a GraphQL name', 'set a custom_name in its configuration'],
    ['bare', 'it has no column with a type of GraphQL', 'untrack the table'],
    ['unnamed', 'none of its columns has a GraphQL name', 'set a custom_name for columns'],
  ])('%s', (label, cause, remedy) => {
    const [schema, name] = label.includes('.') ? label.split('.') : ['public', label];
    const table = { schema, name };
    const model = resolveTables([{ table }], catalog);
    expect(tableIn(model, label).hidden).toBe(true);
    expect(model.inconsistencies).toMatchObject([
      {
        type: 'table',
        name: `table ${label} in source default`,
        path: '$.sources[0].tables[0]',
        code: 'invalid-configuration',
        reason: expect.stringContaining(cause),
        definition: table,
        accepted: true,
      },
    ]);
    expect(model.inconsistencies[0]?.reason).toContain(remedy);
  });

  test('if the customization of the source makes a root field or a type without a GraphQL name', () => {
    const withPrefix = (customization: unknown) =>
      resolveSources(
        [{ name: 'default', customization, tables: [{ table: 'author' }] }],
        new Map([[DEFAULT_SOURCE, catalog]]),
      );
    expect(withPrefix({ root_fields: { prefix: '1' } }).inconsistencies).toMatchObject([
      { reason: expect.stringContaining('the name "1author" of a root field of it is not a GraphQL name') },
    ]);
    expect(withPrefix({ type_names: { prefix: '__' } }).inconsistencies).toMatchObject([
      { reason: expect.stringContaining('set other type_names in the customization of the source') },
    ]);
    expect(withPrefix({ type_names: { prefix: 'A1' } }).inconsistencies).toEqual([]);
  });

  test('also if one of its root fields has a custom name', () => {
    const configuration = { custom_root_fields: { select: 'addresses' } };
    const model = resolveTables([{ table: 'users address', configuration }], catalog);
    expect(tableIn(model, 'users address').hidden).toBe(true);
  });
});

test('a custom name makes a hidden table visible', () => {
  const model = resolveTables([{ table: 'users address', configuration: { custom_name: 'address' } }], catalog);
  expect(tableIn(model, 'users address').hidden).toBeUndefined();
  expect(model.inconsistencies).toEqual([]);
});

describe('an invalid table is dropped', () => {
  test('if the database does not have it, with everything in its entry', () => {
    const model = resolveTables(
      [
        { table: 'author' },
        {
          table: { schema: 'shop', name: 'orders' },
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
          select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
        },
      ],
      catalog,
    );
    expect(model.sources.get(DEFAULT_SOURCE)?.tables.size).toBe(1);
    expect(model.inconsistencies).toMatchObject([
      {
        type: 'table',
        name: 'table shop.orders in source default',
        path: '$.sources[0].tables[1]',
        code: 'invalid-configuration',
        reason: 'no such table/view exists in source: "shop.orders"',
        definition: { schema: 'shop', name: 'orders' },
      },
      {
        type: 'object_relation',
        name: 'object_relation author in table shop.orders in source default',
        path: '$.sources[0].tables[1].object_relationships[0]',
        reason: expect.stringContaining('table "shop.orders" was dropped'),
      },
      {
        type: 'select_permission',
        name: 'select_permission user in table shop.orders in source default',
        path: '$.sources[0].tables[1].select_permissions[0]',
      },
    ]);
  });

  test('if it is tracked twice', () => {
    const model = resolveTables([{ table: 'author' }, { table: 'author' }], catalog);
    expect(model.inconsistencies).toMatchObject([{ code: 'already-tracked', path: '$.sources[0].tables[1]' }]);
    expect(tableIn(model, 'author').columns.size).toBe(2);
  });

  test.each<readonly [string, readonly unknown[], string]>([
    [
      'a root field in use',
      [{ table: 'author' }, { table: 'users', configuration: { custom_root_fields: { select_by_pk: 'author' } } }],
      'the root field "author" is taken by table "author" of source "default"',
    ],
    [
      'one root field twice',
      [{ table: 'users', configuration: { custom_root_fields: { select: 'x', select_aggregate: 'x' } } }],
      'the root field "x" is taken by another root field of the table',
    ],
    [
      'a mutation in use',
      [{ table: 'author' }, { table: 'users', configuration: { custom_root_fields: { delete: 'update_author' } } }],
      'the mutation "update_author" is taken by table "author" of source "default"',
    ],
    [
      'one mutation twice',
      [{ table: 'users', configuration: { custom_root_fields: { insert: 'put', update: 'put' } } }],
      'the mutation "put" is taken by another mutation of the table',
    ],
    [
      'a type name in use',
      [{ table: { schema: 'shop', name: 'order' } }, { table: 'shop_order' }],
      'the type name "shop_order" is taken by table "shop.order" of source "default"',
    ],
    [
      'a type name that follows from the name of another table',
      [{ table: 'author' }, { table: 'users', configuration: { custom_name: 'author_bool_exp' } }],
      'the type name "author_bool_exp" is taken by table "author" of source "default"',
    ],
    [
      'the name of a scalar of some column',
      [{ table: 'state' }, { table: { schema: 'shop', name: 'order' } }],
      'the type name "state" is taken by the scalar type state',
    ],
    [
      'a name of the service',
      [{ table: 'users', configuration: { custom_name: 'query_root' } }],
      'the type name "query_root" is taken by the service itself',
    ],
  ])('one with %s', (_, tables, reason) => {
    const model = resolveTables(tables, catalog);
    expect(model.inconsistencies).toHaveLength(1);
    expect(model.inconsistencies[0]?.reason).toContain(reason);
    expect(model.inconsistencies[0]?.reason).toMatch(/set /);
    expect(model.sources.get(DEFAULT_SOURCE)?.tables.size).toBe(tables.length - 1);
  });

  test('a hidden table reserves no names', () => {
    const hidden = { table: 'bare', configuration: { custom_name: 'author' } };
    const model = resolveTables([hidden, { table: 'author' }], catalog);
    expect(model.inconsistencies.map(({ path }) => path)).toEqual(['$.sources[0].tables[0]']);
  });
});

describe('sources', () => {
  test('drops a source that cannot be read with all its tables, and accepts the others', () => {
    const other = SourceName.parse('other');
    const model = resolveSources(
      [
        { name: 'default', tables: [{ table: 'author' }] },
        { name: 'other', tables: [{ table: 'users' }] },
        { name: 'third', tables: [] },
      ],
      new Map<SourceName, Catalog | ServiceError>([
        [DEFAULT_SOURCE, new ServiceError('busy', 'connection refused')],
        [other, catalog],
      ]),
    );
    expect([...model.sources.keys()]).toEqual(['other']);
    expect(model.inconsistencies).toMatchObject([
      {
        type: 'source',
        name: 'source default',
        path: '$.sources[0].configuration',
        code: 'busy',
        reason: 'connection refused',
      },
      {
        type: 'table',
        path: '$.sources[0].tables[0]',
        reason: 'table "author": source "default" was dropped: connection refused',
      },
      { type: 'source', name: 'source third', path: '$.sources[2].configuration' },
    ]);
  });

  test('names are unique over all sources', () => {
    const model = resolveSources(
      [
        { name: 'default', tables: [{ table: 'author' }] },
        { name: 'other', tables: [{ table: 'author' }] },
        { name: 'default', tables: [{ table: 'users' }] },
      ],
      new Map([
        [DEFAULT_SOURCE, catalog],
        [SourceName.parse('other'), catalog],
      ]),
    );
    expect(model.inconsistencies.map(({ path, code }) => [path, code])).toEqual([
      ['$.sources[2]', 'already-exists'],
      ['$.sources[2].tables[0]', 'invalid-configuration'],
      ['$.sources[1].tables[0]', 'unexpected'],
    ]);
  });
});
