/** Derives the settings of each floor from those of the service. */
import type { Authenticate } from '../auth/authenticate.ts';
import type { ConsoleSignIn } from '../auth/console/console-sign-in.ts';
import type { MappedClaim } from '../auth/jwt/settings.ts';
import type { EgressSettings } from '../base/http-client/egress.ts';
import type { LogSettings } from '../base/telemetry/log.ts';
import { adminSecretsOf, jwtSettingsOf } from '../config/auth.ts';
import type { Config } from '../config/config.ts';
import { installedConsole } from '../http/routes/console.ts';
import { installedDocs } from '../http/routes/docs.ts';
import type { HttpSettings, ServerConfig } from '../http/settings.ts';
import type { RequestLimitSettings } from '../service/graphql/request-limits.ts';
import type { OperationStreamOptions } from '../service/graphql/result-streams.ts';
import type { OperationDependencies } from '../service/graphql/run-operation.ts';
import type { PgDumpSettings } from '../service/pg-dump/pg-dump.ts';
import { sessionSettings } from './authentication.ts';
import { mcpHttpSettings } from './mcp.ts';

export function executeSettings(config: Config, version: string): OperationDependencies['settings'] {
  return {
    stringifyNumerics: config.stringifyNumericTypes,
    sessionPrefix: config.headerPrefix,
    configuredHeaderPrecedence: config.configuredHeaderPrecedence,
    version,
    maxActionResponseBytes: config.maxActionResponseBytes,
    maxRemoteResponseBytes: config.maxRemoteResponseBytes,
    maxResultBytes: config.maxResultBytes,
    remoteSchemaPrioritizeData: config.remoteSchemaPrioritizeData,
  };
}

export function egressSettings(config: Config): EgressSettings {
  return {
    privateAddresses: config.egressPrivate,
    allowed: config.egressAllow ?? [],
    denied: config.egressDeny ?? [],
    httpsOnly: config.egressHttpsOnly,
  };
}

export function pgDumpSettings(config: Config): PgDumpSettings {
  const { pgDump: program, pgDumpTimeout, maxPgDumpBytes: maxBytes } = config;
  return { program, timeoutMs: pgDumpTimeout * 1000, maxBytes };
}

export function logSettings(config: Config, secrets: readonly string[], pid: number | undefined): LogSettings {
  const { logLevel: level, logFormat: format, queryLog: operations, slowQueryMs: slowMs } = config;
  return { level, format, operations, slowMs, secrets, pid };
}

export function liveSettings(
  config: Config,
): Pick<OperationStreamOptions, 'live' | 'streams' | 'concurrency' | 'skipUnchanged'> {
  return {
    live: { intervalMs: config.liveQueriesInterval, batchSize: config.liveQueriesBatchSize },
    streams: { intervalMs: config.streamingQueriesInterval, batchSize: config.streamingQueriesBatchSize },
    // The other half of the pool is for requests.
    concurrency: Math.max(1, Math.floor(config.poolSize / 2)),
    skipUnchanged: config.liveQueriesSkipUnchanged,
  };
}

export function requestLimitSettings(config: Config): RequestLimitSettings {
  return {
    depth: config.maxQueryDepth,
    nodes: config.maxQueryNodes,
    roots: config.maxQueryRoots,
    batch: config.maxBatchSize,
    documentCharacters: config.maxQueryCharacters,
    inputs: {
      predicateMembers: config.maxPredicateMembers,
      orderTerms: config.maxOrderBy,
      distinctColumns: config.maxDistinctOn,
      values: config.maxVariableValues,
    },
    rows: config.maxRows === 0 ? undefined : config.maxRows,
    allowList: config.enableAllowlist,
    enforcesRoles: config.enforceApiLimits,
  };
}

const REQUEST_TIMEOUT_MS = 30_000;

