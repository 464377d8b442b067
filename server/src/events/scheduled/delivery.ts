/** Delivery of one-off and cron events by this node. */
import { createFailureLog } from '../../base/failure-log.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { createDatabaseClock } from '../delivery/database-clock.ts';
import { createDelivery, type Delivery, type DeliveryOptions } from '../delivery/delivery.ts';
import { createDestinationLimits, type DestinationLimits } from '../destinations/limits.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { createScheduledEventStore } from './store.ts';

export interface DeliverySettings {
  /** Concurrent calls to one destination. */
  readonly perDestination: number;
  /** Concurrent calls of the node. */
  readonly overall: number;
  /** Consecutive failures of a destination that open its circuit; 0 disables circuit breakers. */
  readonly circuitFailures: number;
}

const deliveryDefaults: DeliverySettings = { perDestination: 100, overall: 2_000, circuitFailures: 20 };

export interface ScheduledDeliveryOptions extends Omit<DeliveryOptions<PendingEvent>, 'store' | 'clock' | 'limits'> {
  /** The database with the schema `joinery`, by a pool that does not serve requests. */
  readonly database: Database;
  readonly settings?: Partial<DeliverySettings>;
}

export interface ScheduledDelivery extends Delivery {
  /** The limits of destinations, which this delivery reads for all engines of the node. */
  readonly limits: DestinationLimits;
}

/** One for each process. Nothing happens before `start`. */
export function createScheduledDelivery(options: ScheduledDeliveryOptions): ScheduledDelivery {
  const { database, environment, observe } = options;
  const { perDestination, overall, circuitFailures } = { ...deliveryDefaults, ...options.settings };
  const clock = createDatabaseClock();
  const limits = createDestinationLimits({
    query: database.query,
    environment,
    perDestination,
    overall,
    circuitFailures,
    now: clock.now,
    failureLog: createFailureLog(observe, 'circuits of destinations'),
  });
  const store = createScheduledEventStore(database, clock);
  return { ...createDelivery({ ...options, store, clock, limits }), limits };
}
