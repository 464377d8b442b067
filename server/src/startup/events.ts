/** Starts event delivery and the worker of asynchronous actions. */
import type { Environment } from '../base/environment.ts';
import type { HttpClient } from '../base/http-client/http-client.ts';
import type { Config } from '../config/config.ts';
import { createDatabaseClock } from '../events/delivery/database-clock.ts';
import { createDelivery } from '../events/delivery/delivery.ts';
import { createRetentionTask } from '../events/delivery/retention.ts';
import { followedLimits } from '../events/destinations/limits.ts';
import { createScheduledDelivery } from '../events/scheduled/delivery.ts';
import type { CallTargets } from '../events/targets/target.ts';
import { readSigner } from '../events/webhook/signature.ts';
import type { Database } from '../postgres/client/pool.ts';
import { type ActionWorker, type ActionWorkerOptions, createActionWorker } from '../service/async-actions/worker.ts';
import { createTriggerDeliveries, type TriggerDeliveriesOptions } from '../service/event-triggers/deliveries.ts';
import { triggerOwner } from '../service/event-triggers/owner.ts';
import { registerEventMetrics, registerTriggerMetrics } from './event-metrics.ts';
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
  registerTriggerMetrics(metrics, triggers);
  shutdownHooks.add(() => triggers.stop({ drainMs: config.gracefulShutdownTimeout * 1000 }));
  await Promise.all([delivery.start(), triggers.start()]);
}

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
