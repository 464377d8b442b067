/**
 * Runs a scenario of `outage.ts` several times:
 *
 *     node server/test/support/service/run-typescript.mjs server/test/events/delivery/run-outages.ts --failure outage --seconds 60 --runs 10 --keys 50
 *
 * Prints one line of JSON for each run. Exits with status 1 if an event is lost, early, out of order, or repeated although its
 * call was not in flight.
 */
import { parseArgs } from 'node:util';
import { setup } from '../../support/database/global-setup.ts';
import { type OutageOptions, runOutage } from './outage.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    failure: { type: 'string', default: 'outage' },
    seconds: { type: 'string', default: '12' },
    events: { type: 'string', default: '3000' },
    keys: { type: 'string', default: '0' },
    spread: { type: 'string', default: '' },
    nodes: { type: 'string', default: '2' },
    runs: { type: 'string', default: '1' },
  },
});

const outageMs = Number(values.seconds) * 1_000;
const stop = await setup();
let failed = false;
try {
  for (let run = 0; run < Number(values.runs); run += 1) {
    const report = await runOutage({
      nodes: Number(values.nodes),
      events: Number(values.events),
      spreadMs: values.spread === '' ? outageMs + 8_000 : Number(values.spread) * 1_000,
      afterMs: 2_000 + Math.random() * 2_000,
      outageMs,
      failure: values.failure as OutageOptions['failure'],
      keys: Number(values.keys),
      responseMs: 20,
    });
    process.stdout.write(`${JSON.stringify({ ...values, ...report })}\n`);
    const { missing, early, outOfOrder, pending, repeated, repeatedInFlight } = report;
    failed ||= missing + early + outOfOrder + pending + repeated - repeatedInFlight > 0;
  }
} finally {
  await stop();
}
process.exit(failed ? 1 : 0);
