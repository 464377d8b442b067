/** The YAML files of a project and the types of their contents. */
import { z } from 'zod';
import { Metadata } from '../metadata.ts';
import { LogicalModel, NativeQuery } from '../native-queries/schema.ts';
import { ApiLimits, IntrospectionOptions } from '../schema/api-limits.ts';
import { CronTrigger } from '../schema/events/cron-triggers.ts';
import { FunctionEntry } from '../schema/functions.ts';
import { adviceOf } from '../schema/members.ts';
import { InheritedRole } from '../schema/permissions.ts';
import { RemoteSchema } from '../schema/remote-schemas.ts';
import { PostgresSource } from '../schema/sources.ts';
import { AllowedCollection, QueryCollection, RestEndpoint } from '../schema/stored-operations.ts';
import { TableEntry } from '../schema/tables.ts';
import { OpenTelemetry } from '../schema/telemetry.ts';
import { ActionsFile } from './actions-file.ts';
import { ConfigFile } from './config-file.ts';

interface FileType {
  /** The path in the metadata directory, or in the project for `config.yaml`; `<>` is a name. */
  readonly path: string;
  readonly title: string;
  readonly type: z.ZodType;
}

const { network, metrics_config, backend_configs } = Metadata.shape;
const anything = z.record(z.string(), z.unknown());

/** By the name of the schema: `tables` is described by `tables.json`. */
export const fileTypes = {
  config: { path: 'config.yaml', title: 'Settings of the commands in a project', type: ConfigFile },
  version: {
    path: 'version.yaml',
    title: 'Version of the layout of the metadata directory',
    type: z.strictObject({ version: z.union([z.literal(2), z.literal(3)]) }),
  },
  databases: { path: 'databases/databases.yaml', title: 'Data sources', type: z.array(PostgresSource) },
  source: { path: 'databases/<source>.yaml', title: 'A data source', type: PostgresSource },
  tables: {
    path: 'databases/<source>/tables/tables.yaml',
    title: 'Tracked tables and views of a source',
    type: z.array(TableEntry),
  },
  table: {
    path: 'databases/<source>/tables/<schema>_<table>.yaml',
    title: 'A table or view: its names, relationships, permissions and event triggers',
    type: TableEntry,
  },
  functions: {
    path: 'databases/<source>/functions/functions.yaml',
    title: 'Tracked functions of a source',
    type: z.array(FunctionEntry),
  },
  function: {
    path: 'databases/<source>/functions/<schema>_<function>.yaml',
    title: 'A function that is a root field',
    type: FunctionEntry,
  },
  native_queries: {
    path: 'databases/<source>/native_queries/native_queries.yaml',
    title: 'Native queries of a source',
    type: z.array(NativeQuery),
  },
  native_query: {
    path: 'databases/<source>/native_queries/<query>.yaml',
    title: 'A SQL statement with arguments that is a root field',
    type: NativeQuery,
  },
  logical_models: {
    path: 'databases/<source>/logical_models/logical_models.yaml',
    title: 'Logical models of a source',
    type: z.array(LogicalModel),
  },
  logical_model: {
    path: 'databases/<source>/logical_models/<model>.yaml',
    title: 'The type of the rows of native queries',
    type: LogicalModel,
  },
  actions: { path: 'actions.yaml', title: 'Handlers and permissions of actions', type: ActionsFile },
  remote_schemas: { path: 'remote_schemas.yaml', title: 'Remote schemas', type: z.array(RemoteSchema) },
  cron_triggers: { path: 'cron_triggers.yaml', title: 'Cron triggers', type: z.array(CronTrigger) },
  query_collections: { path: 'query_collections.yaml', title: 'Saved operations', type: z.array(QueryCollection) },
  allow_list: {
    path: 'allow_list.yaml',
    title: 'Collections whose operations are allowed',
    type: z.array(AllowedCollection),
  },
  rest_endpoints: {
    path: 'rest_endpoints.yaml',
    title: 'REST endpoints of saved operations',
    type: z.array(RestEndpoint),
  },
  inherited_roles: {
    path: 'inherited_roles.yaml',
    title: 'Roles with the permissions of other roles',
    type: z.array(InheritedRole),
  },
  api_limits: { path: 'api_limits.yaml', title: 'Limits of requests', type: ApiLimits },
  graphql_schema_introspection: {
    path: 'graphql_schema_introspection.yaml',
    title: 'Roles without introspection',
    type: IntrospectionOptions,
  },
  opentelemetry: { path: 'opentelemetry.yaml', title: 'Traces', type: OpenTelemetry },
  network: { path: 'network.yaml', title: withoutEffect('Network settings of Hasura v2', network), type: anything },
  metrics_config: {
    path: 'metrics_config.yaml',
    title: withoutEffect('Settings of metrics of Hasura v2', metrics_config),
    type: anything,
  },
  backend_configs: {
    path: 'backend_configs.yaml',
    title: withoutEffect('Settings of data connectors of Hasura v2', backend_configs),
    type: anything,
  },
  metadata: { path: 'metadata.yaml', title: 'Metadata in one file', type: Metadata },
} as const satisfies Readonly<Record<string, FileType>>;

export type FileName = keyof typeof fileTypes;

function withoutEffect(title: string, schema: z.ZodType): string {
  return `${title}, which have no effect: ${adviceOf(schema)}`;
}
