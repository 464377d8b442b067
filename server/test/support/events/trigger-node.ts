/** Nodes that deliver the events of a source with triggers. */
import type { Environment } from '../../../src/base/environment.ts';
import { createFailureLog } from '../../../src/base/failure-log.ts';
import { createHttpClient } from '../../../src/base/http-client/http-client.ts';
import type { Observation } from '../../../src/base/telemetry/observe.ts';
import { createDatabaseClock } from '../../../src/events/delivery/database-clock.ts';
import { createDelivery, type Delivery } from '../../../src/events/delivery/delivery.ts';
import {
  createDestinationLimits,
  type DestinationLimits,
  followedLimits,
} from '../../../src/events/destinations/limits.ts';
import { type LeaseTimes, takeLease } from '../../../src/events/leases/leases.ts';
import type { DeliveredTrigger } from '../../../src/events/triggers/trigger.ts';
import { createTriggerStore } from '../../../src/events/triggers/trigger-store.ts';
import { createDatabase } from '../../../src/postgres/client/pool.ts';
import { pooled } from '../database/pooler.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { noTargets } from './delivery-node.ts';

export interface TriggerNode extends Delivery {
  readonly observed: readonly Observation[];
  /** Stops the node and closes its connections. */
  close(): Promise<void>;
}

export interface TriggerNodeOptions {
  /** The URL of the source. */
  readonly url: string;
  /** A database with the schema of the store, for the limits of destinations. */
  readonly store: Pick<TestDatabase, 'url'>;
  readonly triggers: () => ReadonlyMap<number, DeliveredTrigger>;
  /** The limits of another engine of the node. Default: limits of its own. */
  readonly limits?: DestinationLimits;
  /** Whether it receives notifications. Default true. */
  readonly listens?: boolean;
  readonly environment?: Environment;
  readonly leaseTimes?: LeaseTimes;
  readonly nodeId?: string;
}

/** Starts a node that delivers the events of one source. */
export async function startTriggerNode(options: TriggerNodeOptions): Promise<TriggerNode> {
  const { environment = {}, triggers, nodeId = 'test' } = options;
  const observed: Observation[] = [];
  const observe = (observation: Observation): void => {
    observed.push(observation);
  };
  const connect = (url: string) =>
    createDatabase({
      url: pooled(url),
      poolSize: 4,
      statementTimeoutMs: 20_000,
      prepare: true,
      applicationName: 'joinery triggers test',
      observe,
    });
  const source = connect(options.url);
  const store = connect(options.store.url);
  const httpClient = createHttpClient({ connections: 128 });
  const clock = createDatabaseClock();
  const own = (): DestinationLimits =>
    createDestinationLimits({
      query: store.query,
      environment,
      perDestination: 100,
      overall: 2_000,
      circuitFailures: 20,
      now: clock.now,
      failureLog: createFailureLog(observe, 'circuits'),
    });
  const limits = options.limits ?? own();
  // In the service the delivery of scheduled events reads the limits, under its lease.
  if (options.limits === undefined) await limits.load(await takeLease(store.query, `${nodeId} events`, 3_600_000));
  const delivery = createDelivery({
    store: createTriggerStore({ database: source, triggers }),
    clock,
    limits: followedLimits(limits),
    databaseUrl: options.listens === false ? undefined : pooled(options.url),
    httpClient,
    callTarget: noTargets,
    environment,
    observe,
    nodeId,
    agent: 'joinery/test',
    leaseTimes: options.leaseTimes,
  });
  await delivery.start();
  let stopped: Promise<void> | undefined;
  const stop: Delivery['stop'] = (limit) => {
    stopped ??= delivery.stop(limit);
    return stopped;
  };
  return {
    ...delivery,
    stop,
    observed,
    close: async () => {
      await stop({ drainMs: 0 });
      await httpClient.close();
      await source.close();
      await store.close();
    },
  };
}
