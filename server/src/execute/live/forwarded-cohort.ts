/** A cohort of this process that another process polls. Joins and responses are made here, for each subscriber. */
import type { ServiceError } from '../../base/errors.ts';
import { Item } from './item.ts';
import type { Outbox } from './peers.ts';
import type { LiveSubscriber } from './subscriber.ts';

export interface ForwardedCohortParts {
  /** The process that polls. */
  readonly owner: string;
  readonly outbox: Outbox;
  /** The items of all cohorts, by number. */
  readonly items: Map<number, ForwardedItem>;
  /** Returns a number that no item has had. */
  readonly number: () => number;
  /** Called before results are delivered and at each interval. Moves all subscribers if the model has changed. */
  readonly refresh: () => void;
  /** Called when the last subscriber has been removed. */
  readonly empty: () => void;
}

export class ForwardedItem extends Item<LiveSubscriber> {
  readonly cohort: ForwardedCohort;
  readonly number: number;
  /** The mark of the last received result, while the owner waits for the confirmation; null after an error. */
  received: string | null | undefined;

  constructor(cohort: ForwardedCohort, number: number, key: string, values: Item['values']) {
    super(key, values);
    this.cohort = cohort;
    this.number = number;
  }
}

/** The statement is reported to the owner by the creator. */
export class ForwardedCohort {
  readonly number: number;
  readonly #parts: ForwardedCohortParts;
  readonly #items = new Map<string, ForwardedItem>();
  /** Items with a result that is not confirmed, or with a subscriber that may not have the current one. */
  readonly #attention = new Set<ForwardedItem>();

  constructor(number: number, parts: ForwardedCohortParts) {
    this.number = number;
    this.#parts = parts;
  }

  get owner(): string {
    return this.#parts.owner;
  }

  subscribers(): readonly LiveSubscriber[] {
    return [...this.#items.values()].flatMap(({ subscribers }) => [...subscribers]);
  }

  add(subscriber: LiveSubscriber): void {
    const { values } = subscriber.target;
    const key = JSON.stringify(values);
    const known = this.#items.get(key);
    const item = known ?? new ForwardedItem(this, this.#parts.number(), key, values);
    item.subscribers.add(subscriber);
    subscriber.item = key;
    subscriber.settled = known === undefined;
    if (known === undefined) {
      this.#items.set(key, item);
      this.#parts.items.set(item.number, item);
      this.#put({ kind: 'poll', cohort: this.number, item: item.number, values, known: subscriber.known });
    } else {
      this.#attention.add(item);
      // Otherwise the confirmation reports it.
      if (item.received === undefined) this.#confirm(item);
    }
  }

  remove(subscriber: LiveSubscriber): void {
    const item = subscriber.item === undefined ? undefined : this.#items.get(subscriber.item);
    if (item === undefined) return;
    subscriber.item = undefined;
    item.subscribers.delete(subscriber);
    if (item.subscribers.size > 0) return;
    this.#items.delete(item.key);
    this.#parts.items.delete(item.number);
    this.#attention.delete(item);
    this.#put({ kind: 'end', item: item.number });
    if (this.#items.size > 0) return;
    this.#put({ kind: 'end-cohort', cohort: this.number });
    this.#parts.empty();
  }

  /** Delivers a result to the subscribers that can receive it. */
  take(item: ForwardedItem, mark: string, result: string): void {
    this.#parts.refresh();
    item.received = mark;
    if (item.subscribers.size > 0) this.#attention.add(item);
    for (const one of [...item.subscribers]) one.take(result, mark);
  }

  fail(item: ForwardedItem, error: ServiceError): void {
    this.#parts.refresh();
    item.received = null;
    if (item.subscribers.size > 0) this.#attention.add(item);
    for (const one of [...item.subscribers]) one.fail(error);
  }

  /** Confirms results that all ready subscribers have. Returns whether others are not confirmed. */
  confirmReceived(): boolean {
    let waits = false;
    for (const item of this.#attention) {
      if (item.received === undefined) continue;
      if (item.received !== null && item.isReady() && item.known() === item.received) this.#confirm(item);
      else waits = true;
    }
    return waits;
  }

  /** Called at each interval: requests results for subscribers that may not have the current one. */
  tick(): void {
    this.#parts.refresh();
    for (const item of this.#attention) {
      if (item.isReady() && (item.received !== undefined || item.isBehind())) this.#confirm(item);
      else if (item.received === undefined && item.isQuiet()) this.#attention.delete(item);
    }
  }

  /** Reports the mark of the ready subscribers. The owner sends the result of another mark. */
  #confirm(item: ForwardedItem): void {
    item.received = undefined;
    for (const one of item.subscribers) if (one.isReady()) one.settled = true;
    this.#put({ kind: 'known', item: item.number, known: item.known() });
  }

  #put(message: Parameters<Outbox['put']>[1]): void {
    this.#parts.outbox.put(this.owner, message);
  }
}
