/** The main of a process that does nothing but deliver events; see `events-nodes.test.ts`, which kills it. */
import { startNode } from './events-fixture.ts';

const { EVENTS_URL: url, EVENTS_AGENT: agent, EVENTS_PER_DESTINATION: perDestination } = process.env;
if (url === undefined || agent === undefined) throw new Error('EVENTS_URL and EVENTS_AGENT must be set');

await startNode({ url }, { agent, settings: { perDestination: Number(perDestination) } });
process.stdout.write('started\n');
// Whoever runs this file loads further modules for it, such as those that are imported late, only until it has ended.
await new Promise(() => undefined);
