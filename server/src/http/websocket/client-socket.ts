/** A websocket with flow control: bounds the bytes that wait to be sent and closes stalled connections. */
import type { WebSocket } from 'ws';

/** Buffered bytes above which no more results are computed and no more messages are read. */
const SLOW_BYTES = 1_048_576;
/** Buffered bytes above which the connection is terminated. */
const LOST_BYTES = 67_108_864;

export class ClientSocket {
  readonly #socket: WebSocket;
  #paused = false;
  #onHold = false;
  /** Buffered bytes at the last check. */
  #lastBuffered = 0;
  #alive = true;
  /** Time of `performance.now()` of the last message to the client. */
  #sentAt = performance.now();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('pong', () => {
      this.#alive = true;
    });
    socket.on('message', () => {
      this.#alive = true;
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  get sentAt(): number {
    return this.#sentAt;
  }

  /** Whether the client keeps up with the results. */
  get flowing(): boolean {
    return this.#socket.bufferedAmount < SLOW_BYTES;
  }

  /** Sends a text. Resolves when it has left this process or was dropped. Terminates a client that is too slow. */
  send(text: string): Promise<void> {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    if (socket.bufferedAmount > LOST_BYTES) {
      socket.terminate();
      return Promise.resolve();
    }
    this.#sentAt = performance.now();
    return new Promise((resolve) => {
      socket.send(text, () => {
        this.#resume();
        resolve();
      });
      // A slow client's requests are not read, because their results would only be buffered.
      if (!this.flowing && !this.#paused) {
        this.#paused = true;
        socket.pause();
      }
    });
  }

  /** Stops reading from the client until `release`. */
  hold(): void {
    this.#onHold = true;
    this.#socket.pause();
  }

  release(): void {
    this.#onHold = false;
    if (!this.#paused) this.#socket.resume();
  }

  #resume(): void {
    if (!this.#paused || !this.flowing) return;
    this.#paused = false;
    if (!this.#onHold) this.#socket.resume();
  }

  /** Closes the socket. `reason` is truncated to the size of a close frame. */
  close(code: number, reason: string): void {
    this.#socket.close(code, truncate(reason));
  }

  /** Called at intervals: terminates a client that has neither read a byte nor responded since the last call. */
  check(): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    const { bufferedAmount } = socket;
    const stuck = bufferedAmount > 0 && bufferedAmount === this.#lastBuffered;
    this.#lastBuffered = bufferedAmount;
    if (stuck || (!this.#alive && !this.#paused && !this.#onHold)) {
      socket.terminate();
      return;
    }
    this.#alive = false;
    socket.ping();
  }
}

/** Truncates a reason to the 123 bytes of a close frame. */
function truncate(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= 123
    ? reason
    : `${bytes
        .subarray(0, 117)
        .toString()
        .replace(/\uFFFD+$/, '')}...`;
}
