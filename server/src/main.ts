/** The entry of the service. Reads the settings, wires all parts and starts them. */
import type { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE, type SourceName } from '@joinery/metadata/names';
import type { Environment } from './base/environment.ts';
import { createHttpClient } from './base/http-client/http-client.ts';
import { observedHttpClient } from './base/http-client/observed-http-client.ts';
import { createLog } from './base/telemetry/log.ts';
import { createMetrics, type Metrics } from './base/telemetry/metrics.ts';
import type { Observe } from './base/telemetry/observe.ts';
import { ExportCounts, registerExportMetrics } from './base/telemetry/otlp/bounded-export.ts';
import { createRedactor, secretsIn } from './base/telemetry/redact.ts';
import { readVersion } from './base/telemetry/version.ts';
import { type Config, configuredSettings, type Flags, parseConfig, secretsOf } from './config/config.ts';
import { readSettings } from './config/service-options.ts';
import { createTrafficRecorder } from './events/history/traffic-writer.ts';
import { actionsChannel } from './execute/action/action-log.ts';
import { createHandlerState } from './execute/action/handler/handler-state.ts';
import { forwardChanges } from './execute/live/change-forwarder.ts';
import { type Changes, createChanges } from './execute/live/changes.ts';
import { createMerging } from './execute/merge/merging.ts';
import type { HttpServer, Mount } from './http/server.ts';
import { createIntrospectionStore } from './model/remote/introspection-store.ts';
import { listen } from './postgres/client/listen.ts';
import { startEmbedded } from './postgres/embedded/embedded.ts';
import { migrate } from './postgres/migrations/migrate.ts';
import type { ActionWorker } from './service/async-actions/worker.ts';
import { createAuditLog } from './service/audit/audit-log.ts';
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
import { startAuthentication, startConsoleSignIn } from './startup/authentication.ts';
import { connectToStore, createDatabaseWait, reportConnection } from './startup/database-wait.ts';
import { createOpener } from './startup/databases.ts';
import { openServiceExports } from './startup/exports.ts';
import { registerServiceMetrics, unreadyReasons } from './startup/health.ts';
import { createIdleMemory } from './startup/idle-memory.ts';
import { openMcp } from './startup/mcp.ts';
import { applyDirectory } from './startup/metadata-directory.ts';
import { configOfProcess } from './startup/processes/assignments.ts';
import type { Member } from './startup/processes/member.ts';
import { shareOf } from './startup/processes/messages.ts';
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
  /** Whether the process runs this service only, so that the service may collect its garbage. */
  readonly ownsProcess?: boolean;
  /** False for a service that is reached by `mount` only. */
  readonly listens?: boolean;
  /** Where a supervisor has started this process: its part of the service. */
  readonly member?: Member;
}

export interface Running {
  /** The base URL, such as `http://127.0.0.1:8080`; empty for a process that does not listen. */
  readonly url: string;
  /** Undefined for a process that serves no requests. */
  readonly mount: Mount | undefined;
  /**
   * Completes requests and deliveries within the shutdown timeout, then stops all parts. With `drains`, other processes
   * accept new connections, and requests of open connections are served first.
   */
  stop(reason: string, drains?: boolean): Promise<void>;
}

