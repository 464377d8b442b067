/** What is due: deliveries of scheduled events, runs of cron triggers, asynchronous actions. */
import type { Environment } from '../base/environment.ts';
import type { HttpClient } from '../base/http-client/http-client.ts';
import type { Metrics, Reading } from '../base/telemetry/metrics.ts';
import type { Config } from '../config/config.ts';
import { type EventStats, eventStats } from '../events/commands/stats.ts';
import { createDelivery } from '../events/delivery/delivery.ts';
import type { DeliveryStats } from '../events/delivery/delivery-stats.ts';
import { createRetentionTask } from '../events/delivery/retention.ts';
import { readSigner } from '../events/webhook/signature.ts';
import type { Database } from '../postgres/client/pool.ts';
import { type ActionWorker, type ActionWorkerOptions, createActionWorker } from '../service/async-actions/worker.ts';
import { executeSettings } from './settings.ts';
import type { StartupContext } from './shutdown-hooks.ts';

interface DeliveryParts {
  readonly database: Database;
  /** As it is told in the table of leases. */
  readonly nodeId: string;
  readonly storeUrl: string;
  readonly httpClient: HttpClient;
  readonly environment: Environment;
}

export async function startDelivery(config: Config, surround: StartupContext, parts: DeliveryParts): Promise<void> {
  const { metrics, observe, closers, version } = surround;
  const delivery = createDelivery({
    database: parts.database,
    databaseUrl: parts.storeUrl,
    httpClient: parts.httpClient,
    environment: parts.environment,
    observe,
    nodeId: parts.nodeId,
    agent: `joinery/${version}`,
    sign: config.webhookSigningKeys === undefined ? undefined : readSigner(config.webhookSigningKeys),
    settings: {
      perDestination: Math.min(config.outboundConnections, 100),
      circuitFailures: config.eventsCircuitFailures,
    },
  });
  const upkeep = createRetentionTask({
    query: parts.database.query,
    observe,
    retention: {
      eventDays: config.eventsRetentionDays,
      logDays: config.eventLogsRetentionDays,
      mostEvents: config.eventsRetentionCount,
    },
  });
  gaugeEvents(metrics, delivery.stats, parts.database);
  closers.add(() => delivery.stop({ drainMs: config.gracefulShutdownTimeout * 1000 }));
  closers.add(() => upkeep.stop());
  upkeep.start();
  await delivery.start();
}

/** The backlog is that of all nodes, the rest of this one. */
function gaugeEvents(metrics: Metrics, stats: () => DeliveryStats, { query }: Database): void {
  const help = 'Webhook calls of this node that are under way.';
  metrics.gauge('joinery_events_in_flight', help, () => stats().inFlight);
  const outcomes = (): Reading => {
    const { delivered, retried, failed, dead, lost } = stats();
    return Object.entries({ delivered, retried, failed, dead, lost }).map(([outcome, n]) => [{ outcome }, n] as const);
  };
  const outcomeHelp = 'Outcomes of events that this node has written down.';
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
  // One look at the tables for the gauges of one reading.
  const read = (of: (backlog: EventStats) => number) => async () => {
    const now = performance.now();
    if (backlog === undefined || now - backlog.at > BACKLOG_MS) backlog = { at: now, stats: eventStats(query) };
    return of(await backlog.stats);
  };
  const ofAll = (name: string, of: string, value: (backlog: EventStats) => number): void =>
    metrics.gauge(name, `${of}, of all nodes.`, read(value));
  ofAll('joinery_events_pending', 'Events that are not processed yet', ({ pending }) => pending);
  ofAll('joinery_events_due', 'Events that are due and that no node has taken', ({ due }) => due);
  ofAll('joinery_events_taken', 'Events that are due and held by a node', ({ inFlight }) => inFlight);
  ofAll(
    'joinery_events_oldest_due_seconds',
    'How long the longest due event has been due',
    (one) => one.oldestDueSeconds,
  );
}

/** Milliseconds that one look at the backlog serves. */
const BACKLOG_MS = 500;

type ActionParts = Pick<ActionWorkerOptions, 'database' | 'httpClient' | 'environment' | 'model' | 'node'>;

export async function startActions(
  config: Config,
  surround: StartupContext,
  parts: ActionParts,
): Promise<ActionWorker> {
  const { metrics, observe, closers, version } = surround;
  const worker = createActionWorker({
    ...parts,
    observe,
    settings: executeSettings(config, version),
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
