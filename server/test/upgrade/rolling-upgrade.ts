/** Replaces two nodes one after the other under load, as docs/backup-upgrade.md describes, and counts what clients and receivers notice. */
import { startHandlerServer } from '../support/http/handler-server.ts';
import { until } from '../support/until.ts';
import type { UpgradeNode } from './checkout-service.ts';

export type StartNode = (environment: Readonly<Record<string, string>>) => Promise<UpgradeNode>;

export interface UpgradeReport {
  readonly requests: number;
  /** Errors of requests and of responses. */
  readonly failures: readonly string[];
  /** Rows of acknowledged mutations that the table does not have. */
  readonly missingRows: number;
  readonly events: number;
  /** Acknowledged events that were not delivered. */
  readonly lost: number;
  /** Events that were delivered more than once. */
  readonly repeated: number;
}

const CLIENTS = 4;
/** Requests of all clients before the next step of the upgrade. */
const BETWEEN = 80;
const headers = { 'content-type': 'application/json', 'x-service-role': 'admin' };

interface Load {
  /** The nodes that the proxy would use. */
  nodes: readonly UpgradeNode[];
  requests: number;
  /** Requests without a response, by node. */
  readonly open: Map<string, number>;
  readonly rows: number[];
  readonly events: number[];
  readonly failures: string[];
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const received = (await response.json()) as object;
  if (!response.ok || 'errors' in received) throw new Error(JSON.stringify(received));
  return received;
}

async function request(load: Load, webhook: string): Promise<void> {
  const number = load.requests;
  load.requests += 1;
  const url = load.nodes[number % load.nodes.length]?.url ?? '';
  const count = (more: number): unknown => load.open.set(url, (load.open.get(url) ?? 0) + more);
  count(1);
  try {
    if (number % 3 === 0) {
      await post(`${url}/v1/graphql`, {
        query: `mutation { insert_item(objects: {id: ${number}}) { affected_rows } }`,
      });
      load.rows.push(number);
    } else if (number % 3 === 1) {
      await post(`${url}/v1/graphql`, { query: '{ item_aggregate { aggregate { count } } item(limit: 5) { id } }' });
    } else {
      const schedule_at = new Date(Date.now() + 500).toISOString();
      await post(`${url}/v1/metadata`, {
        type: 'create_scheduled_event',
        args: { webhook, schedule_at, payload: number },
      });
      load.events.push(number);
    }
  } catch (error) {
    load.failures.push(String(error));
  } finally {
    count(-1);
  }
}

/** Starts two nodes by `before`, and replaces each by one of `after`. */
export async function runRollingUpgrade(
  before: StartNode,
  after: StartNode,
  environment: Readonly<Record<string, string>>,
): Promise<UpgradeReport> {
  const receiver = await startHandlerServer({ '/event': () => ({}) });
  const delivered = (): number[] => receiver.calls.map(({ body }) => Number(body.payload));
  const running: UpgradeNode[] = [];
  const start = async (startNode: StartNode): Promise<UpgradeNode> => {
    const node = await startNode(environment);
    running.push(node);
    return node;
  };
  try {
    const [first, second] = [await start(before), await start(before)];
    await post(`${first.url}/v2/query`, { type: 'run_sql', args: { sql: 'create table item (id int primary key)' } });
    await post(`${first.url}/v1/metadata`, { type: 'pg_track_table', args: { table: 'item' } });
    await until('the second node has the table', async () => {
      const query = { query: '{ item { id } }' };
      return post(`${second.url}/v1/graphql`, query).catch(() => undefined);
    });
    const load: Load = { nodes: [first, second], requests: 0, open: new Map(), rows: [], events: [], failures: [] };
    let ended = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!ended) await request(load, `${receiver.url}/event`);
    });
    const more = async (): Promise<void> => {
      const target = load.requests + BETWEEN;
      await until('the clients continue', () => load.requests >= target);
    };
    /** As a proxy does: no more requests, and those without a response are awaited. */
    const takeOut = async (node: UpgradeNode): Promise<void> => {
      load.nodes = load.nodes.filter((one) => one !== node);
      await until('the requests to the node have ended', () => load.open.get(node.url) === 0);
      await node.stop();
    };
    await more();
    await takeOut(first);
    const third = await start(after);
    load.nodes = [third, second];
    await more();
    await takeOut(second);
    const fourth = await start(after);
    load.nodes = [third, fourth];
    await more();
    ended = true;
    await Promise.all(clients);
    await until('all events are delivered', () => new Set(delivered()).size >= load.events.length);
    const { data } = (await post(`${third.url}/v1/graphql`, { query: '{ item { id } }' })) as {
      readonly data: { readonly item: readonly { readonly id: number }[] };
    };
    const ids = new Set(data.item.map(({ id }) => id));
    const calls = new Set(delivered());
    return {
      requests: load.requests,
      failures: load.failures,
      missingRows: load.rows.filter((row) => !ids.has(row)).length,
      events: load.events.length,
      lost: load.events.filter((event) => !calls.has(event)).length,
      repeated: delivered().length - calls.size,
    };
  } finally {
    await Promise.all(running.map((node) => node.stop()));
    await receiver.close();
  }
}
