/** Remote schemas as written, with permissions and relationships of their types. */
import { z } from 'zod';
import { FieldName, RemoteSchemaName, RoleName, TypeName } from '../names.ts';
import { Header } from './headers.ts';
import { closedObject } from './members.ts';
import { JoinDefinition } from './relationships.ts';
import { UrlTemplate } from './urls.ts';

const namePart = z.string().regex(/^[_0-9A-Za-z]*$/, 'must be made of letters, digits and underscores');

/** A prefix and a suffix for all names that are not in the mapping. */
const newNames = {
  prefix: namePart.nullish(),
  suffix: namePart.nullish(),
  mapping: z.record(z.string(), FieldName).nullish(),
};

/** Renames types and fields of a remote schema. */
export const RemoteSchemaCustomization = z.strictObject({
  /** The root fields become fields of a root field with this name. */
  root_fields_namespace: FieldName.nullish(),
  type_names: z.strictObject(newNames).nullish(),
  /** Field names by type, in the names of the remote schema. */
  field_names: z.array(z.strictObject({ parent_type: TypeName, ...newNames })).nullish(),
});
export type RemoteSchemaCustomization = z.infer<typeof RemoteSchemaCustomization>;

export const RemoteSchemaDefinition = closedObject({
  url: UrlTemplate.min(1).optional(),
  url_from_env: z.string().min(1).optional(),
  headers: z.array(Header).optional(),
  forward_client_headers: z.boolean().default(false),
  timeout_seconds: z.int().min(1).default(60),
  customization: RemoteSchemaCustomization.nullish(),
}).refine((definition) => (definition.url === undefined) !== (definition.url_from_env === undefined), {
  message: 'give either "url" or "url_from_env"',
});
export type RemoteSchemaDefinition = z.infer<typeof RemoteSchemaDefinition>;

/** The part of a remote schema that a role may use, as SDL in the names of the remote schema. */
export const RemoteSchemaPermission = z.strictObject({
  role: RoleName,
  definition: z.strictObject({ schema: z.string().min(1) }),
  comment: z.string().nullish(),
});
export type RemoteSchemaPermission = z.infer<typeof RemoteSchemaPermission>;

/** Relationships of an object type, in the name of the remote schema. */
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
