/** Reports committed changes of this process to the processes that poll live queries. */
import type { SourceName } from '@joinery/metadata/names';
import type { ChangedTables, Changes } from './changes.ts';
import { type LivePeers, Outbox, type PeerMessage, type PeerSet } from './peers.ts';

/** Minimum milliseconds between two messages. Changes in between are reported together. */
const PAUSE_MS = 20;

export class ChangeForwarder {
  readonly #outbox: Outbox;
  readonly #polling = new Set<string>();
  /** Undefined: any table of the source. */
  readonly #waiting = new Map<SourceName | undefined, Set<string> | undefined>();
  #pause: NodeJS.Timeout | undefined;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  report(source: SourceName | undefined, tables: ChangedTables): void {
    if (this.#polling.size === 0) return;
    const waiting = this.#waiting.get(source);
    if (tables === undefined) this.#waiting.set(source, undefined);
    else if (waiting !== undefined) for (const name of tables) waiting.add(name);
    else if (!this.#waiting.has(source)) this.#waiting.set(source, new Set(tables));
    if (this.#pause === undefined) this.#flush();
  }

  received(from: string, message: PeerMessage): void {
    if (message.kind !== 'polls') return;
    if (message.polls) this.#polling.add(from);
    else this.#polling.delete(from);
  }

  changed({ alive }: PeerSet): void {
    for (const id of this.#polling) if (!alive.includes(id)) this.#polling.delete(id);
  }

  stop(): void {
    clearTimeout(this.#pause);
  }

  #flush(): void {
    this.#pause = undefined;
    if (this.#waiting.size === 0) return;
    for (const [source, names] of this.#waiting) {
      const tables = names && [...names];
      for (const id of this.#polling) this.#outbox.put(id, { kind: 'changed', source, tables });
    }
    this.#waiting.clear();
    this.#pause = setTimeout(() => this.#flush(), PAUSE_MS);
  }
}

/** Reports the changes of a process without live queries of its own. */
export function forwardChanges(changes: Changes, peers: LivePeers): void {
  const forwarder = new ChangeForwarder(new Outbox(peers));
  changes.listen((source, tables) => forwarder.report(source, tables));
  peers.listen({
    received: (from, messages) => {
      for (const message of messages) forwarder.received(from, message);
    },
    changed: (set) => forwarder.changed(set),
  });
}
