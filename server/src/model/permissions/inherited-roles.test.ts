import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveSources, tableIn } from '../../../test/support/model/catalog.ts';
import type { Model } from '../model.ts';
import type { SelectAccess } from '../types/table.ts';
import { selectAccess } from './access.ts';
import { deleteAccess } from './write-access.ts';

const catalog = catalogOf({
  author: { columns: { id: 'int4!', name: 'text', pay: 'int4', boss: 'int4' }, key: ['id'] },
});

type Entries = Readonly<Record<string, object>>;

function model(selects: Entries, inherited: Readonly<Record<string, readonly string[]>>, deletes: Entries = {}): Model {
  const entries = (permissions: Entries) =>
    Object.entries(permissions).map(([role, permission]) => ({ role, permission }));
  return resolveSources([], new Map([[DEFAULT_SOURCE, catalog]]), {
    metadata: Metadata.parse({
      version: 3,
      sources: [
        {
          name: 'default',
          tables: [{ table: 'author', select_permissions: entries(selects), delete_permissions: entries(deletes) }],
        },
      ],
      inherited_roles: Object.entries(inherited).map(([role_name, role_set]) => ({ role_name, role_set })),
    }),
  });
}

function accessOf(resolved: Model, role: string): SelectAccess | undefined {
  return selectAccess(tableIn(resolved, 'author'), RoleName.parse(role));
}

/** Returns the ids in the condition of each field. */
function cells(access: SelectAccess | undefined): unknown {
  return Object.fromEntries(
    [...(access?.cells ?? [])].map(([column, where]) => [
      column.field,
      [
        ...JSON.stringify(where, (key, value) => (key === 'operator' ? undefined : value)).matchAll(/"value":(\d+)/g),
      ].map(([, id]) => Number(id)),
    ]),
  );
}

const self = { columns: ['id', 'pay'], filter: { id: 1 } };
const boss = { columns: ['id', 'name'], filter: { boss: 2 }, allow_aggregations: true };

describe('an inherited role selects', () => {
  test('every row of its parents, every column, null where no parent grants the cell', () => {
    const access = accessOf(model({ self, boss }, { both: ['self', 'boss'] }), 'both');
    expect([...(access?.columns ?? [])].map(({ field }) => field).sort()).toEqual(['id', 'name', 'pay']);
    expect(access?.filter).toMatchObject({ kind: 'or', of: [{ right: { value: 1 } }, { right: { value: 2 } }] });
    expect(cells(access)).toEqual({ pay: [1], name: [2] });
    expect(access?.aggregations).toBe(true);
  });

  test('what its only parent with a permission selects', () => {
    const resolved = model({ self }, { both: ['self', 'unknown'] });
    expect(accessOf(resolved, 'both')).toBe(accessOf(resolved, 'self'));
    expect(accessOf(model({}, { both: ['self', 'unknown'] }), 'both')).toBeUndefined();
  });

  test('every row if a parent does, without widening the cells of other parents', () => {
    const access = accessOf(model({ self, all: { columns: ['name'], filter: {} } }, { both: ['self', 'all'] }), 'both');
    expect(access?.filter).toEqual({ kind: 'and', of: [] });
    expect(cells(access)).toEqual({ id: [1], pay: [1] });
  });

  test('as many rows as the parent with the highest limit', () => {
    const limited = (limit?: number) => ({ columns: ['id'], filter: {}, ...(limit !== undefined && { limit }) });
    const few = model({ a: limited(2), b: limited(4) }, { both: ['a', 'b'] });
    expect(accessOf(few, 'both')?.limit).toBe(4);
    expect(accessOf(model({ a: limited(2), b: limited() }, { both: ['a', 'b'] }), 'both')?.limit).toBeUndefined();
  });

  test('a row by its primary key if the parents together see all of it', () => {
    const access = accessOf(model({ self, boss }, { both: ['self', 'boss'] }), 'both');
    expect(access?.queryRoots).toEqual(new Set(['select', 'select_by_pk', 'select_aggregate']));
    const hidden = { ...self, query_root_fields: [] };
    expect(accessOf(model({ self: hidden, boss: hidden }, { both: ['self', 'boss'] }), 'both')?.queryRoots).toEqual(
      new Set(),
    );
  });

  test('only what its own permission says, even if that was dropped', () => {
    const own = { columns: ['boss'], filter: {} };
    const resolved = model({ self, boss, both: own }, { both: ['self', 'boss'] });
    expect([...(accessOf(resolved, 'both')?.columns ?? [])].map(({ field }) => field)).toEqual(['boss']);
    const broken = model({ self, boss, both: { columns: ['x'], filter: {} } }, { both: ['self', 'boss'] });
    expect(accessOf(broken, 'both')).toBeUndefined();
  });

  test('what its parents inherit, in any order of the metadata', () => {
    const third = { columns: ['name'], filter: { id: 3 } };
    const access = accessOf(
      model({ self, boss, third }, { top: ['middle', 'third'], middle: ['self', 'boss'] }),
      'top',
    );
    expect(cells(access)).toEqual({ id: [1, 2], pay: [1], name: [2, 3] });
  });
});

