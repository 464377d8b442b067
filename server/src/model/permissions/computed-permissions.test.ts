/** Permissions on computed fields. */
import { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, DEFAULT_SOURCE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveSources, tableIn, typeOf } from '../../../test/support/model/catalog.ts';
import { type Catalog, type CatalogFunction, relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { Model } from '../model.ts';
import type { SelectAccess } from '../types/table.ts';
import { selectAccess } from './access.ts';

const [ofAuthor, ofArticle] = [501, 502];
const tables = catalogOf(
  { author: { columns: { id: 'int4!', name: 'text' } }, article: { columns: { id: 'int4!', author_id: 'int4' } } },
  [
    typeOf(ofAuthor, 'author', { schema: 'public', kind: 'composite' }),
    typeOf(ofArticle, 'article', { schema: 'public', kind: 'composite' }),
  ],
);
const textOid = [...tables.types.values()].find(({ name }) => name === 'text')?.oid ?? 0;

function functionNamed(name: string, more: Partial<CatalogFunction> = {}): CatalogFunction {
  return {
    ...{ schema: 'public', name, oid: 900, volatility: 'stable', variadic: false, returnsSet: false },
    ...{ arguments: [{ name: 'row', type: ofAuthor, hasDefault: false }], returnType: textOid },
    ...{ returnsRelation: undefined, comment: undefined },
    ...more,
  };
}

const functions = [
  functionNamed('full'),
  functionNamed('short'),
  functionNamed('written', {
    ...{ returnsSet: true, returnType: ofArticle, returnsRelation: { schema: 'public', name: 'article' } },
  }),
];
const catalog: Catalog = {
  ...tables,
  functions: new Map(functions.map((one) => [relationKey('public', one.name), [one]])),
};

function model(selects: Readonly<Record<string, object>>, inherited: readonly string[] = []): Model {
  const computed = ['full', 'short', 'written', 'gone'].map((name) => ({ name, definition: { function: name } }));
  const select_permissions = Object.entries(selects).map(([role, permission]) => ({ role, permission }));
  return resolveSources([], new Map([[DEFAULT_SOURCE, catalog]]), {
    metadata: Metadata.parse({
      version: 3,
      sources: [
        {
          name: 'default',
          tables: [{ table: 'author', computed_fields: computed, select_permissions }, { table: 'article' }],
        },
      ],
      ...(inherited.length > 0 && { inherited_roles: [{ role_name: 'both', role_set: inherited }] }),
    }),
  });
}

const accessOf = (resolved: Model, role: string): SelectAccess | undefined =>
  selectAccess(tableIn(resolved, 'author'), RoleName.parse(role));

const namesOf = (access: SelectAccess | undefined) => [...(access?.computedFields ?? [])].map(({ name }) => name);

/** Names of the columns and computed fields that are null in some rows. */
const cellsOf = (access: SelectAccess | undefined) => [...(access?.cells?.keys() ?? [])].map(({ name }) => name).sort();

const reasonsOf = ({ inconsistencies }: Model) =>
  inconsistencies.filter(({ type }) => type === 'select_permission').map(({ path, reason }) => [path, reason]);

test('admin selects the computed fields of scalars', () => {
  expect(namesOf(selectAccess(tableIn(model({}), 'author'), ADMIN_ROLE))).toEqual(['full', 'short']);
});

test('a role selects the computed fields that its permission names', () => {
  const resolved = model({ user: { columns: ['id'], filter: {}, computed_fields: ['short'] } });
  expect(namesOf(accessOf(resolved, 'user'))).toEqual(['short']);
});

test('a role selects no computed field unless its permission names it', () => {
  expect(namesOf(accessOf(model({ user: { columns: '*', filter: {} } }), 'user'))).toEqual([]);
});

test.each([
  [
    'written',
    'select permissions on computed field "written" are auto-derived from the permissions on its returning table "article" and cannot be specified manually',
  ],
  ['gone', 'computed field "gone" is itself inconsistent; fix it first'],
  ['unknown', 'computed field "unknown" does not exist'],
])('a permission on the computed field %s is rejected: %s', (name, reason) => {
  const resolved = model({ user: { columns: '*', filter: {}, computed_fields: ['full', name] } });
  expect(reasonsOf(resolved)).toEqual([
    [
      '$.sources[0].tables[0].select_permissions[0].permission.computed_fields[1]',
      `in table "author": in permission for role "user": at computed_fields[1]: ${reason}`,
    ],
  ]);
});

describe('an inherited role selects', () => {
  const one = { columns: ['id'], filter: { id: 1 }, computed_fields: ['full'] };
  const two = { columns: ['id'], filter: { id: 2 }, computed_fields: ['short', 'full'] };

  test('the computed fields of all of its parents', () => {
    expect(namesOf(accessOf(model({ a: one, b: two }, ['a', 'b']), 'both')).sort()).toEqual(['full', 'short']);
  });

  test('null for a computed field in the rows where no parent grants it', () => {
    expect(cellsOf(accessOf(model({ a: one, b: two }, ['a', 'b']), 'both'))).toEqual(['short']);
  });

  test('null for no computed field that each parent grants', () => {
    const same = { ...two, computed_fields: ['full'] };
    expect(cellsOf(accessOf(model({ a: one, b: same }, ['a', 'b']), 'both'))).toEqual([]);
  });

  test('computed fields of a parent beside one that has none', () => {
    const plain = { columns: ['id'], filter: { id: 3 } };
    expect(cellsOf(accessOf(model({ a: one, b: plain }, ['a', 'b']), 'both'))).toEqual(['full']);
  });

  test('a computed field in the rows of the parents that grant it', () => {
    const access = accessOf(model({ a: one, b: two }, ['a', 'b']), 'both');
    expect([...(access?.cells?.values() ?? [])]).toMatchObject([{ kind: 'compare', right: { value: 2 } }]);
  });
});
