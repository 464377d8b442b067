/** The entry of the service. Reads the settings, wires all parts and starts them. */
import type { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, DEFAULT_SOURCE, type SourceName } from '@joinery/metadata/names';
import type { Environment } from './base/environment.ts';
import { createHttpClient } from './base/http-client/http-client.ts';
import { observedHttpClient } from './base/http-client/observed-http-client.ts';
import { isJsonObject } from './base/json-value.ts';
import { createLog } from './base/telemetry/log.ts';
import { createMetrics } from './base/telemetry/metrics.ts';
import type { Observe } from './base/telemetry/observe.ts';
import { openTracing } from './base/telemetry/open-telemetry.ts';
import { createRedactor, secretsIn } from './base/telemetry/redact.ts';
import { readVersion } from './base/telemetry/version.ts';
import { type Config, configuredSettings, type Flags, parseConfig, printConfig, secretsOf } from './config/config.ts';
import { type HasuraSettings, readHasuraSettings } from './config/hasura-names.ts';
import { flagName, type OptionKey, options, variableName } from './config/options.ts';
import { flag } from './config/values.ts';
import { actionsChannel } from './execute/action/action-log.ts';
import { createHandlerState } from './execute/action/handler-state.ts';
import { createIntrospectionStore } from './model/remote/introspection-store.ts';
import { listen } from './postgres/client/listen.ts';
import { startEmbedded } from './postgres/embedded/embedded.ts';
import { migrate } from './postgres/migrations/migrate.ts';
import type { ActionWorker } from './service/async-actions/worker.ts';
import { createCronPlanner } from './service/commands/events/cron-plans.ts';
import { createCallTargets } from './service/event-targets/call.ts';
import { createGraphQLHandler } from './service/graphql/handler.ts';
import { createPersistedQueries } from './service/graphql/persisted-queries.ts';
import { createRateLimiter } from './service/graphql/rate-limiter.ts';
import { createRequestLimits } from './service/graphql/request-limits.ts';
import { createOperationStreams } from './service/graphql/result-streams.ts';
import type { OperationDependencies } from './service/graphql/run-operation.ts';
import { createStore, metadataChannel } from './service/metadata/store.ts';
import { createNodeRegistry, identifyNode } from './service/node-registry.ts';
import { createPgDump } from './service/pg-dump/pg-dump.ts';
import { createRecentErrors } from './service/recent-errors.ts';
import { createRest } from './service/rest/endpoints.ts';
import { createService, type Service } from './service/service.ts';
import { createSourceDatabases } from './service/sources/pools.ts';
import { connectionSettings } from './service/sources/settings.ts';
import { startAuthentication } from './startup/authentication.ts';
import { connect, createDatabaseWait, type DatabaseWait, reportConnection } from './startup/database-wait.ts';
import { createOpener } from './startup/databases.ts';
import { startActions, startDelivery } from './startup/events.ts';
import { registerModelMetrics, unreadyReasons } from './startup/health.ts';
import {
  egressSettings,
  executeSettings,
  httpSettings,
  liveSettings,
  logSettings,
  pgDumpSettings,
  requestLimitSettings,
} from './startup/settings.ts';
import { ShutdownHooks, type StartupContext } from './startup/shutdown-hooks.ts';

export interface StartRequest {
  readonly environment: Environment;
  readonly flags?: Flags;
  /** Reads the directory of `JOINERY_METADATA_DIR` into one metadata object. */
  readonly readMetadata?: (directory: string) => Promise<unknown>;
  /** Receives all observations, regardless of the log level. */
  readonly observe?: Observe;
}

export interface Running {
  /** The base URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Completes requests and deliveries within the shutdown timeout, then stops all parts. */
  stop(reason: string): Promise<void>;
}

