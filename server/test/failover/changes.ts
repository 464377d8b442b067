/** Changes of rows whose event triggers must be called during a scenario, by clients that use the primary directly. */

import {
  type ComparedCalls,
  type CountedWriters,
  committedChanges,
  compareCalls,
  startCountedWriters,
} from '../support/events/counted-writers.ts';
import { until } from '../support/until.ts';
import { DATABASE } from './cluster.ts';
import type { ServiceNode } from './nodes.ts';
import type { Receiver } from './receiver.ts';

const triggers = { plain: {}, ordered: { ordering_key: ['key'] } };

/** Creates the triggers. The tables exist. */
export async function setUpTriggers(node: ServiceNode, receiver: string): Promise<void> {
  const change = { columns: '*' };
  await node.command('pg_track_table', { source: 'default', table: 'item' });
  for (const [name, more] of Object.entries(triggers)) {
    await node.command('pg_create_event_trigger', {
      ...{ source: 'default', name, table: 'item', insert: change, update: change, delete: change },
      ...{ webhook: `${receiver}/change/${name}`, retry_conf: { num_retries: 20, interval_sec: 1 }, ...more },
    });
  }
}

export interface ChangeLoad {
  start(): CountedWriters;
  /** Waits at most `seconds` for the calls of all changes that were ever committed, and compares them by trigger. */
  compare(seconds: number): Promise<Readonly<Record<string, ComparedCalls>>>;
}

export function createChangeLoad(port: number, receiver: Receiver): ChangeLoad {
  const url = `postgres://postgres@127.0.0.1:${port}/${DATABASE}`;
  const started: CountedWriters[] = [];
  return {
    start: () => {
      const writers = startCountedWriters(url, 2);
      started.push(writers);
      return writers;
    },
    compare: async (seconds) => {
      const committed = await committedChanges(url);
      const rolledBack = new Set(started.flatMap((writers) => [...writers.rolledBack]));
      const compared = (): Record<string, ComparedCalls> =>
        Object.fromEntries(
          Object.keys(triggers).map((name) => [
            name,
            compareCalls(receiver.changes.get(`/change/${name}`) ?? [], committed, rolledBack),
          ]),
        );
      await until(
        'all changes are called',
        () => Object.values(compared()).every(({ missing }) => missing.length === 0),
        {
          seconds,
          intervalMs: 500,
        },
      ).catch(() => undefined);
      return compared();
    },
  };
}
