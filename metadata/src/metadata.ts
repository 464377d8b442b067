/** The metadata, version 3. */
import { z } from 'zod';
import { Action, CustomTypes } from './schema/actions.ts';
import { ApiLimits, IntrospectionOptions } from './schema/api-limits.ts';
import { CronTrigger } from './schema/events/cron-triggers.ts';
import { closedObject, unsupported } from './schema/members.ts';
import { InheritedRole } from './schema/permissions.ts';
import { RemoteSchema } from './schema/remote-schemas.ts';
import { Source } from './schema/sources.ts';
import { AllowedCollection, QueryCollection, RestEndpoint } from './schema/stored-operations.ts';
import { StoredOpenTelemetry } from './schema/telemetry.ts';

export const Metadata = closedObject({
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
  network: unsupported(
    'no setting loosens the check of certificates; give NODE_EXTRA_CA_CERTS to the service for those of your own',
  ),
  metrics_config: unsupported('/docs/metrics of the service lists its metrics'),
  opentelemetry: StoredOpenTelemetry,
  backend_configs: unsupported('sources are PostgreSQL databases; sources of other kinds are kept and not read'),
});
export type Metadata = z.infer<typeof Metadata>;

/** The metadata of a new installation. */
export const emptyMetadata: Metadata = Metadata.parse({ version: 3, sources: [{ name: 'default' }] });

/** Sets the cron triggers; removes the member where there are none. */
export function withCronTriggers(metadata: Metadata, cron_triggers: CronTrigger[]): Metadata {
  const { cron_triggers: _replaced, ...rest } = metadata;
  return cron_triggers.length === 0 ? rest : { ...rest, cron_triggers };
}
