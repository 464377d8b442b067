/** Clients with a live query, each for a while; others replace them. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceNode } from '../failover/nodes.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';

export interface Subscribers {
  /** Connections that were ended by the node, or could not be opened, since the start. */
  readonly interruptions: number;
  /** Results since the start. */
  readonly results: number;
  stop(): Promise<void>;
}

const SHORTEST_MS = 5_000;
const LONGEST_MS = 60_000;
const PAUSE_MS = 500;

/** Keeps `count` clients subscribed. `nodeOf` returns the node for the next connection. */
export function startSubscribers(count: number, nodeOf: () => ServiceNode | undefined): Subscribers {
  const state = { interruptions: 0, results: 0 };
  const over = new AbortController();
  setMaxListeners(0, over.signal);

  async function subscribe(): Promise<void> {
    const node = nodeOf();
    if (node === undefined) return;
    const client = await connectedClient(node.url);
    try {
      const query = 'subscription { entry(limit: 5, order_by: {n: desc}) { id n } }';
      client.send({ id: '1', type: 'subscribe', payload: { query } });
      client.socket.on('message', () => {
        state.results += 1;
      });
      const stay = sleep(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS), 'stayed', { signal: over.signal });
      if ((await Promise.race([stay, client.closed])) !== 'stayed') state.interruptions += 1;
    } finally {
      client.socket.terminate();
    }
  }

  const clients = Array.from({ length: count }, async () => {
    while (!over.signal.aborted) {
      await subscribe().catch(() => {
        if (!over.signal.aborted) state.interruptions += 1;
      });
      await sleep(PAUSE_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  });
  return {
    get interruptions() {
      return state.interruptions;
    },
    get results() {
      return state.results;
    },
    stop: async () => {
      over.abort();
      await Promise.all(clients);
    },
  };
}
