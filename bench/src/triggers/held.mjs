// Throughput of event triggers while a transaction stays open.
import { whileHeld } from '../measure/held.mjs';
import { startSink, withServers } from '../servers.mjs';
import { joinery } from './contestants.mjs';
import { once } from './throughput.mjs';

export async function held(postgres, settings) {
  return withServers({ stop: async () => undefined }, async (start) => {
    const sink = await start(startSink());
    const worker = await joinery(postgres, sink, 'held');
    await start(worker.server);
    return whileHeld(worker.url, settings, (count) => once(worker, sink, count));
  });
}
