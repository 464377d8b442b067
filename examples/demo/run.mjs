// The demo: starts everything a shop needs, walks through the main job, and stays up. `--once` exits after the walk.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, say, title } from './client.mjs';
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
  say(`  service          ${url}`);
  say(`  REST handlers    ${shopUrl}`);
  say(`  loyalty GraphQL  ${loyaltyUrl}`);

  const failures = await walk(createClient(url), { shopUrl });
  if (failures.length > 0) {
    title('These steps did not give what they should:');
    for (const failure of failures) say(`  ${failure}`);
    process.exitCode = 1;
  } else {
    title('Every step gave what it should.');
  }
  if (once) {
    await stopAll();
    await rm(dataDir, { recursive: true, force: true });
    return;
  }
  say(`
  Console   ${url}/console
  GraphQL   ${url}/v1/graphql
  Metadata  ${url}/v1/query
  Health    ${url}/healthz
  Metrics   ${url}/metrics

  The database stays in ${dataDir}. Stop with Ctrl-C.`);
}

// From the first child on: a signal during the start leaves none of them behind.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit()));

/** The service first, so that it can still deliver while it drains. */
async function stopAll() {
  for (const child of [...running].reverse()) await stop(child);
}

main().catch(async (error) => {
  process.stderr.write(`\nThe demo could not go on: ${error.message}\n`);
  process.exitCode = 1;
  await stopAll();
});
