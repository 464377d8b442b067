// The demo: starts the shop and the service, runs all steps, and continues until Ctrl-C. `--once` exits after the steps.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, print, title } from './client.mjs';
import { startService, startShopServer, stop } from './processes.mjs';
import { walk } from './walk.mjs';

const once = process.argv.includes('--once');
const running = [];

async function main() {
  const dataDir = once
    ? await mkdtemp(join(tmpdir(), 'joinery-demo-'))
    : (process.env.JOINERY_DATA_DIR ?? fileURLToPath(new URL('../.joinery', import.meta.url)));
  title('Starting the shop and the service');
  const shopUrl = await startShopServer('handlers.mjs', running);
  const loyaltyUrl = await startShopServer('loyalty.mjs', running);
  const url = await startService(
    {
      dataDir,
      port: once ? 0 : Number(process.env.PORT ?? 8080),
      environment: { ...process.env, SHOP_URL: shopUrl, LOYALTY_URL: loyaltyUrl },
    },
    running,
  );
  print(`  service          ${url}`);
  print(`  REST handlers    ${shopUrl}`);
  print(`  loyalty GraphQL  ${loyaltyUrl}`);

  const failures = await walk(createClient(url), { shopUrl });
  if (failures.length > 0) {
    title('These steps failed:');
    for (const failure of failures) print(`  ${failure}`);
    process.exitCode = 1;
  } else {
    title('Every step succeeded.');
  }
  if (once) {
    await stopAll();
    await rm(dataDir, { recursive: true, force: true });
    return;
  }
  print(`
  Console   ${url}/console
  GraphQL   ${url}/v1/graphql
  Metadata  ${url}/v1/query
  Health    ${url}/healthz
  Metrics   ${url}/metrics

  The database is in ${dataDir}. Stop with Ctrl-C.`);
}

// Set before the first child starts, so that a signal during the start ends all of them.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit()));

/** Stops the service first, so that it can complete deliveries to the shop. */
async function stopAll() {
  for (const child of [...running].reverse()) await stop(child);
}

main().catch(async (error) => {
  process.stderr.write(`\nThe demo failed: ${error.message}\n`);
  process.exitCode = 1;
  await stopAll();
});