/** One line of `joinery serve --help`. */
export interface DescribedOption {
  readonly key: OptionKey;
  readonly flag: string;
  readonly variable: string;
  readonly meaning: string;
  readonly fallback: string | undefined;
  /** Whether the flag may have no value, which means `true`. */
  readonly isBoolean: boolean;
}

export function describeOptions(): readonly DescribedOption[] {
  return Object.entries(options).map(([key, option]) => ({
    key: key as OptionKey,
    flag: flagName(option),
    variable: variableName(option),
    meaning: option.meaning,
    fallback: option.fallback,
    isBoolean: option.parse === flag,
  }));
}

/** Returns the settings that `start` would use, one line `NAME=value` each, with secrets masked. */
export function effectiveConfig(request: Pick<StartRequest, 'environment' | 'flags'>): string {
  return printConfig(parseConfig(readSettings(request).environment, request.flags));
}

/** Returns the environment, with the settings of Hasura v2 where `--hasura-env` is set. */
function readSettings({ environment, flags = {} }: Pick<StartRequest, 'environment' | 'flags'>): HasuraSettings {
  const enabled = options.hasuraEnv.parse.safeParse(flags.hasuraEnv ?? environment.JOINERY_HASURA_ENV ?? 'false');
  return readHasuraSettings(environment, enabled.data === true);
}

/** Starts the service. Rejects with a ServiceError after stopping the parts that were started. */
export async function start(given: StartRequest): Promise<Running> {
  const began = performance.now();
  const settings = readSettings(given);
  const request = { ...given, environment: settings.environment };
  const config = parseConfig(request.environment, request.flags);
  const secrets = [...secretsIn(request.environment), ...secretsOf(config)];
  const log = createLog(logSettings(config, secrets));
  const recentErrors = createRecentErrors(createRedactor(secrets));
  const metrics = createMetrics();
  const observe: Observe = (observation) => {
    metrics.observe(observation);
    recentErrors.observe(observation);
    // Before the log: when a line is printed, the caller has handled it, such as by installing signal handlers.
    request.observe?.(observation);
    log.observe(observation);
  };
  const shutdownHooks = new ShutdownHooks(log, observe);
  for (const message of settings.warnings) observe({ kind: 'note', level: 'warn', where: 'configuration', message });
  try {
    const version = readVersion();
    const egress = egressSettings(config);
    const trace = await openTracing({ environment: request.environment, version, egress, observe });
    shutdownHooks.add(() => trace.close());
    const url = await run(request, config, { metrics, observe, trace, recentErrors, shutdownHooks, version });
    observe({ kind: 'started', url, version, startMs: Math.round(performance.now() - began) });
    return { url, stop: (reason) => shutdownHooks.close(reason) };
  } catch (error) {
    await shutdownHooks.close('the start failed');
    throw error;
  }
}

