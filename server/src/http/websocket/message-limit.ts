/** Limits what a client may send before its connection is acknowledged. */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

/** Largest message in bytes, many times the size of a token. */
const MOST_BYTES = 65_536;
/** Largest total of messages in bytes. Clients may send operations before the acknowledgment. */
const MOST_BYTES_TOTAL = 1_048_576;
/** Time for the client to read the close frame, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Closes `socket` with 1009 when more bytes have arrived on `stream` than allowed before `isAcknowledged`. Bytes are
 * counted as they arrive, so that a large message is neither buffered nor parsed.
 */
export function limitBeforeAcknowledgment(socket: WebSocket, stream: Duplex, isAcknowledged: () => boolean): void {
  let total = 0;
  /** Bytes since the end of the last complete message, without the latest chunk. */
  let unread = 0;
  const stop = () => {
    stream.off('data', count);
    socket.off('message', restart);
  };
  const restart = (message: RawData) => {
    unread = 0;
    // The end of a message that is a little too large may arrive with its last chunk.
    if (!isAcknowledged() && sizeOf(message) > MOST_BYTES) close();
  };
  const close = () => {
    stop();
    // Further bytes are discarded; otherwise the client could not read the close frame.
    stream.removeAllListeners('data');
    stream.resume();
    socket.close(1009, 'a message before the acknowledgment has at most 64 kB');
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  };
  const count = (chunk: Buffer) => {
    if (isAcknowledged()) return stop();
    total += chunk.length;
    if (unread > MOST_BYTES || total > MOST_BYTES_TOTAL) return close();
    unread += chunk.length;
  };
  stream.prependListener('data', count);
  socket.prependListener('message', restart);
}

function sizeOf(message: RawData): number {
  return Array.isArray(message) ? message.reduce((sum, part) => sum + part.length, 0) : message.byteLength;
}
