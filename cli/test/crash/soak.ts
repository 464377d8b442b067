/**
 * The chaos test with any duration. Run it after `npm run build`:
 *
 *     node server/test/support/service/run-typescript.mjs cli/test/crash/soak.ts --events 1000000 --seconds 1800 --kills 30 --restarts 5
 *
 * Prints its steps and the counts. Exits with 1 if events are lost, early, or repeated without a reason.
 */
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    nodes: { type: 'string', default: '3' },
    events: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '300' },
    kills: { type: 'string', default: '10' },
    restarts: { type: 'string', default: '2' },
    'response-ms': { type: 'string', default: '20' },
  },
});

const report = await runChaos({
  nodes: Number(values.nodes),
  events: Number(values.events),
  seconds: Number(values.seconds),
  kills: Number(values.kills),
  restarts: Number(values.restarts),
  responseMs: Number(values['response-ms']),
  log: (step) => process.stdout.write(`${new Date().toISOString()} ${step}\n`),
});
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exit(report.missing + report.early + report.unexplained + report.pending === 0 ? 0 : 1);
