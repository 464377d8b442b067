/** Subscribers with the same values, which share one item of the lists of a statement. */
import type { ServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { TextList } from '../../postgres/sql/parameters.ts';
import type { PolledTarget } from './live-target.ts';

/** A subscriber of this process, or the same item of another process. */
export interface CohortSubscriber {
  readonly target: PolledTarget;
  /** The mark of the last delivered result. */
  readonly known: string | null;
  /** The key of its item in its cohort. */
  item: string | undefined;
  /** Whether the last poll of its item found no other result than the delivered one. */
  settled: boolean;
  /** Whether the subscriber is ready for a poll. */
  isReady(): boolean;
  /** Processes a polled result and its mark. */
  take(result: string | null, mark: string | null, span?: Span): void;
  fail(error: ServiceError): void;
}

/**
 * Texts that PostgreSQL reads as the current time or date. Letters before or after them belong to another word; other
 * characters separate words.
 */
const timeWord = /(?<![a-z])(?:now|today|tomorrow|yesterday)(?![a-z])/i;

export class Item<Subscriber extends CohortSubscriber = CohortSubscriber> {
  readonly key: string;
  readonly values: PolledTarget['values'];
  readonly subscribers = new Set<Subscriber>();
  /** Whether its result can change with time, without a change of rows. */
  readonly isTimed: boolean;
  /** Whether it has been polled, also if that failed. */
  polled = false;
  /** Whether it is polled alone, because its values made a statement fail. */
  apart = false;
  /** Its position in the list of items; -1 if it is in none. */
  slot = -1;

  constructor(key: string, values: PolledTarget['values']) {
    this.key = key;
    this.values = values;
    this.isTimed = values.some((value) => value !== null && timeWord.test(value));
  }

  /** Whether a subscriber can receive a result. */
  isReady(): boolean {
    for (const one of this.subscribers) if (one.isReady()) return true;
    return false;
  }

  /** Whether a subscriber can receive a result and may not have the current one. */
  isBehind(): boolean {
    for (const one of this.subscribers) if (!one.settled && one.isReady()) return true;
    return false;
  }

  /** Whether every subscriber can receive a result and has the current one. */
  isQuiet(): boolean {
    for (const one of this.subscribers) if (!one.settled || !one.isReady()) return false;
    return true;
  }

  /** Returns the mark known to all ready subscribers; null if they differ. */
  known(): string | null {
    let mark: string | null | undefined;
    for (const one of this.subscribers) {
      if (!one.isReady()) continue;
      if (mark === undefined) mark = one.known;
      else if (mark !== one.known) return null;
    }
    return mark ?? null;
  }

  /** Called when a poll with the mark `known` returned no new result. */
  unchanged(known: string | null): void {
    for (const one of this.subscribers) if (one.known === known) one.settled = true;
  }

  /** Called when the rows may have changed and the item was not polled. */
  missed(): void {
    for (const one of this.subscribers) one.settled = false;
  }
}

/** Items that are polled by one statement, and its parameters. */
export class Batch {
  readonly items: readonly Item[];
  #known: TextList | undefined;
  #values: readonly TextList[] | undefined;

  constructor(items: readonly Item[]) {
    this.items = items;
  }

  /** The lists of the statement. Lists that have not changed are the same objects. */
  lists(): readonly [known: TextList, ...values: TextList[]] {
    const width = this.items[0]?.values.length ?? 0;
    this.#values ??= Array.from(
      { length: width },
      (_, index) => new TextList(this.items.map(({ values }) => values[index] ?? null)),
    );
    this.#known ??= new TextList(this.items.map((item) => item.known()));
    return [this.#known, ...this.#values];
  }

  /** Called when the mark of an item may have changed. */
  marksChanged(): void {
    this.#known = undefined;
  }
}

/** Returns the items in batches of at most `size`. */
export function batchesOf(items: readonly Item[], size: number): Batch[] {
  const batches: Batch[] = [];
  for (let at = 0; at < items.length; at += size) batches.push(new Batch(items.slice(at, at + size)));
  return batches;
}

/** Items in batches that remain the same between polls. All batches but the last are full. */
export class ItemList {
  readonly #size: number;
  readonly #items: Item[] = [];
  /** Undefined where an item was added, moved or removed. */
  readonly #batches: (Batch | undefined)[] = [];

  constructor(batchSize: number) {
    this.#size = batchSize;
  }

  add(item: Item): void {
    item.slot = this.#items.push(item) - 1;
    this.#forget(item.slot);
  }

  /** Moves the last item to the slot of the removed one. */
  remove(item: Item): void {
    const last = this.#items.pop();
    if (last === undefined) return;
    this.#forget(this.#items.length);
    if (last !== item) {
      this.#items[item.slot] = last;
      last.slot = item.slot;
      this.#forget(item.slot);
    }
    item.slot = -1;
    this.#batches.length = Math.ceil(this.#items.length / this.#size);
  }

  /** Called when the mark of an item of the list may have changed. */
  markChanged({ slot }: Item): void {
    this.#batches[Math.floor(slot / this.#size)]?.marksChanged();
  }

  batches(): readonly Batch[] {
    return Array.from(this.#batches, (batch, index) => {
      const found = batch ?? new Batch(this.#items.slice(index * this.#size, (index + 1) * this.#size));
      this.#batches[index] = found;
      return found;
    });
  }

  #forget(slot: number): void {
    this.#batches[Math.floor(slot / this.#size)] = undefined;
  }
}