/** Starts the service. Rejects with a ServiceError after stopping the parts that were started. */
export async function start(given: StartRequest): Promise<Running> {
  const began = performance.now();
  const settings = readSettings(given);
  const request = { ...given, environment: settings.environment };
  const { member } = given;
  const written = parseConfig(request.environment, request.flags);
  const config = member === undefined ? written : configOfProcess(written, member.assignment);
  const secrets = [...secretsIn(request.environment), ...secretsOf(config)];
  const log = createLog(logSettings(config, secrets, member && process.pid));
  const redact = createRedactor(secrets);
  const recentErrors = createRecentErrors(redact);
  const metrics = createMetrics();
  const traffic = createTrafficRecorder();
  const memory = request.ownsProcess === true ? createIdleMemory() : undefined;
  const observe: Observe = (observation) => {
    metrics.observe(observation);
    traffic.observe(observation);
    if (observation.kind === 'started' || observation.kind === 'metadata-changed') memory?.release();
    recentErrors.observe(observation);
    // Before the log: when a line is printed, the caller has handled it, such as by installing signal handlers.
    request.observe?.(observation);
    log.observe(observation);
  };
  const shutdownHooks = new ShutdownHooks(log, observe);
  shutdownHooks.add(async () => memory?.stop());
  try {
    const version = readVersion();
    const egress = egressSettings(config);
    const counts = new ExportCounts();
    const { environment } = request;
    const { port, gracefulShutdownTimeout } = config;
    // Those of a member are exported by its supervisor.
    const source = member === undefined ? { began: metrics.began, read: metrics.samples } : undefined;
    const { trace, exports } = await openServiceExports(
      { environment, version, port, observe, counts, log, metrics: source, gracefulShutdownTimeout },
      { egress, redact },
    );
    shutdownHooks.add(() => exports.close());
    shutdownHooks.last(() => exports.closeLogs());
    registerExportMetrics(metrics, counts);
    for (const message of settings.warnings) observe({ kind: 'note', level: 'warn', where: 'configuration', message });
    const context = { metrics, observe, trace, traffic, recentErrors, shutdownHooks, version };
    const http = await run(request, config, context, written);
    const url = http?.url ?? '';
    observe({ kind: 'started', url, version, startMs: Math.round(performance.now() - began) });
    const stop = async (reason: string, drains = false): Promise<void> => {
      if (drains) await http?.drain(DRAIN_MS);
      await member?.leave();
      await shutdownHooks.close(reason);
    };
    member?.started({
      url: http?.url,
      metrics: metrics.samples,
      stop: (...how) => void stop(...how).then(() => process.exit(0)),
    });
    return { url, mount: http?.mount, stop };
  } catch (error) {
    await shutdownHooks.close('the start failed');
    throw error;
  }
}

/** Milliseconds in which clients of open connections learn that these are closed. */
const DRAIN_MS = 5_000;

interface ListeningServer extends Pick<HttpServer, 'drain' | 'mount'> {
  readonly url: string;
}

/**
 * Starts one part after the other and registers their shutdown hooks. Resolves with the HTTP server, if the process has one.
 *
 * @param written the settings of the whole service
 */
