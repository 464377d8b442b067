/** What a role may name, as a GraphQL schema; made once for each role of a model. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import type { Model } from '../model/model.ts';
import { actionFields, actionSubscriptionFields } from './actions/action-types.ts';
import { assembleSchema } from './assemble.ts';
import { outputJoinFields, remoteJoinFields, tableJoinFields } from './join-fields.ts';
import type { TypeRegistry } from './registry.ts';
import { remoteFields } from './remote/remote-types.ts';
import { functionFields } from './tables/function-roots.ts';
import { mutationFields } from './tables/mutation-roots.ts';
import { tableFields } from './tables/query-roots.ts';
import { subscriptionFields } from './tables/subscription-roots.ts';

export interface RoleSchema {
  readonly model: Model;
  readonly role: RoleName;
  /** Roles that no permission names share one. */
  readonly schema: GraphQLSchema;
}

const parts = {
  roots: [tableFields, functionFields, mutationFields, actionFields, remoteFields],
  subscription: (registry: TypeRegistry) => ({
    ...actionSubscriptionFields(registry),
    ...subscriptionFields(registry),
  }),
  joins: tableJoinFields,
  outputJoins: outputJoinFields,
  remoteJoins: remoteJoinFields,
};

/** Stands for all roles that no permission names; an object, so that no role can have its name. */
const nobody = Symbol('nobody');

type RoleSchemas = Map<RoleName | typeof nobody, RoleSchema>;

const known = { all: new WeakMap<Model, RoleSchemas>(), backend: new WeakMap<Model, RoleSchemas>() };

/**
 * The schema of `role`, made at the first call. The same model and role give the same object where a permission names the
 * role. A `backend` is shown what is marked `backend_only` as well.
 */
export function roleSchema(model: Model, role: RoleName, backend = false): RoleSchema {
  const more = backend && hasBackendOnly(model, role);
  const models = more ? known.backend : known.all;
  const schemas: RoleSchemas = models.get(model) ?? new Map();
  models.set(model, schemas);
  const named = role === ADMIN_ROLE || model.roles.has(role);
  const key = named ? role : nobody;
  const found = schemas.get(key) ?? { model, role, schema: assembleSchema(model, role, parts, more) };
  schemas.set(key, found);
  // A role that is made up for the occasion must not stay in memory.
  return found.role === role ? found : { ...found, role };
}

/** Most roles have one schema for all callers. */
function hasBackendOnly(model: Model, role: RoleName): boolean {
  for (const { tables } of model.sources.values()) {
    for (const { insertAccess, updateAccess, deleteAccess } of tables.values()) {
      if ([insertAccess, updateAccess, deleteAccess].some((access) => access.get(role)?.backendOnly)) return true;
    }
  }
  return false;
}
