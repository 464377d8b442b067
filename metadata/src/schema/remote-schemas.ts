/** Remote schemas and the relationships that lead to them, as written. */
import { z } from 'zod';
import { FieldName, RemoteSchemaName, RoleName, TypeName } from '../names.ts';
import { Header } from './headers.ts';
import { closedObject } from './members.ts';
import { JoinDefinition } from './relationships.ts';

const namePart = z.string().regex(/^[_0-9A-Za-z]*$/, 'must be made of letters, digits and underscores');

/** A prefix and a suffix for all names but those that the mapping names. */
const newNames = {
  prefix: namePart.nullish(),
  suffix: namePart.nullish(),
  mapping: z.record(z.string(), FieldName).nullish(),
};

/** Other names for what a remote schema offers, so that it fits beside everything else. */
export const RemoteSchemaCustomization = z.strictObject({
  /** Its root fields stand in an object of this name. */
  root_fields_namespace: FieldName.nullish(),
  type_names: z.strictObject(newNames).nullish(),
  /** By the type that has the fields, named as the remote schema names it. */
  field_names: z.array(z.strictObject({ parent_type: TypeName, ...newNames })).nullish(),
});
export type RemoteSchemaCustomization = z.infer<typeof RemoteSchemaCustomization>;

export const RemoteSchemaDefinition = closedObject({
  url: z.string().min(1).optional(),
  url_from_env: z.string().min(1).optional(),
  headers: z.array(Header).optional(),
  forward_client_headers: z.boolean().default(false),
  timeout_seconds: z.int().min(1).default(60),
  customization: RemoteSchemaCustomization.nullish(),
}).refine((definition) => (definition.url === undefined) !== (definition.url_from_env === undefined), {
  message: 'give either "url" or "url_from_env"',
});
export type RemoteSchemaDefinition = z.infer<typeof RemoteSchemaDefinition>;

/** What a role may see of a remote schema: SDL, in the names of the remote schema itself. */
export const RemoteSchemaPermission = z.strictObject({
  role: RoleName,
  definition: z.strictObject({ schema: z.string().min(1) }),
  comment: z.string().nullish(),
});
export type RemoteSchemaPermission = z.infer<typeof RemoteSchemaPermission>;

/** Relationships that start from one object type, which is named as the remote schema names it. */
export const TypeRelationships = z.strictObject({
  type_name: TypeName,
  relationships: z.array(z.strictObject({ name: FieldName, definition: JoinDefinition })),
});
export type TypeRelationships = z.infer<typeof TypeRelationships>;

export const RemoteSchema = closedObject({
  name: RemoteSchemaName,
  definition: RemoteSchemaDefinition,
  comment: z.string().nullish(),
  permissions: z.array(RemoteSchemaPermission).optional(),
  remote_relationships: z.array(TypeRelationships).optional(),
});
export type RemoteSchema = z.infer<typeof RemoteSchema>;