/** Starts one part after the other and registers their shutdown hooks. Resolves with the URL. */
async function run(request: StartRequest, config: Config, context: StartupContext): Promise<string> {
  const { observe, trace, recentErrors, shutdownHooks, metrics, version } = context;
  // Loads the HTTP libraries while the service connects to the database.
  const httpModule = import('./http/server.ts');
  const databaseUrl = config.databaseUrl ?? config.metadataDatabaseUrl ?? (await embeddedUrl(config, context));
  const open = createOpener(config, context);
  const standard = open(databaseUrl, 'default', config.poolSize);
  const storeUrl = config.metadataDatabaseUrl ?? databaseUrl;
  const own = storeUrl === databaseUrl ? standard : open(storeUrl, 'metadata', 4);
  const store = {
    database: own,
    url: storeUrl,
    setting: storeSetting(config),
    waitMs: config.databaseWait * 1000,
    observe,
  };
  const wait = createDatabaseWait(store);
  await wait.run('connect to', () => connect(store));
  await wait.run('create or update the schema "joinery" in', () => migrate(own));
  if (standard !== own)
    void reportConnection({ ...store, database: standard, url: databaseUrl, setting: 'JOINERY_DATABASE_URL' });

  const { environment } = request;
  const node = identifyNode();
  const registry = createNodeRegistry({ query: own.query, node, version, components: config.components, observe });
  shutdownHooks.add(() => registry.stop());
  const plainHttpClient = createHttpClient({ connections: config.outboundConnections, egress: egressSettings(config) });
  const httpClient = observedHttpClient(plainHttpClient, observe, trace);
  shutdownHooks.add(() => httpClient.close());
  const handlers = createHandlerState({ entries: config.actionCacheEntries, bytes: config.actionCacheBytes });
  const sources = createSourceDatabases({
    standard,
    environment,
    open: ({ url, poolSize = config.poolSize, prepare = config.usePreparedStatements, limits, isReplica }, source) =>
      open(url, `source ${source}`, poolSize, { prepare, limits, isReplica }),
  });
  const events = config.components.includes('events') ? open(storeUrl, 'events', 4) : undefined;
  const limits = createRequestLimits(requestLimitSettings(config), observe);
  const operations = {
    settings: executeSettings(config, version),
    limits,
    rateLimiter: createRateLimiter(config.rateLimitShared ? own : undefined, Date.now, limits.checkRate),
  };
  const service = createService({
    store: createStore(own),
    events,
    introspections: createIntrospectionStore(own),
    remoteRefreshMs: config.remoteSchemaRefreshInterval * 1000,
    sources,
    httpClient,
    environment,
    sessionPrefix: config.headerPrefix,
    inferFunctionPermissions: config.inferFunctionPermissions,
    createPgcrypto: config.createPgcrypto ?? config.headerPrefix === 'x-hasura-',
    namingConvention: config.defaultNamingConvention === 'graphql-default' ? 'graphql-default' : undefined,
    validateNativeQueries: !config.disableNativeQueryValidation,
    strictNullability: config.strictNullability,
    apolloFederation: config.apolloFederation,
    remoteSchemaPermissions: config.enableRemoteSchemaPermissions,
    devMode: config.devMode,
    operations,
    recentErrors,
    node,
    configuration: configuredSettings(config, request, createRedactor(secretsIn(environment))),
    observe,
    useTraces: trace.configure,
  });
  let actions: ActionWorker | undefined;
  const starting = wait.run('load the metadata from', service.start);
  const listening = wait.run('listen for notifications of', () =>
    listen({
      url: storeUrl,
      channels: [metadataChannel, actionsChannel],
      onNotify: (channel, payload) => (channel === actionsChannel ? actions?.wake() : service.notified(payload)),
      onReconnect: () => {
        service.notificationsMissed();
        actions?.wake();
      },
      observe,
    }),
  );
  // Where one of them fails, the shutdown stops the others.
  const [listener] = await Promise.allSettled([listening, starting, registry.start()]);
  shutdownHooks.add(() => service.stop());
  if (listener.status === 'fulfilled') shutdownHooks.add(() => listener.value.close());
  await Promise.all([listening, starting]);
  await applyDirectory(request, config, service, wait, observe);

  const parts: OperationDependencies = {
    ...operations,
    model: service.model,
    database: service.database,
    suspectRemoteSchema: service.suspectRemoteSchema,
    reading: service.reading,
    own,
    httpClient,
    handlers,
    environment,
    observe,
    trace,
  };
  const delivering =
    events &&
    startDelivery(config, context, {
      ...{ database: events, nodeId: node.id, storeUrl, httpClient, environment, model: service.model },
      callTarget: createCallTargets({
        ...{ ...parts, metadata: service.metadata, catalogs: service.catalogs },
        // An admin saved the operation for the event, so that it needs no allow list.
        limits: createRequestLimits({ ...requestLimitSettings(config), allowList: false }, observe),
      }),
      urlOf: (name) => sourceUrl(name, service.metadata(), databaseUrl, environment),
      open: (name, url) => open(url, `events ${name}`, 4),
    });
  if (config.components.includes('events')) {
    const planner = createCronPlanner(service.planCronTriggers, observe);
    shutdownHooks.add(() => planner.stop());
    planner.start();
  }
  // Awaited below. Without a handler its rejection would end the process when another part fails first.
  delivering?.catch(() => undefined);
  if (config.components.includes('events') && config.asyncActionsFetchInterval > 0) {
    const database = open(storeUrl, 'actions', 2);
    const worker = { database, httpClient, handlers, environment, model: service.model, node: node.id };
    actions = await startActions(config, context, worker);
  }
  registerModelMetrics(metrics, service.model);

  const graphql = createGraphQLHandler(parts);
  const persisted = createPersistedQueries(service.model, config.persistedQueries);
  const subscriber = createOperationStreams({ ...parts, ...liveSettings(config) });
  shutdownHooks.add(async () => subscriber.close());
  const health = { unreadyReasons: () => unreadyReasons(standard, own) };
  const { createHttpServer } = await httpModule;
  const http = await createHttpServer(
    {
      service,
      graphql,
      persisted,
      rest: createRest(parts, operations.settings),
      pgDump: createPgDump({
        settings: pgDumpSettings(config),
        sources: () => service.metadata().sources,
        standardUrl: databaseUrl,
        environment,
      }),
      subscriber,
      health,
      metrics,
      observe,
      trace,
    },
    httpSettings(config, version, await startAuthentication(config, httpClient)),
  );
  const [url] = await Promise.all([http.listen(), delivering]);
  shutdownHooks.add(() => http.close());
  return url;
}

