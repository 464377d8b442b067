/** Clients of live queries and streams that record what they have received, and connect again. */
import { connectedClient, type Frame } from '../../support/http/websocket-clients.ts';
import type { Notes } from './notes.ts';

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

/** Returns the ids that a reader may see. */
export function visible(notes: Notes, { author }: Reader): readonly number[] {
  return [...notes].filter(([, note]) => author === undefined || note.author === author).map(([id]) => id);
}

const rowsOnly = 'note(order_by: { id: asc }) { id author body }';

/** Returns the result of the live query of a reader. */
export function liveResult(notes: Notes, reader: Reader): string {
  const ids = [...visible(notes, reader)].sort((one, other) => one - other);
  return JSON.stringify({ note: ids.map((id) => ({ id, author: notes.get(id)?.author, body: notes.get(id)?.body })) });
}

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

/** Subscribes to all notes of the reader. */
export function liveQuery(url: string, reader: Reader): Promise<Subscriber> {
  return subscriber(url, reader, () => `subscription { ${rowsOnly} }`);
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
