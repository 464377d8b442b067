/** Samples of what must not grow: memory and handles of the permanent node, connections, sizes and dead rows of the database. */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import type { Cluster } from '../failover/cluster.ts';
import { DATABASE } from '../failover/cluster.ts';
import type { ServiceNode } from '../failover/nodes.ts';

/** Values by name of the series, such as `memory (MB)`. */
export type Sample = Readonly<Record<string, number>>;

/** Returns the present values of a node; undefined members are left out. */
export async function sampleNode(node: ServiceNode): Promise<Sample> {
  const metrics = await fetch(`${node.url}/metrics`).then((response) => response.text());
  const metric = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
  return {
    'memory of the node (MB)': residentBytes(node.pid) / 1e6,
    'heap of the node (MB)': metric('nodejs_heap_size_used_bytes') / 1e6,
    'open files of the node': readdirSync(`/proc/${node.pid}/fd`).length,
    'websockets of the node': metric('joinery_websocket_connections'),
  };
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

/** Returns the present values of the database of the primary. Throws while there is none. */
export async function sampleDatabase(cluster: Cluster): Promise<Sample> {
  const client = new pg.Client({
    connectionString: `postgres://postgres@127.0.0.1:${cluster.proxyPort}/${DATABASE}`,
    connectionTimeoutMillis: 3_000,
    query_timeout: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string; value: string }>(statement);
    return Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]));
  } finally {
    await client.end().catch(() => undefined);
  }
}

const statement = `
  select 'connections' as name, count(*) as value from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  union all
  select 'dead rows', sum(n_dead_tup) from pg_stat_user_tables
  union all
  select 'size of ' || relid::regclass || ' (MB)', round(pg_table_size(relid) / 1e6, 3) from pg_stat_user_tables
    where pg_table_size(relid) > 500000
  union all
  select 'indexes of ' || relid::regclass || ' (MB)', round(pg_indexes_size(relid) / 1e6, 3) from pg_stat_user_tables
    where pg_indexes_size(relid) > 500000`;
