/** Environment variables of Hasura v2 and the `JOINERY_*` variables that they correspond to. */
import type { Environment } from '../../base/environment.ts';
import { flagName, type Option, options, variableName } from '../options.ts';

export interface HasuraSettings {
  /** The given environment; with `--hasura-env` also the corresponding `JOINERY_*` variables that are not set. */
  readonly environment: Environment;
  /** Messages for the operator; empty where no variable of Hasura v2 is set. */
  readonly warnings: readonly string[];
}

const PREFIX = 'HASURA_GRAPHQL_';
const FEATURES = 'HASURA_GRAPHQL_EXPERIMENTAL_FEATURES';
/** The version that the tools of Hasura v2 take for a server with all features. */
const REPORTED_VERSION = 'v2.48.0';

/** Names of Hasura v2 that differ from ours. */
const renamed: Readonly<Record<string, keyof typeof options>> = {
  ACCESS_KEY: 'adminSecret',
  ENABLE_APOLLO_FEDERATION: 'apolloFederation',
  AUTH_HOOK_TYPE: 'authHookMode',
  PG_CONNECTIONS: 'poolSize',
  SERVER_HOST: 'host',
  SERVER_PORT: 'port',
};

/** Settings of the command line tool, with what it does with them. The service does not read them. */
export const commandLineVariables: Readonly<Record<string, string>> = {
  ENDPOINT: 'read by the command line tool, as `JOINERY_ENDPOINT`',
  METADATA_DIRECTORY: 'read by the command line tool',
  METADATA_FILE: 'read by the command line tool',
  MIGRATIONS_DIRECTORY: 'read by the command line tool',
  SEEDS_DIRECTORY: 'read by the command line tool',
  CERTIFICATE_AUTHORITY: 'read by the command line tool',
  INSECURE_SKIP_TLS_VERIFY: 'read by the command line tool',
  API_PATHS_QUERY:
    'read by the command line tool, as are `V2_QUERY`, `V1_METADATA`, `GRAPHQL`, `VERSION` and `PG_DUMP`',
  DISABLE_INTERACTIVE: 'no command prompts',
  NO_TRANSACTION: 'the first line `-- joinery: no-transaction` of a file',
  MIGRATIONS_DIR: 'of the image `cli-migrations`: run `joinery deploy` instead',
  MIGRATIONS_DATABASE_ENV_VAR: 'of the image `cli-migrations`: run `joinery deploy` instead',
  MIGRATIONS_SERVER_PORT: 'of the image `cli-migrations`: run `joinery deploy` instead',
  MIGRATIONS_SERVER_TIMEOUT: 'of the image `cli-migrations`: run `joinery deploy` instead',
};

/** Settings of the server of Hasura v2 that have no counterpart, with the reason or what replaces them. */
export const withoutCounterpart: Readonly<Record<string, string>> = {
  METADATA_DATABASE_EXTENSIONS_SCHEMA: 'extensions are created in `public`',
  METADATA_DEFAULTS: 'apply the metadata: `JOINERY_METADATA_DIR`',
  NO_OF_RETRIES: 'the start waits: `JOINERY_DATABASE_WAIT`',
  PG_STRIPES: 'a pool has one part: `JOINERY_POOL_SIZE`',
  STRIPES_PER_READ_REPLICA: 'a pool has one part: `pool_settings` of the replica',
  CONNECTIONS_PER_READ_REPLICA: '`pool_settings` of the replica',
  PG_TIMEOUT: '`pool_settings.idle_timeout` of the source',
  PG_CONN_LIFETIME: '`pool_settings.connection_lifetime` of the source',
  PG_POOL_TIMEOUT: '`pool_settings.pool_timeout` of the source',
  TX_ISOLATION: '`isolation_level` of the source',
  SERVER_TIMEOUT: 'requests must arrive within 30 seconds',
  MAX_TOTAL_HEADER_LENGTH: 'headers have at most 16 KiB',
  CONSOLE_ASSETS_DIR: 'the service contains the console',
  ENABLE_TELEMETRY: 'the service sends nothing to others',
  V1_BOOLEAN_NULL_COLLAPSE: 'a comparison with null is an error',
  BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES: 'null for a variable that is not nullable is an error',
  NO_NULL_UNBOUND_VARIABLE_DEFAULT:
    'a value or argument with a variable that is not given is absent; in a condition it is an error',
  REMOTE_SCHEMA_SKIP_NULLS: 'nulls are sent as they are given',
  ENABLE_PERSISTED_QUERIES: 'on by default: `JOINERY_PERSISTED_QUERIES`',
  PERSISTED_QUERIES_TTL: 'the oldest are removed: `JOINERY_PERSISTED_QUERIES`',
  CONNECTION_COMPRESSION: 'messages of websockets are not compressed',
  CLOSE_WEBSOCKETS_ON_METADATA_CHANGE: 'websockets stay open',
  EVENTS_HTTP_POOL_SIZE: '`JOINERY_OUTBOUND_CONNECTIONS`, for each host',
  EVENTS_FETCH_INTERVAL: 'events start at their time',
  EVENTS_FETCH_BATCH_SIZE: 'events start at their time; `JOINERY_COMPONENTS` without `events` delivers none',
  SCHEMA_SYNC_POLL_INTERVAL: 'nodes are notified of changes',
  ENABLE_MAINTENANCE_MODE: 'not supported',
  LOG_MASKED_VARIABLES: 'secrets are never logged',
  ENABLE_METADATA_QUERY_LOGGING: 'arguments of commands are not logged',
  HTTP_LOG_QUERY_ONLY_ON_ERROR: '`JOINERY_QUERY_LOG`, `JOINERY_SLOW_QUERY_MS`',
  ENABLE_QUERY_TRACING: '`OTEL_EXPORTER_OTLP_ENDPOINT` switches tracing on',
  ENABLE_TRIGGERS_ERROR_LOG_LEVEL: 'failed calls are in the log of their event',
  QUERY_PLAN_CACHE_SIZE: 'the cache needs no size',
  DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX: '`dynamic_from_file` is not supported; use `from_env`',
};

