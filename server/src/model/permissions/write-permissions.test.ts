import { DEFAULT_SOURCE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveSources, resolveTables, tableIn } from '../../../test/support/model/catalog.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { Model } from '../model.ts';
import { isBroken } from '../types/inconsistency.ts';
import type { InsertAccess, Presets, UpdateAccess } from '../types/table.ts';
import { deleteAccess, insertAccess, updateAccess } from './write-access.ts';

const catalog = catalogOf({
  author: { columns: { id: 'int4!', name: 'text', 'first name': 'text', data: 'jsonb', tags: 'text[]' }, key: ['id'] },
  article: { columns: { id: 'int4!', author_id: 'int4' }, key: ['id'], foreign: ['author_id -> author.id'] },
});

const user = RoleName.parse('user');

function permitted(kind: string, permission: unknown): Model {
  const article = {
    table: 'article',
    object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
  };
  const model = resolveTables(
    [{ table: 'author', [`${kind}_permissions`]: [{ role: 'user', permission }] }, article],
    catalog,
  );
  return { ...model, inconsistencies: model.inconsistencies.filter(isBroken) };
}

function insertOf(permission: unknown): InsertAccess {
  const model = permitted('insert', permission);
  const access = insertAccess(tableIn(model, 'author'), user);
  if (access === undefined) throw new Error(JSON.stringify(model.inconsistencies));
  return access;
}

function updateOf(permission: unknown): UpdateAccess {
  const model = permitted('update', permission);
  const access = updateAccess(tableIn(model, 'author'), user);
  if (access === undefined) throw new Error(JSON.stringify(model.inconsistencies));
  return access;
}

function fields({ columns }: InsertAccess | UpdateAccess): readonly string[] {
  return [...columns].map(({ field }) => field);
}

function byName(presets: Presets): unknown {
  return Object.fromEntries([...presets].map(([column, operand]) => [column.name, operand]));
}

describe('an insert permission', () => {
  test('permits all columns without presets if it names none', () => {
    const access = insertOf({ check: {}, set: { id: 'X-Service-User-Id' } });
    expect(fields(access)).toEqual(['name', 'data', 'tags']);
    expect(byName(access.presets)).toEqual({ id: { kind: 'session', name: 'x-service-user-id' } });
  });

  test('permits the named columns; a preset may be any column, also without a valid GraphQL name', () => {
    const access = insertOf({
      check: {},
      columns: ['id', 'name'],
      set: { 'first name': 'Ann', data: { a: 1 }, tags: ['x'] },
    });
    expect(fields(access)).toEqual(['id', 'name']);
    expect(byName(access.presets)).toEqual({
      'first name': { kind: 'constant', value: 'Ann' },
      data: { kind: 'constant', value: { a: 1 } },
      tags: { kind: 'constant', value: ['x'] },
    });
  });

  test('has the check, and whether it is for backends only', () => {
    const check = { id: { _eq: 'x-service-user-id' } };
    expect(insertOf({ check })).toMatchObject({ check: { kind: 'compare' }, backendOnly: false });
    expect(insertOf({ check, backend_only: true })).toMatchObject({ backendOnly: true });
  });
});

describe('an update or delete permission', () => {
  test('has the filter of rows to update, and the check of updated rows', () => {
    const access = updateOf({ columns: '*', filter: { id: 1 }, check: { id: 2 }, set: { name: null } });
    expect(access).toMatchObject({
      filter: { kind: 'compare', right: { value: 1 } },
      check: { kind: 'compare', right: { value: 2 } },
    });
    expect(byName(access.presets)).toEqual({ name: { kind: 'constant', value: null } });
    expect(updateOf({ columns: [], filter: {}, check: null }).check).toBeUndefined();
  });

  test('has the filter of rows to delete', () => {
    const model = permitted('delete', { filter: { id: 1 }, backend_only: true });
    expect(deleteAccess(tableIn(model, 'author'), user)).toMatchObject({
      backendOnly: true,
      filter: { kind: 'compare' },
    });
  });
});

describe('a webhook that validates input', () => {
  const checkOf = (definition: object) => insertOf({ check: {}, validate_input: { definition } }).inputCheck;

  test('has 10 seconds, no headers, and none of the client unless they are given', () => {
    const defaults = { headers: [], forwardClientHeaders: false, timeoutMs: 10_000 };
    expect(checkOf({ url: 'http://checks/author' })).toEqual({ url: 'http://checks/author', ...defaults });
  });

  test('has the given headers and time, also with https', () => {
    const headers = [{ name: 'k', value: 'v' }];
    expect(checkOf({ url: 'https://checks', headers, forward_client_headers: true, timeout: 3 })).toEqual({
      ...{ url: 'https://checks', headers, forwardClientHeaders: true, timeoutMs: 3_000 },
    });
  });

  test('may have variables of the environment in its URL and headers', () => {
    const headers = [
      { name: 'a', value: 'b{{KEY}}' },
      { name: 'k', value_from_env: 'KEY' },
    ];
    const definition = { url: '{{CHECKS}}/author', headers };
    const permission = { check: {}, validate_input: { definition } };
    const tables = [{ table: 'author', insert_permissions: [{ role: 'user', permission }] }];
    const model = resolveSources([{ name: 'default', tables }], new Map([[DEFAULT_SOURCE, catalog]]), {
      environment: { CHECKS: 'http://checks', KEY: 'k' },
    });
    expect(insertAccess(tableIn(model, 'author'), user)?.inputCheck).toMatchObject(definition);
  });

  test.each([
    ['checks', '"checks" is not an http or https URL'],
    ['http://h/{{A', '"http://h/{{A" contains "{{" that does not begin a template such as "{{NAME}}"'],
  ])('is named with its URL %s where that is none', (url, reason) => {
    const permission = { check: {}, validate_input: { definition: { url } } };
    expect(permitted('insert', permission).inconsistencies[0]?.reason).toContain(
      `at validate_input.definition.url: ${reason}`,
    );
  });

  test('does not exist unless it is given', () => {
    expect(Object.keys(insertOf({ check: {}, validate_input: null }))).not.toContain('inputCheck');
  });
});