describe('cells of an inherited role', () => {
  const columnsOf = (columns: readonly string[], id: number) => ({ columns, filter: { id } });
  const whereOf = (access: SelectAccess | undefined, name: string) =>
    [...(access?.cells ?? [])].find(([column]) => column.field === name)?.[1];

  test('have one condition for all columns that the same parents grant', () => {
    const all = ['id', 'name', 'pay'];
    const selects = { a: columnsOf(all, 1), b: columnsOf(all, 2), c: columnsOf(['id'], 3) };
    const access = accessOf(model(selects, { all: ['a', 'b', 'c'] }), 'all');
    expect(whereOf(access, 'name')).toBe(whereOf(access, 'pay'));
  });

  test('have conditions of their own where other parents grant them', () => {
    const selects = {
      ...{ a: columnsOf(['id', 'name'], 1), b: columnsOf(['id', 'pay', 'boss'], 2) },
      c: columnsOf(['id', 'boss', 'name'], 3),
    };
    const access = accessOf(model(selects, { all: ['a', 'b', 'c'] }), 'all');
    expect(cells(access)).toEqual({ name: [1, 3], pay: [2], boss: [2, 3] });
  });

  test('have the condition of one parent beside that of two', () => {
    const selects = {
      ...{ a: columnsOf(['id', 'name', 'pay'], 1), b: columnsOf(['id', 'pay'], 2), c: columnsOf(['id'], 3) },
    };
    const access = accessOf(model(selects, { all: ['a', 'b', 'c'] }), 'all');
    expect(cells(access)).toEqual({ name: [1], pay: [1, 2] });
  });

  test('have none where each parent grants them', () => {
    const access = accessOf(model({ a: columnsOf(['id'], 1), b: columnsOf(['id'], 2) }, { both: ['a', 'b'] }), 'both');
    expect(Object.keys(access ?? {})).not.toContain('cells');
  });

  test('are not partly granted where each parent grants them', () => {
    const access = accessOf(model({ a: columnsOf(['id'], 1), b: columnsOf(['id'], 2) }, { both: ['a', 'b'] }), 'both');
    expect(Object.keys(access ?? {})).not.toContain('partlyGranted');
  });
});

test('an inherited role has a root field that none of its parents can have alone', () => {
  const keyed = catalogOf({ pair: { columns: { a: 'int4!', b: 'int4!' }, key: ['a', 'b'] } });
  const select_permissions = ['a', 'b'].map((role) => ({ role, permission: { columns: [role], filter: {} } }));
  const resolved = resolveSources([], new Map([[DEFAULT_SOURCE, keyed]]), {
    metadata: Metadata.parse({
      version: 3,
      sources: [{ name: 'default', tables: [{ table: 'pair', select_permissions }] }],
      inherited_roles: [{ role_name: 'both', role_set: ['a', 'b'] }],
    }),
  });
  const rootsOf = (role: string) => selectAccess(tableIn(resolved, 'pair'), RoleName.parse(role))?.queryRoots;
  expect(['a', 'b', 'both'].map(rootsOf)).toEqual([
    new Set(['select']),
    new Set(['select']),
    new Set(['select', 'select_by_pk']),
  ]);
});

