/** The protocol `graphql-transport-ws`, by the library graphql-ws. Results are sent as the JSON text of the database. */
import { makeServer, type ServerOptions } from 'graphql-ws';
import { RawJson as Raw, type RawJson } from '../../base/json-value.ts';
import { OperationRejected, type ResultStream } from '../../service/graphql/result-streams.ts';
import type { ClientSocket } from './client-socket.ts';
import type { Connection } from './connection.ts';

interface Extra {
  readonly socket: ClientSocket;
  readonly connection: Connection;
  /** The ids of running operations as the client sent them, with the ids that the library uses. */
  readonly ids: Map<string, string>;
}

/**
 * When an operation ends, the library removes it by its id, even if the client has reused the id since. Therefore each
 * operation has a unique id in the library: a number, this mark and the client's id.
 */
const MARK = '\u0000';

/** The protocol of one socket. */
export interface ProtocolSession {
  /** Handles a parsed message; undefined if the text was not JSON. */
  message(message: unknown): Promise<void>;
  /** Sends a keep-alive message, so that proxies do not close the socket. */
  keepAlive(): void;
  closed(code: number, reason: string): void;
}

export type Protocol = (socket: ClientSocket, connection: Connection) => ProtocolSession;

type Options = ServerOptions<Record<string, unknown> | undefined, Extra>;
type Execution = Extract<Awaited<ReturnType<NonNullable<Options['onSubscribe']>>>, { readonly document: unknown }>;

/** The library requires a document for the kind of the operation. Every operation is run as a subscription. */
const document = {
  kind: 'Document',
  definitions: [
    {
      kind: 'OperationDefinition',
      operation: 'subscription',
      selectionSet: { kind: 'SelectionSet', selections: [] },
    },
  ],
};

/** `initTimeoutMs`: timeout for `connection_init`. */
export function transportProtocol(initTimeoutMs: number): Protocol {
  /** The result of the message that is being printed: the library sends it right after the replacer runs. */
  let result: RawJson | undefined;

  const server = makeServer<Record<string, unknown> | undefined, Extra>({
    connectionInitWaitTimeout: initTimeoutMs,
    onConnect: async ({ connectionParams, extra: { connection, socket } }) => {
      try {
        await connection.admit(connectionParams);
        return true;
      } catch (error) {
        socket.close(4403, error instanceof Error ? error.message : 'Forbidden');
        return false;
      }
    },
    onSubscribe: ({ extra: { connection }, subscriptions }, _id, payload) => {
      const execution = { document, contextValue: open(connection, payload, Object.keys(subscriptions).length - 1) };
      return execution as unknown as Execution;
    },
    subscribe: (execution) => execution.contextValue as AsyncGenerator<never>,
    // Returns the result itself; the library would copy it without its class.
    onNext: (_context, _id, _payload, _execution, next) => next as never,
    onError: (_context, _id, _payload, [error]) => {
      return error?.originalError instanceof OperationRejected ? (error.originalError.errors as never) : undefined;
    },
    onComplete: ({ extra: { ids } }, id) => {
      const own = ownId(id);
      if (ids.get(own) === id) ids.delete(own);
    },
    jsonMessageReplacer: (key, value: unknown) => {
      if (key === 'id' && typeof value === 'string') return ownId(value);
      if (!(value instanceof Raw)) return value;
      result = value;
      return 0;
    },
  });

  return (socket, connection) => {
    const ids = new Map<string, string>();
    let count = 0;
    let receive: (message: string) => Promise<void> = async () => undefined;
    const closed = server.opened(
      {
        protocol: socket.protocol,
        close: (code = 1000, reason = '') => socket.close(code, reason),
        onMessage: (listener) => {
          receive = listener;
        },
        send: (text) => {
          const raw = result;
          result = undefined;
          return socket.send(raw === undefined ? text : `${text.slice(0, -'0}'.length)}${raw.text}}`);
        },
      },
      { socket, connection, ids },
    );
    return {
      message: async (message) => {
        if (message === undefined) {
          socket.close(4400, 'Invalid message received');
          return;
        }
        // The library accepts parsed messages and keeps the exact numbers in them.
        await receive(renamed(message, ids, () => `${count++}${MARK}`) as string);
      },
      keepAlive: () => void socket.send('{"type":"ping"}'),
      closed: (code, reason) => void closed(code, reason),
    };
  };
}

/** Returns the message with the id that the library uses. */
function renamed(message: unknown, ids: Map<string, string>, prefix: () => string): unknown {
  if (typeof message !== 'object' || message === null || !('id' in message) || !('type' in message)) return message;
  const { id, type } = message;
  if (typeof id !== 'string' || id === '') return message;
  const known = ids.get(id) ?? prefix() + id;
  if (type === 'subscribe') ids.set(id, known);
  if (type === 'complete') ids.delete(id);
  return { ...message, id: known };
}

function ownId(id: string): string {
  return id.slice(id.indexOf(MARK) + 1);
}

/** Opens an operation. If it is rejected, the stream rejects with the error. */
function open(connection: Connection, payload: unknown, others: number): ResultStream {
  try {
    return connection.open(payload, others);
  } catch (error) {
    return rejecting(error);
  }
}

async function* rejecting(error: unknown): ResultStream {
  await Promise.reject(error);
  yield* [];
  return undefined;
}
