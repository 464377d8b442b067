// The steps of the demo. Each step checks its results.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { print, title } from './client.mjs';
import { runCommand } from './processes.mjs';
import { actionStep } from './walk-actions.mjs';
import { triggerStep } from './walk-triggers.mjs';

const shopFile = (name) => readFile(new URL(`../shop/${name}`, import.meta.url), 'utf8');

/** Runs all steps. Resolves with a message for each failed check. */
export async function walk(client, { shopUrl }) {
  const failures = [];
  const check = (condition, sentence) => {
    if (!condition) failures.push(sentence);
  };
  await loadShop(client);
  await metadataStep(client, check);
  await tablesStep(client, check);
  await actionStep(client, check);
  await eventStep(client, check, shopUrl);
  await retryStep(client, check, shopUrl);
  await triggerStep(client, check, shopUrl);
  return failures;
}

async function loadShop(client) {
  title('Loading the shop: nine tables, a view, several thousand rows');
  await client.commandQuietly({ type: 'clear_metadata', args: {} });
  const script = `drop schema public cascade; create schema public;\n${await shopFile('schema.sql')}\n${await shopFile('seed.sql')}`;
  const result = await client.commandQuietly({ type: 'run_sql', args: { sql: script } });
  if (result.error !== undefined) throw new Error(`the shop could not be loaded: ${result.error}`);
}

async function metadataStep(client, check) {
  title('1. Tables, an action, its types and a remote schema, from the directory examples/shop/metadata');
  const project = ['--project', 'examples/shop', '--endpoint', client.url];
  const applied = await runCommand(['metadata', 'apply', ...project]);
  check(applied === 0, 'the metadata directory could not be applied');
  const again = await runCommand(['metadata', 'diff', '--exit-code', ...project]);
  check(again === 0, 'the metadata differs from the directory');
}

async function tablesStep(client, check) {
  title('2. A nested query');
  const result = await client.graphql(`
    query {
      customer(
        where: { country: { _eq: "PT" }, orders: { status: { _eq: "shipped" } } }
        order_by: [{ orders_aggregate: { count: desc } }, { name: asc }]
        limit: 2
      ) {
        id
        name
        credit
        orders(order_by: { placed_at: desc }, limit: 2) {
          id
          status
          lines { quantity product { name price tags } }
        }
        orders_aggregate { aggregate { count max { placed_at } } }
      }
    }`);
  const customers = result.data?.customer ?? [];
  check(customers.length === 2, 'the nested query did not return two customers');
  check(
    customers.every((one) => one.orders.length === 2),
    'the nested query did not return two orders for each customer',
  );
  check(
    customers[0]?.orders_aggregate.aggregate.count >= customers[1]?.orders_aggregate.aggregate.count,
    'the customers are not sorted by their number of orders',
  );
}

async function eventStep(client, check, shopUrl) {
  title('4. A webhook called once, two seconds from now');
  const created = await client.command({
    type: 'create_scheduled_event',
    args: {
      webhook: '{{SHOP_URL}}/reminder',
      schedule_at: new Date(Date.now() + 2_000).toISOString(),
      payload: { customerId: 7, text: 'Your coffee is roasted today.' },
      headers: [{ name: 'X-Shop', value: 'roastery' }],
      comment: 'roast reminder',
    },
  });
  const receipts = await receiptsOf(shopUrl, created.event_id, 1);
  check(receipts.length === 1, 'the reminder was not delivered exactly once');
  const [receipt] = receipts;
  if (receipt !== undefined) {
    const lateness = receipt.at - Date.parse(receipt.body.scheduled_time);
    print(`    the webhook received ${JSON.stringify(receipt.body)}`);
    print(`    lateness: ${lateness} ms`);
    check(lateness >= 0, 'the reminder was early');
    check(receipt.body.payload.customerId === 7, 'the reminder has no payload');
  }
  const log = await invocationsOf(client, created.event_id, 1);
  check(log[0]?.status === 200, 'the invocation log does not show the delivery');
}

async function retryStep(client, check, shopUrl) {
  title('5. A webhook that fails twice and is delivered by its retries');
  const created = await client.command({
    type: 'create_scheduled_event',
    args: {
      webhook: '{{SHOP_URL}}/flaky',
      schedule_at: new Date().toISOString(),
      payload: { order: 42 },
      retry_conf: { num_retries: 3, retry_interval_seconds: 1, timeout_seconds: 5, tolerance_seconds: 3600 },
    },
  });
  const receipts = await receiptsOf(shopUrl, created.event_id, 3);
  check(receipts.length === 3, 'the webhook was not called three times');
  const log = await invocationsOf(client, created.event_id, 3);
  check(
    log
      .map((one) => one.status)
      .sort()
      .join() === '200,503,503',
    'the log does not show two failures and a success',
  );
  const { events } = await client.command({
    type: 'get_scheduled_events',
    args: { type: 'one_off', status: ['delivered'] },
  });
  check(
    events?.some((event) => event.id === created.event_id && event.tries === 3),
    'the status of the event is not delivered',
  );
}

/** Waits up to ten seconds for `count` calls of the event, then half a second for unexpected ones. Resolves with all calls. */
async function receiptsOf(shopUrl, eventId, count) {
  let found = [];
  for (let tries = 0; tries < 100 && found.length < count; tries += 1) {
    await sleep(100);
    const all = await (await fetch(`${shopUrl}/receipts`)).json();
    found = all.filter((receipt) => receipt.body.id === eventId);
  }
  await sleep(500);
  const all = await (await fetch(`${shopUrl}/receipts`)).json();
  return all.filter((receipt) => receipt.body.id === eventId);
}

async function invocationsOf(client, eventId, count) {
  const command = { type: 'get_scheduled_event_invocations', args: { type: 'one_off', event_id: eventId } };
  for (let tries = 0; tries < 50; tries += 1) {
    const { invocations } = await client.commandQuietly(command);
    if (invocations?.length >= count) break;
    await sleep(100);
  }
  const { invocations } = await client.command(command);
  return invocations ?? [];
}
