/** A cohort: subscribers with the same statement, which are polled together in batches. */
import { type ServiceError, toServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { LiveTarget } from './live-target.ts';
import type { LiveSubscriber } from './subscriber.ts';

/** Runs the statement with lists as parameters. Rejects with a ServiceError. */
export type LiveRun = (
  target: LiveTarget,
  lists: readonly (readonly (string | null)[])[],
  span: Span | undefined,
) => Promise<readonly (readonly (string | null)[])[]>;

export interface CohortSettings {
  /** Milliseconds between the starts of two polls. A poll starts after the end of the previous one. */
  readonly intervalMs: number;
  /** Maximum number of subscribers in one statement. */
  readonly batchSize: number;
}

export interface CohortParts {
  readonly settings: CohortSettings;
  readonly run: LiveRun;
  /** Runs a poll of `items` items, and the processing of its results, in a span. */
  readonly traced: (
    target: LiveTarget,
    items: number,
    poll: (span: Span | undefined) => Promise<void>,
  ) => Promise<void>;
  /** Called before each poll. Can move the subscriber to another cohort. */
  readonly refresh: (subscriber: LiveSubscriber) => void;
  /** Called when the last subscriber has been removed. */
  readonly empty: () => void;
}

/** Subscribers with the same values, which share one item of the lists. */
interface Item {
  readonly values: LiveTarget['values'];
  readonly subscribers: Set<LiveSubscriber>;
  busy: boolean;
  /** Whether the item is polled alone, because its values made a statement fail. */
  apart: boolean;
}

export class LiveCohort {
  readonly #parts: CohortParts;
  readonly #items = new Map<string, Item>();
  readonly #itemOf = new Map<LiveSubscriber, string>();
  #fresh: Set<Item> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #polling = false;
  #streams = 0;

  constructor(parts: CohortParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#itemOf.size;
  }

  add(subscriber: LiveSubscriber): void {
    const { kind, values } = subscriber.target;
    // Each stream has its own cursor.
    const key = kind === 'stream' ? `${this.#streams++}` : JSON.stringify(values);
    const item = this.#items.get(key) ?? { values, subscribers: new Set(), busy: false, apart: false };
    this.#items.set(key, item);
    this.#itemOf.set(subscriber, key);
    item.subscribers.add(subscriber);
    this.#soon(item);
  }

  remove(subscriber: LiveSubscriber): void {
    const key = this.#itemOf.get(subscriber);
    const item = key === undefined ? undefined : this.#items.get(key);
    this.#itemOf.delete(subscriber);
    if (key === undefined || item === undefined) return;
    item.subscribers.delete(subscriber);
    if (item.subscribers.size > 0) return;
    this.#items.delete(key);
    if (this.#items.size > 0) return;
    this.stop();
    this.#parts.empty();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
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
      void this.#poll([...fresh].filter((one) => one.subscribers.size > 0));
      this.#schedule(this.#parts.settings.intervalMs);
    });
  }

  #schedule(inMs: number): void {
    if (this.#timer !== undefined || this.#polling || this.#items.size === 0) return;
    this.#timer = setTimeout(() => void this.#tick(), inMs);
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    this.#polling = true;
    const started = performance.now();
    for (const subscriber of [...this.#itemOf.keys()]) this.#parts.refresh(subscriber);
    await this.#poll([...this.#items.values()]);
    this.#polling = false;
    this.#schedule(Math.max(0, this.#parts.settings.intervalMs - (performance.now() - started)));
  }

  async #poll(items: readonly Item[]): Promise<void> {
    const wanted = items.filter((item) => !item.busy && [...item.subscribers].some((one) => one.isReady()));
    const together = wanted.filter(({ apart }) => !apart);
    const { batchSize } = this.#parts.settings;
    const batches = wanted.filter(({ apart }) => apart).map((item) => [item]);
    for (let at = 0; at < together.length; at += batchSize) batches.push(together.slice(at, at + batchSize));
    for (const item of wanted) item.busy = true;
    await Promise.all(batches.map((batch) => this.#runBatch(batch)));
    for (const item of wanted) item.busy = false;
  }

  async #runBatch(batch: readonly Item[]): Promise<void> {
    const [first] = batch;
    const target = first && [...first.subscribers][0]?.target;
    if (first === undefined || target === undefined) return;
    const known = batch.map(knownOf);
    const lists = [known, ...target.values.map((_, index) => batch.map(({ values }) => values[index] ?? null))];
    try {
      await this.#parts.traced(target, batch.length, async (span) => {
        for (const [position, result = null, mark = null] of await this.#parts.run(target, lists, span)) {
          const item = batch[Number(position) - 1];
          if (item === undefined) continue;
          for (const subscriber of [...item.subscribers]) subscriber.take(result, mark, span);
        }
      });
      if (batch.length === 1) first.apart = false;
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (batch.length > 1 && isValueError(error)) {
        // Bisects the batch, so that an invalid value fails for its own subscribers only.
        const half = Math.ceil(batch.length / 2);
        await Promise.all([this.#runBatch(batch.slice(0, half)), this.#runBatch(batch.slice(half))]);
        return;
      }
      if (batch.length === 1) first.apart = isValueError(error);
      for (const { subscribers } of batch) for (const subscriber of [...subscribers]) subscriber.fail(error);
    }
  }
}

/** Returns the mark known to all ready subscribers; null if they differ. */
function knownOf({ subscribers }: Item): string | null {
  const marks = new Set([...subscribers].filter((one) => one.isReady()).map((one) => one.known));
  const [mark, second] = marks;
  return second === undefined && marks.size === 1 ? (mark ?? null) : null;
}

function isValueError(error: ServiceError): boolean {
  return error.code !== 'busy' && error.code !== 'timeout';
}
