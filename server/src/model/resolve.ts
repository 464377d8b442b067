/** Metadata x catalogs x remote schemas -> the live model. Pure; bad metadata is dropped and listed, never thrown. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import { resolveActions } from './actions.ts';
import { resolveComputedFields } from './computed-fields.ts';
import type { Draft, ResolveInput } from './draft.ts';
import { resolveFunctions } from './functions.ts';
import { inheritActions, inheritanceOrder, inheritFunctions, resolveInheritedRoles } from './inherited-roles.ts';
import type { Inconsistency, Model } from './model.ts';
import { resolvePermissions } from './permissions.ts';
import { resolveRelationships } from './relationships.ts';
import { resolveRemoteSchemas } from './remotes.ts';
import { resolveTableJoins } from './table-joins.ts';
import { resolveTables } from './tables.ts';
import { resolveStoredOperations } from './stored-operations.ts';
import { resolveWritePermissions } from './write-permissions.ts';

/** Stage after stage fills the draft; each finds what the stages before it kept. */
export function resolve(input: ResolveInput): Model {
  const inconsistencies: Inconsistency[] = [];
  const draft: Draft = {
    input,
    sources: new Map(),
    remoteSchemas: new Map(),
    report: (inconsistency) => inconsistencies.push(inconsistency),
  };
  resolveTables(draft);
  resolveRelationships(draft);
  resolveComputedFields(draft);
  resolveFunctions(draft);
  resolveRemoteSchemas(draft);
  resolveTableJoins(draft);
  resolvePermissions(draft);
  resolveWritePermissions(draft);
  const heirs = inheritanceOrder(draft);
  resolveInheritedRoles(draft, heirs);
  inheritFunctions(draft, heirs);
  const actions = inheritActions(resolveActions(draft), heirs);
  return {
    version: input.version,
    sources: draft.sources,
    actions,
    remoteSchemas: draft.remoteSchemas,
    roles: rolesOf(input),
    inconsistencies,
  };
}

/** A role is known by any permission that names it, also by one that was dropped, and by its parents. */
function rolesOf({ metadata }: ResolveInput): ReadonlySet<RoleName> {
  const permissions = [
    stored: resolveStoredOperations(draft),
    ...metadata.sources.flatMap(({ tables }) =>
      tables.flatMap((table) => [
        ...(table.insert_permissions ?? []),
        ...(table.select_permissions ?? []),
        ...(table.update_permissions ?? []),
        ...(table.delete_permissions ?? []),
      ]),
    ),
    ...metadata.sources.flatMap(({ functions }) => (functions ?? []).flatMap((one) => one.permissions ?? [])),
    ...(metadata.actions ?? []).flatMap((action) => action.permissions ?? []),
  ];
  const inherited = (metadata.inherited_roles ?? []).map(({ role_name }) => role_name);
  return new Set([...permissions.map(({ role }) => role), ...inherited].filter((role) => role !== ADMIN_ROLE));
}
