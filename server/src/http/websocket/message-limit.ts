/** How much a websocket may send before its connection is acknowledged. */
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

/** Bytes of one message. A token and its claims fit many times over. */
const MOST_BYTES = 65_536;
/** Bytes of all messages. Clients may send operations before the acknowledgment arrives. */
const MOST_BYTES_TOTAL = 1_048_576;
/** Milliseconds that the client has to read the close frame. */
const FAREWELL_MS = 1_000;

/**
 * Closes `socket` with 1009 as soon as more has arrived on `stream` than a client may send before `isAcknowledged`. The
 * bytes are counted as they arrive, so that a large message is neither collected nor parsed.
 */
export function limitBeforeAcknowledgment(socket: WebSocket, stream: Duplex, isAcknowledged: () => boolean): void {
  let total = 0;
  /** Bytes that have arrived since the end of the last whole message; none of the latest chunk. */
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
    // What still arrives is discarded unread. Without that the client would not get to read the close frame.
    stream.removeAllListeners('data');
    stream.resume();
    socket.close(1009, 'a message before the acknowledgment has at most 64 kB');
    setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
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
