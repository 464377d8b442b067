/** What a role may name, as a GraphQL schema; made once for each role of a model. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import type { Model } from '../model/model.ts';
import { actionFields } from './action-types.ts';
import { assembleSchema } from './assemble.ts';
import { joinFields, remoteFields } from './remote-types.ts';
import { subscriptionFields } from './subscription-roots.ts';
import { tableFields } from './table-roots.ts';

export interface RoleSchema {
  readonly model: Model;
  readonly role: RoleName;
  /** Roles that no permission names share one. */
  readonly schema: GraphQLSchema;
}

const parts = { roots: [tableFields, actionFields, remoteFields], subscription: subscriptionFields, joins: joinFields };

/** Stands for all roles that no permission names; an object, so that no role can have its name. */
const nobody = Symbol('nobody');

const known = new WeakMap<Model, Map<RoleName | typeof nobody, RoleSchema>>();

/** The schema of `role`, made at the first call. The same model and role give the same object where a permission names the role. */
export function roleSchema(model: Model, role: RoleName): RoleSchema {
  const schemas = known.get(model) ?? new Map<RoleName | typeof nobody, RoleSchema>();
  known.set(model, schemas);
  const named = role === ADMIN_ROLE || model.roles.has(role);
  const key = named ? role : nobody;
  const found = schemas.get(key) ?? { model, role, schema: assembleSchema(model, role, parts) };
  schemas.set(key, found);
  // A role that is made up for the occasion must not stay in memory.
  return found.role === role ? found : { ...found, role };
}
