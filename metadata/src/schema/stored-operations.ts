/** Stored operations as written: query collections, the allow list and REST endpoints. */
import { z } from 'zod';
import { RoleName } from '../names.ts';

const nonEmpty = z.string().min(1, 'must not be empty');

export const CollectionName = nonEmpty.brand<'CollectionName'>();
export type CollectionName = z.infer<typeof CollectionName>;

export const StoredQuery = z.strictObject({ name: nonEmpty, query: nonEmpty });
export type StoredQuery = z.infer<typeof StoredQuery>;

export const QueryCollection = z.strictObject({
  name: CollectionName,
  comment: z.string().nullish(),
  definition: z.strictObject({ queries: z.array(StoredQuery) }),
});
export type QueryCollection = z.infer<typeof QueryCollection>;

const distinctRoles = z
  .array(RoleName)
  .min(1)
  .refine((roles) => new Set(roles).size === roles.length, 'a role is listed twice');

/** The roles that a collection is allowed for. */
export const AllowScope = z.union([
  z.strictObject({ global: z.literal(true) }),
  z.strictObject({ global: z.literal(false), roles: distinctRoles }),
]);
export type AllowScope = z.infer<typeof AllowScope>;

export const AllowedCollection = z.strictObject({
  collection: CollectionName,
  /** Default: every role. */
  scope: AllowScope.optional(),
});
export type AllowedCollection = z.infer<typeof AllowedCollection>;

export const RestMethod = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
export type RestMethod = z.infer<typeof RestMethod>;

export const RestEndpoint = z.strictObject({
  name: nonEmpty,
  /** Path below `/api/rest/`; segments that start with a colon are variables. */
  url: nonEmpty,
  methods: z.array(RestMethod).min(1),
  definition: z.strictObject({
    query: z.strictObject({ collection_name: CollectionName, query_name: nonEmpty }),
  }),
  /** Permits a mutation under GET, which links, images and caches can call without the user's intent. */
  allow_get_mutation: z.boolean().optional(),
  comment: z.string().nullish(),
});
export type RestEndpoint = z.infer<typeof RestEndpoint>;
