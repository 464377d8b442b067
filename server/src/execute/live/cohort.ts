/** A cohort: subscribers with the same statement, which are polled together in batches. */
import { type ServiceError, toServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { TextList } from '../../postgres/sql/parameters.ts';
import { Batch, batchesOf, type CohortSubscriber, Item, ItemList } from './item.ts';
import type { PolledTarget } from './live-target.ts';

/** Runs the statement with lists as parameters. Rejects with a ServiceError. */
export type LiveRun = (
  target: PolledTarget,
  lists: readonly TextList[],
  span: Span | undefined,
) => Promise<readonly (readonly (string | null)[])[]>;

export interface CohortSettings {
  /** Milliseconds within which a change is received. A poll starts after the end of the previous one. */
  readonly intervalMs: number;
  /** Maximum number of subscribers in one statement. */
  readonly batchSize: number;
}

export interface CohortParts {
  readonly batchSize: number;
  /** The quoted names of the tables that the statement reads; undefined if its result depends on more than their rows. */
  readonly tables: readonly string[] | undefined;
  readonly run: LiveRun;
  /** Runs a poll of `items` items, and the processing of its results, in a span. */
  readonly traced: (
    target: PolledTarget,
    items: number,
    poll: (span: Span | undefined) => Promise<void>,
  ) => Promise<void>;
  /** Called before each poll. Moves all subscribers to the cohorts of their current targets if the model has changed. */
  readonly refresh: () => void;
  /** Called when the last subscriber has been removed. */
  readonly empty: () => void;
}

/** Milliseconds after which all items are polled also at an unchanged position. */
const COMPLETE_MS = 10_000;
/** Minimum milliseconds between the starts of two polls because of mutations. */
const WAKE_MS = 20;
/** The same as a multiple of the duration of a poll: mutations use at most a fifth of the time for polls. */
const WAKE_SHARE = 5;

export class LiveCohort {
  readonly #parts: CohortParts;
  readonly #items = new Map<string, Item>();
  /** The items that each complete poll includes. */
  readonly #list: ItemList;
  /** Items with a subscriber that cannot receive a result or may not have the current one. */
  readonly #attention = new Set<Item>();
  readonly #timed = new Set<Item>();
  #fresh: Set<Item> | undefined;
  #streams = 0;
  /** The poll that starts next, or after the running one: of all items, or of those that cannot wait for a change. */
  #next: 'all' | 'some' | undefined;
  #polling = false;
  /** The last position of the source, which was read before any later poll. */
  #position: string | undefined;
  /** The position before the last complete poll. */
  #polledAt: string | undefined;
  /** Time of `performance.now()` of the start of the last complete poll. */
  #started = Number.NEGATIVE_INFINITY;
  #pollMs = 0;
  #woken = false;
  #waking: NodeJS.Timeout | undefined;

  constructor(parts: CohortParts) {
    this.#parts = parts;
    this.#list = new ItemList(parts.batchSize);
  }

  get tables(): CohortParts['tables'] {
    return this.#parts.tables;
  }

  /** Milliseconds that the last complete poll took. */
  get pollMs(): number {
    return this.#pollMs;
  }

  /** Copied, because subscribers may be removed meanwhile. */
  subscribers(): readonly CohortSubscriber[] {
    return [...this.#items.values()].flatMap(({ subscribers }) => [...subscribers]);
  }

  add(subscriber: CohortSubscriber): void {
    const { kind, values } = subscriber.target;
    // Each stream has its own cursor.
    const key = kind === 'stream' ? `${this.#streams++}` : JSON.stringify(values);
    const known = this.#items.get(key);
    const item = known ?? new Item(key, values);
    item.subscribers.add(subscriber);
    subscriber.item = key;
    subscriber.settled = false;
    if (known === undefined) {
      this.#items.set(key, item);
      if (item.isTimed) this.#timed.add(item);
      this.#soon(item);
    } else if (item.polled) {
      this.#attention.add(item);
      this.#request('some');
    }
  }

  remove(subscriber: CohortSubscriber): void {
    const item = subscriber.item === undefined ? undefined : this.#items.get(subscriber.item);
    if (item === undefined) return;
    subscriber.item = undefined;
    item.subscribers.delete(subscriber);
    if (item.subscribers.size > 0) {
      if (item.slot >= 0) this.#list.markChanged(item);
      return;
    }
    this.#items.delete(item.key);
    this.#attention.delete(item);
    this.#timed.delete(item);
    if (item.slot >= 0) this.#list.remove(item);
    if (this.#items.size > 0) return;
    this.stop();
    this.#parts.empty();
  }

  /** Called when the mark of a subscriber has changed, other than by a poll. */
  recheck(subscriber: CohortSubscriber): void {
    const item = subscriber.item === undefined ? undefined : this.#items.get(subscriber.item);
    if (item === undefined) return;
    this.#attention.add(item);
    if (item.polled) this.#request('some');
  }

  stop(): void {
    clearTimeout(this.#waking);
    this.#waking = undefined;
    this.#woken = false;
    this.#next = undefined;
  }

  /**
   * Called at each interval. `position` is that of the source, read since the last call: while it does not change, no row
   * that the statement reads has changed. Undefined if that is not known.
   */
  tick(position: string | undefined): void {
    this.#position = position;
    const unchanged = position !== undefined && position === this.#polledAt;
    this.#request(unchanged && performance.now() - this.#started < COMPLETE_MS ? 'some' : 'all');
  }

  /** Called when a mutation has changed a table of the statement. Polls as soon as the limits allow. */
  wake(): void {
    this.#woken = true;
    this.#scheduleWake();
  }

  #scheduleWake(): void {
    if (!this.#woken || this.#polling || this.#waking !== undefined) return;
    const pause = Math.max(WAKE_MS, WAKE_SHARE * this.#pollMs);
    const inMs = Math.max(0, this.#started + pause - performance.now());
    this.#waking = setTimeout(() => {
      this.#waking = undefined;
      if (this.#woken) this.#request('all');
    }, inMs);
  }

  /** Polls new items immediately. Items added in the same turn of the event loop are polled together. */
  #soon(item: Item): void {
    if (this.#fresh !== undefined) {
      this.#fresh.add(item);
      return;
    }
    const fresh = new Set([item]);
    this.#fresh = fresh;
    setImmediate(() => {
      this.#fresh = undefined;
      void this.#pollFresh([...fresh].filter((one) => one.subscribers.size > 0));
    });
  }

  async #pollFresh(items: readonly Item[]): Promise<void> {
    const poll = async (batch: Batch): Promise<void> => {
      await this.#runBatch(batch);
      for (const item of batch.items) {
        item.polled = true;
        // It may have lost its subscribers meanwhile.
        if (this.#items.get(item.key) === item) this.#attention.add(item);
      }
    };
    await Promise.all(batchesOf(items, this.#parts.batchSize).map(poll));
  }

  #request(what: 'all' | 'some'): void {
    if (this.#next !== 'all') this.#next = what;
    if (!this.#polling) void this.#run();
  }

  async #run(): Promise<void> {
    this.#polling = true;
    while (this.#next !== undefined) {
      const what = this.#next;
      this.#next = undefined;
      this.#parts.refresh();
      if (what === 'all') await this.#pollAll();
      else await this.#pollSome();
    }
    this.#polling = false;
    this.#scheduleWake();
  }

  async #pollAll(): Promise<void> {
    this.#started = performance.now();
    this.#polledAt = this.#position;
    this.#woken = false;
    const apart: Item[] = [];
    for (const item of this.#attention) {
      const isReady = item.isReady();
      if (item.apart && isReady) apart.push(item);
      const isListed = isReady && !item.apart;
      if (item.slot >= 0) {
        if (isListed) this.#list.markChanged(item);
        else this.#list.remove(item);
      } else if (isListed) this.#list.add(item);
      if (item.apart || !isReady) item.missed();
      else if (item.isQuiet()) this.#attention.delete(item);
    }
    await this.#runAll([...apart.map((item) => new Batch([item])), ...this.#list.batches()]);
    this.#pollMs = performance.now() - this.#started;
  }

  /** Polls the items whose subscribers may not have the current result at an unchanged position. */
  async #pollSome(): Promise<void> {
    const behind = new Set<Item>();
    for (const item of this.#attention) {
      if (item.isBehind()) behind.add(item);
      else if (!item.apart && item.isQuiet()) {
        if (item.slot >= 0) this.#list.markChanged(item);
        else this.#list.add(item);
        this.#attention.delete(item);
      }
    }
    for (const item of this.#timed) if (item.polled && item.isReady()) behind.add(item);
    if (behind.size === 0) return;
    const wanted = [...behind];
    const together = wanted.filter(({ apart }) => !apart);
    await this.#runAll([
      ...wanted.filter(({ apart }) => apart).map((item) => new Batch([item])),
      ...batchesOf(together, this.#parts.batchSize),
    ]);
  }

  async #runAll(batches: readonly Batch[]): Promise<void> {
    await Promise.all(batches.map((batch) => this.#runBatch(batch)));
  }

  async #runBatch(batch: Batch): Promise<void> {
    const { items } = batch;
    const [first] = items;
    const target = targetOf(items);
    if (first === undefined || target === undefined) return;
    const marks = this.#marksOf(items);
    try {
      await this.#parts.traced(target, items.length, async (span) => {
        for (const [position, result = null, mark = null] of await this.#parts.run(target, batch.lists(), span)) {
          const item = items[Number(position) - 1];
          if (item === undefined || result === null) continue;
          marks?.delete(item);
          if (this.#items.get(item.key) === item) this.#attention.add(item);
          for (const one of [...item.subscribers]) one.take(result, mark, span);
        }
      });
      if (marks !== undefined) for (const [item, mark] of marks) item.unchanged(mark);
      if (items.length === 1) first.apart = false;
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (items.length > 1 && isValueError(error)) {
        // Bisects the batch, so that an invalid value fails for its own subscribers only.
        const half = Math.ceil(items.length / 2);
        await this.#runAll([new Batch(items.slice(0, half)), new Batch(items.slice(half))]);
        return;
      }
      if (items.length === 1) first.apart = isValueError(error);
      for (const item of items) {
        if (this.#items.get(item.key) === item) this.#attention.add(item);
        for (const one of [...item.subscribers]) one.fail(error);
      }
    }
  }

  /** Returns the marks of the items whose subscribers may not have the current result. */
  #marksOf(items: readonly Item[]): Map<Item, string | null> | undefined {
    const marked = items.filter((item) => this.#attention.has(item) || !item.polled);
    return marked.length === 0 ? undefined : new Map(marked.map((item) => [item, item.known()]));
  }
}

/** Returns the target of a subscriber. Those of all subscribers have the same statement. */
function targetOf(items: readonly Item[]): PolledTarget | undefined {
  for (const { subscribers } of items) for (const { target } of subscribers) return target;
  return undefined;
}

function isValueError(error: ServiceError): boolean {
  return error.code !== 'busy' && error.code !== 'timeout';
}