const urlPlace = 'validate_input.definition.url';

describe('an invalid write permission is dropped and reported', () => {
  test.each<readonly [string, string, unknown, string]>([
    ['an unknown column', 'insert', { check: {}, columns: ['x'] }, 'columns[0]'],
    ['a preset of an unknown column', 'insert', { check: {}, set: { x: 1 } }, 'set.x'],
    ['an invalid preset', 'insert', { check: {}, set: { id: 'one' } }, 'set.id'],
    ['a session variable of another prefix', 'insert', { check: {}, set: { id: 'x-hasura-user-id' } }, 'set.id'],
    ['the prefix of session variables', 'insert', { check: {}, set: { name: 'x-service-' } }, 'set.name'],
    ['a check on an unknown column', 'insert', { check: { x: 1 } }, 'check.x'],
    [
      'an invalid webhook',
      'insert',
      { check: {}, validate_input: { definition: { url: 'ftp://x' } } },
      'validate_input.definition.url',
    ],
    ['a webhook without a URL', 'insert', { check: {}, validate_input: { definition: { url: 'checks' } } }, urlPlace],
    [
      'a webhook with a template that does not end',
      'insert',
      { check: {}, validate_input: { definition: { url: 'http://h/{{A' } } },
      urlPlace,
    ],
    [
      'a webhook of a similar scheme',
      'insert',
      { check: {}, validate_input: { definition: { url: 'httpsx://x' } } },
      urlPlace,
    ],
    [
      'a webhook of a longer scheme',
      'insert',
      { check: {}, validate_input: { definition: { url: 'xhttp://x' } } },
      urlPlace,
    ],
    [
      'a webhook with an unset variable in the value of a header',
      'update',
      {
        columns: '*',
        filter: {},
        validate_input: { definition: { url: 'http://x', headers: [{ name: 'k', value: 'a{{NOWHERE}}' }] } },
      },
      'validate_input.definition.headers[0]',
    ],
    [
      'a webhook with an unset variable in its URL',
      'delete',
      { filter: {}, validate_input: { definition: { url: '{{NOWHERE}}/x' } } },
      'validate_input.definition.url',
    ],
    [
      'a webhook with an unset variable in a header',
      'update',
      {
        columns: '*',
        filter: {},
        validate_input: { definition: { url: 'http://x', headers: [{ name: 'k', value_from_env: 'NOWHERE' }] } },
      },
      'validate_input.definition.headers[0]',
    ],
    ['a filter on an unknown column', 'update', { columns: '*', filter: { x: 1 } }, 'filter.x'],
    ['a check on an unknown column', 'update', { columns: '*', filter: {}, check: { x: 1 } }, 'check.x'],
    ['a filter on an unknown column', 'delete', { filter: { x: 1 } }, 'filter.x'],
  ])('%s (%s)', (_what, kind, permission, place) => {
    const model = permitted(kind, permission);
    expect(model.inconsistencies).toMatchObject([
      {
        type: `${kind}_permission`,
        name: `${kind}_permission user in table author in source default`,
        path: `$.sources[0].tables[0].${kind}_permissions[0].permission.${place}`,
        code: 'invalid-configuration',
      },
    ]);
    const table = tableIn(model, 'author');
    expect([insertAccess(table, user), updateAccess(table, user), deleteAccess(table, user)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('with all others of a dropped table', () => {
    const permission = { role: 'user', permission: { filter: {} } };
    const model = resolveTables([{ table: 'gone', delete_permissions: [permission] }], catalog);
    expect(model.inconsistencies.map(({ type }) => type)).toEqual(['table', 'delete_permission']);
  });
});

describe('a column that PostgreSQL always generates', () => {
  const author = catalog.relations.get(relationKey('public', 'author'));
  if (author === undefined) throw new Error('the catalog has the table');
  const columns = author.columns.map((one) => ({ ...one, generated: one.name === 'name' }));
  const generated = {
    ...catalog,
    relations: new Map([[relationKey('public', 'author'), { ...author, columns }]]),
  };
  const resolved = (permission: object) =>
    resolveTables([{ table: 'author', insert_permissions: [{ role: 'user', permission }] }], generated);

  test('is not among the columns of *', () => {
    const access = insertAccess(tableIn(resolved({ check: {}, columns: '*' }), 'author'), user);
    expect(access && fields(access)).toEqual(['id', 'data', 'tags']);
  });

  test('cannot have a preset', () => {
    expect(resolved({ check: {}, set: { name: 'a' } }).inconsistencies.find(isBroken)?.reason).toContain(
      'at set.name: PostgreSQL always generates the column "name"; leave it out',
    );
  });
});
