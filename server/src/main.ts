/** The one entry of the service: settings in, a running service out. Everything is wired here and nowhere else. */
import { hostname } from 'node:os';
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { Authenticate } from './auth/authenticate.ts';
import type { Environment } from './base/environment.ts';
import { createLog, type Log } from './base/log.ts';
import { createMetrics, type Metrics } from './base/metrics.ts';
import type { Observe } from './base/observe.ts';
import { createOutbound, type Outbound } from './base/outbound.ts';
import { readVersion } from './base/version.ts';
import { type Config, type Flags, parseConfig, printConfig } from './config.ts';
import { flagName, type OptionKey, options, variableName } from './config-options.ts';
import { createDelivery } from './events/deliver.ts';
import { createUpkeep } from './events/upkeep.ts';
import { actionsChannel } from './execute/action-log.ts';
import { installedConsole } from './http/console.ts';
import type { HttpSettings } from './http/settings.ts';
import { createStore, metadataChannel } from './model/store.ts';
import { startEmbedded } from './postgres/embedded.ts';
import { listen } from './postgres/listen.ts';
import { migrate } from './postgres/migrate.ts';
import { createDatabase, type Database, type DatabaseSettings } from './postgres/pool.ts';
import { type ActionWorker, type ActionWorkerOptions, createActionWorker } from './service/action-worker.ts';
import { type AnswererParts, createAnswerer } from './service/answer.ts';
import { createCronPlanner } from './service/cron-plans.ts';
import { createRest } from './service/rest.ts';
import { createService, type Service } from './service/service.ts';
import { createSourceDatabases } from './service/sources.ts';
import { createSubscriber, type SubscriberParts } from './service/subscribe.ts';
import { sessionSettings, startAuthentication } from './start-authentication.ts';

export interface StartRequest {
  readonly environment: Environment;
  readonly flags?: Flags;
  /** Reads the directory of `JOINERY_METADATA_DIR` into one metadata object. */
  readonly readMetadata?: (directory: string) => Promise<unknown>;
}

export interface Running {
  /** Where it listens, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Finishes requests and deliveries within the limit, then ends everything that was started. */
  stop(reason: string): Promise<void>;
}

/** One line of `joinery serve --help`. */
export interface DescribedOption {
  readonly key: OptionKey;
  readonly flag: string;
  readonly variable: string;
  readonly meaning: string;
  readonly fallback: string | undefined;
}

export function describeOptions(): readonly DescribedOption[] {
  return Object.entries(options).map(([key, option]) => ({
    key: key as OptionKey,
    flag: flagName(option),
    variable: variableName(option),
    meaning: option.meaning,
    fallback: option.fallback,
  }));
}

/** The settings that `start` would run with, one `NAME=value` a line, secrets masked. */
export function effectiveConfig(request: Pick<StartRequest, 'environment' | 'flags'>): string {
  return printConfig(parseConfig(request.environment, request.flags));
}

/** Starts the service. Rejects with a ServiceError that says what to do; what was started by then is stopped again. */
export async function start(request: StartRequest): Promise<Running> {
  const began = performance.now();
  const config = parseConfig(request.environment, request.flags);
  const log = createLog({ level: config.logLevel, format: config.logFormat });
  const metrics = createMetrics();
  const observe: Observe = (observation) => {
    metrics.observe(observation);
    log.observe(observation);
  };
  const closers = new Closers(log, observe);
  try {
    const version = readVersion();
    const url = await run(request, config, { metrics, observe, closers, version });
    observe({ kind: 'started', url, version, startMs: Math.round(performance.now() - began) });
    return { url, stop: (reason) => closers.close(reason) };
  } catch (error) {
    await closers.close('the start failed');
    throw error;
  }
}

interface Surround {
  readonly metrics: Metrics;
  readonly observe: Observe;
  readonly closers: Closers;
  readonly version: string;
}

