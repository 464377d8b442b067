/** The protocol `graphql-transport-ws`, as a state machine. Results are sent as the JSON text of the database. */
import { toServiceError } from '../../base/errors.ts';
import { isJsonObject, printJson } from '../../base/json-value.ts';
import { OperationRejected, type ResultStream } from '../../service/graphql/result-streams.ts';
import type { ClientSocket } from './client-socket.ts';
import type { Connection } from './connection.ts';

/** The protocol of one socket. */
export interface ProtocolSession {
  /** Whether clients expect keep-alive messages beside others. */
  readonly keepsAliveBesideOthers: boolean;
  /** Handles a parsed message; undefined if the text was not JSON. */
  message(message: unknown): Promise<void>;
  /** Sends a keep-alive message, so that proxies do not close the socket. */
  keepAlive(): void;
  /** Ends all operations. Called when the socket is closed. */
  closed(): void;
}

export type ProtocolSocket = Pick<ClientSocket, 'send' | 'close' | 'hold' | 'release'>;
export type ProtocolConnection = Pick<Connection, 'admit' | 'open'>;
export type Protocol = (socket: ProtocolSocket, connection: ProtocolConnection) => ProtocolSession;

/** `initTimeoutMs`: timeout for `connection_init`. */
export function transportProtocol(initTimeoutMs: number): Protocol {
  return (socket, connection) => new TransportSession(socket, connection, initTimeoutMs);
}

type JsonObject = Readonly<Record<string, unknown>>;

type ClientMessage =
  | { readonly type: 'connection_init' | 'ping' | 'pong'; readonly payload: JsonObject | undefined }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: JsonObject }
  | { readonly type: 'complete'; readonly id: string };

class TransportSession implements ProtocolSession {
  readonly keepsAliveBesideOthers = false;
  readonly #socket: ProtocolSocket;
  readonly #connection: ProtocolConnection;
  readonly #operations = new Map<string, ResultStream>();
  readonly #initTimer: NodeJS.Timeout;
  #state: 'new' | 'initializing' | 'acknowledged' | 'closed' = 'new';

  constructor(socket: ProtocolSocket, connection: ProtocolConnection, initTimeoutMs: number) {
    this.#socket = socket;
    this.#connection = connection;
    this.#initTimer = setTimeout(() => socket.close(4408, 'Connection initialisation timeout'), initTimeoutMs);
  }

  async message(json: unknown): Promise<void> {
    // A large message may still be parsed when the socket closes.
    if (this.#state === 'closed') return;
    const message = readMessage(json);
    switch (message?.type) {
      case undefined:
        return this.#socket.close(4400, 'Invalid message received');
      case 'connection_init':
        return this.#init(message.payload);
      case 'ping':
        return this.#send({ type: 'pong', ...(message.payload && { payload: message.payload }) });
      case 'pong':
        return;
      case 'subscribe':
        return this.#subscribe(message.id, message.payload);
      case 'complete': {
        const results = this.#operations.get(message.id);
        this.#operations.delete(message.id);
        await results?.return(undefined);
        return;
      }
      default:
        return message satisfies never;
    }
  }

  keepAlive(): void {
    void this.#send({ type: 'ping', payload: { message: 'keepalive' } });
  }

  closed(): void {
    this.#state = 'closed';
    clearTimeout(this.#initTimer);
    for (const results of this.#operations.values()) void results.return(undefined);
    this.#operations.clear();
  }

  async #init(payload: JsonObject | undefined): Promise<void> {
    if (this.#state !== 'new') return this.#socket.close(4429, 'Too many initialisation requests');
    this.#state = 'initializing';
    clearTimeout(this.#initTimer);
    try {
      await this.#connection.admit(payload);
    } catch (thrown) {
      return this.#socket.close(4403, toServiceError(thrown).message);
    }
    if (this.#isClosed()) return;
    this.#state = 'acknowledged';
    await this.#send({ type: 'connection_ack' });
  }

  async #subscribe(id: string, payload: JsonObject): Promise<void> {
    if (this.#state !== 'acknowledged') return this.#socket.close(4401, 'Unauthorized');
    if (this.#operations.has(id)) return this.#socket.close(4409, `Subscriber for ${id} already exists`);
    let results: ResultStream | undefined;
    /** False once the client has completed the operation, after which it may use the id again. */
    const isRunning = () => results === undefined || this.#operations.get(id) === results;
    try {
      results = this.#connection.open(payload, this.#operations.size);
      this.#operations.set(id, results);
      // The result is JSON text: it is embedded, not printed again.
      const before = `{"id":${printJson(id)},"type":"next","payload":`;
      for await (const { text } of results) await this.#socket.send(`${before}${text}}`);
      if (!isRunning()) return;
      this.#operations.delete(id);
      await this.#send({ id, type: 'complete' });
    } catch (thrown) {
      if (!isRunning()) return;
      this.#operations.delete(id);
      const errors =
        thrown instanceof OperationRejected ? thrown.errors : [{ message: toServiceError(thrown).message }];
      await this.#send({ id, type: 'error', payload: errors });
    }
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #send(message: JsonObject): Promise<void> {
    return this.#socket.send(printJson(message));
  }
}

/** Returns undefined for a message that a client must not send. */
function readMessage(json: unknown): ClientMessage | undefined {
  if (!isJsonObject(json)) return undefined;
  const { type, id, payload } = json;
  switch (type) {
    case 'connection_init':
    case 'ping':
    case 'pong':
      if (isAbsent(payload)) return { type, payload: undefined };
      return isJsonObject(payload) ? { type, payload } : undefined;
    case 'subscribe':
      return isId(id) && isJsonObject(payload) && isRequest(payload) ? { type, id, payload } : undefined;
    case 'complete':
      return isId(id) ? { type, id } : undefined;
    default:
      return undefined;
  }
}

function isRequest({ query, operationName, variables, extensions }: JsonObject): boolean {
  return (
    typeof query === 'string' &&
    (isAbsent(operationName) || typeof operationName === 'string') &&
    [variables, extensions].every((member) => isAbsent(member) || isJsonObject(member))
  );
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && id !== '';
}
