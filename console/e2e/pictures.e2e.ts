/** Every page in both themes and both widths: axe finds no serious fault, and a picture of each is kept to be looked at. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startBrowser } from './browser.ts';
import { portray, type Scene } from './scenes.ts';
import { type Service, startService } from './service.ts';
import { startWebhook, type Webhook } from './webhook.ts';

const secret = 'only for pictures';

let browser: Browser;
let webhook: Webhook;
let service: Service;
let guarded: Service;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  const environment = { NOTIFY_URL: webhook.url, NOTIFY_KEY: 'k-1' };
  service = await startService(environment);
  guarded = await startService({ ...environment, JOINERY_ADMIN_SECRET: secret });
  await fill(service);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), guarded?.stop(), webhook?.stop()]);
});

/** Events of every kind, and metadata of which two objects cannot be used. */
async function fill({ command, url }: Service): Promise<void> {
  const create = (args: object) => command('create_scheduled_event', { payload: {}, schedule_at: soon(0), ...args });
  const retry_conf = { num_retries: 2, retry_interval_seconds: 3_600 };
  for (let hours = 1; hours <= 23; hours += 1) {
    await create({
      webhook: '{{NOTIFY_URL}}/remind',
      schedule_at: soon(hours * 3_600),
      payload: { customerId: hours, kind: 'renewal', due: [12.5, true, null] },
      headers: [{ name: 'X-Key', value_from_env: 'NOTIFY_KEY' }],
      ...(hours % 3 === 0 && { comment: 'Remind of the renewal of the yearly contract' }),
    });
  }
  await create({ webhook: '{{NOTIFY_URL}}/fail/once', retry_conf, comment: 'Fails, and is tried again' });
  for (let order = 1; order <= 4; order += 1) {
    await create({
      webhook: '{{NOTIFY_URL}}/orders/confirmed',
      payload: { order, exact: 1 },
      comment: `Order ${order}`,
    });
  }
  await create({ webhook: '{{NOTIFY_URL}}/fail/for/good' });
  await create({ webhook: 'http://127.0.0.1:9/nobody/there', comment: 'Nobody listens there' });
  await create({ webhook: '{{NOTIFY_URL}}/late', schedule_at: soon(-86_400) });
  await command('create_cron_trigger', {
    name: 'nightly_orders',
    webhook: '{{NOTIFY_URL}}/close',
    schedule: '0 2 * * *',
    timezone: 'Europe/Berlin',
    include_in_metadata: false,
    payload: { scope: 'all' },
    comment: 'closes the day',
  });
  await command('set_event_destination', { destination: 'https://api.example.com', concurrency: 10, paused: true });
  const sql = `create table product (id int primary key, name text); insert into product values (1, 'Tea'), (2, 'Coffee')`;
  await fetch(`${url}/v2/query`, { method: 'POST', body: JSON.stringify({ type: 'run_sql', args: { sql } }) });
  const metadata = {
    version: 3,
    custom_types: {
      objects: [
        {
          name: 'PlacedOrder',
          fields: [
            { name: 'orderId', type: 'Int!' },
            { name: 'customerId', type: 'Int!' },
          ],
        },
      ],
    },
    actions: [
      {
        name: 'placeOrder',
        comment: 'Places an order',
        permissions: [{ role: 'user' }],
        definition: {
          handler: '{{NOTIFY_URL}}/place-order',
          output_type: 'PlacedOrder',
          arguments: [{ name: 'product', type: 'String!' }],
        },
      },
    ],
    query_collections: [
      {
        name: 'shop',
        comment: 'What the shop sends',
        definition: { queries: [{ name: 'ordersOfDay', query: 'query ordersOfDay {\n  __typename\n}' }] },
      },
    ],
    allowlist: [{ collection: 'shop' }],
    rest_endpoints: [
      {
        name: 'ordersOfDay',
        url: 'orders/today',
        methods: ['GET', 'POST'],
        definition: { query: { collection_name: 'shop', query_name: 'ordersOfDay' } },
        comment: 'For the screen in the warehouse',
      },
    ],
    api_limits: {
      depth_limit: { global: 8, per_role: { user: 5 } },
      rate_limit: { global: { max_reqs_per_min: 600, unique_params: 'IP' } },
    },
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          { table: 'product' },
          { table: { schema: 'public', name: 'customer' } },
          { table: { schema: 'public', name: 'order' } },
        ],
        configuration: { connection_info: { database_url: { from_env: 'JOINERY_DATABASE_URL' } } },
      },
    ],
  };
  await command('replace_metadata', { allow_inconsistent_metadata: true, metadata });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/v1/graphql`, { method: 'POST', headers, body: '{"query":"{ nothing }"}' });
  await vi.waitFor(
    async () => {
      const args = { type: 'one_off', status: ['delivered', 'error', 'dead'], limit: 0, get_rows_count: true };
      expect(await command('get_scheduled_events', args)).toMatchObject({ count: 7 });
    },
    { timeout: 20_000, interval: 100 },
  );
}

function soon(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

interface OneOfTwo extends Scene {
  /** On the service that wants its secret, and has no events. */
  readonly guarded?: true;
}

/** Opens the first row whose text has `text`. */
function openRow(text: string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.locator('tbody tr').filter({ hasText: text }).first().click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Response' }).first().waitFor();
  };
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Admin secret').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').waitFor({ state: 'attached' });
}

async function fillInBadly(page: Page): Promise<void> {
  await page.getByLabel('Webhook URL').fill('ftp://example.com');
  await page.getByLabel('Payload').fill('{"customerId": }');
  await page.getByRole('button', { name: 'Advanced' }).click();
  await page.getByRole('button', { name: 'Add a header' }).click();
  await page.getByLabel('Name of header 1').fill('X Key');
  await page.getByLabel('Where the value of header 1 comes from').selectOption('environment');
  await page.getByLabel('Tolerance in seconds').fill('a day');
  await page.getByRole('button', { name: 'Schedule the event' }).click();
  await page.getByText('Must be a whole number').waitFor();
}

const scenes: readonly OneOfTwo[] = [
  { name: 'sign-in', path: '/', guarded: true },
  { name: 'overview', path: '/', act: (page) => page.getByText('Inconsistent metadata objects').waitFor() },
  {
    name: 'overview-without-faults',
    path: '/',
    guarded: true,
    act: async (page) => {
      await signIn(page);
      await page.getByText('Consistent').waitFor();
    },
  },
  {
    name: 'explore',
    path: '/explore',
    act: async (page) => {
      const operation = 'mutation Place {\n  placeOrder(product: "tea") {\n    orderId\n    customerId\n  }\n}';
      await page.getByRole('textbox', { name: 'Operation' }).fill(operation);
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText(/Call of placeOrder/).waitFor();
    },
  },
  {
    name: 'explore-docs',
    path: '/explore',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Schema docs' }).click();
      await page.getByRole('button', { name: 'mutation_root' }).click();
      await page.getByText('placeOrder').waitFor();
    },
  },
  {
    name: 'settings',
    path: '/settings',
    act: async (page) => {
      await page.getByText('Inconsistent metadata objects').waitFor();
      await page.getByRole('textbox', { name: 'Metadata' }).fill('{"version":3,"sources":[]}');
      await page.getByRole('button', { name: 'Preview the difference' }).click();
      await page.getByText('Every object could be used').waitFor();
    },
  },
  {
    name: 'explore-subscription',
    path: `/explore?${new URLSearchParams({ query: 'subscription Watch {\n  product(order_by: {id: asc}) {\n    id\n    name\n  }\n}' })}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText(/^1 result, the latest at/).waitFor();
    },
  },
  {
    name: 'explore-history',
    path: '/explore',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('region', { name: 'answer' }).waitFor();
      await page.getByRole('button', { name: 'History' }).click();
      await page.getByRole('list', { name: 'Operations that were run' }).waitFor();
    },
  },
  { name: 'settings-nodes', path: '/settings/nodes', act: (page) => page.getByText('1 node alive').waitFor() },
  {
    name: 'settings-configuration',
    path: '/settings/configuration',
    act: async (page) => {
      await page.getByLabel('Search the settings').fill('secret');
      await page.getByRole('list', { name: 'Settings' }).getByText('JOINERY_ADMIN_SECRET', { exact: true }).waitFor();
    },
  },
  {
    name: 'settings-drop',
    path: '/settings',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Remove all of them' }).click();
      await page.getByText('Remove 2 objects from the metadata?').waitFor();
    },
  },
  {
    name: 'operations',
    path: '/operations/collections',
    act: async (page) => {
      await page.getByRole('button', { name: 'ordersOfDay' }).click();
      await page.getByRole('region', { name: 'operation ordersOfDay' }).waitFor();
    },
  },
  {
    name: 'operations-empty',
    path: '/operations/collections',
    guarded: true,
    act: async (page) => {
      await signIn(page);
      await page.getByText('There is no collection of operations').waitFor();
    },
  },
  {
    name: 'operation-form',
    path: '/operations/collections',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add an operation' }).click();
      await page.getByRole('textbox', { name: 'Operation' }).waitFor();
    },
  },
  {
    name: 'endpoints',
    path: '/operations/endpoints',
    act: (page) => page.getByText('/api/rest/orders/today').waitFor(),
  },
  {
    name: 'endpoint-form',
    path: '/operations/endpoints',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'New endpoint' }).click();
      await page.getByLabel('URL').waitFor();
    },
  },
  {
    name: 'limits',
    path: '/operations/limits',
    act: (page) => page.getByText('levels of selections').first().waitFor(),
  },
  {
    name: 'refused',
    path: '/operations/refused',
    act: async (page) => {
      await page.getByRole('row').filter({ hasText: 'nothing' }).first().waitFor();
    },
  },
  { name: 'pending', path: '/events/one-off/pending?size=10' },
  {
    name: 'pending-cancel',
    path: '/events/one-off/pending?size=10',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Cancel' }).first().click();
      await page.getByText('Cancel this event?').waitFor();
    },
  },
  {
    name: 'pending-empty',
    path: '/events/one-off/pending',
    guarded: true,
    act: async (page) => {
      await signIn(page);
      await page.getByText('No event is pending').waitFor();
    },
  },
  {
    name: 'pending-chosen',
    path: '/events/one-off/pending?size=10&comment=renewal',
    act: async (page) => {
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('checkbox').nth(1).click();
      await page.getByText('1 event chosen').waitFor();
    },
  },
  {
    name: 'reschedule',
    path: '/events/one-off/pending?size=10',
    above: true,
    act: async (page) => {
      await page.getByRole('checkbox').nth(1).click();
      await page.getByRole('button', { name: 'Reschedule' }).click();
      await page.getByText('Reschedule this event').waitFor();
    },
  },
  { name: 'in-flight-empty', path: '/events/one-off/in-flight' },
  {
    name: 'delivery',
    path: '/events/delivery',
    act: async (page) => {
      await page.getByText('https://api.example.com').waitFor();
      // The lines grow with each look.
      await page.getByText('while the page was open').first().waitFor();
    },
  },
  {
    name: 'destination',
    path: '/events/delivery',
    above: true,
    act: async (page) => {
      await page.getByText('https://api.example.com').click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
    },
  },
  { name: 'cron', path: '/events/cron/all', act: (page) => page.getByText('nightly_orders').waitFor() },
  {
    name: 'cron-trigger',
    path: '/events/cron/all',
    above: true,
    act: async (page) => {
      await page.getByText('nightly_orders').click();
      await page.getByRole('list', { name: 'Next runs' }).waitFor();
    },
  },
  {
    name: 'cron-form',
    path: '/events/cron/new',
    act: async (page) => {
      await page.getByLabel('Schedule').fill('*/15 9-17 * * MON-FRI');
      await page.getByRole('list', { name: 'Next runs' }).waitFor();
    },
  },
  {
    name: 'schedule-advanced',
    path: '/events/one-off/schedule',
    act: async (page) => {
      await page.getByRole('button', { name: 'Advanced' }).click();
      await page.getByLabel('Signature').selectOption('own');
      await page.getByLabel('Variable with the keys').fill('NOTIFY_KEY');
      await page.getByRole('button', { name: 'Start from an example' }).click();
      await page.getByRole('button', { name: 'How the receiver verifies it' }).click();
      await page.getByLabel('Jitter').waitFor();
    },
  },
  { name: 'retrying', path: '/events/one-off/pending', above: true, act: openRow('Retrying') },
  { name: 'processed', path: '/events/one-off/processed' },
  { name: 'delivered', path: '/events/one-off/processed', above: true, act: openRow('Order 2') },
  { name: 'failed', path: '/events/one-off/processed', above: true, act: openRow('Nobody listens there') },
  { name: 'logs', path: '/events/one-off/logs' },
  {
    name: 'logs-search',
    path: '/events/one-off/logs?result=failure&destination={{NOTIFY_URL}}',
    act: async (page) => {
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByRole('button', { name: 'Show matching calls' }).waitFor();
    },
  },
  { name: 'log-entry', path: '/events/one-off/logs', above: true, act: openRow('503') },
  { name: 'schedule', path: '/events/one-off/schedule' },
  { name: 'schedule-refused', path: '/events/one-off/schedule', act: fillInBadly },
  {
    name: 'menu',
    path: '/events/one-off/processed',
    above: true,
    from: 'narrow',
    act: (page) => page.getByRole('button', { name: 'Open the navigation' }).click(),
  },
  { name: 'nowhere', path: '/no/such/page' },
  {
    name: 'lost',
    path: '/events/one-off/processed',
    unreachable: true,
    act: async (page) => {
      await page.getByRole('table').waitFor();
      await page.route('**/v1/**', (route) => route.abort());
      await page.getByText('The service does not answer.').waitFor();
    },
  },
  {
    name: 'lost-overview',
    path: '/',
    unreachable: true,
    act: async (page) => {
      await page.getByText('2 inconsistent').waitFor();
      await page.route(/v1|readyz/, (route) => route.abort());
      await page.getByText('The service does not answer.').first().waitFor();
    },
  },
];

test.each(scenes)('$name', async (scene) => {
  expect(await portray(browser, scene.guarded ? guarded.url : service.url, scene)).toEqual([]);
});
