/** One socket as the protocols see it: texts out, with an eye on how much of them still waits to be sent. */
import type { WebSocket } from 'ws';

/** Bytes that may wait for a client before nothing more is made for it, and before it is given up. */
const BEHIND = 1_048_576;
const LOST = 67_108_864;

export class ClientSocket {
  readonly #socket: WebSocket;
  #paused = false;
  #held = false;
  /** Bytes that waited when it was looked at last. */
  #seen = 0;
  #heard = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#heard = true;
    });
    socket.on('message', () => {
      this.#heard = true;
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Does the client keep up with what it is sent? */
  get flowing(): boolean {
    return this.#socket.bufferedAmount < BEHIND;
  }

  /** Resolves when the text has left this process, or never will. A client far behind is given up. */
  send(text: string): Promise<void> {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    if (socket.bufferedAmount > LOST) {
      socket.terminate();
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      socket.send(text, () => {
        this.#resume();
        resolve();
      });
      // Who does not read is not read from: its requests would only make more that waits.
      if (!this.flowing && !this.#paused) {
        this.#paused = true;
        socket.pause();
      }
    });
  }

  /** Stops reading from the client until `release`. */
  hold(): void {
    this.#held = true;
    this.#socket.pause();
  }

  release(): void {
    this.#held = false;
    if (!this.#paused) this.#socket.resume();
  }

  #resume(): void {
    if (!this.#paused || !this.flowing) return;
    this.#paused = false;
    if (!this.#held) this.#socket.resume();
  }

  /** `reason` is cut to what a close frame holds. */
  close(code: number, reason: string): void {
    this.#socket.close(code, cut(reason));
  }

  /** To be called now and then: gives up a client that has not taken a byte, or given a sign of life, since the last time. */
  check(): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    const { bufferedAmount } = socket;
    const stuck = bufferedAmount > 0 && bufferedAmount === this.#seen;
    this.#seen = bufferedAmount;
    if (stuck || (!this.#heard && !this.#paused && !this.#held)) {
      socket.terminate();
      return;
    }
    this.#heard = false;
    socket.ping();
  }
}

/** A close frame holds 123 bytes of reason. */
function cut(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= 123
    ? reason
    : `${bytes
        .subarray(0, 117)
        .toString()
        .replace(/\uFFFD+$/, '')}...`;
}
