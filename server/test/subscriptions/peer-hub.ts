/** Connects the live queries of several processes, which are parts of one process in tests. */
import { setImmediate } from 'node:timers';
import type { LivePeers, PeerListener, PeerMessage } from '../../src/execute/live/peers.ts';

export class PeerHub {
  /** All messages, in order. */
  readonly sent: { readonly from: string; readonly to: string | undefined; readonly message: PeerMessage }[] = [];
  readonly #listeners = new Map<string, PeerListener | undefined>();
  #owners: readonly string[] = [];
  #held: PeerMessage['kind'] | undefined;
  #waiting: (() => void)[] = [];

  /** Adds a process. It is no owner until `own`. */
  join(self: string): LivePeers {
    this.#listeners.set(self, undefined);
    return {
      self,
      send: (to, messages) => {
        if (!this.#listeners.has(self)) return;
        const copies = structuredClone(messages);
        for (const message of copies) this.sent.push({ from: self, to, message });
        setImmediate(() => {
          const [later, now] = [
            copies.filter(({ kind }) => kind === this.#held),
            copies.filter(({ kind }) => kind !== this.#held),
          ];
          if (later.length > 0) this.#waiting.push(() => this.#deliver(self, to, later));
          if (now.length > 0) this.#deliver(self, to, now);
        });
      },
      listen: (listener) => {
        this.#listeners.set(self, listener);
        listener.changed(this.#set());
      },
    };
  }

  /** Delivers messages of the kind only after `release`. */
  hold(kind: PeerMessage['kind']): void {
    this.#held = kind;
  }

  release(): void {
    this.#held = undefined;
    for (const deliver of this.#waiting.splice(0)) deliver();
  }

  /** Sets the processes that poll. */
  own(...ids: readonly string[]): void {
    this.#owners = ids;
    this.#report();
  }

  /** Ends a process: it neither sends nor receives anything from now on. */
  end(id: string): void {
    this.#listeners.delete(id);
    this.#owners = this.#owners.filter((one) => one !== id);
    this.#report();
  }

  #deliver(from: string, to: string | undefined, messages: readonly PeerMessage[]): void {
    for (const [id, listener] of this.#listeners) {
      if (id === to || (to === undefined && id !== from)) listener?.received(from, messages);
    }
  }

  #set(): Parameters<PeerListener['changed']>[0] {
    return { owners: this.#owners, alive: [...this.#listeners.keys()] };
  }

  #report(): void {
    for (const listener of this.#listeners.values()) listener?.changed(this.#set());
  }
}