async function run(
  request: StartRequest,
  config: Config,
  context: StartupContext,
  written: Config,
): Promise<ListeningServer | undefined> {
  const { observe, trace, traffic, recentErrors, shutdownHooks, metrics, version } = context;
  // Loads the HTTP libraries while the service connects to the database.
  const { member, environment } = request;
  const assignment = member?.assignment;
  const httpModule = assignment?.role === 'delivery' ? undefined : import('./http/server.ts');
  const eventsModule = config.components.includes('events') ? import('./startup/events.ts') : undefined;
  const databaseUrl =
    config.databaseUrl ?? config.metadataDatabaseUrl ?? assignment?.embeddedUrl ?? (await embeddedUrl(config, context));
  const open = createOpener(config, context);
  const standard = open(databaseUrl, 'default', config.poolSize);
  const storeUrl = config.metadataDatabaseUrl ?? databaseUrl;
  const own = storeUrl === databaseUrl ? standard : open(storeUrl, 'metadata', assignment === undefined ? 4 : 2);
  const store = {
    database: own,
    url: storeUrl,
    setting: storeSetting(config),
    waitMs: config.databaseWait * 1000,
    observe,
  };
  const wait = createDatabaseWait(store);
  await wait.run('connect to', () => connectToStore(store));
  await wait.run('create or update the schema "joinery" in', () => migrate(own));
  if (standard !== own)
    void reportConnection({ ...store, database: standard, url: databaseUrl, setting: 'JOINERY_DATABASE_URL' });

  const node = identifyNode();
  const registry = createNodeRegistry({ query: own.query, node, version, components: config.components, observe });
  shutdownHooks.add(() => registry.stop());
  traffic.start({ query: own.query, node: node.id, observe });
  shutdownHooks.add(() => traffic.stop());
  const plainHttpClient = createHttpClient({ connections: config.outboundConnections, egress: egressSettings(config) });
  const httpClient = observedHttpClient(plainHttpClient, observe, trace);
  shutdownHooks.add(() => httpClient.close());
  const handlers = createHandlerState({ entries: config.actionCacheEntries, bytes: config.actionCacheBytes });
  const poolOfSource = (connections: number): number =>
    assignment === undefined ? connections : Math.max(1, shareOf(connections, assignment));
  const sources = createSourceDatabases({
    standard,
    environment,
    observe,
    open: ({ url, poolSize = written.poolSize, prepare = config.usePreparedStatements, limits, isReplica }, source) =>
      open(url, `source ${source}`, poolOfSource(poolSize), { prepare, limits, isReplica }),
  });
  const events = config.components.includes('events') ? open(storeUrl, 'events', 4) : undefined;
  const limits = createRequestLimits(requestLimitSettings(config), observe);
  const operations = {
    settings: executeSettings(config, version),
    limits,
    rateLimiter: createRateLimiter(
      config.rateLimitShared || assignment !== undefined ? own : undefined,
      Date.now,
      limits.checkRate,
      config.rateLimitShared ? '' : assignment?.group,
    ),
  };
  const { auditLogRetentionDays: retentionDays } = config;
  const audit = retentionDays === 0 ? undefined : createAuditLog({ query: own.query, observe, retentionDays });
  const redacted = createRedactor([...secretsIn(environment), ...secretsOf(config)]);
  const service = createService({
    audit,
    redacted,
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
    configuration: configuredSettings(written, request, createRedactor(secretsIn(environment))),
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
  shutdownHooks.add(async () => audit?.stop());
  shutdownHooks.add(() => service.stop());
  audit?.start();
  if (listener.status === 'fulfilled') shutdownHooks.add(() => listener.value.close());
  await Promise.all([listening, starting]);
  await applyDirectory(request.readMetadata, config, service, wait, observe);

  const changes = createChanges();
  const merging = createMerging(config.mergeReads);
  const parts: OperationDependencies = {
    ...operations,
    changes,
    model: service.model,
    database: service.database,
    suspectRemoteSchema: service.suspectRemoteSchema,
    reading: service.reading,
    positionsAfter: service.positionsAfter,
    own,
    httpClient,
    handlers,
    merging,
    environment,
    observe,
    trace,
  };
  const delivery =
    events &&
    (await (
      await eventsModule
    )?.startEvents(config, context, {
      ...{ database: events, node, storeUrl, open },
      dependencies: { ...parts, metadata: service.metadata, catalogs: service.catalogs },
      planCronTriggers: service.planCronTriggers,
      traffic,
      urlOf: (name) => sourceUrl(name, service.metadata(), databaseUrl, environment),
    }));
  actions = delivery?.actions;
  registerServiceMetrics(metrics, { version, model: service.model, replicas: sources.replicas, merging });

  if (httpModule === undefined) {
    if (member !== undefined) forwardChanges(changes, member.peers);
    await delivery?.started;
    return undefined;
  }
  const graphql = createGraphQLHandler(parts);
  const persisted = createPersistedQueries(service.model, config.persistedQueries);
  const subscriber = createOperationStreams({ ...parts, ...liveSettings(config), peers: member?.peers });
  shutdownHooks.add(async () => subscriber.close());
  const health = {
    unreadyReasons: async () => [
      ...(member === undefined || member.isReady() ? [] : ['processes']),
      ...(await unreadyReasons(standard, own)),
    ],
  };
  const { createHttpServer } = await httpModule;
  const reporting = reportingCommands(service, changes);
  const consoleSignIn = await startConsoleSignIn(config, httpClient);
  const http = await createHttpServer(
    {
      service: reporting,
      mcp: await openMcp(config, { service: reporting, graphql, operations: parts, audit, redacted }),
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
      metrics: member === undefined ? metrics : { ...metrics, read: () => readAll(metrics, member) },
      observe,
      trace,
    },
    httpSettings(config, version, await startAuthentication(config, httpClient, consoleSignIn), consoleSignIn),
  );
  const opened = request.listens === false ? http.ready().then(() => '') : http.listen();
  const [url] = await Promise.all([opened, delivery?.started]);
  shutdownHooks.add(() => http.close());
  return { url, drain: http.drain, mount: http.mount };
}

/** Reads the metrics of all processes. */
async function readAll(metrics: Metrics, member: Member): ReturnType<Metrics['read']> {
  const { contentType } = await metrics.read();
  return { contentType, text: await member.readMetrics() };
}

/** Returns the service with commands that report that they may have changed any table, as `run_sql` may. */
function reportingCommands(service: Service, changes: Changes): Service {
  return {
    ...service,
    command: async (...parameters) => {
      const result = await service.command(...parameters);
      changes.report(undefined);
      return result;
    },
  };
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
