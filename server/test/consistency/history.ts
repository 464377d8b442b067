/** Runs clients against nodes while a test disturbs them, and records the history of what they sent and received. */
import type { TestDatabase } from '../support/database/test-database.ts';
import { until } from '../support/until.ts';
import type { Transaction } from './checker.ts';
import { appendOnce, keys, type Random, type Recorder, readOnce, seeded, subscribe, useRegister } from './clients.ts';
import type { RegisterOperation } from './register.ts';

export const seed = Number(process.env.CONSISTENCY_SEED ?? 1);
export const scale = Number(process.env.CONSISTENCY_SCALE ?? 1);
const CLIENTS = 6;

/** Creates the lists. */
export const listsSql = `create table list (key text primary key, elements jsonb not null default '[]');
  insert into list values ${keys.map((key) => `('${key}')`).join(', ')};`;

/** What a history needs of a node. */
export interface Node {
  readonly url: string;
  command(type: string, args: unknown): Promise<unknown>;
}

export interface Running {
  readonly recorder: Recorder;
  readonly random: Random;
  /** Waits until the clients have made `count` more operations. */
  operations(count: number): Promise<void>;
  /** Waits until each node has confirmed an append that was sent after the call. */
  served(): Promise<void>;
}

export interface HistoryOptions {
  readonly database: TestDatabase['database'];
  readonly nodes: readonly Node[];
  /** The addresses that clients use; by default those of the nodes. */
  readonly urls?: readonly string[];
  /** How long clients wait for a response. Default 20 s. */
  readonly timeoutMs?: number;
  /** Runs while the clients work. */
  readonly disturb: (running: Running) => Promise<void>;
  /** Ends the nodes, so that nothing that clients have sent takes effect later. */
  readonly stop: () => Promise<unknown>;
}

export interface History {
  readonly transactions: readonly Transaction[];
  readonly register: readonly RegisterOperation[];
  /** The lists after the end. */
  readonly finals: ReadonlyMap<string, readonly number[]>;
  /** The codes of rejected changes. */
  readonly codes: ReadonlySet<string>;
}

/** Tracks the lists, serves them by REST, and runs the clients until `disturb` has ended. */
export async function recordHistory(options: HistoryOptions): Promise<History> {
  const { database, nodes, timeoutMs = 20_000 } = options;
  const urls = options.urls ?? nodes.map(({ url }) => url);
  let used = 0;
  let operations = 0;
  const recorder: Recorder = {
    history: [],
    register: [],
    codes: new Set(),
    timeoutMs,
    next: () => {
      used += 1;
      return used;
    },
  };
  await prepare(nodes);
  let ended = false;
  const subscriptions = urls.map((url) => subscribe(url, recorder, () => ended));
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const random = seeded(seed * 100 + index);
    while (!ended) {
      await useNode(urls[random(urls.length)] ?? '', recorder, random);
      operations += 1;
    }
  });
  const after = (count: number): Promise<unknown> => {
    const target = operations + count;
    return until('the clients continue', () => operations >= target, { seconds: 300 });
  };
  const served = async (): Promise<void> => {
    for (const url of urls) {
      await until(
        `the node ${url} confirms an append`,
        async () => (await appendOnce(url, recorder, seeded(0))) === 'committed',
      );
    }
  };
  try {
    const running = { recorder, random: seeded(seed), operations: async (count: number) => void (await after(count)) };
    await options.disturb({ ...running, served });
  } finally {
    ended = true;
  }
  await Promise.all(clients);
  await options.stop();
  await Promise.all(subscriptions);
  return {
    transactions: recorder.history,
    register: recorder.register,
    finals: await finalLists(database),
    codes: recorder.codes,
  };
}

async function prepare(nodes: readonly Node[]): Promise<void> {
  const [node] = nodes;
  if (node === undefined) throw new Error('no node has started');
  await node.command('pg_track_table', { table: 'list' });
  const query = 'query lists { list(order_by: {key: asc}) { key elements } }';
  const definition = { queries: [{ name: 'lists', query }] };
  await node.command('create_query_collection', { name: 'stored', definition });
  await node.command('create_rest_endpoint', {
    name: 'lists',
    url: 'lists',
    methods: ['GET'],
    definition: { query: { collection_name: 'stored', query_name: 'lists' } },
  });
  for (const { url } of nodes) {
    await until('each node serves the endpoint', async () => {
      const { ok } = await fetch(`${url}/api/rest/lists`, { headers: { 'x-service-role': 'admin' } });
      return ok;
    });
  }
}

async function useNode(url: string, recorder: Recorder, random: Random): Promise<void> {
  const kind = random(10);
  if (kind < 4) await appendOnce(url, recorder, random);
  else if (kind < 8) await readOnce(url, recorder, random);
  else await useRegister(url, recorder, random);
}

/** Returns the lists once the statements of ended nodes have ended. */
async function finalLists(database: TestDatabase['database']): Promise<History['finals']> {
  const others = `select 1 from pg_stat_activity where datname = current_database()
    and backend_type = 'client backend' and application_name <> 'joinery tests'`;
  await until(
    'the connections of the nodes have ended',
    async () => (await database.query({ text: others, values: [] })).rows.length === 0,
  );
  const { rows } = await database.query({ text: 'select key, elements from list', values: [] });
  return new Map(rows.map(([key, elements]) => [key ?? '', JSON.parse(elements ?? '[]') as readonly number[]]));
}
