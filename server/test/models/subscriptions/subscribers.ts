/** Clients of live queries and streams that record what they have received, and connect again. */
import { connectedClient, type Frame } from '../../support/http/websocket-clients.ts';
import type { Note, State } from './notes.ts';

/** Who subscribes: an author sees the own notes, an admin all. */
export interface Reader {
  readonly author: number | undefined;
}

export const readers: readonly Reader[] = [{ author: undefined }, { author: 1 }, { author: 2 }];

/** Returns the headers of the session of a reader. */
export function sessionOf({ author }: Reader): Readonly<Record<string, string>> {
  return author === undefined
    ? { 'x-service-role': 'admin' }
    : { 'x-service-role': 'user', 'x-service-user-id': String(author) };
}

/** Returns the notes that a reader may see, by id. */
function visibleNotes({ notes }: State, { author }: Reader): readonly (readonly [number, Note])[] {
  return [...notes].filter(([, note]) => author === undefined || note.author === author).sort(([a], [b]) => a - b);
}

/** Returns the ids of the notes that a reader may see. */
export function visible(state: State, reader: Reader): readonly number[] {
  return visibleNotes(state, reader).map(([id]) => id);
}

/** A live query. */
export interface Query {
  readonly text: string;
  /** Returns its result as JSON. */
  readonly resultOf: (state: State, reader: Reader) => string;
}

/** Returns the query with these fields of each note, whose values are `row`. */
function notesWith(fields: string, row: (id: number, note: Note, state: State, reader: Reader) => object): Query {
  return {
    text: `note(order_by: { id: asc }) { ${fields} }`,
    resultOf: (state, reader) =>
      JSON.stringify({ note: visibleNotes(state, reader).map(([id, note]) => row(id, note, state, reader)) }),
  };
}

/** What the action returns: equal for different notes. */
export function toneOf(body: unknown): string {
  return body === 'c' ? 'loud' : 'quiet';
}

/** What the field of the remote schema returns for every author. */
export const SCORE = 5;

export const queries: Readonly<Record<'plain' | 'nested' | 'joined', Query>> = {
  plain: notesWith('id author body', (id, note) => ({ id, author: note.author, body: note.body })),
  /** With relationships: results change with the rows of the author, and with other notes. */
  nested: notesWith(
    'id writer { name notes(order_by: { id: desc }, limit: 2) { id body } notes_aggregate { aggregate { count } } }',
    (id, { author }, state, reader) => {
      const own = visibleNotes(state, reader).filter(([, other]) => other.author === author);
      const last = own.slice(-2).reverse();
      return {
        id,
        writer: {
          name: state.names[author],
          notes: last.map(([other, { body }]) => ({ id: other, body })),
          notes_aggregate: { aggregate: { count: own.length } },
        },
      };
    },
  ),
  /** Joined to an action and a remote schema, whose results depend on the rows alone. */
  joined: notesWith('id tone score', (id, { body }) => ({ id, tone: toneOf(body), score: SCORE })),
};

export interface Subscriber {
  readonly reader: Reader;
  /** The results in the order in which they were received; of each connection apart. */
  readonly connections: readonly (readonly unknown[])[];
  /** What was received that is no result. */
  readonly problems: readonly string[];
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Subscribes to the operation that `operation` returns for the results so far. */
async function subscriber(
  url: string,
  reader: Reader,
  operation: (results: readonly unknown[]) => string,
): Promise<Subscriber> {
  const connections: unknown[][] = [];
  const problems: string[] = [];
  let disconnect: () => Promise<void> = () => Promise.resolve();
  const connect = async (): Promise<void> => {
    const results: unknown[] = [];
    const query = operation(connections.flat());
    connections.push(results);
    const client = await connectedClient(url, sessionOf(reader));
    client.send({ id: 'a', type: 'subscribe', payload: { query } });
    let isOpen = true;
    const receive = async (): Promise<void> => {
      for (;;) {
        const frame = await client.next();
        if (!isOpen) return;
        const { data, errors } = (frame.payload ?? {}) as Frame;
        if (frame.type === 'next' && errors === undefined) results.push(data);
        else problems.push(JSON.stringify(frame));
      }
    };
    const received = receive().catch((error: unknown) => {
      if (isOpen) problems.push(String(error));
    });
    disconnect = async () => {
      isOpen = false;
      client.socket.terminate();
      await client.closed;
      await received;
    };
  };
  await connect();
  return {
    reader,
    connections,
    problems,
    reconnect: async () => {
      await disconnect();
      await connect();
    },
    close: () => disconnect(),
  };
}

export interface LiveQuery extends Subscriber {
  readonly query: Query;
}

/** Subscribes to the notes of the reader. */
export async function liveQuery(url: string, reader: Reader, query: Query): Promise<LiveQuery> {
  return { ...(await subscriber(url, reader, () => `subscription { ${query.text} }`)), query };
}

/** Subscribes to the notes behind the id `start`, and continues behind the last one that was received. */
export function stream(url: string, reader: Reader, start: number, batchSize: number): Promise<Subscriber> {
  return subscriber(url, reader, (results) => {
    const last = idsOf(results).at(-1) ?? start;
    return `subscription {
      note_stream(batch_size: ${batchSize}, cursor: { initial_value: { id: ${last} }, ordering: ASC }) { id author body }
    }`;
  });
}

/** Returns the ids of the rows of a stream in the order in which they were received. */
export function idsOf(results: readonly unknown[]): readonly number[] {
  return results.flatMap((one) => (one as { note_stream: { id: number }[] }).note_stream.map(({ id }) => id));
}
