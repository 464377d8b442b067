/** Writes to all servers of the cluster several times a second, without the service, to detect which accept writes. */
import pg from 'pg';
import { countedTables } from '../support/events/counted-writers.ts';
import { DATABASE, type Member } from './cluster.ts';

export interface PrimaryWatch {
  /** Times of successful writes by the name of the member, in milliseconds since 1970, ascending. */
  readonly writes: ReadonlyMap<string, readonly number[]>;
  stop(): Promise<void>;
}

const INTERVAL_MS = 100;
const TIMEOUT_MS = 1_500;

export function watchPrimary(members: readonly Member[]): PrimaryWatch {
  const writes = new Map(members.map(({ name }) => [name, [] as number[]]));
  let stopped = false;
  const loops = members.map(async ({ name, port }) => {
    while (!stopped) {
      await writeUntilFailure(port, () => {
        writes.get(name)?.push(Date.now());
        return !stopped;
      });
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    }
  });
  return {
    writes,
    stop: async () => {
      stopped = true;
      await Promise.all(loops);
    },
  };
}

/** Writes until a write fails or `onWrite` returns false. */
async function writeUntilFailure(port: number, onWrite: () => boolean): Promise<void> {
  const client = new pg.Client({
    connectionString: `postgres://postgres@127.0.0.1:${port}/${DATABASE}`,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    do {
      await client.query('insert into watch default values');
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    } while (onWrite());
  } catch {
    // The server is a standby or unavailable.
  } finally {
    // `end` would wait for a paused server.
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** Creates the database of the service, the table `watch` and those of the counted changes. */
export async function createDatabase(primary: Member): Promise<void> {
  const run = async (database: string, text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${primary.port}/${database}` });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await run('postgres', `create database ${DATABASE}`);
  await run(DATABASE, `create table watch (at timestamptz not null default clock_timestamp()); ${countedTables}`);
}
