/** What is due: deliveries of scheduled events, runs of cron triggers, asynchronous actions. */
import { hostname } from 'node:os';
import type { Environment } from './base/environment.ts';
import type { Outbound } from './base/outbound.ts';
import type { Config } from './config.ts';
import { createDelivery } from './events/deliver.ts';
import { createUpkeep } from './events/upkeep.ts';
import type { Database } from './postgres/pool.ts';
import { type ActionWorker, type ActionWorkerOptions, createActionWorker } from './service/action-worker.ts';
import type { Surround } from './start-closers.ts';
import { executeSettings } from './start-settings.ts';

/** As it is shown in the table of leases. */
const nodeId = `${hostname()}:${process.pid}`;

interface DeliveryParts {
  readonly database: Database;
  readonly storeUrl: string;
  readonly outbound: Outbound;
  readonly environment: Environment;
}

export async function startDelivery(config: Config, surround: Surround, parts: DeliveryParts): Promise<void> {
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

export async function startActions(config: Config, surround: Surround, parts: ActionParts): Promise<ActionWorker> {
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
