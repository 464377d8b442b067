// Event triggers: the cost of capture, throughput, latency, and throughput while a transaction stays open.
import { startPostgres } from '../database.mjs';
import { capture } from './capture.mjs';
import { held } from './held.mjs';
import { latency } from './latency.mjs';
import { throughput } from './throughput.mjs';

export async function triggers(settings) {
  const report = { capture: await capture({ rounds: settings.rounds }) };
  for (const [name, { single, bulk }] of Object.entries(report.capture)) {
    process.stdout.write(`  capture of ${name}: ${single.cpu.ratio} (one row), ${bulk.cpu.ratio} (all rows)\n`);
  }
  const postgres = await startPostgres();
  try {
    report.throughput = await throughput(postgres, settings);
    report.latency = await latency(postgres, settings);
    if (settings.held > 0) report.held = await held(postgres, settings);
    return report;
  } finally {
    await postgres.stop();
  }
}
