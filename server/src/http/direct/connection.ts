/**
 * One client connection. Requests that are common are handled here, one after another. The first other request, and all after
 * it, are handled by node:http, which receives the socket with the bytes that were not used.
 */
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Cancellation } from '../../base/cancellation.ts';
import { readHead } from './request-head.ts';

/** A request whose head has arrived and was admitted. */
export interface Admitted {
  /** Runs the request and resolves with its response. Never rejects. */
  respond(body: string, signal: Cancellation): Promise<DirectResponse>;
}

export interface DirectResponse {
  /** Prints the head, for a connection that is closed afterwards or stays open. */
  readonly head: (closes: boolean) => string;
  readonly body: string | Buffer;
  /** Whether head and body are known to be ASCII, and so need no conversion to UTF-8. */
  readonly ascii?: boolean;
  /** Called when the response has been written. */
  readonly written: () => void;
}

export interface ConnectionOwner {
  readonly server: Server;
  /** Handles a socket by node:http. */
  readonly handOver: (socket: Socket) => void;
  readonly pattern: RegExp;
  readonly maxBodyBytes: number;
  readonly isClosing: () => boolean;
  /** Throws for a request that node:http handles. `known` are the headers of the previous request, if they are the same. */
  admit(headers: IncomingHttpHeaders, socket: Socket, isKnown: boolean): Admitted;
  closed(connection: DirectConnection): void;
}

/** Larger heads and bodies are left to node:http. */
const MAX_HEAD_BYTES = 8_192;

interface Head {
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  readonly contentLength: number;
}

type State = 'first' | 'idle' | 'body' | 'running' | 'ended';

export class DirectConnection {
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  #state: State = 'first';
  /** As `performance.now()`. */
  #since = performance.now();
  /** Bytes of the next request, or of the current one until it is complete. */
  #bytes: Buffer | undefined;
  #admitted: Admitted | undefined;
  #bodyStart = 0;
  #needed = 0;
  /** The last head: clients repeat it. */
  #last: Head | undefined;
  #signal: Cancellation | undefined;

  constructor(owner: ConnectionOwner, socket: Socket) {
    this.#owner = owner;
    this.#socket = socket;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** Closes the connection unless a request is under way. */
  closeIdle(): void {
    if (this.#state === 'first' || this.#state === 'idle') this.#socket.destroy();
  }

  /** Closes a connection that has sent no complete request, or no further one, since `requestStart` or `idleStart`. */
  closeLate(requestStart: number, idleStart: number): void {
    if (this.#state === 'idle' && this.#since < idleStart) this.#socket.destroy();
    if ((this.#state === 'first' || this.#state === 'body') && this.#since < requestStart) {
      this.#fail('ERR_HTTP_REQUEST_TIMEOUT');
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    const bytes = this.#bytes === undefined ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (this.#state !== 'running') {
      this.#read(bytes);
      return;
    }
    this.#bytes = bytes;
    this.#socket.pause();
  };

  #read(bytes: Buffer): void {
    if (this.#state !== 'body' && !this.#readHead(bytes)) {
      this.#handOver(bytes);
      return;
    }
    if (bytes.length < this.#needed) {
      this.#bytes = bytes;
      return;
    }
    this.#bytes = bytes.length === this.#needed ? undefined : bytes.subarray(this.#needed);
    const admitted = this.#admitted;
    if (admitted === undefined) return;
    this.#admitted = undefined;
    this.#state = 'running';
    this.#signal = new Cancellation();
    const body = bytes.toString('utf8', this.#bodyStart, this.#needed);
    void admitted.respond(body, this.#signal).then(this.#send);
  }

  /** Returns whether the request is one that is handled here. */
  #readHead(bytes: Buffer): boolean {
    const owner = this.#owner;
    if (owner.isClosing()) return false;
    const end = bytes.indexOf('\r\n\r\n');
    if (end === -1 || end > MAX_HEAD_BYTES) return false;
    const text = bytes.toString('latin1', 0, end);
    const last = this.#last?.text === text ? this.#last : undefined;
    const head = last ?? readHead(text, owner.pattern);
    if (head === undefined || head.contentLength > owner.maxBodyBytes) return false;
    try {
      this.#admitted = owner.admit(head.headers, this.#socket, last !== undefined);
    } catch {
      // The error is thrown again by the routes.
      return false;
    }
    this.#last = last ?? { text, ...head };
    this.#bodyStart = end + 4;
    this.#needed = this.#bodyStart + head.contentLength;
    this.#state = 'body';
    this.#since = performance.now();
    return true;
  }

  readonly #send = ({ head, body, ascii, written }: DirectResponse): void => {
    this.#signal = undefined;
    const socket = this.#socket;
    if (this.#state === 'ended') return;
    const next = this.#bytes;
    const closes = this.#owner.isClosing() && next === undefined;
    const text = head(closes);
    let flushed: boolean;
    if (typeof body === 'string') flushed = socket.write(text + body, ascii ? 'latin1' : 'utf8');
    else {
      socket.cork();
      // As node:http: the encoding of a head is that of the text that follows it, or latin1.
      socket.write(text, 'latin1');
      flushed = socket.write(body);
      socket.uncork();
    }
    this.#state = 'idle';
    this.#since = performance.now();
    written();
    if (closes) socket.end();
    else if (flushed) this.#continue();
    else {
      socket.pause();
      socket.once('drain', this.#continue);
    }
  };

  /** Reads the next request. */
  readonly #continue = (): void => {
    if (this.#state !== 'idle') return;
    const next = this.#bytes;
    this.#bytes = undefined;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (next !== undefined) this.#read(next);
  };

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    this.#state = 'ended';
    this.#bytes = undefined;
    socket.removeListener('data', this.#onData);
    socket.removeListener('end', this.#onEnd);
    socket.removeListener('error', this.#onError);
    socket.removeListener('close', this.#onClose);
    this.#owner.closed(this);
    // The bytes are emitted again when node:http listens and the socket resumes.
    socket.pause();
    socket.unshift(bytes);
    this.#owner.handOver(socket);
    socket.resume();
  }

  readonly #onEnd = (): void => {
    if (this.#state === 'body') this.#fail('HPE_INVALID_EOF_STATE');
    else this.#socket.end();
  };

  readonly #onError = (error: Error): void => {
    this.#owner.server.emit('clientError', error, this.#socket);
  };

  #fail(code: string): void {
    this.#onError(Object.assign(new Error('the request is not complete'), { code }));
  }

  readonly #onClose = (): void => {
    this.#state = 'ended';
    this.#bytes = undefined;
    this.#owner.closed(this);
    this.#signal?.abort();
  };
}
