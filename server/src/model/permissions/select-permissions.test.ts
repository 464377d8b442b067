import { DEFAULT_SOURCE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveSources, resolveTables, tableIn } from '../../../test/support/model/catalog.ts';
import type { Model } from '../model.ts';
import type { SelectAccess } from '../types/table.ts';
import { selectAccess } from './access.ts';

const catalog = catalogOf({
  author: { columns: { id: 'int4!', name: 'text' }, key: ['id'] },
  odd: { columns: { id: 'int4!', name: 'text', 'first name': 'text' }, key: ['id'] },
  article: { columns: { id: 'int4!', author_id: 'int4' }, key: ['id'], foreign: ['author_id -> author.id'] },
  entry: { columns: { text: 'text' } },
  'users address': { columns: { id: 'int4' } },
});

const user = RoleName.parse('user');

function permitted(members: object, table = 'author', more: object = {}): Model {
  const permission = { filter: {}, ...members };
  return resolveTables(
    [{ table, select_permissions: [{ role: 'user', permission }], ...more }, { table: 'article' }],
    catalog,
  );
}

function accessOf(model: Model, table = 'author'): SelectAccess {
  const access = selectAccess(tableIn(model, table), user);
  if (access === undefined) throw new Error(JSON.stringify(model.inconsistencies));
  return access;
}

function fields({ columns }: SelectAccess): readonly string[] {
  return [...columns].map(({ field }) => field);
}

describe('a select permission', () => {
  test('permits every column with a valid GraphQL name for *', () => {
    const access = accessOf(permitted({ columns: '*' }, 'odd'), 'odd');
    expect(fields(access)).toEqual(['id', 'name']);
    expect(access).toMatchObject({ filter: { kind: 'and', of: [] }, limit: undefined, aggregations: false });
  });

  test('permits the columns of a list by their SQL names', () => {
    const configuration = { column_config: { name: { custom_name: 'title' } } };
    const access = accessOf(permitted({ columns: ['name', 'first name'] }, 'odd', { configuration }), 'odd');
    expect(fields(access)).toEqual(['title']);
  });

  test('has the filter, the limit and aggregations', () => {
    const access = accessOf(
      permitted({ columns: [], filter: { id: 'X-Service-User-Id' }, limit: 10, allow_aggregations: true }),
    );
    expect(access).toMatchObject({
      filter: { kind: 'compare', operator: { name: '_eq' }, right: { kind: 'session', name: 'x-service-user-id' } },
      limit: 10,
      aggregations: true,
    });
  });

  test.each<readonly [string, object, readonly string[]]>([
    [
      'all possible root fields by default',
      { columns: '*', allow_aggregations: true },
      ['select', 'select_by_pk', 'select_aggregate'],
    ],
    ['no aggregate unless allowed', { columns: '*' }, ['select', 'select_by_pk']],
    ['no row by a key that the role may not see', { columns: ['name'] }, ['select']],
    ['the configured root fields', { columns: '*', query_root_fields: ['select_by_pk'] }, ['select_by_pk']],
    ['none', { columns: '*', query_root_fields: [] }, []],
    ['all by null', { columns: '*', query_root_fields: null }, ['select', 'select_by_pk']],
  ])('root fields: %s', (_, permission, roots) => {
    expect([...accessOf(permitted(permission)).queryRoots]).toEqual(roots);
  });

  test('can use a hidden table in its row rule, which no role sees', () => {
    const model = resolveTables(
      [
        {
          table: 'users address',
          select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
        },
        {
          table: 'author',
          select_permissions: [
            {
              role: 'user',
              permission: { columns: '*', filter: { _exists: { _table: 'users address', _where: {} } } },
            },
          ],
        },
      ],
      catalog,
    );
    expect(model.inconsistencies.map(({ type, path }) => [type, path])).toEqual([['table', '$.sources[0].tables[0]']]);
    expect(accessOf(model).filter).toMatchObject({ kind: 'exists' });
    expect(tableIn(model, 'users address').selectAccess.size).toBe(0);
  });

  test('is dropped if it names a dropped computed field', () => {
    const more = { computed_fields: [{ name: 'full_name', definition: { function: 'unknown_function' } }] };
    expect(permitted({ columns: '*', computed_fields: ['full_name'] }, 'author', more).inconsistencies).toMatchObject([
      { type: 'computed_field', reason: expect.stringContaining('no such function exists: "unknown_function"') },
      { type: 'select_permission', reason: expect.stringContaining('"full_name" is itself inconsistent') },
    ]);
  });

  test('is one object for all roles that have the same', () => {
    const permission = { columns: ['id'], filter: {} };
    const roles = ['user', 'other'].map((role) => ({ role, permission: { ...permission } }));
    const table = tableIn(resolveTables([{ table: 'author', select_permissions: roles }], catalog), 'author');
    expect(table.selectAccess.get(RoleName.parse('other'))).toBe(table.selectAccess.get(user));
  });

  test('adds its role to the roles of the model', () => {
    expect([...permitted({ columns: ['unknown'] }).roles]).toEqual(['user']);
  });
});

