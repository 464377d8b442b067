/** Subscribers whose statement is the same: polled together, a hundred to a statement. */
import { type ServiceError, toServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { LiveTarget } from './live-target.ts';
import type { LiveSubscriber } from './subscriber.ts';

/** Runs the statement with these lists. Rejects with a ServiceError. */
export type LiveRun = (
  target: LiveTarget,
  lists: readonly (readonly (string | null)[])[],
  span: Span | undefined,
) => Promise<readonly (readonly (string | null)[])[]>;

export interface CohortSettings {
  /** Milliseconds from the start of a poll to the start of the next; a poll that takes longer is not overtaken. */
  readonly intervalMs: number;
  /** Subscribers to a statement. */
  readonly batchSize: number;
}

export interface CohortParts {
  readonly settings: CohortSettings;
  readonly run: LiveRun;
  /** Runs the poll of so many items, and what its results cause, within a span. */
  readonly traced: (
    target: LiveTarget,
    items: number,
    poll: (span: Span | undefined) => Promise<void>,
  ) => Promise<void>;
  /** Before each poll: may move subscribers elsewhere. */
  readonly refresh: (subscriber: LiveSubscriber) => void;
  readonly empty: () => void;
}

/** Subscribers with the same values: one item of the lists. */
interface Item {
  readonly values: LiveTarget['values'];
  readonly subscribers: Set<LiveSubscriber>;
  busy: boolean;
  /** Its values made a statement fail, so it does not share one for now. */
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
    // Each stream is at a place of its own.
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

  /** Who comes is not kept waiting for the next poll; those who come together are polled together. */
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
    const wanted = items.filter((item) => !item.busy && [...item.subscribers].some((one) => one.wants()));
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
        // One bad value must not be the trouble of ninety-nine others.
        const half = Math.ceil(batch.length / 2);
        await Promise.all([this.#runBatch(batch.slice(0, half)), this.#runBatch(batch.slice(half))]);
        return;
      }
      if (batch.length === 1) first.apart = isValueError(error);
      for (const { subscribers } of batch) for (const subscriber of [...subscribers]) subscriber.fail(error);
    }
  }
}

/** What all of them know who will be told; null when they do not know the same. */
function knownOf({ subscribers }: Item): string | null {
  const marks = new Set([...subscribers].filter((one) => one.wants()).map((one) => one.known));
  const [mark, second] = marks;
  return second === undefined && marks.size === 1 ? (mark ?? null) : null;
}

function isValueError(error: ServiceError): boolean {
  return error.code !== 'busy' && error.code !== 'timeout';
}
