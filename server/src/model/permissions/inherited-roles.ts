/** The stage of resolve for inherited roles, which have the permissions of all of their parents. */

import { type ActionName, ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { InheritedRole } from '@joinery/metadata/schema/permissions';
import type { GraphQLSchema } from 'graphql';
import { components } from '../../base/components.ts';
import type { Steps } from '../../base/steps.ts';
import { draftTables, type PermissionKind, plainName, type WrittenTable } from '../inconsistencies/metadata-entries.ts';
import type { Action } from '../types/action.ts';
import type { Draft } from '../types/draft.ts';
import { inheritSelect } from './inherited-select.ts';

/** A role with its parents. */
export interface InheritingRole {
  readonly role: RoleName;
  readonly parents: readonly RoleName[];
  /** `$.inherited_roles[0]` */
  readonly path: string;
  readonly written: InheritedRole;
}

/** The most roles that the search for a cycle visits. */
const MOST_SEARCHED = 1_000;

/** Inherited roles, parents first. A role that inherits from itself is reported and left out. */
export function* inheritanceOrder(draft: Draft): Steps<readonly InheritingRole[]> {
  const inheriting = new Map<RoleName, InheritingRole>();
  for (const [index, written] of (draft.input.metadata.inherited_roles ?? []).entries()) {
    yield;
    const role = { role: written.role_name, parents: written.role_set, path: `$.inherited_roles[${index}]`, written };
    if (written.role_name === ADMIN_ROLE) report(draft, role, 'the role "admin" has all permissions already');
    else if (inheriting.has(written.role_name)) report(draft, role, 'there is an inherited role of that name already');
    else inheriting.set(written.role_name, role);
  }
  const parentsOf = ({ parents }: InheritingRole) => parents.flatMap((parent) => inheriting.get(parent) ?? []);
  const circular = new Set<InheritingRole>();
  const acyclic: InheritingRole[] = [];
  for (const component of yield* components(inheriting.values(), parentsOf)) {
    const [role] = component;
    if (role !== undefined && component.length === 1 && !role.parents.includes(role.role)) acyclic.push(role);
    else for (const one of component) circular.add(one);
  }
  for (const role of inheriting.values()) {
    yield;
    if (!circular.has(role)) continue;
    const chain = chainTo(role.role, role, inheriting);
    const names = chain === undefined ? `through more than ${MOST_SEARCHED} roles` : `(${chain.join(' from ')})`;
    report(draft, role, `it inherits from itself ${names}; take one of them out of its role_set`);
  }
  return acyclic;
}

function report(draft: Draft, { path, written }: InheritingRole, reason: string): void {
  draft.report({
    type: 'inherited_role',
    name: `inherited_role inherited role ${written.role_name}`,
    path,
    code: 'invalid-configuration',
    reason: `in inherited role "${written.role_name}": ${reason}`,
    definition: written,
  });
}

/** The roles through which `start` inherits from `role`, both included; undefined if the search takes too long. */
function chainTo(
  role: RoleName,
  start: InheritingRole,
  inheriting: ReadonlyMap<RoleName, InheritingRole>,
): readonly RoleName[] | undefined {
  /** The role that each was reached from. */
  const reached = new Map<RoleName, RoleName | undefined>([[start.role, undefined]]);
  for (const name of reached.keys()) {
    for (const parent of inheriting.get(name)?.parents ?? []) {
      if (parent === role) return chainFrom(name, reached, parent);
      if (reached.size > MOST_SEARCHED) return undefined;
      if (!reached.has(parent)) reached.set(parent, name);
    }
  }
  return undefined;
}

function chainFrom(
  last: RoleName,
  reached: ReadonlyMap<RoleName, RoleName | undefined>,
  end: RoleName,
): readonly RoleName[] {
  const chain = [end];
  for (let name: RoleName | undefined = last; name !== undefined; name = reached.get(name)) chain.unshift(name);
  return chain;
}

/**
 * Adds the inherited permissions to every table. A permission that the metadata has for the role itself replaces the
 * inherited one even where it was dropped, so that a mistake in it does not widen access.
 */
export function* resolveInheritedRoles(draft: Draft, inheriting: readonly InheritingRole[]): Steps<void> {
  for (const { written, table } of draftTables(draft)) {
    for (const role of inheriting) {
      yield;
      if (!hasOwn(written, 'select', role)) {
        const accesses = role.parents.flatMap((parent) => table.selectAccess.get(parent) ?? []);
        const access = inheritSelect(table, accesses);
        if (access !== undefined) table.selectAccess.set(role.role, access);
      }
      inheritWrite(draft, written, 'insert', table.insertAccess, role);
      inheritWrite(draft, written, 'update', table.updateAccess, role);
      inheritWrite(draft, written, 'delete', table.deleteAccess, role);
    }
  }
}

function hasOwn({ entry }: WrittenTable, kind: PermissionKind, { role }: InheritingRole): boolean {
  const entries: readonly { readonly role: RoleName }[] = entry[`${kind}_permissions`] ?? [];
  return entries.some((one) => one.role === role);
}

/** Write permissions are inherited where all parents that have one have the same one. */
function inheritWrite<Access>(
  draft: Draft,
  written: WrittenTable,
  kind: 'insert' | 'update' | 'delete',
  access: Map<RoleName, Access>,
  role: InheritingRole,
): void {
  if (hasOwn(written, kind, role)) return;
  const granting = role.parents.filter((parent) => access.has(parent));
  const [first, second] = new Set(granting.map((parent) => access.get(parent)));
  if (first !== undefined && second === undefined) access.set(role.role, first);
  if (second === undefined) return;
  const table = plainName(written.entry.table);
  const entity = `${kind} permission of table "${table}" in source "${written.source}"`;
  const names = granting.map((name) => `"${name}"`).join(', ');
  draft.report({
    type: 'inherited_role_permission',
    name: `${role.role}: ${entity}`,
    path: `${role.path}.role_set`,
    code: 'invalid-configuration',
    reason: `inherited role "${role.role}" has no ${entity}: the roles ${names} have different ones; define one for "${role.role}" itself`,
    definition: role.written,
  });
}

/** The actions, each with the roles that inherit a permission on it. */
export function* inheritActions(
  actions: ReadonlyMap<ActionName, Action>,
  inheriting: readonly InheritingRole[],
): Steps<ReadonlyMap<ActionName, Action>> {
  if (inheriting.length === 0) return actions;
  const inherited = new Map<ActionName, Action>();
  for (const [name, action] of actions) {
    yield;
    inherited.set(name, { ...action, roles: withInheriting(action.roles, inheriting) });
  }
  return inherited;
}

/** Adds the roles that inherit a permission to every function. */
export function* inheritFunctions(draft: Draft, inheriting: readonly InheritingRole[]): Steps<void> {
  for (const { functions } of draft.sources.values()) {
    for (const [key, one] of functions) {
      yield;
      functions.set(key, { ...one, roles: withInheriting(one.roles, inheriting) });
    }
  }
}

/** `roles` and all roles that inherit from one of them. */
function withInheriting(roles: ReadonlySet<RoleName>, inheriting: readonly InheritingRole[]): ReadonlySet<RoleName> {
  const all = new Set(roles);
  for (const { role, parents } of inheriting) if (parents.some((parent) => all.has(parent))) all.add(role);
  return all;
}

/** Adds the inherited permissions to every remote schema. `inheriting` has parents first. */
export function* inheritRemoteSchemas(draft: Draft, inheriting: readonly InheritingRole[]): Steps<void> {
  for (const [name, remote] of draft.remoteSchemas) {
    if (remote.permissions === undefined) continue;
    const views = new Map<RoleName, GraphQLSchema>(remote.permissions);
    for (const role of inheriting) {
      yield;
      if (views.has(role.role)) continue;
      const granting = role.parents.filter((parent) => views.has(parent));
      const [first, second] = new Set(granting.map((parent) => views.get(parent)));
      if (first !== undefined && second === undefined) views.set(role.role, first);
      if (second === undefined) continue;
      const entity = `permission on remote schema "${name}"`;
      const names = granting.map((role) => `"${role}"`).join(', ');
      draft.report({
        type: 'inherited_role_permission',
        name: `${role.role}: ${entity}`,
        path: `${role.path}.role_set`,
        code: 'invalid-configuration',
        reason: `inherited role "${role.role}" has no ${entity}: the roles ${names} have different ones; define one for "${role.role}" itself`,
        definition: role.written,
      });
    }
    draft.remoteSchemas.set(name, { ...remote, permissions: views });
  }
}
