/**
 * Replaces two nodes of an earlier version by nodes of the present one under load, on an embedded PostgreSQL, and prints the report:
 * `node server/test/support/service/run-typescript.mjs server/test/upgrade/rolling-upgrade-main.ts CHECKOUT`. CHECKOUT is a folder with the
 * source and the dependencies of the earlier version. Exits with 1 if a request failed, or a row or an event is missing or repeated.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { startCheckout } from './checkout-service.ts';
import { runRollingUpgrade } from './rolling-upgrade.ts';

const [checkout] = process.argv.slice(3);
if (checkout === undefined) throw new Error('usage: rolling-upgrade-main.ts CHECKOUT');
const present = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');

const directory = mkdtempSync(join(tmpdir(), 'joinery-upgrade-'));
const postgres = await startEmbedded({ directory, settings: { fsync: 'off' } });
try {
  const report = await runRollingUpgrade(
    (environment) => startCheckout(checkout, environment),
    (environment) => startCheckout(present, environment),
    { JOINERY_DATABASE_URL: postgres.url },
  );
  process.stdout.write(`${JSON.stringify(report)}\n`);
  const { failures, missingRows, lost, repeated } = report;
  process.exitCode = failures.length + missingRows + lost + repeated > 0 ? 1 : 0;
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
