/** A connection to a PostgreSQL server: its socket, its start and its statements in order. */
import type { Socket } from 'node:net';
import { type DatabaseError, serialize } from 'pg-protocol';
import { type Authentication, createAuthentication } from './authentication.ts';
import { Framer, type MessageHandler, ProtocolError } from './framing.ts';
import { type Field, Reader, readError, readErrorFields, readFields, type } from './messages.ts';
import { openSocket } from './socket.ts';
import { encodeCancel } from './statement-messages.ts';
import type { Target } from './target.ts';

/** One statement on a connection, from its messages to the server's readiness for the next one. */
export interface Exchange {
  /** Returns the messages, which end with Sync or are one simple query. Throws where they cannot be encoded. */
  encode(): Buffer;
  /** Whether the messages end with Sync. */
  readonly isExtended: boolean;
  handleParsed(): void;
  handleFields(fields: readonly Field[]): void;
  /** Called with the length of a row whose end has not arrived. Returns false for a row that is dropped. */
  beginRow(length: number): boolean;
  /** Called with each row. `bytes` are valid during the call only, unless `owned`. */
  handleRow(bytes: Buffer, start: number, end: number, owned: boolean): void;
  handleCommand(tag: string): void;
  /** Called when the server is ready for the next statement. */
  succeeded(): void;
  /** Called with the error of `encode`, or with that of the server when it is ready for the next statement or was lost. */
  failed(error: unknown): void;
  /** Called where the connection was lost before the end. */
  lost(error: Error): void;
}

/** `I`: idle; `T`: in a transaction; `E`: in a failed transaction. */
export type TransactionStatus = 'I' | 'T' | 'E';

export type NotificationListener = (channel: string, payload: string) => void;

export interface OpenSettings {
  readonly target: Target;
  /** Startup parameters beside those of the target. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export class WireConnection implements MessageHandler {
  /** The process of the server, or what a pooler gives as one. */
  processId: number | undefined;
  /** The transaction status after the last statement. */
  status: TransactionStatus = 'I';
  /** Called once, before the exchanges are rejected, when the open connection was closed. */
  onClosed: () => void = () => undefined;
  /** Called with the routine of the server that sent a notice. */
  onNotice: (routine: string | undefined) => void = () => undefined;
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  private readonly notificationListeners = new Set<NotificationListener>();
  private readonly target: Target;
  private readonly framer = new Framer(this);
  private readonly exchanges: Exchange[] = [];
  /** Messages of this turn of the event loop that wait for one write. */
  private unsent: Buffer[] = [];
  private key: Buffer | undefined;
  private socket: Socket | undefined;
  private received = 0;
  /** The error of the server for the first exchange, or for the connection. */
  private failure: DatabaseError | undefined;
  private authentication: Authentication | undefined;
  private starting: { resolve(): void; reject(error: unknown): void } | undefined;
  private isOpen = false;
  private isEnding = false;
  private cause: Error | undefined;
  private resolveClosed: () => void = () => undefined;

  /** Opens a connection. Rejects with the error of the socket, of TLS or of the server. */
  static async open(settings: OpenSettings): Promise<WireConnection> {
    const connection = new WireConnection(settings.target);
    const limit = setTimeout(() => connection.destroy(new Error('timeout expired')), settings.timeoutMs);
    try {
      await connection.start(settings);
      return connection;
    } catch (error) {
      connection.destroy();
      throw connection.cause ?? error;
    } finally {
      clearTimeout(limit);
    }
  }

  private constructor(target: Target) {
    this.target = target;
    this.closed = new Promise((resolve) => {
      this.resolveClosed = resolve;
    });
  }

