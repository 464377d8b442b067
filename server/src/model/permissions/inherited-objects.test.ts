/** Inherited permissions on actions, functions and remote schemas. */
import { ActionName, DEFAULT_SOURCE, RemoteSchemaName, RoleName } from '@joinery/metadata/names';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import type { Action } from '../types/action.ts';
import type { RemoteSchema, TableFunction } from '../types/table.ts';
import { type InheritingRole, inheritActions, inheritFunctions, inheritRemoteSchemas } from './inherited-roles.ts';

function inheriting(roles: Readonly<Record<string, readonly string[]>>): readonly InheritingRole[] {
  return Object.entries(roles).map(([name, parents], index) => {
    const [role, role_set] = [RoleName.parse(name), parents.map((parent) => RoleName.parse(parent))];
    return { role, parents: role_set, path: `$.inherited_roles[${index}]`, written: { role_name: role, role_set } };
  });
}

const rolesOf = (...names: readonly string[]) => new Set(names.map((name) => RoleName.parse(name)));

const family = inheriting({ both: ['a', 'b'], none: ['x', 'y'], top: ['none', 'both'] });

describe('a role may call an action', () => {
  const find = ActionName.parse('find');
  const actions = new Map([[find, { name: find, roles: rolesOf('a') } as unknown as Action]]);

  test('if one of its parents may, also an inherited one', () => {
    expect(runAtOnce(inheritActions(actions, family)).get(find)).toEqual({
      name: find,
      roles: rolesOf('a', 'both', 'top'),
    });
  });

  test('as before where no role inherits', () => {
    expect(runAtOnce(inheritActions(actions, []))).toBe(actions);
  });
});

test('a role may call a function if one of its parents may', () => {
  const { draft } = draftOf({});
  const functions = draft.sources.get(DEFAULT_SOURCE)?.functions;
  functions?.set('public.f', { exposedAs: 'query', roles: rolesOf('b') } as unknown as TableFunction);
  runAtOnce(inheritFunctions(draft, family));
  expect(functions?.get('public.f')).toEqual({ exposedAs: 'query', roles: rolesOf('b', 'both', 'top') });
});

describe('a role sees of a remote schema', () => {
  const carrier = RemoteSchemaName.parse('carrier');
  const [one, other] = ['a', 'b'].map((field) => buildSchema(`type Query { ${field}: Int }`));

  function inherited(
    views: Readonly<Record<string, GraphQLSchema | undefined>> | undefined,
    roles: readonly InheritingRole[],
  ) {
    const { draft, reports } = draftOf({});
    const permissions =
      views && new Map(Object.entries(views).flatMap(([role, view]) => (view ? [[RoleName.parse(role), view]] : [])));
    const remote = { name: carrier, permissions } as unknown as RemoteSchema;
    draft.remoteSchemas.set(carrier, remote);
    runAtOnce(inheritRemoteSchemas(draft, roles));
    const found = draft.remoteSchemas.get(carrier);
    return { found, reports, isSame: found === remote, views: Object.fromEntries(found?.permissions ?? []) };
  }

  test('what its only parent with a permission sees, also an inherited one', () => {
    const { views, reports, found } = inherited({ a: one }, family);
    expect([views, reports, found?.name]).toEqual([{ a: one, both: one, top: one }, [], carrier]);
  });

  test('what all of its parents see', () => {
    expect(inherited({ a: one, b: one }, inheriting({ both: ['a', 'b'] })).views).toEqual({
      a: one,
      b: one,
      both: one,
    });
  });

  test('what its own permission says', () => {
    const { views, reports } = inherited({ a: one, b: other, both: other }, inheriting({ both: ['a', 'b'] }));
    expect([views, reports]).toEqual([{ a: one, b: other, both: other }, []]);
  });

  test('nothing where its parents see different things, which is reported', () => {
    const { views, reports } = inherited({ a: one, b: other }, inheriting({ both: ['a', 'x', 'b'] }));
    const entity = 'permission on remote schema "carrier"';
    expect([views, reports]).toEqual([
      { a: one, b: other },
      [
        {
          type: 'inherited_role_permission',
          name: `both: ${entity}`,
          path: '$.inherited_roles[0].role_set',
          code: 'invalid-configuration',
          reason: `inherited role "both" has no ${entity}: the roles "a", "b" have different ones; define one for "both" itself`,
          definition: { role_name: 'both', role_set: ['a', 'x', 'b'] },
        },
      ],
    ]);
  });

  test('nothing where no parent has a permission', () => {
    expect(inherited({}, family).views).toEqual({});
  });

  test('all where permissions on remote schemas are not used', () => {
    expect(inherited(undefined, family).isSame).toBe(true);
  });
});
