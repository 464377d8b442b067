/** Which permissions of two roles are equal: an inherited role has them, and others are reported. Each role keeps its own in any case. */
import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveSources, tableIn } from '../../../test/support/model/catalog.ts';
import type { Model } from '../model.ts';
import { isBroken } from '../types/inconsistency.ts';
import { deleteAccess, insertAccess, updateAccess } from './write-access.ts';

const catalog = catalogOf({
  author: {
    columns: { id: 'int4!', name: 'text', data: 'jsonb', boss: 'int4', tags: 'text[]', a$b: 'int4', a_b: 'int4' },
    key: ['id'],
    foreign: ['boss -> author.id'],
  },
});
const [x, y, both] = [RoleName.parse('x'), RoleName.parse('y'), RoleName.parse('both')];
const webhook = (more: object = {}) => ({ validate_input: { definition: { url: 'http://checks', ...more } } });

function resolved(kind: 'insert' | 'update' | 'delete', ofX: object, ofY: object): Model {
  const permissions = [
    { role: 'x', permission: ofX },
    { role: 'y', permission: ofY },
  ];
  const boss = { name: 'chief', using: { foreign_key_constraint_on: 'boss' } };
  const model = resolveSources([], new Map([[DEFAULT_SOURCE, catalog]]), {
    metadata: Metadata.parse({
      version: 3,
      sources: [
        {
          name: 'default',
          tables: [{ table: 'author', object_relationships: [boss], [`${kind}_permissions`]: permissions }],
        },
      ],
      inherited_roles: [{ role_name: 'both', role_set: ['x', 'y'] }],
    }),
  });
  return { ...model, inconsistencies: model.inconsistencies.filter(isBroken) };
}

const accessOf = { insert: insertAccess, update: updateAccess, delete: deleteAccess };
const all = { columns: '*', filter: {} };

describe('an inherited role has a permission of its parents that differ in', () => {
  test.each<readonly [string, 'insert' | 'update' | 'delete', object, object]>([
    [
      '* and all columns',
      'insert',
      { check: {}, columns: '*' },
      { check: {}, columns: ['name', 'boss', 'data', 'id', 'tags', 'a_b', 'a$b'] },
    ],
    ['* and no columns', 'insert', { check: {}, columns: '*' }, { check: {} }],
    [
      'the order of columns',
      'update',
      { filter: {}, columns: ['id', 'name'] },
      { filter: {}, columns: ['name', 'id'] },
    ],
    ['a repeated column', 'update', { filter: {}, columns: ['id', 'id'] }, { filter: {}, columns: ['id'] }],
    [
      'a column that has a preset',
      'insert',
      { check: {}, columns: ['id', 'name'], set: { name: 'a' } },
      { check: {}, columns: ['id'], set: { name: 'a' } },
    ],
    ['the absence of presets', 'insert', { check: {}, set: {} }, { check: {} }],
    [
      'the order of presets',
      'insert',
      { check: {}, set: { id: 1, name: 'a' } },
      { check: {}, set: { name: 'a', id: 1 } },
    ],
    [
      'the case of a session variable of a preset',
      'insert',
      { check: {}, set: { name: 'X-Service-Name' } },
      { check: {}, set: { name: 'x-service-name' } },
    ],
    ['the absence of a check', 'update', { ...all, check: null }, all],
    ['backend_only: false', 'delete', { filter: {}, backend_only: false }, { filter: {} }],
    ['a webhook that is null', 'delete', { filter: {}, validate_input: null }, { filter: {} }],
    [
      'the order of members of JSON in a list',
      'delete',
      { filter: { data: { _in: [{ a: 1, b: 2 }] } } },
      { filter: { data: { _in: [{ b: 2, a: 1 }] } } },
    ],
    ['the order of members', 'delete', { filter: { id: 1, name: 'a' } }, { filter: { name: 'a', id: 1 } }],
    ['the name of _not', 'delete', { filter: { $not: { id: { $eq: 1 } } } }, { filter: { _not: { id: 1 } } }],
    [
      'a value below a relationship',
      'delete',
      { filter: { chief: { name: 'a' } } },
      { filter: { chief: { name: { _eq: 'a' } } } },
    ],
    [
      'a value in _exists',
      'delete',
      { filter: { _exists: { _table: { schema: 'public', name: 'author' }, _where: { id: 1 } } } },
      { filter: { $exists: { _table: { name: 'author', schema: 'public' }, _where: { id: { _eq: 1 } } } } },
    ],
    [
      'the order of nested parts',
      'delete',
      { filter: { _or: [{ _and: [{ id: 1 }, { boss: 2 }] }, { id: 3 }] } },
      { filter: { _or: [{ id: 3 }, { _and: [{ boss: 2 }, { id: 1 }] }] } },
    ],
  ])('%s', (_what, kind, ofX, ofY) => {
    const model = resolved(kind, ofX, ofY);
    expect(model.inconsistencies).toEqual([]);
    const table = tableIn(model, 'author');
    expect(accessOf[kind](table, both)).toBe(accessOf[kind](table, x));
  });
});