export function httpSettings(
  config: Config,
  version: string,
  authenticate: Authenticate,
  consoleSignIn?: ConsoleSignIn,
): HttpSettings {
  const served = (['graphql', 'metadata', 'config', 'pgdump'] as const).filter(
    (api) => config.components.includes('api') && config.enabledApis.includes(api),
  );
  return {
    host: config.host,
    port: config.port,
    maxBodyBytes: config.maxBodyBytes,
    maxImportBytes: config.maxImportBytes,
    trustedProxies: config.trustedProxies,
    session: sessionSettings(config),
    authenticate,
    consoleSignIn,
    authenticatesByBody:
      config.authHook !== undefined && config.authHookMode === 'POST' && config.authHookSendRequestBody,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    apis: new Set(served),
    relay: config.enableRelay,
    corsOrigins: corsOrigins(config),
    sendsCors: !config.disableCors,
    allowedHosts: config.allowedHosts,
    direct: config.directHttp,
    tokenCookies: tokenCookies(config),
    preserves401: config.preserve401Errors,
    internalErrors: config.devMode ? 'all' : config.adminInternalErrors ? 'admin' : 'none',
    version,
    reportVersion: config.reportVersion,
    serverConfig: serverConfig(config, version),
    metricsSecret: config.metricsSecret,
    compression: { encodings: config.compression, minBytes: config.compressionMinBytes },
    websocket: {
      keepAliveMs: config.websocketKeepalive * 1000,
      initTimeoutMs: config.websocketConnectionInitTimeout * 1000,
      maxOperations: config.websocketMaxOperations,
      readsCookie: !config.disableCors || config.wsReadCookie,
    },
    console:
      config.components.includes('console') && config.enableConsole ? { directory: installedConsole() } : undefined,
    mcp: config.enableMcp ? mcpHttpSettings(config) : undefined,
    docs: config.enableDocs ? { directory: installedDocs() } : undefined,
  };
}

/** The settings as the command line tool and the console of Hasura v2 read them. */
function serverConfig(config: Config, version: string): ServerConfig {
  return {
    version: config.reportVersion ?? version,
    is_function_permissions_inferred: config.inferFunctionPermissions,
    is_remote_schema_permissions_enabled: config.enableRemoteSchemaPermissions,
    is_admin_secret_set: adminSecretsOf(config).length > 0,
    is_auth_hook_set: config.authHook !== undefined,
    is_jwt_set: jwtSettingsOf(config).length > 0,
    jwt: jwtSettingsOf(config).map((jwt) => ({
      claims_namespace: jwt.claims_namespace ?? null,
      claims_format: jwt.claims_format,
      claims_map: jwt.claims_map === undefined ? null : claimsMapOf(jwt.claims_map),
    })),
    is_allow_list_enabled: config.enableAllowlist,
    live_queries: { batch_size: config.liveQueriesBatchSize, refetch_delay: config.liveQueriesInterval / 1000 },
    streaming_queries: {
      batch_size: config.streamingQueriesBatchSize,
      refetch_delay: config.streamingQueriesInterval / 1000,
    },
    console_assets_dir: null,
    experimental_features: [],
    is_prometheus_metrics_enabled: true,
    default_naming_convention: config.defaultNamingConvention,
    feature_flags: [],
    is_apollo_federation_enabled: config.apolloFederation,
  };
}

/** Returns the map as it was written. */
function claimsMapOf(map: Readonly<Record<string, MappedClaim>>): Readonly<Record<string, unknown>> {
  const written = Object.entries(map).map(([name, claim]) => {
    if (typeof claim === 'string' || Array.isArray(claim)) return [name, claim];
    const { path, ...more } = claim as Exclude<MappedClaim, string | string[]>;
    return [name, { path: path.written, ...more }];
  });
  return Object.fromEntries(written) as Readonly<Record<string, unknown>>;
}

/** Configured origins; without them every origin where an admin secret protects the service, otherwise only its own. */
function corsOrigins(config: Config): string | undefined {
  const isOpen = adminSecretsOf(config).length > 0 && !config.disableCors;
  return config.corsDomain ?? (isOpen ? '*' : undefined);
}

function tokenCookies(config: Config): HttpSettings['tokenCookies'] {
  if (config.authHook !== undefined) return 'any';
  return jwtSettingsOf(config).flatMap(({ header }) => (header.type === 'Cookie' ? [header.name] : []));
}