test('an inherited role has no root field that one parent hides and the others cannot have', () => {
  const hidden = { columns: ['id'], filter: {}, query_root_fields: ['select'] };
  const without = { columns: ['name'], filter: {}, query_root_fields: ['select'] };
  const access = accessOf(model({ a: hidden, b: without }, { both: ['a', 'b'] }), 'both');
  expect(access?.queryRoots).toEqual(new Set(['select']));
});

describe('an inherited role writes', () => {
  const one = { filter: { id: 1 } };

  test('what one parent does, or all parents with equal permissions', () => {
    const resolved = model({}, { a: ['x', 'y'], b: ['x', 'z'] }, { x: one, z: { backend_only: false, ...one } });
    const table = tableIn(resolved, 'author');
    expect(resolved.inconsistencies).toEqual([]);
    expect(deleteAccess(table, RoleName.parse('a'))).toBeDefined();
    expect(deleteAccess(table, RoleName.parse('b'))).toBe(deleteAccess(table, RoleName.parse('x')));
  });

  test('what its last parent does, where the first may not', () => {
    const resolved = model({}, { a: ['y', 'x'] }, { x: one });
    const table = tableIn(resolved, 'author');
    expect([resolved.inconsistencies, deleteAccess(table, RoleName.parse('a'))]).toEqual([
      [],
      deleteAccess(table, RoleName.parse('x')),
    ]);
  });

  test('nothing where no parent does', () => {
    const { deleteAccess: writes, selectAccess: reads } = tableIn(model({}, { a: ['x', 'y'] }), 'author');
    expect([writes.size, reads.size]).toEqual([0, 0]);
  });

  test.each([
    [
      'the order of _and',
      { filter: { _and: [{ id: 1 }, { boss: 2 }] } },
      { filter: { _and: [{ boss: 2 }, { id: 1 }] } },
    ],
    ['the order of _or', { filter: { _or: [{ id: 1 }, { boss: 2 }] } }, { filter: { _or: [{ boss: 2 }, { id: 1 }] } }],
    ['the name of an operator', { filter: { $and: [{ id: { $eq: 1 } }] } }, { filter: { _and: [{ id: { _eq: 1 } }] } }],
    ['a value without operator', { filter: { id: 1 } }, { filter: { id: { _eq: 1 } } }],
    ['the case of a session variable', { filter: { id: 'X-Service-Id' } }, { filter: { id: 'x-service-id' } }],
  ])('what its parents do if their permissions differ only in %s', (_what, x, y) => {
    const resolved = model({}, { a: ['x', 'y'] }, { x, y });
    expect(resolved.inconsistencies).toEqual([]);
    expect(deleteAccess(tableIn(resolved, 'author'), RoleName.parse('a'))).toBeDefined();
  });

  test('nothing if permissions of its parents differ, which is reported, unless it has its own', () => {
    const two = { filter: { id: 2 } };
    const resolved = model({}, { a: ['x', 'y'] }, { x: one, y: two });
    expect(deleteAccess(tableIn(resolved, 'author'), RoleName.parse('a'))).toBeUndefined();
    expect(resolved.inconsistencies).toMatchObject([
      { type: 'inherited_role_permission', path: '$.inherited_roles[0].role_set' },
    ]);
    const own = model({}, { a: ['x', 'y'] }, { x: one, y: two, a: one });
    expect(own.inconsistencies).toEqual([]);
    expect(deleteAccess(tableIn(own, 'author'), RoleName.parse('a'))).toBeDefined();
  });

  test('nothing if the rules of its parents differ in a false', () => {
    const rule = (yes: boolean) => ({ filter: { id: { _is_null: yes } } });
    const resolved = model({}, { a: ['x', 'y'] }, { x: rule(true), y: rule(false) });
    expect(resolved.inconsistencies).toHaveLength(1);
  });
});

