/** Rules of permissions of every kind: their size, relationships that they cannot use, and duplicates. */
import { RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveTables, tableIn } from '../../../test/support/model/catalog.ts';
import { draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import type { WrittenTable } from '../inconsistencies/metadata-entries.ts';
import { addPermissions, hasMoreMembers } from './permission-rules.ts';

describe('members of a value', () => {
  test.each<readonly [unknown, number]>([
    [[1, 2, 3], 3],
    [{ a: 1, b: 'xyz' }, 2],
    [{ a: [1, [2, 3]], b: { c: null } }, 7],
    [[null, [null]], 3],
    ['text', 0],
    [null, 0],
    [undefined, 0],
    [7, 0],
    [[undefined, [1]], 3],
  ])('%j has %i', (value, count) => {
    expect([hasMoreMembers(value, count - 1), hasMoreMembers(value, count)]).toEqual([count > 0, false]);
  });
});

const catalog = catalogOf({
  author: { columns: { id: 'int4!', name: 'text' }, key: ['id'] },
  article: { columns: { id: 'int4!', author_id: 'int4' }, key: ['id'], foreign: ['author_id -> author.id'] },
});

/** The reason why a rule on `author`, whose relationships are `entry`, is dropped. */
function reasonFor(filter: object, entry: object): unknown {
  const select_permissions = [{ role: 'user', permission: { columns: '*', filter } }];
  const { inconsistencies } = resolveTables(
    [{ table: 'author', select_permissions, ...entry }, { table: 'article' }],
    catalog,
  );
  const prefix = 'in table "author": in permission for role "user": at ';
  return inconsistencies.find(({ type }) => type === 'select_permission')?.reason.replace(prefix, '');
}

describe('a rule cannot use', () => {
  const to = (column: string) => ({ foreign_key_constraint_on: { table: 'article', column } });
  const broken = { array_relationships: [{ name: 'articles', using: to('unknown') }] };
  const object = { object_relationships: [{ name: 'chief', using: { foreign_key_constraint_on: 'unknown' } }] };
  const remote = (name: string) => ({
    name,
    definition: {
      to_remote_schema: { remote_schema: 'r', lhs_fields: ['id'], remote_field: { f: { arguments: {} } } },
    },
  });
  const dropped = (name: string) =>
    `relationship "${name}" of table "author" was dropped as inconsistent; fix it first`;

  test.each<readonly [string, object, object, string]>([
    ['a dropped array relationship', { articles: {} }, broken, `filter.articles: ${dropped('articles')}`],
    ['a dropped object relationship', { chief: {} }, object, `filter.chief: ${dropped('chief')}`],
    [
      'aggregates of a dropped relationship',
      { articles_aggregate: {} },
      broken,
      `filter.articles_aggregate: ${dropped('articles')}`,
    ],
    [
      'a remote relationship',
      { weather: {} },
      { ...broken, remote_relationships: [remote('other'), remote('weather')] },
      'filter.weather: "weather" is a remote relationship, which a row rule cannot use',
    ],
    [
      'aggregates of a remote relationship',
      { weather_aggregate: {} },
      { remote_relationships: [remote('weather')] },
      'filter.weather_aggregate: "weather_aggregate" is a remote relationship, which a row rule cannot use',
    ],
    [
      'an unknown name beside relationships',
      { unknown: {} },
      { ...broken, ...object, remote_relationships: [remote('weather')] },
      'filter.unknown: table author has no column or relationship "unknown"',
    ],
    [
      'a name that contains the suffix of aggregates',
      { arti_aggregatecles: {} },
      broken,
      'filter.arti_aggregatecles: table author has no column or relationship "arti_aggregatecles"',
    ],
    [
      'a dropped relationship whose name ends like aggregates',
      { total_aggregate: {} },
      { array_relationships: [{ name: 'total_aggregate', using: to('unknown') }] },
      `filter.total_aggregate: ${dropped('total_aggregate')}`,
    ],
    [
      'a remote relationship whose name ends like aggregates',
      { sun_aggregate: {} },
      { remote_relationships: [remote('sun_aggregate')] },
      'filter.sun_aggregate: "sun_aggregate" is a remote relationship, which a row rule cannot use',
    ],
  ])('%s', (_what, filter, entry, reason) => {
    expect(reasonFor(filter, entry)).toBe(reason);
  });
});

test.each([
  ['insert', 'an', { check: {} }],
  ['update', 'an', { columns: '*', filter: {} }],
  ['delete', 'a', { filter: {} }],
  ['select', 'a', { columns: '*', filter: {} }],
])('a second %s permission of a role is reported', (kind, article, permission) => {
  const entries = ['user', 'user'].map((role) => ({ role, permission }));
  const { inconsistencies } = resolveTables([{ table: 'author', [`${kind}_permissions`]: entries }], catalog);
  expect(inconsistencies.map(({ path, code, reason }) => [path, code, reason])).toEqual([
    [
      `$.sources[0].tables[0].${kind}_permissions[1]`,
      'already-exists',
      `in table "author": in permission for role "user": the role has ${article} ${kind} permission already`,
    ],
  ]);
});

test('permissions on a hidden table are resolved, and no role has them', () => {
  const hidden = catalogOf({ 'users address': { columns: { id: 'int4' } } });
  const [all, given] = [{ columns: '*', filter: {} }, { check: {} }];
  const entry = (permission: object) => [{ role: 'user', permission }];
  const table = tableIn(
    resolveTables(
      [
        {
          table: 'users address',
          ...{ select_permissions: entry(all), insert_permissions: entry(given) },
          ...{ update_permissions: entry(all), delete_permissions: entry({ filter: {} }) },
        },
      ],
      hidden,
    ),
    'users address',
  );
  const { selectAccess, insertAccess, updateAccess, deleteAccess } = table;
  expect([selectAccess, insertAccess, updateAccess, deleteAccess].map(({ size }) => size)).toEqual([0, 0, 0, 0]);
});

test('an error that is not one of the permission is thrown', () => {
  const { draft } = draftOf({});
  const entry = { role: RoleName.parse('user'), permission: { filter: {} } };
  const add = () => {
    throw new TypeError('a failure');
  };
  const steps = addPermissions(draft, {} as WrittenTable, 'select', [entry], add);
  expect(() => runAtOnce(steps)).toThrow('a failure');
});