/** Brings up one part after the other, each with the way to take it down again. Resolves with the URL. */
async function run(request: StartRequest, config: Config, surround: Surround): Promise<string> {
  const { observe, closers, metrics, version } = surround;
  // Its libraries are loaded while the database is waited for.
  const httpFloor = import('./http/server.ts');
  const databaseUrl = config.databaseUrl ?? (await embeddedUrl(config, surround));
  const open = (url: string, purpose: string, poolSize: number, more: Partial<DatabaseSettings> = {}): Database => {
    const database = createDatabase({
      url,
      poolSize,
      statementTimeoutMs: config.statementTimeout,
      prepare: config.usePreparedStatements,
      applicationName: `joinery ${purpose}`,
      observe,
      ...more,
    });
    closers.add(() => database.close());
    return database;
  };
  const standard = open(databaseUrl, 'default', config.poolSize);
  const storeUrl = config.metadataDatabaseUrl ?? databaseUrl;
  const own = storeUrl === databaseUrl ? standard : open(storeUrl, 'metadata', 4);
  await migrate(own);

  const { environment } = request;
  const outbound = createOutbound({ connections: config.outboundConnections });
  closers.add(() => outbound.close());
  const sources = createSourceDatabases({
    standard,
    environment,
    open: ({ url, poolSize = config.poolSize, prepare = config.usePreparedStatements, limits }, source) =>
      open(url, `source ${source}`, poolSize, { prepare, limits }),
  });
  const service = createService({
    store: createStore(own),
    sources,
    outbound,
    environment,
    sessionPrefix: config.headerPrefix,
    inferFunctionPermissions: config.inferFunctionPermissions,
    executing: executeSettings(config, version),
    observe,
  });
  let actions: ActionWorker | undefined;
  const starting = service.start();
  const listening = listen({
    url: storeUrl,
    channels: [metadataChannel, actionsChannel],
    onNotify: (channel, payload) => (channel === actionsChannel ? actions?.wake() : service.heard(payload)),
    onReconnect: () => {
      service.missed();
      actions?.wake();
    },
    observe,
  });
  const [ears] = await Promise.all([listening, starting]);
  closers.add(() => service.stop());
  closers.add(() => ears.close());
  await applyDirectory(request, config, service);

  const delivering = config.components.includes('events')
    ? startDelivery(config, surround, { database: open(storeUrl, 'events', 4), storeUrl, outbound, environment })
    : undefined;
  if (config.components.includes('events')) {
    const planner = createCronPlanner(service.planCronTriggers, observe);
    closers.add(() => planner.stop());
    planner.start();
  }
  // Awaited below; what fails before that must not leave it without anybody to hear it.
  delivering?.catch(() => undefined);
  if (config.components.includes('events') && config.asyncActionsFetchInterval > 0) {
    const parts = { database: open(storeUrl, 'actions', 2), outbound, environment, model: service.model };
    actions = await startActions(config, surround, parts);
  }
  metrics.gauge('joinery_pool_connections', 'Open connections to the default source.', () => standard.stats().total);

  const parts: AnswererParts = {
    model: service.model,
    database: service.database,
    reading: service.reading,
    own,
    outbound,
    environment,
    observe,
    settings: executeSettings(config, version),
  };
  const graphql = createAnswerer(parts);
  const subscriber = createSubscriber({ ...parts, ...liveSettings(config) });
  closers.add(async () => subscriber.close());
  const health = { notReady: () => notReady(standard, own) };
  const { createHttpServer } = await httpFloor;
  const http = await createHttpServer(
    { service, graphql, rest: createRest(service.model, graphql), subscriber, health, metrics, observe },
    httpSettings(config, version, await startAuthentication(config, outbound)),
  );
  const [url] = await Promise.all([http.listen(), delivering]);
  closers.add(() => http.close());
  return url;
}

/** As it is shown in the table of leases. */
const nodeId = `${hostname()}:${process.pid}`;

interface DeliveryParts {
  readonly database: Database;
  readonly storeUrl: string;
  readonly outbound: Outbound;
  readonly environment: Environment;
}

async function startDelivery(config: Config, surround: Surround, parts: DeliveryParts): Promise<void> {
  const { metrics, observe, closers, version } = surround;
  const delivery = createDelivery({
    database: parts.database,
    databaseUrl: parts.storeUrl,
    outbound: parts.outbound,
    environment: parts.environment,
    observe,
    nodeId,
    agent: `joinery/${version}`,
    settings: {
      perDestination: Math.min(config.outboundConnections, 100),
      circuitFailures: config.eventsCircuitFailures,
    },
  });
  const upkeep = createUpkeep({
    query: parts.database.query,
    observe,
    retention: {
      eventDays: config.eventsRetentionDays,
      logDays: config.eventLogsRetentionDays,
      mostEvents: config.eventsRetentionCount,
    },
  });
  const help = 'Webhook calls of this node that are under way.';
  metrics.gauge('joinery_events_in_flight', help, () => delivery.stats().inFlight);
  closers.add(() => delivery.stop({ drainMs: config.gracefulShutdownTimeout * 1000 }));
  closers.add(() => upkeep.stop());
  upkeep.start();
  await delivery.start();
}

type ActionParts = Pick<ActionWorkerOptions, 'database' | 'outbound' | 'environment' | 'model'>;