/** Returns the URL of the source's database; undefined for a source that the metadata does not have. */
function sourceUrl(
  name: SourceName,
  { sources }: Metadata,
  standardUrl: string,
  environment: Environment,
): string | undefined {
  const source = sources.find((one) => one.name === name);
  if (source === undefined || name === DEFAULT_SOURCE) return source && standardUrl;
  return connectionSettings(source.configuration?.connection_info ?? {}, name, environment).url;
}

/** Returns the option that names the metadata database; undefined for the embedded server. */
function storeSetting({ databaseUrl, metadataDatabaseUrl }: Config): string | undefined {
  if (metadataDatabaseUrl !== undefined) return 'JOINERY_METADATA_DATABASE_URL';
  return databaseUrl === undefined ? undefined : 'JOINERY_DATABASE_URL';
}

async function embeddedUrl(config: Config, { observe, shutdownHooks }: StartupContext): Promise<string> {
  const embedded = await startEmbedded({ directory: config.dataDir, observe });
  shutdownHooks.add(() => embedded.stop());
  return embedded.url;
}

/**
 * Replaces the stored metadata by the metadata directory, and logs the API limits that reject operations. Inconsistent
 * objects do not prevent the start.
 */
async function applyDirectory(
  request: StartRequest,
  config: Config,
  service: Service,
  wait: DatabaseWait,
  observe: Observe,
): Promise<void> {
  if (config.metadataDir === undefined || request.readMetadata === undefined) return;
  const metadata = await request.readMetadata(config.metadataDir);
  const args = { allow_inconsistent_metadata: true, metadata };
  const command = { type: 'replace_metadata', version: 2, args };
  const session = { role: ADMIN_ROLE, variables: new Map() };
  const stored = await wait.run('store the metadata directory in', () => service.command(command, session, 'metadata'));
  for (const message of limitWarningsIn(stored)) observe({ kind: 'note', level: 'warn', where: 'metadata', message });
}

function limitWarningsIn(response: unknown): readonly string[] {
  if (!isJsonObject(response) || !Array.isArray(response.warnings)) return [];
  return response.warnings.flatMap((one: unknown) => {
    return isJsonObject(one) && one.type === 'api_limits' && typeof one.message === 'string' ? [one.message] : [];
  });
}