describe('an invalid permission is dropped with a reason', () => {
  test.each<readonly [string, object, string, string]>([
    [
      'an unknown column',
      { columns: ['id', 'unknown'] },
      'columns[1]',
      'the table has no column "unknown"; it has id, name',
    ],
    [
      'a filter on an unknown name',
      { columns: '*', filter: { x: 1 } },
      'filter.x',
      'table author has no column or relationship "x"',
    ],
    [
      'an unknown operator of a nested column',
      { columns: '*', filter: { _or: [{ id: 1 }, { id: { _near: 1 } }] } },
      'filter._or[1].id._near',
      'columns of type int4 have no operator "_near"; they have _eq, ',
    ],
    [
      'a value of another type',
      { columns: '*', filter: { id: 'abc' } },
      'filter.id',
      'invalid input syntax for type integer',
    ],
    [
      'null',
      { columns: '*', filter: { id: { _eq: null } } },
      'filter.id._eq',
      'unexpected null value; use _is_null to compare with null',
    ],
    [
      'a session variable of Hasura v2',
      { columns: '*', filter: { name: { _neq: 'X-Hasura-User-Id' } } },
      'filter.name._neq',
      '"X-Hasura-User-Id" is not a session variable of this service, whose names start with "x-service-"',
    ],
    [
      'the prefix of session variables',
      { columns: '*', filter: { name: { _neq: 'X-Service-' } } },
      'filter.name._neq',
      '"X-Service-" is the prefix of session variables; add the name of one',
    ],
    [
      'the prefix of Hasura v2',
      { columns: '*', filter: { name: { _neq: 'x-hasura-' } } },
      'filter.name._neq',
      '"x-hasura-" is the prefix of session variables; add the name of one',
    ],
    [
      'an unknown computed field',
      { columns: '*', computed_fields: ['x'] },
      'computed_fields[0]',
      'computed field "x" does not exist',
    ],
    [
      'an aggregate root without aggregations',
      { columns: '*', query_root_fields: ['select', 'select_aggregate'] },
      'query_root_fields[1]',
      'allow_aggregations is not set',
    ],
    [
      'a row by a key that the role may not see',
      { columns: ['name'], query_root_fields: ['select_by_pk'] },
      'query_root_fields[0]',
      'the role may not select the whole primary key',
    ],
  ])('%s', (_, permission, path, reason) => {
    const model = permitted(permission);
    expect(model.inconsistencies).toMatchObject([
      {
        type: 'select_permission',
        name: 'select_permission user in table author in source default',
        path: `$.sources[0].tables[0].select_permissions[0].permission.${path}`,
        code: 'invalid-configuration',
        definition: { role: 'user', source: 'default', table: { schema: 'public', name: 'author' }, comment: null },
      },
    ]);
    const expected = `in table "author": in permission for role "user": at ${path}: ${reason}`;
    expect(model.inconsistencies[0]?.reason).toContain(expected);
    expect(selectAccess(tableIn(model, 'author'), user)).toBeUndefined();
  });

  test('that enables a stream without a column to follow', () => {
    const { inconsistencies } = permitted({ columns: [], subscription_root_fields: ['select', 'select_stream'] });
    expect(inconsistencies.map(({ path, reason }) => [path, reason])).toEqual([
      [
        '$.sources[0].tables[0].select_permissions[0].permission.subscription_root_fields[1]',
        expect.stringContaining('the role may select no column that a stream can follow; leave it out'),
      ],
    ]);
  });

  test('that enables select_by_pk on a table without a primary key', () => {
    const { inconsistencies } = permitted({ columns: '*', query_root_fields: ['select_by_pk'] }, 'entry');
    expect(inconsistencies[0]?.reason).toContain('the table has no primary key');
  });

  test.each([
    ['a second one for a role', 'user', 'the role has a select permission already'],
    ['one for admin', 'admin', 'the role "admin" may select everything already'],
  ])('%s', (_, role, reason) => {
    const entry = (name: string) => ({ role: name, permission: { columns: '*', filter: {} } });
    const model = resolveTables([{ table: 'author', select_permissions: [entry('user'), entry(role)] }], catalog);
    expect(model.inconsistencies).toMatchObject([
      { code: 'already-exists', path: '$.sources[0].tables[0].select_permissions[1]' },
    ]);
    expect(model.inconsistencies[0]?.reason).toContain(reason);
    expect(accessOf(model).columns.size).toBe(2);
  });

  test('whose rule has more than 100,000 members', () => {
    const filter = { id: { _in: Array.from({ length: 100_000 }, (_, index) => index) } };
    const entry = { role: 'user', permission: { columns: '*', filter } };
    const model = resolveTables([{ table: 'author', select_permissions: [entry] }], catalog);
    expect(model.inconsistencies).toMatchObject([
      {
        code: 'invalid-configuration',
        path: '$.sources[0].tables[0].select_permissions[0].permission.filter',
        reason: expect.stringContaining('the rule has more than 100000 members'),
      },
    ]);
  });

  test('whose rule uses a dropped relationship, with the cause', () => {
    const model = permitted({ columns: '*', filter: { articles: { id: 1 } } }, 'author', {
      array_relationships: [
        { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'unknown' } } },
      ],
    });
    expect(model.inconsistencies.map(({ type }) => type)).toEqual(['array_relation', 'select_permission']);
    expect(model.inconsistencies[1]?.reason).toContain(
      'at filter.articles: relationship "articles" of table "author" was dropped as inconsistent; fix it first',
    );
  });
});

test('session variables of Hasura v2 are accepted with its prefix', () => {
  const permission = { columns: '*', filter: { id: 'X-Hasura-User-Id' } };
  const tables = [{ table: 'author', select_permissions: [{ role: 'user', permission }] }];
  const model = resolveSources([{ name: 'default', tables }], new Map([[DEFAULT_SOURCE, catalog]]), {
    sessionPrefix: 'x-hasura-',
  });
  expect(accessOf(model).filter).toMatchObject({ right: { kind: 'session', name: 'x-hasura-user-id' } });
});
