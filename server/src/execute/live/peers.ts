/** The processes of one service, of which one polls a live query for all, and the messages between them. */
import { createHash } from 'node:crypto';
import type { SourceName } from '@joinery/metadata/names';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';

/** A polled statement, which is the same for all subscribers of a cohort. */
export interface PeerStatement {
  readonly source: SourceName | undefined;
  readonly text: string;
  readonly tables: readonly string[] | undefined;
  readonly isRepeatable: boolean;
  readonly path: string;
  /** The version of the metadata that it was planned with. A process with an older one does not poll it. */
  readonly version: number;
}

export interface PeerError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly path: string;
  readonly status: number;
  readonly internal: unknown;
}

/**
 * Cohorts and items have the numbers that the process of the subscribers gave them. During a reload, processes of two releases
 * exchange messages: those of an unknown kind are ignored, and a message whose members change gets a new kind.
 */
export type PeerMessage =
  /** Of the subscribers' process: polls an item of a cohort. The statement precedes the first item. */
  | { readonly kind: 'cohort'; readonly cohort: number; readonly statement: PeerStatement }
  | {
      readonly kind: 'poll';
      readonly cohort: number;
      readonly item: number;
      readonly values: readonly (string | null)[];
      readonly known: string | null;
    }
  /** The item can receive a result; its subscribers have the one with this mark. */
  | { readonly kind: 'known'; readonly item: number; readonly known: string | null }
  | { readonly kind: 'end'; readonly item: number }
  | { readonly kind: 'end-cohort'; readonly cohort: number }
  /** Of the owner. The next one of an item follows after its `known`. */
  | { readonly kind: 'result'; readonly item: number; readonly mark: string; readonly result: string }
  | { readonly kind: 'failed'; readonly item: number; readonly error: PeerError }
  /** The process cannot poll the cohort. */
  | { readonly kind: 'unavailable'; readonly cohort: number }
  /** Of each process: whether it polls anything, and committed changes for those that do. */
  | { readonly kind: 'polls'; readonly polls: boolean }
  | {
      readonly kind: 'changed';
      readonly source: SourceName | undefined;
      readonly tables: readonly string[] | undefined;
    };

export interface PeerSet {
  /** The processes that poll for all. */
  readonly owners: readonly string[];
  /** All processes, including those that start or stop. */
  readonly alive: readonly string[];
}

export interface PeerListener {
  received(from: string, messages: readonly PeerMessage[]): void;
  changed(set: PeerSet): void;
}

/** The other processes. Messages arrive in order, or not at all at a process that has ended. */
export interface LivePeers {
  /** The id of this process, which no other one has had. */
  readonly self: string;
  /** Sends messages to a process; undefined: to all others. */
  send(to: string | undefined, messages: readonly PeerMessage[]): void;
  /** Replaces the listener, which receives the current set at once. */
  listen(listener: PeerListener): void;
}

/**
 * Returns the owner of a key: the process with the highest hash. All processes with the same set find the same one, and a
 * change of the set moves only the keys of the processes that it adds or removes.
 */
export function ownerOf(key: string, owners: readonly string[]): string | undefined {
  const digest = createHash('sha256').update(key).digest();
  let found: string | undefined;
  let most = -1;
  for (const owner of owners) {
    const score = createHash('sha256').update(owner).update(digest).digest().readUIntBE(0, 6);
    if (score <= most) continue;
    found = owner;
    most = score;
  }
  return found;
}

export function toPeerError({ code, message, path, status, internal }: ServiceError): PeerError {
  return { code, message, path, status, internal };
}

export function fromPeerError({ code, message, path, status, internal }: PeerError): ServiceError {
  return new ServiceError(code, message, { path, status, internal });
}

/** Collects the messages of one turn of the event loop. */
export class Outbox {
  readonly #peers: Pick<LivePeers, 'send'>;
  readonly #waiting = new Map<string | undefined, PeerMessage[]>();

  constructor(peers: Pick<LivePeers, 'send'>) {
    this.#peers = peers;
  }

  put(to: string | undefined, message: PeerMessage): void {
    const waiting = this.#waiting.get(to);
    if (waiting !== undefined) {
      waiting.push(message);
      return;
    }
    if (this.#waiting.size === 0) setImmediate(() => this.#flush());
    this.#waiting.set(to, [message]);
  }

  #flush(): void {
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const [to, messages] of all) this.#peers.send(to, messages);
  }
}
