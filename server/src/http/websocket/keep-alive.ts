/** Keep-alive messages and checks of all websockets, with one timer. */
import type { ClientSocket } from './client-socket.ts';
import type { ProtocolSession } from './transport-protocol.ts';

/** Milliseconds between checks of a socket for a stalled client. */
const CHECK_MS = 30_000;
/** Ticks in the shorter interval: sockets are divided between them, and messages are at most so much early. */
const TICKS = 16;
const MIN_TICK_MS = 5;

interface Entry {
  readonly client: Pick<ClientSocket, 'flowing' | 'sentAt' | 'check'>;
  readonly session: Pick<ProtocolSession, 'keepsAliveBesideOthers' | 'keepAlive'>;
  /** Time of `performance.now()` of the last keep-alive message. */
  keptAt: number;
  checkedAt: number;
}

export class KeepAlive {
  readonly #everyMs: number;
  readonly #tickMs: number;
  readonly #entries = new Set<Entry>();
  #timer: NodeJS.Timeout | undefined;

  /** `everyMs`: maximum milliseconds without a message to a client. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
    this.#tickMs = Math.max(MIN_TICK_MS, Math.floor(Math.min(everyMs, CHECK_MS) / TICKS));
  }

  /** Returns a function that is called when the socket is closed. */
  add(client: Entry['client'], session: Entry['session']): () => void {
    const now = performance.now();
    const entry = { client, session, keptAt: now, checkedAt: now };
    this.#entries.add(entry);
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs);
    return () => {
      this.#entries.delete(entry);
      if (this.#entries.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #tick(): void {
    // What is not sent now is sent a tick later.
    const next = performance.now() + this.#tickMs;
    for (const entry of this.#entries) {
      const { client, session } = entry;
      if (next - entry.checkedAt > CHECK_MS) {
        entry.checkedAt = next - this.#tickMs;
        client.check();
      }
      const since = session.keepsAliveBesideOthers ? entry.keptAt : Math.max(entry.keptAt, client.sentAt);
      if (next - since <= this.#everyMs || !client.flowing) continue;
      entry.keptAt = next - this.#tickMs;
      session.keepAlive();
    }
  }
}
