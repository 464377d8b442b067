/** Notifications of the simulated database, which are lost or late as the scenario says. */
import type { listen } from '../../../src/postgres/client/listen.ts';
import type { NodeProcess } from './node-process.ts';
import { randomOf } from './random.ts';
import type { VirtualDatabase } from './virtual-database.ts';
import type { World } from './world.ts';

/** Returns what replaces `listen` for a process; undefined where nodes of the scenario poll only. */
export type ListenOf = (process: NodeProcess, node: number) => typeof listen | undefined;

/** Receives the notifications of the database. Those that a node does not receive while it is not reachable are lost. */
export function createNotifications(world: World, database: VirtualDatabase): ListenOf {
  const { scenario, time } = world;
  const { notifications: given } = scenario;
  const receivers: ((channel: string, payload: string, number: number) => void)[] = [];
  let count = 0;
  database.onNotify((channel, payload) => {
    count += 1;
    for (const receive of receivers) receive(channel, payload, count);
  });

  return (process, node) => {
    if (given === undefined) return undefined;
    return async ({ channels, onNotify }) => {
      let closed = false;
      receivers.push((channel, payload, number) => {
        if (!channels.includes(channel) || closed || process.isDead() || !world.isReachable(node)) return;
        const random = randomOf(scenario.seed, 'notification', process.name, number);
        if (random.chance(given.lost)) return;
        const sentAt = time.now();
        process.after(random.between(0.1, given.delayMs), () => {
          if (!closed && !world.brokeSince(node, sentAt)) onNotify(channel, payload);
        });
      });
      return {
        available: true,
        close: async () => {
          closed = true;
        },
      };
    };
  };
}
