/** The delivery of the events of all sources: one engine for each source with triggers, as the metadata is at present. */
import type { SourceName } from '@joinery/metadata/names';
import { withinMs } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import { createPeriodicTask } from '../../base/periodic-task.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Delivery } from '../../events/delivery/delivery.ts';
import type { DeliveryStats } from '../../events/delivery/delivery-stats.ts';
import type { EventStore } from '../../events/delivery/event-store.ts';
import type { StoredTriggerEvent } from '../../events/triggers/batches.ts';
import { historyRules, maintainHistory } from '../../events/triggers/retention.ts';
import { readTriggerStatistics } from '../../events/triggers/statistics.ts';
import { type DeliveredTrigger, deliveredTrigger } from '../../events/triggers/trigger.ts';
import { createTriggerStore } from '../../events/triggers/trigger-store.ts';
import type { Model } from '../../model/model.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { foreignNumbers } from './owner.ts';
import { triggerNumbers } from './reconcile.ts';

export interface TriggerDeliveriesOptions {
  readonly model: () => Model;
  /** Returns the URL of the source's database; undefined for a source that the metadata does not have. */
  readonly urlOf: (source: SourceName) => string | undefined;
  /** See `triggerOwner`. */
  readonly ownerOf: (source: SourceName) => Promise<string>;
  /** Opens a pool for the events of a source. */
  readonly open: (source: SourceName, url: string) => Database;
  /** Creates the engine of a source. */
  readonly deliver: (store: EventStore<StoredTriggerEvent>, url: string) => Delivery;
  /** Whether numbers that may lose digits in clients are sent as strings. */
  readonly stringifyNumerics?: boolean;
  readonly observe: Observe;
  /** Days that the events of triggers without a clean-up are retained; 0 for no limit. */
  readonly retentionDays: number;
}

export interface TriggerDeliveries {
  /** Starts the engines and follows changes of the metadata. */
  start(): Promise<void>;
  stop(limit: { readonly drainMs: number }): Promise<void>;
  /** Returns the statistics of this node by source. */
  stats(): ReadonlyMap<SourceName, DeliveryStats>;
  /** Returns the backlog of all nodes by source, without sources that cannot be read. */
  backlog(): Promise<ReadonlyMap<SourceName, TriggerBacklog>>;
}

export interface TriggerBacklog {
  /** Exact up to 10,000 events of each trigger. */
  readonly pending: number;
  /** The age of the oldest pending event; 0 without one. */
  readonly oldestSeconds: number;
  /** The backlog of each trigger with pending events that this node delivers. */
  readonly triggers: readonly TriggerBacklogOfLane[];
}

export interface TriggerBacklogOfLane {
  /** Scheme and host of the webhook, or the name of the target. */
  readonly lane: string;
  readonly pending: number;
  readonly oldestSeconds: number;
}

/** Interval in which a changed metadata is noticed, and a source that failed is tried again. */
const POLL_MS = 1_000;
/** Interval in which the numbers of triggers are read again: a repair of the database may have changed them. */
const NUMBERS_MS = 10_000;
const MAINTENANCE_MS = 60_000;
/** A source that does not respond must not delay the metrics of the others. */
const BACKLOG_LIMIT_MS = 2_000;
/** For a source that has no triggers any more. */
const DRAIN_MS = 10_000;

interface SourceDelivery {
  readonly name: SourceName;
  readonly url: string;
  readonly database: Database;
  /** Undefined until the triggers have been read for the first time. */
  delivery: Delivery | undefined;
  /** The triggers of the model that `triggers` was made of. */
  resolved: ReadonlyMap<string, EventTrigger> | undefined;
  triggers: ReadonlyMap<number, DeliveredTrigger>;
  /** The numbers of the triggers in the database by name, and the triggers of the model at the time when they were read. */
  numbers: ReadonlyMap<string, number>;
  readFor: ReadonlyMap<string, EventTrigger> | undefined;
  /** The triggers of other services and sources with the database. */
  foreign: readonly number[];
  /** When the numbers of the triggers were read, by the monotonic clock. */
  readAt: number;
  /** The last read of the numbers: an earlier one must not end after it. */
  reading: Promise<void>;
}

