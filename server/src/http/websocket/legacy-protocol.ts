/** The legacy protocol `graphql-ws` of the package subscriptions-transport-ws, as a state machine. */
import { graphqlError, ServiceError, toServiceError } from '../../base/errors.ts';
import { isJsonObject, printJson } from '../../base/json-value.ts';
import { OperationRejected, type ResultStream } from '../../service/graphql/result-streams.ts';
import type { Protocol, ProtocolConnection, ProtocolSession, ProtocolSocket } from './transport-protocol.ts';

/** `initTimeoutMs`: timeout for `connection_init`. */
export function legacyProtocol(initTimeoutMs: number): Protocol {
  return (socket, connection) => new LegacySession(socket, connection, initTimeoutMs);
}

type Message = Readonly<Record<string, unknown>>;

class LegacySession implements ProtocolSession {
  /** After the first `ka`, clients of subscriptions-transport-ws close a connection without further ones. */
  readonly keepsAliveBesideOthers = true;
  readonly #socket: ProtocolSocket;
  readonly #connection: ProtocolConnection;
  readonly #operations = new Map<unknown, ResultStream>();
  readonly #initTimer: NodeJS.Timeout;
  /** Messages that arrived during authentication, in order. */
  readonly #waiting: (Message | undefined)[] = [];
  #state: 'new' | 'initializing' | 'open' | 'closed' = 'new';

  constructor(socket: ProtocolSocket, connection: ProtocolConnection, initTimeoutMs: number) {
    this.#socket = socket;
    this.#connection = connection;
    this.#initTimer = setTimeout(() => socket.close(1011, 'Connection initialisation timed out'), initTimeoutMs);
  }

  async message(json: unknown): Promise<void> {
    const message = isJsonObject(json) ? json : undefined;
    if (message?.type === 'connection_init') return this.#init(message.payload);
    if (this.#state === 'initializing') this.#waiting.push(message);
    else await this.#handle(message);
  }

  async #handle(message: Message | undefined): Promise<void> {
    switch (message?.type) {
      case 'start':
        return this.#start(message.id, message.payload);
      case 'stop': {
        const results = this.#operations.get(message.id);
        this.#operations.delete(message.id);
        await results?.return(undefined);
        return;
      }
      case 'connection_terminate':
        this.#socket.close(1000, '');
        return;
      default: {
        const payload = 'a message is a JSON object whose "type" the protocol graphql-ws knows';
        await this.#send({ type: 'connection_error', payload });
      }
    }
  }

  keepAlive(): void {
    if (this.#state === 'open') void this.#send({ type: 'ka' });
  }

  closed(): void {
    this.#state = 'closed';
    clearTimeout(this.#initTimer);
    for (const results of this.#operations.values()) void results.return(undefined);
    this.#operations.clear();
    this.#waiting.length = 0;
  }

  /** Authenticates. Clients may send `start` without waiting for the acknowledgment: it is handled afterwards. */
  async #init(payload: unknown): Promise<void> {
    if (this.#state !== 'new') {
      this.#socket.close(4429, 'Too many initialisation requests');
      return;
    }
    this.#state = 'initializing';
    clearTimeout(this.#initTimer);
    // Only messages that are already buffered are still read.
    this.#socket.hold();
    try {
      await this.#connection.admit(payload);
    } catch (thrown) {
      const { message } = toServiceError(thrown);
      await this.#send({ type: 'connection_error', payload: message });
      this.#socket.close(4400, message);
      return;
    } finally {
      this.#socket.release();
    }
    if (this.#isClosed()) return;
    this.#state = 'open';
    void this.#send({ type: 'connection_ack' });
    this.keepAlive();
    await Promise.all(this.#waiting.splice(0).map((message) => this.#handle(message)));
  }

  async #start(id: unknown, payload: unknown): Promise<void> {
    if (typeof id !== 'string' && typeof id !== 'number') {
      return this.#reject(null, '"start" needs an "id"');
    }
    if (this.#state !== 'open') return this.#reject(id, 'start received before the connection is initialised');
    if (this.#operations.has(id)) {
      return this.#reject(id, `an operation already exists with this id: ${id}`, false);
    }
    try {
      const results = this.#connection.open(payload, this.#operations.size);
      this.#operations.set(id, results);
      // The result is JSON text: it is embedded, not printed again.
      const before = `{"type":"data","id":${printJson(id)},"payload":`;
      for await (const { text } of results) await this.#socket.send(`${before}${text}}`);
      if (this.#operations.get(id) !== results) return;
      this.#operations.delete(id);
      await this.#send({ type: 'complete', id });
    } catch (thrown) {
      this.#operations.delete(id);
      const errors =
        thrown instanceof OperationRejected ? thrown.errors : [{ message: toServiceError(thrown).message }];
      await this.#end(id, { errors });
    }
  }

  /** Rejects a `start`. `complete`: whether a `complete` follows, which would end a running operation of that id. */
  #reject(id: unknown, message: string, complete = true): Promise<void> {
    return this.#end(id, graphqlError(new ServiceError('start-failed', message), false), complete);
  }

  /** Sends an `error`, which ends an operation; Hasura v2 sends a `complete` after it. */
  async #end(id: unknown, payload: Message, complete = true): Promise<void> {
    await this.#send({ type: 'error', id, payload });
    if (complete) await this.#send({ type: 'complete', id });
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #send(message: Message): Promise<void> {
    return this.#socket.send(printJson(message));
  }
}
