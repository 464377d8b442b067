/** Starts event delivery, the planner of cron triggers and the worker of asynchronous actions. Loaded where the node delivers events. */
import type { Config } from '../config/config.ts';
import { createAlertChecks } from '../events/alerts/check.ts';
import { createDatabaseClock } from '../events/delivery/database-clock.ts';
import { createDelivery } from '../events/delivery/delivery.ts';
import type { Outcome } from '../events/delivery/retry-policy.ts';
import { followedLimits } from '../events/destinations/limits.ts';
import { createBacklogSamples } from '../events/history/backlog-samples.ts';
import type { CallResult } from '../events/history/counts.ts';
import type { TrafficRecorder } from '../events/history/traffic-writer.ts';
import { createScheduledDelivery } from '../events/scheduled/delivery.ts';
import { createRetentionTask } from '../events/scheduled/retention.ts';
import { readSigner } from '../events/webhook/signature.ts';
import type { Database } from '../postgres/client/pool.ts';
import { type ActionWorker, type ActionWorkerOptions, createActionWorker } from '../service/async-actions/worker.ts';
import { createCronPlanner } from '../service/commands/events/cron-plans.ts';
import { createCallTargets, type TargetDependencies } from '../service/event-targets/call.ts';
import { createTriggerDeliveries, type TriggerDeliveriesOptions } from '../service/event-triggers/deliveries.ts';
import { triggerOwner } from '../service/event-triggers/owner.ts';
import { createRequestLimits } from '../service/graphql/request-limits.ts';
import type { NodeIdentity } from '../service/node-registry.ts';
import type { OpenDatabase } from './databases.ts';
import { registerEventMetrics, registerTriggerMetrics } from './event-metrics.ts';
import { executeSettings, requestLimitSettings } from './settings.ts';
import type { StartupContext } from './shutdown-hooks.ts';

export interface EventParts extends Pick<TriggerDeliveriesOptions, 'urlOf'> {
  readonly dependencies: TargetDependencies;
  readonly database: Database;
  readonly node: NodeIdentity;
  readonly storeUrl: string;
  readonly open: OpenDatabase;
  readonly planCronTriggers: () => Promise<void>;
  readonly traffic: TrafficRecorder;
}

export interface RunningEvents {
  /** Resolves when the delivery has started. */
  readonly started: Promise<void>;
  /** Undefined where this node runs no asynchronous actions. */
  readonly actions: ActionWorker | undefined;
}

export async function startEvents(config: Config, context: StartupContext, parts: EventParts): Promise<RunningEvents> {
  const started = startDelivery(config, context, parts);
  // The caller awaits it. Without a handler its rejection would end the process when another part fails first.
  started.catch(() => undefined);
  const planner = createCronPlanner(parts.planCronTriggers, context.observe);
  context.shutdownHooks.add(() => planner.stop());
  planner.start();
  if (config.asyncActionsFetchInterval === 0) return { started, actions: undefined };
  const { httpClient, handlers, environment, model } = parts.dependencies;
  const database = parts.open(parts.storeUrl, 'actions', 2);
  const { record } = parts.traffic;
  const worker = { database, httpClient, handlers, environment, model, record, node: parts.node.id };
  return { started, actions: await startActions(config, context, worker) };
}

const results = { delivered: 'delivered', retry: 'retried', error: 'failed', dead: 'dead' } as const satisfies Record<
  Outcome['kind'],
  CallResult
>;

async function startDelivery(config: Config, context: StartupContext, parts: EventParts): Promise<void> {
  const { metrics, observe, shutdownHooks, version } = context;
  const { httpClient, environment, model } = parts.dependencies;
  const common = {
    httpClient,
    callTarget: createCallTargets({
      ...parts.dependencies,
      // An admin saved the operation for the event, so that it needs no allow list.
      limits: createRequestLimits({ ...requestLimitSettings(config), allowList: false }, observe),
    }),
    environment,
    observe,
    nodeId: parts.node.id,
    agent: `joinery/${version}`,
    sign: config.webhookSigningKeys === undefined ? undefined : readSigner(config.webhookSigningKeys),
  };
  const delivery = createScheduledDelivery({
    ...common,
    record: ({ triggerName, lane }, outcome, call) => {
      const kind = triggerName === undefined ? 'one_off' : 'cron';
      parts.traffic.record({ kind, destination: destinationOf(lane), result: results[outcome], ...call });
    },
    database: parts.database,
    databaseUrl: parts.storeUrl,
    settings: {
      perDestination: Math.min(config.outboundConnections, 100),
      circuitFailures: config.eventsCircuitFailures,
    },
  });
  const { destinationOf } = delivery.limits;
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
  const triggers = createTriggerDeliveries({
    model,
    urlOf: parts.urlOf,
    open: (name, url) => parts.open(url, `events ${name}`, 4),
    stringifyNumerics: config.stringifyNumericTypes,
    observe,
    retentionDays: config.eventsRetentionDays,
    ownerOf: (source) => triggerOwner(parts.database, source),
    deliver: (store, url) =>
      createDelivery({
        ...common,
        store,
        record: ({ lane }, outcome, call) => {
          parts.traffic.record({
            kind: 'event_trigger',
            destination: destinationOf(lane),
            result: results[outcome],
            ...call,
          });
        },
        databaseUrl: url,
        clock: createDatabaseClock(),
        limits: followedLimits(delivery.limits),
      }),
  });
  registerTriggerMetrics(metrics, triggers);
  shutdownHooks.add(() => triggers.stop({ drainMs: config.gracefulShutdownTimeout * 1000 }));
  const samples = createBacklogSamples({
    query: parts.database.query,
    observe,
    destinationOf,
    triggerBacklog: async () =>
      [...(await triggers.backlog()).values()].flatMap((source) =>
        source.triggers.map(({ lane, pending, oldestSeconds }) => ({
          kind: 'event_trigger',
          destination: destinationOf(lane),
          waiting: pending,
          oldestMs: Math.round(oldestSeconds * 1_000),
        })),
      ),
  });
  shutdownHooks.add(() => samples.stop());
  const alerts = createAlertChecks({ database: parts.database, environment, observe });
  shutdownHooks.add(() => alerts.stop());
  await Promise.all([retention.start().then(() => delivery.start()), triggers.start()]);
  // Not awaited: a slow sample must not delay the start.
  void samples.start();
  void alerts.start();
}

type ActionParts = Pick<
  ActionWorkerOptions,
  'database' | 'httpClient' | 'handlers' | 'environment' | 'model' | 'record' | 'node'
>;

async function startActions(config: Config, context: StartupContext, parts: ActionParts): Promise<ActionWorker> {
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
