/** Makes events to deliver of claimed changes: one of each change, or batches of the changes of a trigger. */
import { type CapturedChange, printData } from './envelope.ts';
import { batchId, joinData, type TriggerEvent } from './request.ts';
import type { DeliveredTrigger, TriggerOperation } from './trigger.ts';

/** A captured change with its place in the tables of the source. */
export interface StoredChange extends CapturedChange {
  readonly number: number;
  /** Of type bigint, as are `segment` and `batch`. */
  readonly seq: string;
  readonly segment: string;
  /** The claim that it belongs to; undefined for a change in `joinery.trigger_work`. */
  readonly batch: string | undefined;
  /** Whether its rows are whole, because the table had changed: the delivered columns are selected here. */
  readonly outdated: boolean;
}

/** A claimed change. */
export interface ClaimedChange {
  readonly change: StoredChange;
  /** JSON strings; undefined for rows that are fetched before the call. */
  readonly rows: { readonly before: string | undefined; readonly after: string | undefined } | undefined;
  /** The length of both rows. */
  readonly bytes: number;
  readonly dueAt: number;
  /** When it was captured or last redelivered; milliseconds since 1970 by the database's clock. */
  readonly scheduledAt: number;
  readonly tries: number;
  readonly triesBefore: number;
  readonly orderingKey: string | undefined;
}

export interface StoredTriggerEvent extends TriggerEvent {
  readonly changes: readonly StoredChange[];
}

export interface EventBatches {
  /**
   * Adds claimed changes and returns the events to deliver. Changes of a batch that is not full wait until `max_wait_ms` has
   * passed; changes of another lease are removed, because they are released with it.
   */
  add(lease: string, claimed: readonly (readonly [DeliveredTrigger, ClaimedChange])[]): StoredTriggerEvent[];
  /** Returns the milliseconds until the next incomplete batch is delivered; undefined if there are none. */
  waitMs(): number | undefined;
  /** Removes the changes of a lease that is released. Those that were claimed under a later lease stay. */
  clear(lease: string): void;
}

/** The longest rows of a batch together, unless it has one event. */
export const MOST_BATCH_BYTES = 1_000_000;

/** A batch that waits for further changes. */
interface IncompleteBatch {
  readonly trigger: DeliveredTrigger;
  readonly changes: ClaimedChange[];
  bytes: number;
  /** By the monotonic clock. */
  readonly until: number;
}

export function createEventBatches(now: () => number = () => performance.now()): EventBatches {
  const incomplete = new Map<string, IncompleteBatch>();
  let holder: string | undefined;

  function addToBatch(trigger: DeliveredTrigger, claimed: ClaimedChange, maxWaitMs: number): IncompleteBatch {
    const key = keyOf(claimed);
    const known = incomplete.get(key);
    // After a change of its definition, the trigger is that of the last change.
    const batch = {
      trigger,
      changes: known?.changes ?? [],
      bytes: (known?.bytes ?? 0) + claimed.bytes,
      until: known?.until ?? now() + maxWaitMs,
    };
    batch.changes.push(claimed);
    incomplete.set(key, batch);
    return batch;
  }

  return {
    add(lease, claimed) {
      if (lease !== holder) incomplete.clear();
      holder = lease;
      const events: StoredTriggerEvent[] = [];
      for (const [trigger, one] of claimed) {
        if (trigger.batch === undefined) {
          events.push(eventOf(trigger, [one]));
          continue;
        }
        const before = incomplete.get(keyOf(one));
        if (before !== undefined && before.bytes + one.bytes > MOST_BATCH_BYTES) {
          incomplete.delete(keyOf(one));
          events.push(eventOf(trigger, before.changes));
        }
        const batch = addToBatch(trigger, one, trigger.batch.maxWaitMs);
        if (batch.changes.length < trigger.batch.maxEvents) continue;
        incomplete.delete(keyOf(one));
        events.push(eventOf(trigger, batch.changes));
      }
      for (const [key, { trigger, changes, until }] of incomplete) {
        if (until > now()) continue;
        incomplete.delete(key);
        events.push(eventOf(trigger, changes));
      }
      return events;
    },
    waitMs() {
      if (incomplete.size === 0) return undefined;
      return Math.max(Math.min(...Array.from(incomplete.values(), ({ until }) => until)) - now(), 0);
    },
    clear(lease) {
      if (lease === holder) incomplete.clear();
    },
  };
}

/** All changes of a batch have been called equally often, so that they share one retry budget. */
function keyOf({ change, tries, triesBefore }: ClaimedChange): string {
  return `${change.number}/${tries}/${triesBefore}`;
}

/** @param claimed has at least one change */
function eventOf(trigger: DeliveredTrigger, claimed: readonly ClaimedChange[]): StoredTriggerEvent {
  const changes = claimed.map(({ change }) => change);
  const [first] = claimed;
  if (first === undefined) throw new TypeError('an event without a change');
  const { webhook, lane, numRetries, retryIntervalSeconds, timeoutSeconds, retryRules } = trigger;
  return {
    id: trigger.batch === undefined ? first.change.id : batchId(changes),
    trigger,
    changes,
    webhook,
    lane,
    dueAt: Math.max(...claimed.map(({ dueAt }) => dueAt)),
    scheduledAt: first.scheduledAt,
    payload: payloadOf(trigger, claimed),
    numRetries,
    retryIntervalSeconds,
    timeoutSeconds,
    toleranceSeconds: Number.POSITIVE_INFINITY,
    tries: first.tries,
    triesBefore: first.triesBefore,
    retryRules,
    orderingKey: claimed.find(({ orderingKey }) => orderingKey !== undefined)?.orderingKey,
  };
}

/** Returns the payload, if all rows are known. */
function payloadOf(trigger: DeliveredTrigger, claimed: readonly ClaimedChange[]): string | undefined {
  const data: string[] = [];
  for (const { change, rows } of claimed) {
    if (rows === undefined) return undefined;
    data.push(dataOf(trigger, change, rows));
  }
  return joinData(data);
}

/** Returns the member `data` of a change. */
export function dataOf(
  trigger: DeliveredTrigger,
  { operation, outdated }: StoredChange,
  rows: NonNullable<ClaimedChange['rows']>,
): string {
  return printData(rows, {
    columns: outdated ? trigger.columns[operation] : undefined,
    quoted: quotedOf(trigger, operation),
  });
}

/** The payload of a manual event is no row. */
function quotedOf({ quoted }: DeliveredTrigger, operation: TriggerOperation): ReadonlySet<string> | undefined {
  return operation === 'MANUAL' ? undefined : quoted;
}
