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
    : fileURLToPath(new URL('../.joinery', import.meta.url));
  title('Starting the shop and the service');
  const handlers = await startShopServer('handlers.mjs');
  running.push(handlers.child);
  const loyalty = await startShopServer('loyalty.mjs');
  running.push(loyalty.child);
  const service = await startService({
    dataDir,
    port: once ? 0 : Number(process.env.PORT ?? 8080),
    environment: { ...process.env, SHOP_URL: handlers.url, LOYALTY_URL: loyalty.url },
  });
  running.push(service.child);
  say(`  service          ${service.url}`);
  say(`  REST handlers    ${handlers.url}`);
  say(`  loyalty GraphQL  ${loyalty.url}`);

  const failures = await walk(createClient(service.url), { shopUrl: handlers.url });
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
  Console   ${service.url}/console
  GraphQL   ${service.url}/v1/graphql
  Metadata  ${service.url}/v1/query
  Health    ${service.url}/healthz
  Metrics   ${service.url}/metrics

  The database stays in ${dataDir}. Stop with Ctrl-C.`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit()));
}

/** The service first, so that it can still deliver while it drains. */
async function stopAll() {
  for (const child of running.reverse()) await stop(child);
}

main().catch(async (error) => {
  process.stderr.write(`\nThe demo could not go on: ${error.message}\n`);
  process.exitCode = 1;
  await stopAll();
});
