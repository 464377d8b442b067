/** Metadata x catalogs x remote schemas -> the live model. Pure; bad metadata is dropped and listed, never thrown. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import { runAtOnce, type Steps } from '../base/steps.ts';
import { validateTrigger } from '../events/cron/trigger.ts';
import { resolveActions } from './actions/actions.ts';
import { resolveCustomTypes } from './actions/custom-types.ts';
import { reportUnsupported } from './inconsistencies/unsupported.ts';
import { resolveOutputJoins } from './joins/action-joins.ts';
import { resolveRemoteJoins } from './joins/remote-joins.ts';
import { resolveTableJoins } from './joins/table-joins.ts';
import type { Model } from './model.ts';
import {
  inheritActions,
  inheritanceOrder,
  inheritFunctions,
  inheritRemoteSchemas,
  resolveInheritedRoles,
} from './permissions/inherited-roles.ts';
import { resolvePermissions } from './permissions/select-permissions.ts';
import { resolveWritePermissions } from './permissions/write-permissions.ts';
import { dropClashingViews } from './remote/name-conflicts.ts';
import { resolveRemoteSchemas } from './remote/remote-schemas.ts';
import { resolveStoredOperations } from './stored-operations.ts';
import { resolveComputedFields } from './tables/computed-fields.ts';
import { resolveFunctions } from './tables/functions.ts';
import { resolveRelationships } from './tables/relationships.ts';
import { resolveTables } from './tables/tables.ts';
import type { Draft, ResolveInput } from './types/draft.ts';
import type { Inconsistency } from './types/inconsistency.ts';

const tableStages = [
  resolveTables,
  resolveRelationships,
  resolveComputedFields,
  resolveFunctions,
  resolveRemoteSchemas,
  resolvePermissions,
  resolveWritePermissions,
];

const heirStages = [resolveInheritedRoles, inheritFunctions, inheritRemoteSchemas, inheritRemoteSchemas];

/** The model of `input`, made at once. The service uses `resolveSteps`, as large metadata takes long. */
export function resolve(input: ResolveInput): Model {
  return runAtOnce(resolveSteps(input));
}

/** Stage after stage fills the draft; each finds what the stages before it kept. */
export function* resolveSteps(input: ResolveInput): Steps<Model> {
  const inconsistencies: Inconsistency[] = [];
  const draft: Draft = {
    input,
    sources: new Map(),
    remoteSchemas: new Map(),
    actions: new Map(),
    report: (inconsistency) => inconsistencies.push(inconsistency),
  };
  for (const stage of tableStages) {
    yield* stage(draft);
    yield;
  }
  const heirs = yield* inheritanceOrder(draft);
  for (const stage of heirStages) {
    yield* stage(draft, heirs);
    yield;
  }
  yield* dropClashingViews(draft);
  const types = yield* resolveCustomTypes(draft);
  const actions = yield* resolveActions(draft, types);
  for (const [name, action] of yield* inheritActions(actions, heirs)) draft.actions.set(name, action);
  // Joins lead to whatever the stages before have kept, and hold it as it is in the end.
  yield* resolveTableJoins(draft);
  yield* resolveRemoteJoins(draft);
  yield;
  const outputJoins = yield* resolveOutputJoins(draft, types.objects);
  yield* resolveCronTriggers(draft);
  yield;
  yield* reportUnsupported(draft);
  yield;
  return {
    version: input.version,
    sources: draft.sources,
    actions: draft.actions,
    outputJoins,
    remoteSchemas: draft.remoteSchemas,
    roles: rolesOf(input),
    stored: yield* resolveStoredOperations(draft),
    limits: input.metadata.api_limits?.disabled === true ? undefined : input.metadata.api_limits,
    unreadable: new Set(input.metadata.graphql_schema_introspection?.disabled_for_roles),
    inconsistencies,
  };
}

/** A role is known by any permission that names it, also by one that was dropped, and by its parents. */
function rolesOf({ metadata }: ResolveInput): ReadonlySet<RoleName> {
  const permissions = [
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
    ...(metadata.remote_schemas ?? []).flatMap((remote) => remote.permissions ?? []),
  ];
  const inherited = (metadata.inherited_roles ?? []).map(({ role_name }) => role_name);
  return new Set([...permissions.map(({ role }) => role), ...inherited].filter((role) => role !== ADMIN_ROLE));
}

function* resolveCronTriggers({ input, report }: Draft): Steps<void> {
  for (const [index, trigger] of (input.metadata.cron_triggers ?? []).entries()) {
    yield;
    const fault = validateTrigger(trigger, input.environment);
    if (fault === undefined) continue;
    report({
      type: 'cron_trigger',
      name: `cron_trigger ${trigger.name}`,
      path: `$.cron_triggers[${index}]${fault.path}`,
      code: fault.code,
      reason: fault.reason,
      definition: trigger,
    });
  }
}