test('a role that inherits from itself is reported and inherits nothing; roles that inherit from it are not reported', () => {
  const resolved = model({ self }, { a: ['b', 'self'], b: ['a'], c: ['a', 'self'] });
  expect(resolved.inconsistencies.map(({ path, reason }) => [path, reason])).toEqual([
    ['$.inherited_roles[0]', expect.stringContaining('it inherits from itself (a from b from a)')],
    ['$.inherited_roles[1]', expect.stringContaining('it inherits from itself (b from a from b)')],
  ]);
  expect(accessOf(resolved, 'a')).toBeUndefined();
  expect(accessOf(resolved, 'c')).toBe(accessOf(resolved, 'self'));
  expect(resolved.roles).toEqual(new Set(['self', 'a', 'b', 'c']));
});

describe('an inherited role is reported', () => {
  const inconsistenciesOf = (inherited_roles: readonly object[]) =>
    resolveSources([], new Map([[DEFAULT_SOURCE, catalog]]), {
      metadata: Metadata.parse({ version: 3, inherited_roles }),
    }).inconsistencies;
  const role_set = ['x', 'y'];

  test.each([
    ['where it is admin', 'admin', 'the role "admin" has all permissions already'],
    ['where another has its name', 'both', 'there is an inherited role of that name already'],
    [
      'where it is one of its own parents',
      'own',
      'it inherits from itself (own from own); take one of them out of its role_set',
    ],
  ])('%s', (_case, role_name, reason) => {
    const parents = role_name === 'own' ? ['x', 'own'] : role_set;
    const definition = { role_name, role_set: parents };
    expect(inconsistenciesOf([{ role_name: 'both', role_set }, definition])).toEqual([
      {
        type: 'inherited_role',
        name: `inherited_role inherited role ${role_name}`,
        path: '$.inherited_roles[1]',
        code: 'invalid-configuration',
        reason: `in inherited role "${role_name}": ${reason}`,
        definition,
      },
    ]);
  });

  test('with the shortest way through which it inherits from itself', () => {
    const roles = { a: ['b', 'c'], b: ['x', 'd'], c: ['d'], d: ['a'] };
    const { inconsistencies } = model({}, roles);
    expect(inconsistencies[0]?.reason).toContain('(a from b from d from a)');
  });
});

describe('many inherited roles', () => {
  const chain = (length: number, last: string) =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [`r${index}`, [index + 1 < length ? `r${index + 1}` : last]]),
    );

  test('a long chain of roles inherits permissions from end to end', () => {
    const resolved = model({ self }, chain(20_000, 'self'));
    expect(resolved.inconsistencies).toEqual([]);
    expect(accessOf(resolved, 'r0')).toBe(accessOf(resolved, 'self'));
  });

  test('a cycle of 1,001 roles is reported as a whole', () => {
    expect(model({}, chain(1_001, 'r0')).inconsistencies[0]?.reason).toContain('(r0 from r1 from r2 from');
  });

  test('a cycle of 1,002 roles is not reported as a whole', () => {
    expect(model({}, chain(1_002, 'r0')).inconsistencies[0]?.reason).toContain('through more than 1000 roles');
  });

  test('each role of a long cycle is reported without the whole cycle', () => {
    const { inconsistencies } = model({ self }, chain(2_000, 'r0'));
    expect(inconsistencies).toHaveLength(2_000);
    expect(inconsistencies[0]?.reason).toBe(
      'in inherited role "r0": it inherits from itself through more than 1000 roles; take one of them out of its role_set',
    );
  });
});
