/** Starts event delivery and the worker of asynchronous actions, and exports their metrics. */
import type { Environment } from '../base/environment.ts';
import type { HttpClient } from '../base/http-client/http-client.ts';
import type { Metrics, Reading } from '../base/telemetry/metrics.ts';
import type { Config } from '../config/config.ts';
import { type EventStats, eventStats } from '../events/commands/stats.ts';
import { createDatabaseClock } from '../events/delivery/database-clock.ts';
import { createDelivery } from '../events/delivery/delivery.ts';
import type { DeliveryStats } from '../events/delivery/delivery-stats.ts';
import { createRetentionTask } from '../events/delivery/retention.ts';
import { followedLimits } from '../events/destinations/limits.ts';
import { createScheduledDelivery } from '../events/scheduled/delivery.ts';
import type { CallTargets } from '../events/targets/target.ts';
import { readSigner } from '../events/webhook/signature.ts';
import type { Database } from '../postgres/client/pool.ts';
import { type ActionWorker, type ActionWorkerOptions, createActionWorker } from '../service/async-actions/worker.ts';
import { createTriggerDeliveries, type TriggerDeliveriesOptions } from '../service/event-triggers/deliveries.ts';
import { triggerOwner } from '../service/event-triggers/owner.ts';
import { executeSettings } from './settings.ts';
import type { StartupContext } from './shutdown-hooks.ts';

interface DeliveryParts extends Pick<TriggerDeliveriesOptions, 'model' | 'urlOf' | 'open'> {
  readonly database: Database;
  /** The prefix of lease names. */
  readonly nodeId: string;
  readonly storeUrl: string;
  readonly httpClient: HttpClient;
  /** Runs operations and functions of events that have no webhook. */
  readonly callTarget: CallTargets;
  readonly environment: Environment;
}

export async function startDelivery(config: Config, context: StartupContext, parts: DeliveryParts): Promise<void> {
  const { metrics, observe, shutdownHooks, version } = context;
  const common = {
    httpClient: parts.httpClient,
    callTarget: parts.callTarget,
    environment: parts.environment,
    observe,
    nodeId: parts.nodeId,
    agent: `joinery/${version}`,
    sign: config.webhookSigningKeys === undefined ? undefined : readSigner(config.webhookSigningKeys),
  };
  const delivery = createScheduledDelivery({
    ...common,
    database: parts.database,
    databaseUrl: parts.storeUrl,
    settings: {
      perDestination: Math.min(config.outboundConnections, 100),
      circuitFailures: config.eventsCircuitFailures,
    },
  });
  const retention = createRetentionTask({
    query: parts.database.query,
    observe,
    retention: {
      eventDays: config.eventsRetentionDays,
      logDays: config.eventLogsRetentionDays,
      mostEvents: config.eventsRetentionCount,
    },
  });
  registerEventMetrics(metrics, delivery.stats, parts.database);
  shutdownHooks.add(() => delivery.stop({ drainMs: config.gracefulShutdownTimeout * 1000 }));
  shutdownHooks.add(() => retention.stop());
  retention.start();
  const triggers = createTriggerDeliveries({
    ...parts,
    stringifyNumerics: config.stringifyNumericTypes,
    observe,
    retentionDays: config.eventsRetentionDays,
    ownerOf: (source) => triggerOwner(parts.database, source),
    deliver: (store, url) =>
      createDelivery({
        ...common,
        store,
        databaseUrl: url,
        clock: createDatabaseClock(),
        limits: followedLimits(delivery.limits),
      }),
  });
  shutdownHooks.add(() => triggers.stop({ drainMs: config.gracefulShutdownTimeout * 1000 }));
  await Promise.all([delivery.start(), triggers.start()]);
}

/** The backlog covers all nodes, the other metrics this node. */
function registerEventMetrics(metrics: Metrics, stats: () => DeliveryStats, { query }: Database): void {
  const help = 'Webhook calls of this node in progress.';
  metrics.gauge('joinery_events_in_flight', help, () => stats().inFlight);
  const outcomes = (): Reading => {
    const { delivered, retried, failed, dead, lost } = stats();
    return Object.entries({ delivered, retried, failed, dead, lost }).map(([outcome, n]) => [{ outcome }, n] as const);
  };
  const outcomeHelp = 'Outcomes of events that this node has recorded.';
  metrics.counter('joinery_event_outcomes_total', outcomeHelp, outcomes, ['outcome']);
  metrics.counter('joinery_event_calls_total', 'Webhook calls of this node.', () => stats().calls);
  const latenessHelp = 'How late the last 1,024 calls of this node began, by quantile; 1 is the latest.';
  const lateness = (): Reading => {
    const { p50, p99, max } = stats().lateness;
    return Object.entries({ '0.5': p50, '0.99': p99, '1': max }).map(
      ([quantile, ms]) => [{ quantile }, ms / 1_000] as const,
    );
  };
  metrics.gauge('joinery_event_lateness_seconds', latenessHelp, lateness, ['quantile']);
  let backlog: { readonly at: number; readonly stats: ReturnType<typeof eventStats> } | undefined;
  // The gauges of one scrape share one statement.
  const read = (of: (backlog: EventStats) => number) => async () => {
    const now = performance.now();
    if (backlog === undefined || now - backlog.at > BACKLOG_MS) backlog = { at: now, stats: eventStats(query) };
    return of(await backlog.stats);
  };
  const ofAll = (name: string, of: string, value: (backlog: EventStats) => number): void =>
    metrics.gauge(name, `${of}, of all nodes.`, read(value));
  ofAll('joinery_events_pending', 'Events that are not processed yet', ({ pending }) => pending);
  ofAll('joinery_events_due', 'Due events that no node has claimed', ({ due }) => due);
  ofAll('joinery_events_taken', 'Due events that a node has claimed', ({ inFlight }) => inFlight);
  ofAll(
    'joinery_events_oldest_due_seconds',
    'Seconds since the oldest due event became due',
    (one) => one.oldestDueSeconds,
  );
}

/** Milliseconds for which a reading of the backlog is reused. */
const BACKLOG_MS = 500;

type ActionParts = Pick<ActionWorkerOptions, 'database' | 'httpClient' | 'handlers' | 'environment' | 'model' | 'node'>;

export async function startActions(config: Config, context: StartupContext, parts: ActionParts): Promise<ActionWorker> {
  const { metrics, observe, shutdownHooks, version } = context;
  const worker = createActionWorker({
    ...parts,
    observe,
    settings: executeSettings(config, version),
    pollMs: config.asyncActionsFetchInterval,
    perAction: config.asyncActionsFetchBatchSize,
    overall: 10 * config.asyncActionsFetchBatchSize,
    retentionDays: config.asyncActionsRetentionDays,
  });
  const help = 'Calls of asynchronous actions of this node in progress.';
  metrics.gauge('joinery_async_actions_in_flight', help, worker.inFlight);
  shutdownHooks.add(() => worker.stop({ drainMs: config.gracefulShutdownTimeout * 1000 }));
  await worker.start();
  return worker;
}
