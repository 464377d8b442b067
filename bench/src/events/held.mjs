// Delivery of a backlog while a transaction stays open.
import { whileHeld } from '../measure/held.mjs';
import { newerNode, startSink, versionOf, withServers } from '../servers.mjs';
import { joinery, once } from './backlog.mjs';

const CONCURRENCY = 100;

export async function held(postgres, settings) {
  return withServers({ stop: async () => undefined }, async (start) => {
    const sink = await start(startSink());
    const worker = await joinery(postgres, sink, CONCURRENCY, `held_${versionOf(newerNode())}`, newerNode());
    await start(worker.server);
    // The tables are not emptied, and finished events are counted by an index, because all deleted rows remain.
    return whileHeld(worker.url, settings, (count) => {
      const since = new Date().toISOString();
      const left = `select count(*) < ${count} as pending from joinery.processed_events where processed_at > '${since}'`;
      return once({ ...worker, clear: 'select', left }, sink, count);
    });
  });
}
