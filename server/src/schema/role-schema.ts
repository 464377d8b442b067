/** The GraphQL schemas of the roles of a model, each created when it is first used. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import type { Model } from '../model/model.ts';
import { assembleSchema } from './assemble.ts';

export interface RoleSchema {
  readonly model: Model;
  readonly role: RoleName;
  /** Shared by all roles that no permission names. */
  readonly schema: GraphQLSchema;
}

/** The key of all roles that no permission names; a symbol, which differs from every role name. */
const unknownRole = Symbol('unknown role');

type RoleSchemas = Map<RoleName | typeof unknownRole, RoleSchema>;

interface Caches {
  readonly all: WeakMap<Model, RoleSchemas>;
  readonly backend: WeakMap<Model, RoleSchemas>;
}

const usual: Caches = { all: new WeakMap(), backend: new WeakMap() };
const relaySchemas: Caches = { all: new WeakMap(), backend: new WeakMap() };

/**
 * Returns the schema of `role`, the same object for the same model if a permission names the role. For a `backend` it
 * includes what is marked `backend_only`. With `relay` it is the schema for Relay.
 */
export function roleSchema(model: Model, role: RoleName, backend = false, relay = false): RoleSchema {
  const cached = relay ? relaySchemas : usual;
  const more = backend && hasBackendOnly(model, role);
  const models = more ? cached.backend : cached.all;
  const schemas: RoleSchemas = models.get(model) ?? new Map();
  models.set(model, schemas);
  const named = role === ADMIN_ROLE || model.roles.has(role);
  const key = named ? role : unknownRole;
  const found = schemas.get(key) ?? { model, role, schema: assembleSchema(model, role, more, relay) };
  schemas.set(key, found);
  // A role that no permission names is not cached: callers could send any number of them.
  return found.role === role ? found : { ...found, role };
}

/** Whether the schema of `role` differs for backends. */
function hasBackendOnly(model: Model, role: RoleName): boolean {
  for (const { tables } of model.sources.values()) {
    for (const { insertAccess, updateAccess, deleteAccess } of tables.values()) {
      if ([insertAccess, updateAccess, deleteAccess].some((access) => access.get(role)?.backendOnly)) return true;
    }
  }
  return false;
}