/** Experimental features of Hasura v2 that are always on here. */
const alwaysOn: ReadonlySet<string> = new Set([
  ...['inherited_roles', 'naming_convention', 'optimize_permission_filters', 'streaming_subscriptions'],
]);
const FEDERATION_FEATURE = 'apollo_federation';

const byName = new Map<string, Option>(Object.values(options).map((option) => [option.name, option]));

/**
 * Reads the variables `HASURA_GRAPHQL_*`. With `enabled` each sets its counterpart, unless that is set itself, and the
 * header prefix is `X-Hasura-` and the reported version one of Hasura v2 by default. Without it they have no effect, which the warnings say.
 */
export function readHasuraSettings(environment: Environment, enabled: boolean): HasuraSettings {
  const features = featuresIn(environment);
  const names = Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && environment[name] !== undefined)
    .filter((name) => !Object.hasOwn(commandLineVariables, name.slice(PREFIX.length)))
    .filter((name) => name !== FEATURES || features.some((feature) => !alwaysOn.has(feature)))
    // The current name of a setting takes precedence over the deprecated one.
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
  if (!enabled) return { environment, warnings: names.length === 0 ? [] : [withoutEffect(names)] };
  const mapped: Record<string, string | undefined> = {
    [variableName(options.headerPrefix)]: 'X-Hasura-',
    [variableName(options.reportVersion)]: REPORTED_VERSION,
  };
  const unsupported: string[] = [];
  for (const name of names) {
    const setting = counterpartOf(name, environment[name] ?? '');
    if (setting === undefined) unsupported.push(name);
    // The setting of its own enables Apollo Federation without the feature.
    else if (name !== FEATURES || setting.value === 'true') mapped[setting.variable] ??= setting.value;
  }
  const warnings =
    unsupported.length === 0
      ? []
      : [`these variables of Hasura v2 have no counterpart and no effect: ${unsupported.map(withReason).join(', ')}`];
  const withoutMeaning = features.filter((feature) => !alwaysOn.has(feature) && feature !== FEDERATION_FEATURE);
  if (withoutMeaning.length > 0)
    warnings.push(`these features of ${FEATURES} have no effect: ${withoutMeaning.join(', ')}`);
  return { environment: { ...mapped, ...environment }, warnings };
}

function featuresIn(environment: Environment): readonly string[] {
  return (environment[FEATURES] ?? '').split(',').flatMap((feature) => feature.trim() || []);
}

function withReason(name: string): string {
  const reason = withoutCounterpart[name.slice(PREFIX.length)];
  return reason === undefined ? name : `${name} (${reason.replaceAll('`', '')})`;
}

function rank(name: string): number {
  return Object.hasOwn(renamed, name.slice(PREFIX.length)) ? 1 : 0;
}

/** Returns the variable and value that correspond to `name`; undefined where there is no counterpart. */
export function counterpartOf(
  name: string,
  value: string,
): { readonly variable: string; readonly value: string } | undefined {
  const bare = name.slice(PREFIX.length);
  if (bare === 'DISABLE_EVENTING') {
    const components = /^(true|1|yes|t|y)$/i.test(value) ? 'api,console' : (options.components.fallback ?? '');
    return { variable: variableName(options.components), value: components };
  }
  if (PREFIX + bare === FEATURES) {
    const isOn = featuresIn({ [FEATURES]: value }).includes(FEDERATION_FEATURE);
    return { variable: variableName(options.apolloFederation), value: String(isOn) };
  }
  if (bare === 'ENABLED_LOG_TYPES') {
    return { variable: variableName(options.queryLog), value: String(/(^|,)\s*query-log\s*(,|$)/.test(value)) };
  }
  const key = renamed[bare];
  const option = key === undefined ? byName.get(bare) : options[key];
  if (option === undefined) return undefined;
  return { variable: variableName(option), value: valueHere(bare, value) };
}

/** Hasura v2 accepts `*` for all addresses, and names in any case. */
function valueHere(bare: string, value: string): string {
  if (bare === 'SERVER_HOST' && value === '*') return '0.0.0.0';
  return bare === 'ENABLED_APIS' || bare === 'LOG_LEVEL' ? value.toLowerCase() : value;
}

function withoutEffect(names: readonly string[]): string {
  const listed = names.map((name) => `${name} (${counterpartOf(name, '')?.variable ?? 'no counterpart'})`);
  const flag = `--${flagName(options.hasuraEnv)}`;
  return `variables of Hasura v2 are set and have no effect; start with ${flag} to use them, or set the variables in parentheses: ${listed.join(', ')}`;
}