async function startActions(config: Config, surround: Surround, parts: ActionParts): Promise<ActionWorker> {
  const { metrics, observe, closers, version } = surround;
  const worker = createActionWorker({
    ...parts,
    observe,
    settings: executeSettings(config, version),
    node: nodeId,
    pollMs: config.asyncActionsFetchInterval,
    perAction: config.asyncActionsFetchBatchSize,
    overall: 10 * config.asyncActionsFetchBatchSize,
    retentionDays: config.asyncActionsRetentionDays,
  });
  const help = 'Calls of asynchronous actions that this node has under way.';
  metrics.gauge('joinery_async_actions_in_flight', help, worker.inFlight);
  closers.add(() => worker.stop({ drainMs: config.gracefulShutdownTimeout * 1000 }));
  await worker.start();
  return worker;
}

async function embeddedUrl(config: Config, { observe, closers }: Surround): Promise<string> {
  const embedded = await startEmbedded({ directory: config.dataDir, observe });
  closers.add(() => embedded.stop());
  return embedded.url;
}

/** The metadata directory replaces what is stored; objects in it that cannot be used are listed, not fatal. */
async function applyDirectory(request: StartRequest, config: Config, service: Service): Promise<void> {
  if (config.metadataDir === undefined || request.readMetadata === undefined) return;
  const metadata = await request.readMetadata(config.metadataDir);
  const args = { allow_inconsistent_metadata: true, metadata };
  await service.command(
    { type: 'replace_metadata', version: 2, args },
    { role: ADMIN_ROLE, variables: new Map() },
    'metadata',
  );
}

function executeSettings(config: Config, version: string): AnswererParts['settings'] {
  return {
    stringifyNumerics: config.stringifyNumericTypes,
    sessionPrefix: config.headerPrefix,
    configuredHeaderPrecedence: config.configuredHeaderPrecedence,
    version,
    maxActionResponseBytes: config.maxActionResponseBytes,
    maxRemoteResponseBytes: config.maxRemoteResponseBytes,
    remoteSchemaPrioritizeData: config.remoteSchemaPrioritizeData,
  };
}

function liveSettings(config: Config): Pick<SubscriberParts, 'live' | 'streams' | 'concurrency'> {
  return {
    live: { intervalMs: config.liveQueriesInterval, batchSize: config.liveQueriesBatchSize },
    streams: { intervalMs: config.streamingQueriesInterval, batchSize: config.streamingQueriesBatchSize },
    // Half of the pool is left to requests.
    concurrency: Math.max(1, Math.floor(config.poolSize / 2)),
  };
}

function httpSettings(config: Config, version: string, authenticate: Authenticate): HttpSettings {
  const served = (['graphql', 'metadata'] as const).filter(
    (api) => config.components.includes('api') && config.enabledApis.includes(api),
  );
  return {
    host: config.host,
    port: config.port,
    maxBodyBytes: config.maxBodyBytes,
    session: sessionSettings(config),
    authenticate,
    apis: new Set(served),
    corsOrigins: config.disableCors ? undefined : config.corsDomain,
    internalErrors: config.devMode ? 'everybody' : config.adminInternalErrors ? 'admin' : 'nobody',
    version,
    websocket: {
      keepAliveMs: config.websocketKeepalive * 1000,
      initTimeoutMs: config.websocketConnectionInitTimeout * 1000,
      maxOperations: config.websocketMaxOperations,
    },
    console:
      config.components.includes('console') && config.enableConsole ? { directory: installedConsole() } : undefined,
  };
}

const readinessLimitMs = 2_000;

async function notReady(standard: Database, own: Database): Promise<readonly string[]> {
  const ask = async (name: string, database: Database): Promise<readonly string[]> => {
    const signal = AbortSignal.timeout(readinessLimitMs);
    return database.query({ text: 'select 1', values: [] }, { signal }).then(
      () => [],
      () => [name],
    );
  };
  const waiting = [ask('database', standard), ...(own === standard ? [] : [ask('metadata', own)])];
  return (await Promise.all(waiting)).flat();
}

/** What was started, to be ended in reverse order: what was started last depends on what came before. */
class Closers {
  readonly #steps: (() => Promise<void>)[] = [];
  readonly #log: Log;
  readonly #observe: Observe;
  #closing: Promise<void> | undefined;

  constructor(log: Log, observe: Observe) {
    this.#log = log;
    this.#observe = observe;
  }

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  close(reason: string): Promise<void> {
    this.#closing ??= this.#run(reason);
    return this.#closing;
  }

  async #run(reason: string): Promise<void> {
    this.#observe({ kind: 'stopping', reason });
    for (const step of this.#steps.reverse()) {
      await step().catch((error: unknown) => this.#observe({ kind: 'failure', where: 'stopping', error }));
    }
    this.#observe({ kind: 'stopped' });
    this.#log.flush();
  }
}
