/**
 * Clients that change rows in transactions, some of which are rolled back, and the comparison of the changes with calls. The
 * changes of a key are counted in a row that the transaction locks: the committed changes of a key are exactly the numbers up
 * to its counter, in commit order.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export const countedTables = `
  create table counter (key int primary key, n bigint not null);
  insert into counter select k, 0 from generate_series(1, 20) k;
  create table item (id int primary key, key int not null, n bigint not null, mark text not null);
  create table deleted_item (key int, n bigint, primary key (key, n));
`;

const KEYS = 20;

export interface CountedWriters {
  /** The number of transactions whose commit was confirmed. */
  committed(): number;
  /** Marks of changes that were certainly rolled back. */
  readonly rolledBack: ReadonlySet<string>;
  /** Ends the transactions that run, and the connections. */
  stop(): Promise<void>;
}

/** Starts clients, which connect again when their connection breaks. */
export function startCountedWriters(url: string, count: number): CountedWriters {
  const rolledBack = new Set<string>();
  let committed = 0;
  let stopping = false;

  async function write(client: pg.Client): Promise<void> {
    const all: string[] = [];
    const undone: string[] = [];
    const keys = new Set(Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () => 1 + random(KEYS)));
    await client.query('begin');
    for (const key of [...keys].sort((a, b) => a - b)) {
      const keep = Math.random() > 0.3;
      if (!keep) await client.query('savepoint before');
      const mark = randomUUID();
      all.push(mark);
      await change(client, key, mark);
      if (keep) continue;
      await client.query('rollback to before');
      undone.push(mark);
      if (Math.random() < 0.5) {
        const other = randomUUID();
        all.push(other);
        await change(client, key, other);
      }
    }
    if (Math.random() < 0.05) await sleep(200);
    const rollBack = Math.random() < 0.2;
    await client.query(rollBack ? 'rollback' : 'commit');
    for (const mark of rollBack ? all : undone) rolledBack.add(mark);
    if (!rollBack) committed += 1;
  }

  async function run(): Promise<void> {
    while (!stopping) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 3_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        while (!stopping) {
          await write(client);
          await sleep(20);
        }
      } catch {
        // The outcome of the transaction is unknown; the counters of the keys have it.
        await sleep(100);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }

  const running = Array.from({ length: count }, run);
  return {
    committed: () => committed,
    rolledBack,
    stop: async () => {
      stopping = true;
      await Promise.all(running);
    },
  };
}

/** Inserts, updates or deletes one of the rows of the key. */
async function change(client: pg.Client, key: number, mark: string): Promise<void> {
  const { rows } = await client.query('update counter set n = n + 1 where key = $1 returning n', [key]);
  const n: unknown = rows[0]?.n;
  const id = key * 10 + random(3);
  await client.query(
    `insert into item (id, key, n, mark) values ($1, $2, $3, $4)
     on conflict (id) do update set n = excluded.n, mark = excluded.mark`,
    [id, key, n, mark],
  );
  if (Math.random() < 0.7) return;
  await client.query('delete from item where id = $1', [id]);
  await client.query('insert into deleted_item values ($1, $2)', [key, n]);
}

function random(below: number): number {
  return Math.floor(Math.random() * below);
}

/** The committed changes: for each key the numbers of inserts and updates, twice, and of deletes, twice plus one. */
export async function committedChanges(url: string): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ key: number; place: string }>(
      `select c.key, (2 * g.n)::text as place from counter c, generate_series(1, c.n) as g (n)
       union all select d.key, (2 * d.n + 1)::text from deleted_item d`,
    );
    const changes = new Map<number, Set<number>>();
    for (const { key, place } of rows) changes.set(key, (changes.get(key) ?? new Set()).add(Number(place)));
    return changes;
  } finally {
    await client.end();
  }
}

export interface ComparedCalls {
  /** Committed changes that were never called, as `key/place`. */
  readonly missing: readonly string[];
  /** Called changes that were not committed. */
  readonly uncommitted: readonly string[];
  /** Called changes that their client rolled back. */
  readonly rolledBack: number;
  /** First calls of a change after the first call of a later change of its key. */
  readonly outOfOrder: number;
  readonly repeated: number;
}

interface ItemRow {
  readonly key: number;
  readonly n: number | string;
  readonly mark: string;
}

interface ItemEvent {
  readonly event: {
    readonly op: string;
    readonly data: { readonly old: ItemRow | null; readonly new: ItemRow | null };
  };
}

/** Compares the calls of a trigger, in the order of their arrival, with the committed changes. A body may be a batch. */
export function compareCalls(
  calls: readonly { readonly body: unknown }[],
  committed: ReadonlyMap<number, ReadonlySet<number>>,
  marks: ReadonlySet<string>,
): ComparedCalls {
  const seen = new Set<string>();
  const last = new Map<number, number>();
  const uncommitted: string[] = [];
  let [rolledBack, outOfOrder, repeated] = [0, 0, 0];
  for (const { event } of calls.flatMap(({ body }) => [body as ItemEvent | readonly ItemEvent[]].flat())) {
    const row = event.data.new ?? event.data.old;
    if (row === null) throw new Error('an event without a row');
    const place = 2 * Number(row.n) + (event.op === 'DELETE' ? 1 : 0);
    const name = `${row.key}/${place}`;
    if (committed.get(row.key)?.has(place) !== true) uncommitted.push(name);
    if (marks.has(row.mark)) rolledBack += 1;
    if (seen.has(name)) {
      repeated += 1;
      continue;
    }
    seen.add(name);
    if (place < (last.get(row.key) ?? 0)) outOfOrder += 1;
    last.set(row.key, Math.max(place, last.get(row.key) ?? 0));
  }
  const missing = [...committed].flatMap(([key, places]) =>
    [...places].map((place) => `${key}/${place}`).filter((name) => !seen.has(name)),
  );
  return { missing, uncommitted, rolledBack, outOfOrder, repeated };
}