/** One for each process. Nothing happens before `start`. */
export function createTriggerDeliveries(options: TriggerDeliveriesOptions): TriggerDeliveries {
  const { model, observe } = options;
  const running = new Map<SourceName, SourceDelivery>();
  const failureLog = createFailureLog(observe, 'delivery of event triggers');
  const retentionLog = createFailureLog(observe, 'retention of event triggers');
  let stopping = false;

  function opened(name: SourceName, url: string): SourceDelivery {
    const database = options.open(name, url);
    return {
      name,
      url,
      database,
      delivery: undefined,
      resolved: undefined,
      triggers: new Map(),
      numbers: new Map(),
      readFor: undefined,
      foreign: [],
      readAt: 0,
      reading: Promise.resolve(),
    };
  }

  /** Makes the triggers of the engine. A trigger that is not in the database yet is created by the reconciliation. */
  function define(source: SourceDelivery, resolved: ReadonlyMap<string, EventTrigger>): void {
    const numbered = [...resolved.values()].flatMap((trigger) => {
      const number = source.numbers.get(trigger.name);
      return number === undefined ? [] : [[number, deliveredTrigger(number, trigger, options)] as const];
    });
    source.resolved = resolved;
    source.triggers = new Map(numbered);
  }

  /** Returns the triggers of the present model, so that no event is called as a former one defines it. */
  function present(source: SourceDelivery): SourceDelivery['triggers'] {
    const resolved = model().sources.get(source.name)?.eventTriggers;
    if (resolved !== undefined && resolved !== source.resolved) define(source, resolved);
    return source.triggers;
  }

  function readAgain(source: SourceDelivery): Promise<void> {
    const read = (): Promise<void> => readNumbers(source);
    source.reading = source.reading.then(read, read);
    return source.reading;
  }

  async function readNumbers(source: SourceDelivery): Promise<void> {
    const owner = await options.ownerOf(source.name);
    const numbers = await triggerNumbers(source.database.query, owner);
    source.readAt = performance.now();
    if (numbers.size > 0) source.foreign = await foreignNumbers(source.database.query, owner);
    const known = source.numbers;
    if (numbers.size === known.size && [...numbers].every(([name, number]) => known.get(name) === number)) return;
    source.numbers = numbers;
    if (source.resolved !== undefined) define(source, source.resolved);
  }

  async function follow(source: SourceDelivery, resolved: ReadonlyMap<string, EventTrigger>): Promise<void> {
    const isRecent = performance.now() - source.readAt < NUMBERS_MS && source.triggers.size === resolved.size;
    if (source.readFor === resolved && isRecent) return;
    await readAgain(source);
    source.readFor = resolved;
    if (source.resolved === undefined) define(source, resolved);
    present(source);
    if (source.triggers.size === 0) return;
    if (source.delivery !== undefined) return;
    const store = createTriggerStore({
      database: source.database,
      triggers: () => present(source),
      foreign: () => source.foreign,
      readNumbers: () => readAgain(source),
    });
    source.delivery = options.deliver(store, source.url);
    await source.delivery.start();
  }

  async function end(source: SourceDelivery, drainMs: number): Promise<void> {
    // The tables may have been removed with the last trigger.
    await source.delivery?.stop({ drainMs }).finally(() => source.database.close());
    if (source.delivery === undefined) await source.database.close();
  }

  async function update(name: SourceName, triggers: ReadonlyMap<string, EventTrigger>): Promise<void> {
    const url = triggers.size === 0 ? undefined : options.urlOf(name);
    const known = running.get(name);
    if (known !== undefined && known.url !== url) {
      running.delete(name);
      await end(known, DRAIN_MS);
    }
    if (url === undefined || stopping) return;
    const source = running.get(name) ?? opened(name, url);
    running.set(name, source);
    await follow(source, triggers);
  }

  /** Updates that run, and sources whose last update failed. */
  const updating = new Map<SourceName, Promise<void>>();
  const failing = new Set<SourceName>();

  async function updateAll(): Promise<void> {
    const { sources } = model();
    for (const name of new Set([...sources.keys(), ...running.keys()])) {
      // A source that does not respond must not delay the others.
      if (updating.has(name)) continue;
      // An inconsistent source keeps its engine.
      const triggers = sources.get(name)?.eventTriggers ?? running.get(name)?.resolved ?? new Map();
      updating.set(name, report(name, update(name, triggers)));
    }
  }

  async function report(name: SourceName, updated: Promise<void>): Promise<void> {
    try {
      await updated;
      failing.delete(name);
      if (failing.size === 0) failureLog.recovered();
    } catch (error) {
      failing.add(name);
      failureLog.failed(error);
    } finally {
      updating.delete(name);
    }
  }

  async function backlogOf({
    name,
    database,
    triggers: delivered,
  }: SourceDelivery): Promise<readonly [SourceName, TriggerBacklog]> {
    const owner = await options.ownerOf(name);
    const late = (): ServiceError => new ServiceError('timeout', 'the database did not respond in time');
    const read = await withinMs(BACKLOG_LIMIT_MS, late, (signal) => {
      const limited: Query = (run, more) => database.query(run, { ...more, signal });
      return readTriggerStatistics(limited, owner);
    });
    const lanes = new Map([...delivered.values()].map((trigger) => [trigger.name, trigger.lane]));
    const triggers = [...read].map(([trigger, { pending, oldest_pending_at: at }]) => ({
      lane: lanes.get(trigger),
      pending,
      oldestSeconds: at === null ? 0 : Math.max(Date.now() - Date.parse(at), 0) / 1_000,
    }));
    const backlog: TriggerBacklog = {
      pending: triggers.reduce((sum, { pending }) => sum + pending, 0),
      oldestSeconds: Math.max(0, ...triggers.map((one) => one.oldestSeconds)),
      triggers: triggers.flatMap(({ lane, ...one }) =>
        lane === undefined || one.pending === 0 ? [] : [{ lane, ...one }],
      ),
    };
    return [name, backlog];
  }

  async function maintainAll(): Promise<void> {
    const maintained = await Promise.allSettled(
      [...running.values()].map(async ({ name, database, resolved }) => {
        // The triggers have not been read yet.
        if (resolved === undefined) return;
        const rules = [...resolved.values()].map(
          (trigger) => [trigger.name, historyRules(trigger.cleanup, options.retentionDays)] as const,
        );
        const owner = await options.ownerOf(name);
        await maintainHistory(database.query, owner, new Map(rules), MAINTENANCE_MS / 1_000 / 2);
      }),
    );
    const failed = maintained.find((one) => one.status === 'rejected');
    if (failed === undefined) retentionLog.recovered();
    else retentionLog.failed(failed.reason);
  }

  const task = createPeriodicTask(updateAll, POLL_MS);
  const maintenance = createPeriodicTask(maintainAll, MAINTENANCE_MS);
  return {
    async start() {
      await task.start();
      // Not awaited: a source that does not respond must not delay the start.
      maintenance.start();
    },
    async stop({ drainMs }) {
      stopping = true;
      await Promise.all([task.stop(), maintenance.stop()]);
      await Promise.all(updating.values());
      await Promise.all([...running.values()].map((source) => end(source, drainMs)));
      running.clear();
    },
    stats: () =>
      new Map([...running.values()].flatMap(({ name, delivery }) => (delivery ? [[name, delivery.stats()]] : []))),
    async backlog() {
      const read = await Promise.allSettled([...running.values()].map(backlogOf));
      return new Map(read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    },
  };
}
