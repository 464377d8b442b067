/** The protocol `graphql-transport-ws`, as the library graphql-ws has it; results go out as the text they came as. */
import { makeServer, type ServerOptions } from 'graphql-ws';
import { RawJson as Raw, type RawJson } from '../../base/json-value.ts';
import { OperationRejected, type ResultStream } from '../../service/graphql/result-streams.ts';
import type { ClientSocket } from './client-socket.ts';
import type { Connection } from './connection.ts';

interface Extra {
  readonly socket: ClientSocket;
  readonly connection: Connection;
  /** The client's ids of what is under way, and what the library is told instead. */
  readonly ids: Map<string, string>;
}

/**
 * The library forgets an operation by its id when it has ended, also when the client has given that id to another one
 * since. So each operation has an id of its own there: a number, this mark, the client's id.
 */
const MARK = '\u0000';

/** What the protocol does with one socket. */
export interface ProtocolSession {
  /** Handles a message as JSON; undefined stands for a text that is not JSON. */
  message(message: unknown): Promise<void>;
  /** Sent at intervals, so that whatever stands between does not close the socket. */
  keepAlive(): void;
  closed(code: number, reason: string): void;
}

export type Protocol = (socket: ClientSocket, connection: Connection) => ProtocolSession;

type Options = ServerOptions<Record<string, unknown> | undefined, Extra>;
type Execution = Extract<Awaited<ReturnType<NonNullable<Options['onSubscribe']>>>, { readonly document: unknown }>;

/** The library wants a document to see what kind of operation it is. To it, all are subscriptions: results one by one. */
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

/** `initTimeoutMs`: how long a client may take until it sends `connection_init`. */
export function transportProtocol(initTimeoutMs: number): Protocol {
  /** The result in the message that is being written: between the replacer and the sending nothing else happens. */
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
    // The results themselves: what the library would make of them is a copy without their kind.
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
        // The library takes what is parsed already, and leaves the exact numbers in it alone.
        await receive(renamed(message, ids, () => `${count++}${MARK}`) as string);
      },
      keepAlive: () => void socket.send('{"type":"ping"}'),
      closed: (code, reason) => void closed(code, reason),
    };
  };
}

/** The message with the id that the library knows the operation by. */
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

/** What is refused is told by the first result. */
function open(connection: Connection, payload: unknown, others: number): ResultStream {
  try {
    return connection.open(payload, others);
  } catch (refusal) {
    return rejecting(refusal);
  }
}

async function* rejecting(refusal: unknown): ResultStream {
  await Promise.reject(refusal);
  yield* [];
  return undefined;
}
