/** What changes during a soak: metadata, nodes by deployments, and the primary of the cluster. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../failover/cluster.ts';
import type { ServiceNode } from '../failover/nodes.ts';
import type { Client } from './load.ts';

export interface Disturbances {
  /** Numbers by kind. */
  readonly done: Readonly<Record<'metadata' | 'deployments' | 'failovers', number>>;
  /** Disturbances that could not be carried out, with the error. */
  readonly failed: readonly string[];
  /** The seconds since the start at which a failover or a deployment began. */
  readonly marks: readonly { readonly seconds: number; readonly what: string }[];
  stop(): Promise<void>;
}

/** Seconds between disturbances of a kind. */
const every = { metadata: 10, deployments: 150, failovers: 240 };

export interface DisturbanceOptions {
  readonly cluster: Cluster;
  readonly load: Client;
  /** The node that is never replaced, so that its memory can be compared over the whole time. */
  readonly permanent: ServiceNode;
  startNode(): Promise<ServiceNode>;
}

export function startDisturbances({ cluster, load, permanent, startNode }: DisturbanceOptions): Disturbances {
  const done = { metadata: 0, deployments: 0, failovers: 0 };
  const failed: string[] = [];
  const marks: { seconds: number; what: string }[] = [];
  const over = new AbortController();
  const began = Date.now();
  const mark = (what: string): unknown => marks.push({ seconds: (Date.now() - began) / 1_000, what });

  let roles = 0;
  const kinds: Readonly<Record<keyof typeof every, () => Promise<void>>> = {
    metadata: async () => {
      // A failover between the two commands leaves the permission, which an attempt with the same role would meet.
      const role = `role_${roles++}`;
      const entry = { source: 'default', table: 'entry', role };
      await permanent.command('bulk', [
        {
          type: 'pg_create_select_permission',
          args: { ...entry, permission: { columns: ['id'], filter: { n: { _gt: done.metadata } } } },
        },
      ]);
      await permanent.command('pg_drop_select_permission', entry);
    },
    deployments: async () => {
      mark('deployment');
      const replaced = load.nodes.filter((node) => node !== permanent);
      const next = await startNode();
      load.nodes = [permanent, next];
      for (const node of replaced) {
        await load.drained(node);
        await node.stop('SIGTERM');
      }
    },
    failovers: async () => {
      await cluster.healthy();
      mark('failover');
      if (done.failovers % 2 === 0) return cluster.switchover();
      const primary = await cluster.primary();
      await cluster.kill(primary);
      await sleep(15_000);
      cluster.restart(primary);
    },
  };

  const repeat = async (kind: keyof typeof every): Promise<void> => {
    for (;;) {
      await sleep(every[kind] * 1_000, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      try {
        await kinds[kind]();
        done[kind] += 1;
      } catch (error) {
        failed.push(`${kind}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  const all = Promise.all([repeat('metadata'), repeat('deployments'), repeat('failovers')]);
  return {
    done,
    failed,
    marks,
    stop: async () => {
      over.abort();
      await all;
    },
  };
}
