/** The items that this process polls for subscribers of other processes. */
import { ServiceError } from '../../base/errors.ts';
import type { CohortSubscriber } from './item.ts';
import type { PolledTarget } from './live-target.ts';
import { type Outbox, type PeerMessage, type PeerSet, type PeerStatement, toPeerError } from './peers.ts';

/** Characters of results on the way to one process above which nothing is polled for it. */
const MOST_CHARACTERS = 16_777_216;

export interface PeerItemsParts {
  readonly outbox: Outbox;
  /** The version of the metadata of this process. */
  readonly version: () => number;
  /** Starts polling. Throws a ServiceError where the statement cannot be polled here. */
  readonly join: (item: PeerItem) => void;
  readonly leave: (item: PeerItem) => void;
  /** Polls the item, whose process may not have the current result. */
  readonly recheck: (item: PeerItem) => void;
}

/** A process and what is polled for it. */
interface Client {
  readonly id: string;
  readonly cohorts: Map<number, PeerStatement>;
  readonly items: Map<number, PeerItem>;
  /** Characters of results without a `known`. */
  waiting: number;
}

/** An item of another process: a subscriber of a cohort of this process. It receives one result at a time. */
export class PeerItem implements CohortSubscriber {
  readonly target: PolledTarget;
  known: string | null;
  item: string | undefined;
  settled = false;
  readonly #client: Client;
  readonly #number: number;
  readonly #outbox: Outbox;
  /** The characters of the result that the process has not confirmed. */
  #sent: number | undefined;

  constructor(client: Client, message: Extract<PeerMessage, { kind: 'poll' }>, target: PolledTarget, outbox: Outbox) {
    this.target = target;
    this.known = message.known;
    this.#client = client;
    this.#number = message.item;
    this.#outbox = outbox;
  }

  isReady(): boolean {
    return this.#sent === undefined && this.#client.waiting < MOST_CHARACTERS;
  }

  take(result: string | null, mark: string | null): void {
    if (mark === null || result === null) return;
    this.settled = mark === this.known;
    if (this.settled || !this.isReady()) return;
    this.known = mark;
    this.settled = true;
    this.#send(result.length, { kind: 'result', item: this.#number, mark, result });
  }

  fail(error: ServiceError): void {
    this.settled = false;
    if (!this.isReady()) return;
    this.known = null;
    this.#send(0, { kind: 'failed', item: this.#number, error: toPeerError(error) });
  }

  #send(size: number, message: PeerMessage): void {
    this.#sent = size;
    this.#client.waiting += size;
    this.#outbox.put(this.#client.id, message);
  }

  /** Called when the process can receive the next result. Returns whether it may not have the current one. */
  confirmed(known: string | null): boolean {
    this.left();
    // Polls that found another result, or were omitted, before the confirmation have left it unsettled.
    if (known === this.known) return !this.settled;
    this.known = known;
    this.settled = false;
    return true;
  }

  /** Frees the capacity of a result on its way. */
  left(): void {
    this.#client.waiting -= this.#sent ?? 0;
    this.#sent = undefined;
  }
}

export class PeerItems {
  readonly #parts: PeerItemsParts;
  readonly #clients = new Map<string, Client>();

  constructor(parts: PeerItemsParts) {
    this.#parts = parts;
  }

  received(from: string, message: PeerMessage): void {
    const client = this.#clientOf(from);
    switch (message.kind) {
      case 'cohort':
        client.cohorts.set(message.cohort, message.statement);
        break;
      case 'poll':
        this.#poll(client, message);
        break;
      case 'known': {
        const item = client.items.get(message.item);
        if (item?.confirmed(message.known)) this.#parts.recheck(item);
        break;
      }
      case 'end':
        this.#end(client, message.item);
        break;
      case 'end-cohort':
        client.cohorts.delete(message.cohort);
        break;
      default:
    }
  }

  /** Ends what was polled for processes that have ended. */
  changed({ alive }: PeerSet): void {
    for (const [id, client] of this.#clients) {
      if (alive.includes(id)) continue;
      for (const number of [...client.items.keys()]) this.#end(client, number);
      this.#clients.delete(id);
    }
  }

  #clientOf(id: string): Client {
    const known = this.#clients.get(id);
    if (known !== undefined) return known;
    const client: Client = { id, cohorts: new Map(), items: new Map(), waiting: 0 };
    this.#clients.set(id, client);
    return client;
  }

  #poll(client: Client, message: Extract<PeerMessage, { kind: 'poll' }>): void {
    const statement = client.cohorts.get(message.cohort);
    // The cohort was reported as unavailable.
    if (statement === undefined) return;
    const { version, ...shared } = statement;
    try {
      if (version > this.#parts.version()) throw new ServiceError('not-supported', 'the metadata here are older');
      const item = new PeerItem(
        client,
        message,
        { kind: 'live', values: message.values, ...shared },
        this.#parts.outbox,
      );
      this.#parts.join(item);
      client.items.set(message.item, item);
    } catch {
      // The process of the subscribers polls itself, and reports the error if it has the same.
      client.cohorts.delete(message.cohort);
      this.#parts.outbox.put(client.id, { kind: 'unavailable', cohort: message.cohort });
    }
  }

  #end(client: Client, number: number): void {
    const item = client.items.get(number);
    if (item === undefined) return;
    client.items.delete(number);
    item.left();
    this.#parts.leave(item);
  }
}
