/** The GraphQL schemas of the roles of a model, each created when it is first used. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import { LRUCache } from 'lru-cache';
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

type RoleKey = RoleName | typeof unknownRole;
type RoleSchemas = LRUCache<RoleKey, RoleSchema>;

/** Milliseconds after which the schema of a role that no request uses is dropped, with its types and plans; at most twice as many. */
export const IDLE_MS = 600_000;

interface Caches {
  readonly all: WeakMap<Model, RoleSchemas>;
  readonly backend: WeakMap<Model, RoleSchemas>;
}

const usual: Caches = { all: new WeakMap(), backend: new WeakMap() };
const relaySchemas: Caches = { all: new WeakMap(), backend: new WeakMap() };

/**
 * Returns the schema of `role`, the same object for the same model if a permission names the role, as long as it is used. For a
 * `backend` it includes what is marked `backend_only`. With `relay` it is the schema for Relay.
 */
export function roleSchema(model: Model, role: RoleName, backend = false, relay = false): RoleSchema {
  const cached = relay ? relaySchemas : usual;
  const more = backend && hasBackendOnly(model, role);
  const models = more ? cached.backend : cached.all;
  const schemas = models.get(model) ?? cacheFor(model, models);
  const named = role === ADMIN_ROLE || model.roles.has(role);
  const key = named ? role : unknownRole;
  const known = schemas.get(key);
  const found = known ?? { model, role, schema: assembleSchema(model, role, more, relay) };
  if (known === undefined) schemas.set(key, found);
  // A role that no permission names is not cached: callers could send any number of them.
  return found.role === role ? found : { ...found, role };
}

/** A cache with an entry for each role that permissions name, for admins, and for all other roles. */
function cacheFor(model: Model, models: WeakMap<Model, RoleSchemas>): RoleSchemas {
  const max = model.roles.size + 2;
  const schemas: RoleSchemas = new LRUCache({ max, ttl: IDLE_MS, ttlResolution: 0, updateAgeOnGet: true });
  models.set(model, schemas);
  dropIdle(new WeakRef(schemas));
  return schemas;
}

/** Removes idle entries periodically, as long as the cache exists. */
function dropIdle(reference: WeakRef<RoleSchemas>): void {
  const timer = setInterval(() => {
    const schemas = reference.deref();
    if (schemas === undefined) clearInterval(timer);
    else schemas.purgeStale();
  }, IDLE_MS).unref();
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