  private async start({ target, parameters }: OpenSettings): Promise<void> {
    const socket = await openSocket(
      target,
      (bytes, length) => this.receive(bytes, length),
      (created) => {
        this.socket = created;
      },
    );
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.handleClose());
    if (socket.destroyed) throw new Error('Connection terminated unexpectedly');
    this.authentication = createAuthentication(target, socket);
    const { user, database } = target;
    socket.write(serialize.startup({ user, database, ...parameters, ...target.parameters }));
    await new Promise<void>((resolve, reject) => {
      this.starting = { resolve, reject };
    });
    this.starting = undefined;
    this.authentication = undefined;
  }

  /** Bytes received so far. */
  get bytesReceived(): number {
    return this.received;
  }

  /** Exchanges that have not ended. */
  get depth(): number {
    return this.exchanges.length;
  }

  /** Whether the server executes `exchange`, or the next message is for it. */
  isFirst(exchange: Exchange): boolean {
    return this.exchanges[0] === exchange;
  }

  /** Whether statements can be sent. */
  get usable(): boolean {
    return this.isOpen && !this.isEnding;
  }

  /** Adds a listener for notifications. Returns the function that removes it. */
  onNotification(listener: NotificationListener): () => void {
    this.notificationListeners.add(listener);
    return () => this.notificationListeners.delete(listener);
  }

  /** Sends an exchange. It may be called while others have not ended. */
  submit(exchange: Exchange): void {
    if (!this.usable) {
      process.nextTick(() => exchange.lost(this.cause ?? new Error('Connection terminated')));
      return;
    }
    let messages: Buffer;
    try {
      messages = exchange.encode();
    } catch (error) {
      process.nextTick(() => exchange.failed(error));
      return;
    }
    this.exchanges.push(exchange);
    if (this.exchanges.length === 1) {
      this.socket?.write(messages);
      return;
    }
    if (this.unsent.length === 0) setImmediate(() => this.flush());
    this.unsent.push(messages);
  }

  /** Writes the messages of this turn of the event loop with one system call. */
  private flush(): void {
    const messages = this.unsent;
    this.unsent = [];
    if (this.isOpen)
      this.socket?.write(messages.length === 1 && messages[0] !== undefined ? messages[0] : Buffer.concat(messages));
  }

  /** Closes the connection after a goodbye, or at once where a statement has not ended. */
  end(): void {
    if (!this.isOpen || this.exchanges.length > 0) {
      this.destroy();
      return;
    }
    this.isEnding = true;
    this.socket?.end(serialize.end());
  }

  /** Closes the socket at once. `cause` becomes the error of the statements that have not ended. */
  destroy(cause?: Error): void {
    this.cause ??= cause;
    this.socket?.destroy();
  }

  /**
   * Requests the server to cancel the running statement. Resolves, and never rejects, when the server has closed the
   * connection of the request, which it does after it has processed the request, or after `limitMs`.
   */
  async cancel(limitMs = 2_000): Promise<void> {
    const { processId, key, target } = this;
    if (processId === undefined || key === undefined) return;
    let socket: Socket | undefined;
    const limit = setTimeout(() => socket?.destroy(), limitMs);
    try {
      const opened = await openSocket(target, ignore, (created) => {
        socket = created;
      });
      await new Promise<void>((resolve) => {
        opened.on('error', ignore).on('close', resolve);
        opened.write(encodeCancel(processId, key));
      });
    } catch {
      // The statement ends by itself, or its connection is closed.
    } finally {
      clearTimeout(limit);
    }
  }

  private receive(bytes: Buffer, length: number): void {
    this.received += length;
    try {
      this.framer.push(bytes, length);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Called when the socket was closed, by either side. */
  private handleClose(): void {
    const wasOpen = this.isOpen;
    this.isOpen = false;
    this.unsent = [];
    const lost =
      this.cause ?? new Error(this.isEnding ? 'Connection terminated' : 'Connection terminated unexpectedly');
    this.starting?.reject(this.failure ?? lost);
    if (wasOpen) this.onClosed();
    const { failure } = this;
    for (const [index, exchange] of this.exchanges.splice(0).entries()) {
      if (index === 0 && failure !== undefined) exchange.failed(failure);
      else exchange.lost(lost);
    }
    this.resolveClosed();
  }

  begin(code: number, length: number): boolean {
    if (this.socket?.destroyed === true) return false;
    return code !== type.dataRow || this.current(code).beginRow(length);
  }

  handle(code: number, bytes: Buffer, start: number, end: number, owned: boolean): void {
    if (this.socket?.destroyed === true) return;
    switch (code) {
      case type.dataRow:
        this.current(code).handleRow(bytes, start, end, owned);
        return;
      case type.ready:
        this.handleReady(bytes[start] ?? 0);
        return;
      case type.commandComplete:
        this.current(code).handleCommand(bytes.toString('utf8', start, end - 1));
        return;
      case type.bindComplete:
      case type.closeComplete:
      case type.noData:
      case type.portalSuspended:
      case type.parameterDescription:
      case type.parameterStatus:
      case type.copyOut:
      case type.copyData:
      case type.copyDone:
      case type.negotiateVersion:
        return;
      case type.rowDescription:
        this.current(code).handleFields(readFields(new Reader(bytes, start, end)));
        return;
      case type.parseComplete:
        this.current(code).handleParsed();
        return;
      case type.emptyQuery:
        this.current(code).handleCommand('');
        return;
      case type.error:
        this.handleError(readError(bytes, start, end));
        return;
      case type.notice:
        this.onNotice(readErrorFields(new Reader(bytes, start, end)).get('R'));
        return;
      case type.notification: {
        const reader = new Reader(bytes, start, end);
        reader.int32();
        const channel = reader.string();
        const payload = reader.string();
        for (const listener of this.notificationListeners) listener(channel, payload);
        return;
      }
      case type.authentication:
        this.authenticate(Buffer.from(bytes.subarray(start, end)));
        return;
      case type.backendKey: {
        const reader = new Reader(bytes, start, end);
        this.processId = reader.int32();
        this.key = reader.remaining();
        return;
      }
      case type.copyIn:
        this.rejectCopy(this.current(code));
        return;
      default:
        throw unexpected(code);
    }
  }

  private current(code: number): Exchange {
    const [exchange] = this.exchanges;
    if (exchange === undefined) throw unexpected(code);
    return exchange;
  }

  private handleReady(status: number): void {
    this.status = status === 0x49 ? 'I' : status === 0x54 ? 'T' : 'E';
    if (this.starting !== undefined) {
      if (this.authentication?.completed !== true) throw unexpected(type.ready);
      this.isOpen = true;
      this.starting.resolve();
      return;
    }
    const exchange = this.current(type.ready);
    this.exchanges.shift();
    const { failure } = this;
    this.failure = undefined;
    if (failure === undefined) exchange.succeeded();
    else exchange.failed(failure);
  }

  private handleError(error: DatabaseError): void {
    this.failure ??= error;
    // The server closes the connection after an error of a connection that executes nothing.
    if (this.starting !== undefined || this.exchanges.length === 0) this.destroy(error);
  }

  private authenticate(body: Buffer): void {
    if (this.authentication === undefined) throw unexpected(type.authentication);
    const response = this.authentication.handle(body);
    if (response === undefined) return;
    if (Buffer.isBuffer(response)) this.socket?.write(response);
    else {
      response.then(
        (bytes) => this.socket?.write(bytes),
        (error: Error) => this.destroy(error),
      );
    }
  }

  /** The server ignores the Sync that it receives before the end of a COPY. */
  private rejectCopy({ isExtended }: Exchange): void {
    const rejection = serialize.copyFail('COPY FROM STDIN is not supported');
    this.socket?.write(isExtended ? Buffer.concat([rejection, serialize.sync()]) : rejection);
  }
}

function ignore(): void {}

function unexpected(code: number): ProtocolError {
  return new ProtocolError(
    `the server sent an unexpected message of type ${JSON.stringify(String.fromCharCode(code))}`,
  );
}
