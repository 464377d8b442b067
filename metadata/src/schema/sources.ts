/** Sources as written: their connection settings, name customization and tables. */
import { z } from 'zod';
import { FieldName, SourceName } from '../names.ts';
import { LogicalModel, NativeQuery } from '../native-queries/schema.ts';
import { FunctionEntry } from './functions.ts';
import { closedObject, describeMembers, unsupported } from './members.ts';
import { TableEntry } from './tables.ts';

const fromEnvironment = closedObject({ from_env: z.string().min(1) });

export const ConnectionParameters = closedObject({
  username: z.string(),
  password: z.string().nullish(),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).default(5432),
  database: z.string().min(1),
});
export type ConnectionParameters = z.infer<typeof ConnectionParameters>;

export const DatabaseAddress = z.union([
  z.string().min(1),
  fromEnvironment,
  /** Not supported; parsed so that the error can name it. */
  closedObject({ dynamic_from_file: z.string() }),
  closedObject({ connection_parameters: ConnectionParameters }),
]);
export type DatabaseAddress = z.infer<typeof DatabaseAddress>;

/** Times are in seconds; null has the same effect as an absent member. */
export const PoolSettings = closedObject({
  max_connections: z.int().min(1).nullish(),
  /** Same effect as `max_connections`; the smaller of the two applies. */
  total_max_connections: z.int().min(1).nullish(),
  /** Time until an idle connection is closed. */
  idle_timeout: z.number().min(0).nullish(),
  /** Age at which a connection is replaced. */
  connection_lifetime: z.number().min(0).nullish(),
  /** Maximum wait for a connection. */
  pool_timeout: z.number().min(0).nullish(),
  retries: unsupported('the next request connects again; `pool_timeout` limits the wait', (value) => value !== 1),
});
export type PoolSettings = z.infer<typeof PoolSettings>;

export const IsolationLevel = z.enum(['read-committed', 'repeatable-read', 'serializable']);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/** Not supported; the source reports each certificate. */
const certificate = z.unknown().optional();

export const TlsSettings = closedObject({
  sslmode: z.string().nullish(),
  sslrootcert: certificate,
  sslcert: certificate,
  sslkey: certificate,
  sslpassword: certificate,
});

export const ConnectionInfo = closedObject({
  database_url: DatabaseAddress.optional(),
  pool_settings: PoolSettings.nullish(),
  use_prepared_statements: z.boolean().nullish(),
  /** Isolation level of transactions that write. */
  isolation_level: IsolationLevel.nullish(),
  ssl_configuration: TlsSettings.nullish(),
});
export type ConnectionInfo = z.infer<typeof ConnectionInfo>;

/** A connection to a standby that serves queries. */
export const ReadReplica = closedObject({
  ...ConnectionInfo.shape,
  /** Seconds by which its data may be older than that of the primary. A replica beyond it is not used. */
  max_lag: z.number().min(1).nullish(),
});
export type ReadReplica = z.infer<typeof ReadReplica>;

export const SourceConfiguration = closedObject({
  connection_info: ConnectionInfo.optional(),
  /** Read replicas for queries. */
  read_replicas: z.array(ReadReplica).nullish(),
  extensions_schema: unsupported('set the search path of the database role', (value) => value !== 'public'),
  connection_template: unsupported('a request does not choose its connection; `read_replicas` serve queries'),
  connection_set: unsupported('a request does not choose its connection; `read_replicas` serve queries'),
});
export type SourceConfiguration = z.infer<typeof SourceConfiguration>;

/** A prefix or suffix of a name; may start with a digit. */
const affix = z.string().regex(/^[_0-9A-Za-z]*$/, 'must be letters, digits and underscores');

export const SourceCustomization = closedObject({
  root_fields: closedObject({
    namespace: FieldName.nullish(),
    prefix: affix.nullish(),
    suffix: affix.nullish(),
  }).nullish(),
  type_names: closedObject({ prefix: affix.nullish(), suffix: affix.nullish() }).nullish(),
  naming_convention: z.string().nullish(),
});
export type SourceCustomization = z.infer<typeof SourceCustomization>;

/** Comments on SQL statements that name the GraphQL operation. */
export const QueryTags = closedObject({
  disabled: z.boolean().nullish(),
  /** Default: `standard`, a comment behind the statement. */
  format: z.enum(['standard', 'standard_prepended', 'sqlcommenter']).nullish(),
  /** Default: true. With request ids no statement of the operation is prepared. */
  omit_request_id: z.boolean().nullish(),
});
export type QueryTags = z.infer<typeof QueryTags>;

/** The kinds of sources that the service connects to. */
export const sourceKinds: readonly string[] = ['postgres', 'pg', 'citus', 'cockroach', 'alloy'];

/** Also a member of `add_source` and `update_source`. */
export const healthCheck = unsupported('GET /readyz reports whether the databases respond');

export const PostgresSource = closedObject({
  name: SourceName,
  kind: z.string().default('postgres'),
  tables: z.array(TableEntry).default([]),
  functions: z.array(FunctionEntry).optional(),
  /** Connection settings; missing ones on `default` mean the URL the service was started with. */
  configuration: SourceConfiguration.optional(),
  customization: SourceCustomization.nullish(),
  native_queries: z.array(NativeQuery).optional(),
  logical_models: z.array(LogicalModel).optional(),
  stored_procedures: unsupported('track a function instead'),
  query_tags: QueryTags.nullish(),
  health_check: healthCheck,
});

/** A source as JSON, of a supported kind. */
export type SourceInput = z.input<typeof PostgresSource>;

/** A source of a kind that is not supported. Its members are preserved and have no effect. */
const UnsupportedSource = z
  .looseObject({ name: SourceName, kind: z.string() })
  .transform(({ name, kind, ...unread }): Source => ({ name, kind, tables: [], unread }));

export interface Source extends z.infer<typeof PostgresSource> {
  /** The other members of a source whose kind is not supported. */
  readonly unread?: Readonly<Record<string, unknown>>;
}

/** Whether the service connects to databases of this kind. */
export function isSupportedSource({ kind }: Pick<Source, 'kind'>): boolean {
  return sourceKinds.includes(kind);
}

function isUnsupported(input: unknown): boolean {
  const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined;
  return typeof kind === 'string' && !sourceKinds.includes(kind);
}

const AnySource: z.ZodType<Source> = z.unknown().transform((input, context): Source => {
  const parsed = (isUnsupported(input) ? UnsupportedSource : PostgresSource).safeParse(input);
  if (parsed.success) return parsed.data;
  // Their paths are relative to the source; the list of sources adds its own prefix.
  context.issues.push(...(parsed.error.issues as never[]));
  return z.NEVER;
});

export const Source = describeMembers(AnySource, (input) => (isUnsupported(input) ? undefined : PostgresSource));
