/** The nodes of the service: each writes heartbeats, and any of them lists all. */
import { hostname } from 'node:os';
import type { ServiceNode } from '@joinery/metadata/api/nodes';
import { createFailureLog } from '../base/failure-log.ts';
import { createPeriodicTask } from '../base/periodic-task.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import type { Query } from '../postgres/client/statement-run.ts';
import { queryRows, runStatement } from '../postgres/sql/rows.ts';
import { type Sql, sql, value } from '../postgres/sql/sql.ts';

export interface NodeIdentity {
  /** Part of the names of leases: `<id> events`. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/** Seconds without a heartbeat after which a node counts as dead. */
const ALIVE_SECONDS = 20;
/** Seconds without a heartbeat after which a node is no longer listed. */
const LISTED_SECONDS = 600;
const HEARTBEAT_MS = 5_000;

let started = 0;

/** Returns a new identity for each service that this process starts. */
export function identifyNode(): NodeIdentity {
  started += 1;
  const [host, pid] = [hostname(), process.pid];
  return { id: `${host}:${pid}${started === 1 ? '' : `:${started}`}:${Date.now().toString(36)}`, host, pid };
}

export interface NodeRegistry {
  start(): Promise<void>;
  /** Removes this node from the list. */
  stop(): Promise<void>;
}

export interface NodeRegistryParts {
  readonly query: Query;
  readonly node: NodeIdentity;
  readonly version: string;
  readonly components: readonly string[];
  readonly observe: Observe;
}

/** A failed heartbeat is logged; the node is listed with its last one meanwhile. */
export function createNodeRegistry({ query, node, version, components, observe }: NodeRegistryParts): NodeRegistry {
  const failureLog = createFailureLog(observe, 'list of nodes');
  const heartbeat = sql`insert into joinery.nodes as n (id, host, pid, version, components)
    values (${value(node.id)}, ${value(node.host)}, ${value(node.pid)}, ${value(version)}, ${value(`{${components.join(',')}}`)}::text[])
    on conflict (id) do update set seen_at = clock_timestamp()`;
  const removeDead = sql`delete from joinery.nodes
    where seen_at < clock_timestamp() - ${value(LISTED_SECONDS)} * interval '1 second'`;

  async function beat(): Promise<void> {
    try {
      await runStatement(query, heartbeat);
      await runStatement(query, removeDead);
      failureLog.recovered();
    } catch (error) {
      failureLog.failed(error);
    }
  }

  const task = createPeriodicTask(beat, HEARTBEAT_MS);
  return {
    start: task.start,
    async stop() {
      await task.stop();
      const remove = sql`delete from joinery.nodes where id = ${value(node.id)}`;
      await runStatement(query, remove).catch((error) => failureLog.failed(error));
    },
  };
}

const isoTime = (column: Sql): Sql => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** The oldest first. */
export async function listNodes(query: Query): Promise<readonly ServiceNode[]> {
  const rows = await queryRows(
    query,
    sql`select n.id, n.host, n.pid, n.version, array_to_string(n.components, ',') as components,
        ${isoTime(sql`n.started_at`)} as started_at, ${isoTime(sql`n.seen_at`)} as seen_at,
        n.seen_at > clock_timestamp() - ${value(ALIVE_SECONDS)} * interval '1 second' as alive,
        (select count(*) from joinery.event_leases l join joinery.scheduled_events e on e.lease = l.id
          where l.node = n.id || ' events') as claimed
      from joinery.nodes n order by n.started_at, n.id`,
    ['id', 'host', 'pid', 'version', 'components', 'started_at', 'seen_at', 'alive', 'claimed'],
  );
  return rows.map((row) => ({
    id: row.id ?? '',
    host: row.host ?? '',
    pid: Number(row.pid),
    version: row.version ?? '',
    components: (row.components ?? '').split(',').filter((one) => one !== ''),
    started_at: row.started_at ?? '',
    seen_at: row.seen_at ?? '',
    alive: row.alive === 't',
    events_in_hand: Number(row.claimed),
  }));
}
