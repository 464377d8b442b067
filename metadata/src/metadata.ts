/** The whole of the written metadata, version 3. */
import { z } from 'zod';
import { Action, CustomTypes } from './actions.ts';
import { ApiLimits, IntrospectionOptions } from './api-limits.ts';
import { CronTrigger } from './cron-triggers.ts';
import { InheritedRole } from './inherited-roles.ts';
import { RemoteSchema } from './remotes.ts';
import { AllowedCollection, QueryCollection, RestEndpoint } from './stored-operations.ts';
import { Source } from './tables.ts';

/** What is stored may be of a newer release: members that this one does not know are kept as they are. */
export const Metadata = z.looseObject({
  version: z.literal(3),
  sources: z.array(Source).default([]),
  remote_schemas: z.array(RemoteSchema).optional(),
  actions: z.array(Action).optional(),
  custom_types: CustomTypes.optional(),
  inherited_roles: z.array(InheritedRole).optional(),
  query_collections: z.array(QueryCollection).optional(),
  allowlist: z.array(AllowedCollection).optional(),
  rest_endpoints: z.array(RestEndpoint).optional(),
  api_limits: ApiLimits.optional(),
  graphql_schema_introspection: IntrospectionOptions.optional(),
  cron_triggers: z.array(CronTrigger).optional(),
});
export type Metadata = z.infer<typeof Metadata>;

/** Members that Hasura v2 exports and nothing here reads: kept and exported again, so that a project loses nothing. */
export const unreadMembers = ['network', 'metrics_config', 'opentelemetry', 'backend_configs'] as const;

/** What a document may hold at its root. */
export const rootMembers: readonly string[] = [...Object.keys(Metadata.shape), ...unreadMembers];

/** What a new installation starts with. */
export const emptyMetadata: Metadata = Metadata.parse({ version: 3, sources: [{ name: 'default' }] });
