/** Resolves metadata, catalogs and remote schemas to the model. Pure; reports invalid objects and leaves them out. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import { runAtOnce, type Steps } from '../base/steps.ts';
import { validateTrigger } from '../events/cron/trigger.ts';
import { resolveActions } from './actions/actions.ts';
import { resolveCustomTypes } from './actions/custom-types.ts';
import { resolveEventTriggers } from './event-triggers/event-triggers.ts';
import { reportUnsupported } from './inconsistencies/unsupported.ts';
import { resolveOutputJoins } from './joins/action-joins.ts';
import { resolveRemoteJoins } from './joins/remote-joins.ts';
import { resolveTableJoins } from './joins/table-joins.ts';
import type { Model } from './model.ts';
import { inheritModels, resolveModelPermissions } from './native-queries/logical-models.ts';
import { resolveNativeQueries, resolveNativeRelationships } from './native-queries/native-queries.ts';
import {
  inheritActions,
  inheritanceOrder,
  inheritFunctions,
  inheritRemoteSchemas,
  resolveInheritedRoles,
} from './permissions/inherited-roles.ts';
import { resolvePermissions } from './permissions/select-permissions.ts';
import { resolveWritePermissions } from './permissions/write-permissions.ts';
import { dropConflictingViews } from './remote/name-conflicts.ts';
import { resolveRemoteSchemas } from './remote/remote-schemas.ts';
import { resolveStoredOperations } from './stored-operations.ts';
import { resolveComputedFields } from './tables/computed-fields.ts';
import { resolveFunctions } from './tables/functions.ts';
import { resolveRelationships } from './tables/relationships.ts';
import { resolveTables } from './tables/tables.ts';
import { resolveTraces } from './traces.ts';
import type { Draft, ResolveInput } from './types/draft.ts';
import type { Inconsistency } from './types/inconsistency.ts';

const tableStages = [
  resolveTables,
  resolveNativeQueries,
  resolveRelationships,
  resolveNativeRelationships,
  resolveComputedFields,
  resolveFunctions,
  resolveEventTriggers,
  resolveRemoteSchemas,
  resolvePermissions,
  resolveModelPermissions,
  resolveWritePermissions,
];

const inheritanceStages = [resolveInheritedRoles, inheritModels, inheritFunctions, inheritRemoteSchemas];

/** Resolves `input` without yielding. The service uses `resolveSteps`, because large metadata takes long. */
export function resolve(input: ResolveInput): Model {
  return runAtOnce(resolveSteps(input));
}

/** Runs the stages in order. Each uses the objects that earlier stages accepted. */
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
  const inheriting = yield* inheritanceOrder(draft);
  for (const stage of inheritanceStages) {
    yield* stage(draft, inheriting);
    yield;
  }
  yield* dropConflictingViews(draft);
  const types = yield* resolveCustomTypes(draft);
  const actions = yield* resolveActions(draft, types);
  for (const [name, action] of yield* inheritActions(actions, inheriting)) draft.actions.set(name, action);
  // Last, because joins refer to the final objects of all other stages.
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
    strictNullability: input.strictNullability === true,
    apolloFederation: input.apolloFederation === true,
    unreadable: new Set(input.metadata.graphql_schema_introspection?.disabled_for_roles),
    traces: resolveTraces(draft),
    inconsistencies,
  };
}

/** All roles that a permission names, including dropped ones, and all inherited roles. */
function rolesOf({ metadata }: ResolveInput): ReadonlySet<RoleName> {
  const roles = new Set<RoleName>();
  for (const { tables } of metadata.sources) {
    for (const { insert_permissions, select_permissions, update_permissions, delete_permissions } of tables) {
      for (const list of [insert_permissions, select_permissions, update_permissions, delete_permissions]) {
        for (const { role } of list ?? []) roles.add(role);
      }
    }
  }
  const permissions = [
    ...metadata.sources.flatMap(({ logical_models }) =>
      (logical_models ?? []).flatMap((model) => model.select_permissions ?? []),
    ),
    ...metadata.sources.flatMap(({ functions }) => (functions ?? []).flatMap((one) => one.permissions ?? [])),
    ...(metadata.actions ?? []).flatMap((action) => action.permissions ?? []),
    ...(metadata.remote_schemas ?? []).flatMap((remote) => remote.permissions ?? []),
  ];
  const inherited = (metadata.inherited_roles ?? []).map(({ role_name }) => role_name);
  for (const role of [...permissions.map((one) => one.role), ...inherited]) roles.add(role);
  roles.delete(ADMIN_ROLE);
  return roles;
}

function* resolveCronTriggers({ input, report }: Draft): Steps<void> {
  for (const [index, trigger] of (input.metadata.cron_triggers ?? []).entries()) {
    yield;
    const error = validateTrigger(trigger, input.environment);
    if (error === undefined) continue;
    report({
      type: 'cron_trigger',
      name: `cron_trigger ${trigger.name}`,
      path: `$.cron_triggers[${index}]${error.path}`,
      code: error.code,
      reason: error.reason,
      definition: trigger,
    });
  }
}
