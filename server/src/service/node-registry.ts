/** The nodes of the service: each writes down that it is there, and any of them tells of all. */
import { hostname } from 'node:os';
import { createFailureLog } from '../base/failure-log.ts';
import { createPeriodicTask } from '../base/periodic-task.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import type { Query } from '../postgres/client/pool.ts';

export interface NodeIdentity {
  /** In the table of leases with a word for what is claimed: `<id> events`. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/** A node that was not seen for so long counts as gone. */
const ALIVE_SECONDS = 20;
/** And is told of for so long after that. */
const TOLD_SECONDS = 600;
const BEAT_MS = 5_000;

let started = 0;

/** Another one for each service that this process starts. */
export function identifyNode(): NodeIdentity {
  started += 1;
  const [host, pid] = [hostname(), process.pid];
  return { id: `${host}:${pid}${started === 1 ? '' : `:${started}`}:${Date.now().toString(36)}`, host, pid };
}

export interface NodeRegistry {
  start(): Promise<void>;
  /** Takes this node off the list. */
  stop(): Promise<void>;
}

export interface NodeRegistryParts {
  readonly query: Query;
  readonly node: NodeIdentity;
  readonly version: string;
  readonly components: readonly string[];
  readonly observe: Observe;
}

const beatText = `insert into joinery.nodes as n (id, host, pid, version, components) values ($1, $2, $3, $4, $5::text[])
  on conflict (id) do update set seen_at = clock_timestamp()`;
const forgetText = `delete from joinery.nodes where seen_at < clock_timestamp() - $1 * interval '1 second'`;
const endText = 'delete from joinery.nodes where id = $1';

/** A database that is away costs nothing but that this node is not seen meanwhile. */
export function createNodeRegistry({ query, node, version, components, observe }: NodeRegistryParts): NodeRegistry {
  const failureLog = createFailureLog(observe, 'list of nodes');
  const values = [node.id, node.host, node.pid, version, `{${components.join(',')}}`];

  async function beat(): Promise<void> {
    try {
      await query({ text: beatText, values });
      await query({ text: forgetText, values: [TOLD_SECONDS] });
      failureLog.recovered();
    } catch (error) {
      failureLog.failed(error);
    }
  }

  const beats = createPeriodicTask(beat, BEAT_MS);
  return {
    start: beats.start,
    async stop() {
      await beats.stop();
      await query({ text: endText, values: [node.id] }).catch((error) => failureLog.failed(error));
    },
  };
}

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

const listText = `select n.id, n.host, n.pid, n.version, array_to_string(n.components, ','), ${time('n.started_at')},
    ${time('n.seen_at')}, n.seen_at > clock_timestamp() - $1 * interval '1 second',
    (select count(*) from joinery.event_leases l join joinery.scheduled_events e on e.lease = l.id where l.node = n.id || ' events')
  from joinery.nodes n order by n.started_at, n.id`;

export interface ListedNode {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly components: readonly string[];
  /** By the clock of the database, ISO 8601, UTC. */
  readonly started_at: string;
  readonly seen_at: string;
  /** Seen within the last seconds. */
  readonly alive: boolean;
  /** Events that are due at once and held by the node. */
  readonly events_in_hand: number;
}

/** The oldest first. */
export async function listNodes(query: Query): Promise<readonly ListedNode[]> {
  const { rows } = await query({ text: listText, values: [ALIVE_SECONDS] });
  return rows.map(([id, host, pid, version, components, startedAt, seenAt, alive, claimed]) => ({
    id: id ?? '',
    host: host ?? '',
    pid: Number(pid),
    version: version ?? '',
    components: (components ?? '').split(',').filter((one) => one !== ''),
    started_at: startedAt ?? '',
    seen_at: seenAt ?? '',
    alive: alive === 't',
    events_in_hand: Number(claimed),
  }));
}
