/** Every option of the service: name, meaning, default and parser. The help of the command line is generated from it. */
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { parseDatabaseUrl } from '../base/database-url.ts';
import { authOptions } from './auth.ts';
import { consoleSignInOptions } from './console-sign-in.ts';
import { egressOptions } from './egress.ts';
import { eventOptions } from './events.ts';
import { limitOptions } from './limits.ts';
import { liveOptions } from './live-queries.ts';
import { mcpOptions } from './mcp.ts';
import { operationsOptions } from './operations.ts';
import { originOptions } from './origins.ts';
import { upstreamOptions } from './upstreams.ts';
import { flag, listOf, port, text, whole } from './values.ts';

export interface Option {
  /** Without `JOINERY_`, upper case. The flag is the same in lower case with dashes. */
  readonly name: string;
  readonly meaning: string;
  /** Shown in help; undefined when there is none. */
  readonly fallback: string | undefined;
  /** `true` masks the whole value where it is printed, `url` the password only. */
  readonly secret?: boolean | 'url';
  /** Parses the text of the variable or flag. */
  readonly parse: z.ZodType<unknown, string>;
}

const postgresUrl = text.superRefine((url, context) => {
  try {
    parseDatabaseUrl(url);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

/** Lower case, with a dash at the end. */
const headerPrefix = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]*-$/, 'must look like X-Service-')
  .transform((written) => written.toLowerCase());

/** The number of processes. */
const processCount = z
  .string()
  .transform((written) => (written === 'auto' ? String(availableParallelism()) : written))
  .pipe(whole(1, 256));

export const options = {
  databaseUrl: {
    name: 'DATABASE_URL',
    meaning: 'the source "default" and the metadata store; without it an embedded PostgreSQL is started',
    fallback: undefined,
    secret: 'url',
    parse: postgresUrl,
  },
  metadataDatabaseUrl: {
    name: 'METADATA_DATABASE_URL',
    meaning: 'the database of the schema "joinery"; without the other URL, also the source "default"',
    fallback: undefined,
    secret: 'url',
    parse: postgresUrl,
  },
  databaseWait: {
    name: 'DATABASE_WAIT',
    meaning: 'seconds that the start waits until the database accepts connections; 0 for one attempt',
    fallback: '30',
    parse: whole(0, 3_600),
  },
  dataDir: { name: 'DATA_DIR', meaning: 'folder of the embedded PostgreSQL', fallback: '.joinery', parse: text },
  host: {
    name: 'HOST',
    meaning: 'address to listen on; beyond loopback an admin secret is required',
    fallback: '127.0.0.1',
    parse: text,
  },
  port: { name: 'PORT', meaning: 'port to listen on; 0 for any free port', fallback: '8080', parse: port },
  insecure: {
    name: 'INSECURE',
    meaning: 'listen beyond loopback without an admin secret',
    fallback: 'false',
    parse: flag,
  },
  ...authOptions,
  ...consoleSignInOptions,
  headerPrefix: {
    name: 'HEADER_PREFIX',
    meaning: 'prefix of session headers and session variables',
    fallback: 'X-Service-',
    parse: headerPrefix,
  },
  hasuraEnv: {
    name: 'HASURA_ENV',
    meaning:
      'read settings from variables HASURA_GRAPHQL_* as well; the header prefix is then X-Hasura- and the reported version v2.48.0 by default',
    fallback: 'false',
    parse: flag,
  },
  metadataDir: {
    name: 'METADATA_DIR',
    meaning: 'metadata directory that is applied at start',
    fallback: undefined,
    parse: text,
  },
  components: {
    name: 'COMPONENTS',
    meaning: 'components of this process; a worker runs "events" only',
    fallback: 'api,console,events',
    parse: listOf(['api', 'console', 'events']),
  },
  processes: {
    name: 'PROCESSES',
    meaning: 'processes that serve requests on the port; auto is one for each core; see /docs/processes',
    fallback: '1',
    parse: processCount,
  },
  enabledApis: {
    name: 'ENABLED_APIS',
    meaning: 'APIs that are served',
    fallback: 'metadata,graphql,pgdump,config',
    parse: listOf(['metadata', 'graphql', 'config', 'developer', 'pgdump', 'metrics']),
  },
  enableConsole: { name: 'ENABLE_CONSOLE', meaning: 'serve the console', fallback: 'true', parse: flag },
  enableDocs: { name: 'ENABLE_DOCS', meaning: 'serve the documentation at /docs', fallback: 'true', parse: flag },
  enableRelay: {
    name: 'ENABLE_RELAY',
    meaning: 'serve the schema for Relay at /v1beta1/relay',
    fallback: 'true',
    parse: flag,
  },
  ...mcpOptions,
  poolSize: { name: 'POOL_SIZE', meaning: 'connections for each source', fallback: '10', parse: whole(1, 1_000) },
  usePreparedStatements: {
    name: 'USE_PREPARED_STATEMENTS',
    meaning: 'use prepared statements; disable it behind a pooler that does not support them',
    fallback: 'true',
    parse: flag,
  },
  mergeReads: {
    name: 'MERGE_READS',
    meaning:
      'auto: reads that run at the same time with the same plan are one SQL statement; off: each read is a statement of its own; always: for tests, merge every read that can be merged',
    fallback: 'auto',
    parse: z.enum(['auto', 'off', 'always']),
  },
  statementTimeout: {
    name: 'STATEMENT_TIMEOUT',
    meaning: 'maximum milliseconds of one statement; 0 for no limit',
    fallback: '30000',
    parse: whole(0, 86_400_000),
  },
  createPgcrypto: {
    name: 'CREATE_PGCRYPTO',
    meaning:
      'create the extension pgcrypto for SQL that calls its functions, where they do not exist. Default: true where the header prefix is X-Hasura-',
    fallback: undefined,
    parse: flag,
  },
  stringifyNumericTypes: {
    name: 'STRINGIFY_NUMERIC_TYPES',
    meaning: 'return bigint, numeric and double precision as strings',
    fallback: 'false',
    parse: flag,
  },
  defaultNamingConvention: {
    name: 'DEFAULT_NAMING_CONVENTION',
    meaning: 'naming convention of sources that set none: hasura-default or graphql-default',
    fallback: 'hasura-default',
    parse: z.enum(['hasura-default', 'graphql-default']),
  },
  inferFunctionPermissions: {
    name: 'INFER_FUNCTION_PERMISSIONS',
    meaning: 'permit roles to call query functions whose tables they may select; otherwise they need a permission',
    fallback: 'true',
    parse: flag,
  },
  strictNullability: {
    name: 'STRICT_NULLABILITY',
    meaning: 'declare relationships nullable that Hasura v2 declares non-null although they may yield null',
    fallback: 'false',
    parse: flag,
  },
  disableNativeQueryValidation: {
    name: 'DISABLE_NATIVE_QUERY_VALIDATION',
    meaning: 'track native queries without validating their SQL in the database',
    fallback: 'false',
    parse: flag,
  },
  apolloFederation: {
    name: 'APOLLO_FEDERATION',
    meaning: 'serve the schema as a subgraph of Apollo Federation v1: _service, and _entities of tables that enable it',
    fallback: 'false',
    parse: flag,
  },
  maxBodyBytes: {
    name: 'MAX_BODY_BYTES',
    meaning: 'maximum bytes of a request body',
    fallback: '10485760',
    parse: whole(1_024, 1_073_741_824),
  },
  directHttp: {
    name: 'DIRECT_HTTP',
    meaning: 'handle common requests to `/v1/graphql` without the HTTP framework, with the same responses',
    fallback: 'true',
    parse: flag,
  },
  ...limitOptions,
  ...liveOptions,
  ...upstreamOptions,
  ...eventOptions,
  outboundConnections: {
    name: 'OUTBOUND_CONNECTIONS',
    meaning: 'maximum number of connections to one handler, remote schema or webhook host',
    fallback: '128',
    parse: whole(1, 10_000),
  },
  ...egressOptions,
  configuredHeaderPrecedence: {
    name: 'CONFIGURED_HEADER_PRECEDENCE',
    meaning: 'configured headers of actions take precedence over forwarded headers',
    fallback: 'false',
    parse: flag,
  },
  adminInternalErrors: {
    name: 'ADMIN_INTERNAL_ERRORS',
    meaning: 'errors returned to admins contain internal details',
    fallback: 'true',
    parse: flag,
  },
  preserve401Errors: {
    name: 'PRESERVE_401_ERRORS',
    meaning: '`/v1/graphql` responds with status 401 in place of 200 to callers that are not authenticated',
    fallback: 'false',
    parse: flag,
  },
  devMode: {
    name: 'DEV_MODE',
    meaning: 'errors returned to every role contain internal details; the clock of events can be advanced',
    fallback: 'false',
    parse: flag,
  },
  gracefulShutdownTimeout: {
    name: 'GRACEFUL_SHUTDOWN_TIMEOUT',
    meaning: 'seconds to complete requests and deliveries at shutdown',
    fallback: '60',
    parse: whole(0, 3_600),
  },
  ...originOptions,
  logLevel: {
    name: 'LOG_LEVEL',
    meaning: 'debug, info, warn, error or silent',
    fallback: 'info',
    parse: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
  },
  logFormat: {
    name: 'LOG_FORMAT',
    meaning: 'json, pretty, or auto: pretty on a terminal',
    fallback: 'auto',
    parse: z.enum(['json', 'pretty', 'auto']),
  },
  ...operationsOptions,
} as const satisfies Record<string, Option>;

export type OptionKey = keyof typeof options;

/** `JOINERY_PORT`. */
export function variableName(option: Option): string {
  return `JOINERY_${option.name}`;
}

/** `port`, `data-dir`: as written after `--`. */
export function flagName(option: Option): string {
  return option.name.toLowerCase().replaceAll('_', '-');
}