describe('an inherited role has no permission where those of its parents differ in', () => {
  test.each<readonly [string, 'insert' | 'update' | 'delete', object, object]>([
    ['a column', 'insert', { check: {}, columns: ['id'] }, { check: {}, columns: ['name'] }],
    ['a preset', 'insert', { check: {}, set: { id: 1 } }, { check: {}, set: { id: 2 } }],
    ['a preset that one has', 'insert', { check: {}, set: { id: 1 } }, { check: {} }],
    [
      'the case of a preset',
      'insert',
      { check: {}, set: { name: 'X-Large' } },
      { check: {}, set: { name: 'x-large' } },
    ],
    ['the case of a value', 'delete', { filter: { name: 'X-Large' } }, { filter: { name: 'x-large' } }],
    [
      'a JSON value with the name of an operator',
      'delete',
      { filter: { data: { _contains: { a: 1 } } } },
      { filter: { data: { _contains: { a: { _eq: 1 } } } } },
    ],
    [
      'a JSON value with a dollar sign',
      'delete',
      { filter: { data: { _contains: { $a: 1 } } } },
      { filter: { data: { _contains: { _a: 1 } } } },
    ],
    [
      'the order of a JSON list',
      'delete',
      { filter: { data: { _eq: { _and: [1, 2] } } } },
      { filter: { data: { _eq: { _and: [2, 1] } } } },
    ],
    ['the order of an array', 'delete', { filter: { tags: ['a', 'b'] } }, { filter: { tags: ['b', 'a'] } }],
    ['columns, one with a dollar sign', 'delete', { filter: { a$b: 1 } }, { filter: { a_b: 1 } }],
    [
      'a part of _and',
      'delete',
      { filter: { _and: [{ id: 1 }, { boss: 2 }] } },
      { filter: { _and: [{ id: 3 }, { boss: 2 }] } },
    ],
    ['_and and _or', 'delete', { filter: { _and: [{ id: 1 }] } }, { filter: { _or: [{ id: 1 }] } }],
    ['a check', 'update', { ...all, check: {} }, all],
    ['a filter', 'update', { ...all, filter: { id: 1 } }, all],
    ['backend_only', 'delete', { filter: {}, backend_only: true }, { filter: {} }],
    ['a webhook', 'delete', { filter: {}, ...webhook() }, { filter: {} }],
    ['the time of a webhook', 'delete', { filter: {}, ...webhook({ timeout: 5 }) }, { filter: {}, ...webhook() }],
  ])('%s', (_what, kind, ofX, ofY) => {
    const model = resolved(kind, ofX, ofY);
    const entity = `${kind} permission of table "author" in source "default"`;
    expect(model.inconsistencies).toMatchObject([
      {
        type: 'inherited_role_permission',
        name: `both: ${entity}`,
        path: '$.inherited_roles[0].role_set',
        code: 'invalid-configuration',
        reason: `inherited role "both" has no ${entity}: the roles "x", "y" have different ones; define one for "both" itself`,
      },
    ]);
    const table = tableIn(model, 'author');
    const [one, other] = [accessOf[kind](table, x), accessOf[kind](table, y)];
    expect([accessOf[kind](table, both), one === other]).toEqual([undefined, false]);
  });
});
