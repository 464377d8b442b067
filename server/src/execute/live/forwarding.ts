/** Live queries of several processes: each statement is polled by one of them, which sends changed results to the others. */
import { ChangeForwarder } from './change-forwarder.ts';
import type { ChangedTables } from './changes.ts';
import { ForwardedCohort, type ForwardedCohortParts, type ForwardedItem } from './forwarded-cohort.ts';
import type { LiveTarget } from './live-target.ts';
import { PeerItems, type PeerItemsParts } from './peer-items.ts';
import { fromPeerError, type LivePeers, Outbox, ownerOf, type PeerMessage, type PeerSet } from './peers.ts';
import type { LiveSubscriber } from './subscriber.ts';

export interface ForwardingParts extends Omit<PeerItemsParts, 'outbox'> {
  readonly peers: LivePeers;
  /** Milliseconds between two polls of a live query. */
  readonly intervalMs: number;
  /** Moves the subscribers whose owner has changed. */
  readonly move: () => void;
  /** Polls the statements that read the tables. */
  readonly wake: (source: LiveTarget['source'], tables: ChangedTables) => void;
}

/** Milliseconds until a received result is confirmed, doubled while subscribers do not have it. */
const CONFIRM_MS = 5;
/** Milliseconds for which this process polls a statement that its owner cannot poll. */
const OWN_MS = 5_000;
/** Maximum number of cached owners. */
const MOST_OWNERS = 10_000;

export class Forwarding {
  readonly #parts: ForwardingParts;
  readonly #outbox: Outbox;
  readonly #changes: ChangeForwarder;
  readonly #polled: PeerItems;
  #set: PeerSet = { owners: [], alive: [] };
  readonly #owners = new Map<string, string | undefined>();
  readonly #cohorts = new Map<string, ForwardedCohort>();
  readonly #keys = new Map<number, string>();
  readonly #items = new Map<number, ForwardedItem>();
  /** Statements that are polled here because their owner cannot poll them. */
  readonly #unavailable = new Map<string, NodeJS.Timeout>();
  #numbers = 0;
  #polls = false;
  #ticker: NodeJS.Timeout | undefined;
  #confirming: NodeJS.Timeout | undefined;
  #confirmMs = CONFIRM_MS;

  constructor(parts: ForwardingParts) {
    this.#parts = parts;
    this.#outbox = new Outbox(parts.peers);
    this.#changes = new ChangeForwarder(this.#outbox);
    this.#polled = new PeerItems({ ...parts, outbox: this.#outbox });
    parts.peers.listen({
      received: (from, messages) => {
        for (const message of messages) this.#received(from, message);
      },
      changed: (set) => this.#changed(set),
    });
  }

  /** Returns the process that polls for the key; undefined: this one. */
  ownerOf(key: string): string | undefined {
    if (this.#unavailable.has(key)) return undefined;
    if (!this.#owners.has(key)) {
      if (this.#owners.size >= MOST_OWNERS) this.#owners.clear();
      const owner = ownerOf(key, this.#set.owners);
      this.#owners.set(key, owner === this.#parts.peers.self ? undefined : owner);
    }
    return this.#owners.get(key);
  }

  /** Returns the cohort of a key that `owner` polls. */
  cohort(
    key: string,
    owner: string,
    target: LiveTarget,
    refresher: (subscribers: () => readonly LiveSubscriber[]) => () => void,
  ): ForwardedCohort {
    const known = this.#cohorts.get(key);
    if (known?.owner === owner) return known;
    const number = ++this.#numbers;
    const parts: ForwardedCohortParts = {
      owner,
      outbox: this.#outbox,
      items: this.#items,
      number: () => ++this.#numbers,
      refresh: refresher(() => cohort.subscribers()),
      empty: () => {
        this.#keys.delete(number);
        if (this.#cohorts.get(key) === cohort) this.#cohorts.delete(key);
      },
    };
    const cohort: ForwardedCohort = new ForwardedCohort(number, parts);
    this.#cohorts.set(key, cohort);
    this.#keys.set(number, key);
    const { source, text, tables, isRepeatable, path } = target;
    const statement = { source, text, tables, isRepeatable, path, version: this.#parts.version() };
    this.#outbox.put(owner, { kind: 'cohort', cohort: number, statement });
    this.#ticker ??= setInterval(() => this.#tick(), this.#parts.intervalMs);
    return cohort;
  }

  /** Reports changes of this process to the others. */
  report(source: LiveTarget['source'], tables: ChangedTables): void {
    this.#changes.report(source, tables);
  }

  /** Called when the number of cohorts of this process has changed. */
  polls(cohorts: number): void {
    if (this.#polls === cohorts > 0) return;
    this.#polls = cohorts > 0;
    this.#outbox.put(undefined, { kind: 'polls', polls: this.#polls });
  }

  close(): void {
    clearInterval(this.#ticker);
    clearTimeout(this.#confirming);
    for (const timer of this.#unavailable.values()) clearTimeout(timer);
    this.#changes.stop();
    this.#parts.peers.listen({ received: () => undefined, changed: () => undefined });
  }

  #received(from: string, message: PeerMessage): void {
    switch (message.kind) {
      case 'result':
        this.#deliver(message.item, (item) => item.cohort.take(item, message.mark, message.result));
        break;
      case 'failed':
        this.#deliver(message.item, (item) => item.cohort.fail(item, fromPeerError(message.error)));
        break;
      case 'unavailable':
        this.#pollHere(message.cohort);
        break;
      case 'polls':
        this.#changes.received(from, message);
        break;
      case 'changed':
        this.#parts.wake(message.source, message.tables && new Set(message.tables));
        break;
      default:
        this.#polled.received(from, message);
    }
  }

  #deliver(number: number, deliver: (item: ForwardedItem) => void): void {
    const item = this.#items.get(number);
    // Its subscribers have left or moved.
    if (item === undefined) return;
    deliver(item);
    if (this.#confirming !== undefined && this.#confirmMs === CONFIRM_MS) return;
    clearTimeout(this.#confirming);
    this.#confirmMs = CONFIRM_MS;
    this.#confirmSoon();
  }

  /** Confirms results when subscribers can receive the next one. Those that are slower wait for the interval. */
  #confirmSoon(): void {
    this.#confirming = setTimeout(() => {
      this.#confirming = undefined;
      let waits = false;
      for (const cohort of this.#cohorts.values()) waits = cohort.confirmReceived() || waits;
      this.#confirmMs *= 2;
      if (waits && this.#confirmMs < this.#parts.intervalMs) this.#confirmSoon();
    }, this.#confirmMs);
  }

  #tick(): void {
    for (const cohort of [...this.#cohorts.values()]) cohort.tick();
    if (this.#cohorts.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #pollHere(cohort: number): void {
    const key = this.#keys.get(cohort);
    if (key === undefined) return;
    clearTimeout(this.#unavailable.get(key));
    const timer = setTimeout(() => {
      this.#unavailable.delete(key);
      this.#parts.move();
    }, OWN_MS);
    this.#unavailable.set(key, timer);
    this.#parts.move();
  }

  #changed(set: PeerSet): void {
    this.#set = set;
    this.#owners.clear();
    this.#changes.changed(set);
    this.#polled.changed(set);
    this.#parts.move();
    // A new process does not know it.
    if (this.#polls) this.#outbox.put(undefined, { kind: 'polls', polls: true });
  }
}
