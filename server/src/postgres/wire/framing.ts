/** Splits the stream of a server into messages. */

/** Receives the messages of a stream. */
export interface MessageHandler {
  /** Called with the length of the body of a message whose end has not arrived. Returns false for a message that is dropped. */
  begin(type: number, length: number): boolean;
  /**
   * Called with each message in order. Its body is `bytes` from `start` to `end`. The bytes are valid during the call only,
   * unless `owned`.
   */
  handle(type: number, bytes: Buffer, start: number, end: number, owned: boolean): void;
}

/** The server sent bytes that are no messages of the protocol. The connection cannot be used afterwards. */
export class ProtocolError extends Error {}

const headerBytes = 5;
const nothing = Buffer.alloc(0);
/** PostgreSQL allocates at most this for a message. */
const largestBytes = 2 ** 30;
/** Only these messages are longer than `shortBytes`: rows, descriptions, errors, notices, notifications and copied data. */
const longTypes: ReadonlySet<number> = new Set(
  ['D', 'T', 't', 'E', 'N', 'A', 'd', 'V'].map((type) => type.charCodeAt(0)),
);
const shortBytes = 30_000;
/** First allocation for a message that arrives in several parts. */
const firstBytes = 4 * 2 ** 20;

/** Returns the bytes of the message that starts at `at`. Throws where its length cannot be right. */
function sizeAt(bytes: Buffer, at: number): number {
  const type = bytes[at] ?? 0;
  const length = bytes.readInt32BE(at + 1);
  if (length < 4 || length > (longTypes.has(type) ? largestBytes : shortBytes)) {
    throw new ProtocolError(
      `the server sent a message of type ${JSON.stringify(String.fromCharCode(type))} and length ${length}, which is not a message of PostgreSQL`,
    );
  }
  return 1 + length;
}

export class Framer {
  private readonly handler: MessageHandler;
  /** The beginning of a message whose rest has not arrived: `filled` bytes. */
  private partial: Buffer = nothing;
  private filled = 0;
  /** Bytes of a dropped message that have not arrived. */
  private dropped = 0;

  constructor(handler: MessageHandler) {
    this.handler = handler;
  }

  /** Passes on the messages that end in the first `length` bytes of `chunk`, which the caller may reuse. Throws ProtocolError. */
  push(chunk: Buffer, length: number): void {
    let at = this.drop(length);
    if (this.filled > 0) at = this.resume(chunk, length);
    while (length - at >= headerBytes) {
      const end = at + sizeAt(chunk, at);
      if (end > length) break;
      this.handler.handle(chunk[at] ?? 0, chunk, at + headerBytes, end, false);
      at = end;
    }
    if (at === length) return;
    if (length - at < headerBytes) {
      this.append(chunk, at, length, headerBytes);
      return;
    }
    const size = sizeAt(chunk, at);
    if (this.handler.begin(chunk[at] ?? 0, size - headerBytes)) this.append(chunk, at, length, size);
    else this.dropped = size - (length - at);
  }

  /** Drops the bytes of a dropped message at the start of a chunk. Returns their number. */
  private drop(length: number): number {
    const count = Math.min(length, this.dropped);
    this.dropped -= count;
    return count;
  }

  /** Completes the partial message. Returns the position in `chunk` behind it. */
  private resume(chunk: Buffer, length: number): number {
    const header = Math.min(length, Math.max(0, headerBytes - this.filled));
    this.append(chunk, 0, header, headerBytes);
    if (this.filled < headerBytes) return header;
    const size = sizeAt(this.partial, 0);
    if (
      header > 0 &&
      header + size - headerBytes > length &&
      !this.handler.begin(this.partial[0] ?? 0, size - headerBytes)
    ) {
      this.partial = nothing;
      this.filled = 0;
      this.dropped = size - headerBytes;
      return header + this.drop(length - header);
    }
    const end = Math.min(length, header + size - this.filled);
    this.append(chunk, header, end, size);
    if (this.filled < size) return end;
    const message = this.partial;
    this.partial = nothing;
    this.filled = 0;
    this.handler.handle(message[0] ?? 0, message, headerBytes, size, true);
    return end;
  }

  /** Copies bytes of a message of `size`. A large message gets memory in steps, as it arrives. */
  private append(chunk: Buffer, start: number, end: number, size: number): void {
    const filled = this.filled + end - start;
    if (filled > this.partial.length) {
      const wanted = Math.max(filled, Math.min(size, Math.max(firstBytes, 2 * this.partial.length)));
      const larger = Buffer.allocUnsafeSlow(wanted);
      this.partial.copy(larger, 0, 0, this.filled);
      this.partial = larger;
    }
    chunk.copy(this.partial, this.filled, start, end);
    this.filled = filled;
  }
}
