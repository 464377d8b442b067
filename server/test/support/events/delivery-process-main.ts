/** The main module of a process that only delivers events, which tests can kill. */
import { leaseDefaults } from '../../../src/events/leases/leases.ts';
import { startNode } from './delivery-node.ts';

const { EVENTS_URL: url, EVENTS_AGENT: agent, EVENTS_PER_DESTINATION: perDestination, EVENTS_LEASE_MS } = process.env;
const lastsMs = Number(EVENTS_LEASE_MS ?? leaseDefaults.lastsMs);
if (url === undefined || agent === undefined) throw new Error('EVENTS_URL and EVENTS_AGENT must be set');

await startNode(
  { url },
  {
    agent,
    settings: { perDestination: Number(perDestination) },
    leaseTimes: { lastsMs, renewEveryMs: lastsMs / 4 },
  },
);
process.stdout.write('started\n');
// run-typescript.mjs resolves dynamic imports only until this module has ended.
await new Promise(() => undefined);
