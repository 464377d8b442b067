/** Mixed requests of clients: as fast as the nodes respond, which measures their capacity, or at a fixed rate. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { post } from '../failover/load.ts';
import type { ServiceNode } from '../failover/nodes.ts';

/** Counts since the last call of `take`. */
export interface Counts {
  requests: number;
  /** Requests without a successful response, by code. */
  readonly errors: Map<string, number>;
  /** Durations of successful requests in milliseconds. */
  readonly durations: number[];
}

export interface Load {
  /** The nodes that the proxy in front of them would use. */
  nodes: readonly ServiceNode[];
  /** Numbers of the events that were acknowledged. */
  readonly events: Set<number>;
  /** Returns the counts, and begins new ones. */
  take(): Counts;
  /** Resolves when the requests to the node have ended; `nodes` no longer has it. */
  drained(node: ServiceNode): Promise<void>;
}

/** Open requests of all clients; more wait, as in the pool of a client. */
const MOST_OPEN = 100;
const EVENTS_PER_REQUEST = 3;
/** Rows that the table has at most; the oldest are deleted. */
const MOST_ROWS = 20_000;

export interface Client extends Load {
  /** Sends requests one after the other by `clients` clients. Returns the requests per second. */
  measureCapacity(seconds: number, clients: number): Promise<number>;
  /** Sends `rate` requests per second until `stop`. */
  start(rate: number): { stop(): Promise<void> };
}

export function createLoad(first: readonly ServiceNode[], receiver: string): Client {
  let counts: Counts = { requests: 0, errors: new Map(), durations: [] };
  let number = 0;
  let turn = 0;
  const open = new Map<ServiceNode, Set<Promise<void>>>();
  const events = new Set<number>();

  const graphql = (query: string, variables: object = {}): Body => ({
    path: '/v1/graphql',
    body: { query, variables },
  });
  const insert = 'mutation ($o: entry_insert_input!) { insert_entry_one(object: $o) { id } }';
  const update =
    'mutation ($n: Int!) { update_entry(where: {n: {_lte: $n, _gt: 0}}, _set: {n: 0}) { affected_rows } delete_entry(where: {n: {_eq: 0}}) { affected_rows } }';

  /** Returns the next request of the mix, in percent: 50 reads, 25 inserts, 5 changes of many rows, 10 events, 10 actions. */
  function nextRequest(): Body {
    turn += 1;
    const share = turn % 20;
    if (share < 10) return graphql('{ entry(limit: 10, order_by: {n: desc}) { id n } }');
    if (share < 15) return graphql(insert, { o: { id: randomUUID(), n: ++number } });
    if (share === 15) return graphql(update, { n: number - MOST_ROWS });
    if (share < 18) return graphql(`mutation { run(n: ${++number}) }`);
    const batch = Array.from({ length: EVENTS_PER_REQUEST }, () => ++number);
    return {
      path: '/v1/query',
      body: {
        type: 'create_scheduled_events',
        args: {
          events: batch.map((n) => ({
            webhook: `${receiver}/event`,
            schedule_at: new Date(Date.now() + 500 + Math.random() * 5_000).toISOString(),
            payload: { n },
          })),
        },
      },
      acknowledged: () => {
        for (const n of batch) events.add(n);
      },
    };
  }

  async function send(node: ServiceNode): Promise<void> {
    const { path, body, acknowledged } = nextRequest();
    const began = performance.now();
    const { outcome } = await post(`${node.url}${path}`, body);
    counts.requests += 1;
    if (outcome !== 'ok') counts.errors.set(outcome, (counts.errors.get(outcome) ?? 0) + 1);
    else {
      counts.durations.push(performance.now() - began);
      acknowledged?.();
    }
  }

  const client: Client = {
    nodes: first,
    events,
    take: () => {
      const taken = counts;
      counts = { requests: 0, errors: new Map(), durations: [] };
      return taken;
    },
    drained: async (node) => {
      await Promise.all(open.get(node) ?? []);
    },
    measureCapacity: async (seconds, clients) => {
      const ends = Date.now() + seconds * 1_000;
      const before = counts.requests;
      await Promise.all(
        Array.from({ length: clients }, async () => {
          while (Date.now() < ends) await sendToNext();
        }),
      );
      return (counts.requests - before) / seconds;
    },
    start: (rate) => {
      let due = Date.now();
      const timer = setInterval(() => {
        for (; due <= Date.now(); due += 1_000 / rate) {
          if ([...open.values()].reduce((sum, { size }) => sum + size, 0) < MOST_OPEN) sendToNext();
          else counts.errors.set('not-sent', (counts.errors.get('not-sent') ?? 0) + 1);
        }
      }, 5);
      return {
        stop: async () => {
          clearInterval(timer);
          await Promise.all([...open.values()].flatMap((sent) => [...sent]));
        },
      };
    },
  };

  async function sendToNext(): Promise<void> {
    const node = client.nodes[turn % client.nodes.length];
    if (node === undefined) return sleep(10);
    const sent = open.get(node) ?? new Set();
    open.set(node, sent);
    const request = send(node).finally(() => sent.delete(request));
    sent.add(request);
    await request;
  }

  return client;
}

interface Body {
  readonly path: string;
  readonly body: object;
  readonly acknowledged?: () => void;
}
