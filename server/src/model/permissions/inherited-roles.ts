/** The stage of resolve for inherited roles: what their parents may do, together. */

import { type ActionName, ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { InheritedRole } from '@joinery/metadata/schema/permissions';
import type { GraphQLSchema } from 'graphql';
import { components } from '../../base/components.ts';
import type { Steps } from '../../base/steps.ts';
import { draftTables, type PermissionKind, plainName, type WrittenTable } from '../inconsistencies/metadata-entries.ts';
import type { Action } from '../types/action.ts';
import type { Draft } from '../types/draft.ts';
import { inheritSelect } from './inherited-select.ts';

/** A role that inherits. */
export interface Heir {
  readonly role: RoleName;
  readonly parents: readonly RoleName[];
  /** `$.inherited_roles[0]` */
  readonly path: string;
  readonly written: InheritedRole;
}

/** Roles that are searched for the way on which a role inherits from itself. */
const MOST_SEARCHED = 1_000;

/**
 * Parents come before their heirs. One that is its own ancestor is reported and left out, and so inherits nothing.
 */
export function* inheritanceOrder(draft: Draft): Steps<readonly Heir[]> {
  const heirs = new Map<RoleName, Heir>();
  for (const [index, written] of (draft.input.metadata.inherited_roles ?? []).entries()) {
    yield;
    const heir = { role: written.role_name, parents: written.role_set, path: `$.inherited_roles[${index}]`, written };
    if (written.role_name === ADMIN_ROLE) report(draft, heir, 'the role "admin" may do everything already');
    else if (heirs.has(written.role_name)) report(draft, heir, 'there is an inherited role of that name already');
    else heirs.set(written.role_name, heir);
  }
  const parentsOf = ({ parents }: Heir) => parents.flatMap((parent) => heirs.get(parent) ?? []);
  const circular = new Set<Heir>();
  const sound: Heir[] = [];
  for (const component of yield* components(heirs.values(), parentsOf)) {
    const [heir] = component;
    if (heir !== undefined && component.length === 1 && !heir.parents.includes(heir.role)) sound.push(heir);
    else for (const one of component) circular.add(one);
  }
  if (circular.size === 0) return sound;
  for (const heir of heirs.values()) {
    yield;
    if (!circular.has(heir)) continue;
    const way = wayTo(heir.role, heir, heirs);
    const names = way === undefined ? `over more than ${MOST_SEARCHED} roles` : `(${way.join(' from ')})`;
    report(draft, heir, `it inherits from itself ${names}; take one of them out of its role_set`);
  }
  return sound;
}

function report(draft: Draft, { path, written }: Heir, reason: string): void {
  draft.report({
    type: 'inherited_role',
    name: `inherited_role ${written.role_name}${path}`,
    path,
    code: 'invalid-configuration',
    reason: `in inherited role "${written.role_name}": ${reason}`,
    definition: written,
  });
}

/** The roles over which `start` inherits from `role`, both included; undefined if the search takes too long. */
function wayTo(role: RoleName, start: Heir, heirs: ReadonlyMap<RoleName, Heir>): readonly RoleName[] | undefined {
  /** Which role each was reached from. */
  const reached = new Map<RoleName, RoleName | undefined>([[start.role, undefined]]);
  for (const name of reached.keys()) {
    for (const parent of heirs.get(name)?.parents ?? []) {
      if (parent === role) return wayFrom(name, reached, parent);
      if (reached.size > MOST_SEARCHED) return undefined;
      if (!reached.has(parent)) reached.set(parent, name);
    }
  }
  return undefined;
}

function wayFrom(
  last: RoleName,
  reached: ReadonlyMap<RoleName, RoleName | undefined>,
  end: RoleName,
): readonly RoleName[] {
  const way = [end];
  for (let name: RoleName | undefined = last; name !== undefined; name = reached.get(name)) way.unshift(name);
  return way;
}

/**
 * Adds to every table what heirs may do there. A permission that is written for the heir itself counts alone, even where
 * it was dropped: a mistake in it must not open more than it would.
 */
export function* resolveInheritedRoles(draft: Draft, heirs: readonly Heir[]): Steps<void> {
  for (const { written, table } of draftTables(draft)) {
    if (table.hidden) continue;
    for (const heir of heirs) {
      yield;
      if (!hasOwn(written, 'select', heir)) {
        const accesses = heir.parents.flatMap((parent) => table.selectAccess.get(parent) ?? []);
        const access = inheritSelect(table, accesses);
        if (access !== undefined) table.selectAccess.set(heir.role, access);
      }
      inheritWrite(draft, written, 'insert', table.insertAccess, heir);
      inheritWrite(draft, written, 'update', table.updateAccess, heir);
      inheritWrite(draft, written, 'delete', table.deleteAccess, heir);
    }
  }
}

function hasOwn({ entry }: WrittenTable, kind: PermissionKind, { role }: Heir): boolean {
  const entries: readonly { readonly role: RoleName }[] = entry[`${kind}_permissions`] ?? [];
  return entries.some((one) => one.role === role);
}

/** Two rules for writing cannot be put together; parents that have the same, or one parent alone, can be followed. */
function inheritWrite<Access>(
  draft: Draft,
  written: WrittenTable,
  kind: 'insert' | 'update' | 'delete',
  access: Map<RoleName, Access>,
  heir: Heir,
): void {
  if (hasOwn(written, kind, heir)) return;
  const givers = heir.parents.filter((parent) => access.has(parent));
  const [first, second] = new Set(givers.map((parent) => access.get(parent)));
  if (first !== undefined && second === undefined) access.set(heir.role, first);
  if (second === undefined) return;
  const table = plainName(written.entry.table);
  const entity = `${kind} permission of table "${table}" in source "${written.source}"`;
  const names = givers.map((name) => `"${name}"`).join(', ');
  draft.report({
    type: 'inherited_role_permission',
    name: `${heir.role}: ${entity}`,
    path: `${heir.path}.role_set`,
    code: 'invalid-configuration',
    reason: `inherited role "${heir.role}" has no ${entity}: the roles ${names} have different ones; define one for "${heir.role}" itself`,
    definition: heir.written,
  });
}

/** An action is for those whom it is given to, and for all that inherit from one of them. */
export function* inheritActions(
  actions: ReadonlyMap<ActionName, Action>,
  heirs: readonly Heir[],
): Steps<ReadonlyMap<ActionName, Action>> {
  if (heirs.length === 0) return actions;
  const inherited = new Map<ActionName, Action>();
  for (const [name, action] of actions) {
    yield;
    inherited.set(name, { ...action, roles: withHeirs(action.roles, heirs) });
  }
  return inherited;
}

/** Functions are called by whoever inherits from a role that may call them. */
export function* inheritFunctions(draft: Draft, heirs: readonly Heir[]): Steps<void> {
  for (const { functions } of draft.sources.values()) {
    for (const [key, one] of functions) {
      yield;
      functions.set(key, { ...one, roles: withHeirs(one.roles, heirs) });
    }
  }
}

/** The roles with all that inherit from one of them. */
function withHeirs(roles: ReadonlySet<RoleName>, heirs: readonly Heir[]): ReadonlySet<RoleName> {
  const all = new Set(roles);
  for (const { role, parents } of heirs) if (parents.some((parent) => all.has(parent))) all.add(role);
  return all;
}

/** Fills the permissions of remote schemas. `heirs` come after those whom they inherit from. */
export function* inheritRemoteSchemas(draft: Draft, heirs: readonly Heir[]): Steps<void> {
  for (const [name, remote] of draft.remoteSchemas) {
    if (remote.permissions === undefined) continue;
    const views = new Map<RoleName, GraphQLSchema>(remote.permissions);
    for (const heir of heirs) {
      yield;
      if (views.has(heir.role)) continue;
      const givers = heir.parents.filter((parent) => views.has(parent));
      const [first, second] = new Set(givers.map((parent) => views.get(parent)));
      if (first !== undefined && second === undefined) views.set(heir.role, first);
      if (second === undefined) continue;
      const entity = `permission on remote schema "${name}"`;
      const names = givers.map((role) => `"${role}"`).join(', ');
      draft.report({
        type: 'inherited_role_permission',
        name: `${heir.role}: ${entity}`,
        path: `${heir.path}.role_set`,
        code: 'invalid-configuration',
        reason: `inherited role "${heir.role}" has no ${entity}: the roles ${names} have different ones; define one for "${heir.role}" itself`,
        definition: heir.written,
      });
    }
    draft.remoteSchemas.set(name, { ...remote, permissions: views });
  }
}
