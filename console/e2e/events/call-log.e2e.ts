/** Browser tests of the logs of calls: each shows exactly what the receiver got, without secrets. */
import { randomBytes } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { type OrderTable, openOrders } from '../support/order-table.ts';
import { type Service, startService } from '../support/service.ts';
import { type Received, startWebhook, type Webhook } from '../support/webhook.ts';
import { expectedRequest, previewedNames, shownRequest } from './sent-request.ts';

let browser: Browser;
let webhook: Webhook;
let service: Service;
let orders: OrderTable;

const headers = [
  { name: 'X-Key', value_from_env: 'HOOK_KEY' },
  { name: 'Accept', value: 'application/json' },
];
/** What logs show in place of secrets. */
const hiddenKey = { 'x-key': '{{HOOK_KEY}}' };
const hidden = { ...hiddenKey, 'webhook-signature': '***' };
/** The host of a URL with a template. */
const host = { host: '{{HOOKS}}' };

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  const JOINERY_WEBHOOK_SIGNING_KEYS = `whsec_${randomBytes(32).toString('base64')}`;
  service = await startService({ HOOKS: webhook.url, HOOK_KEY: 'key-of-hooks', JOINERY_WEBHOOK_SIGNING_KEYS });
  orders = await openOrders(service);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);

async function receivedAt(path: string): Promise<Received> {
  const find = () => webhook.received.find((one) => one.path === path);
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return find() as Received;
}

/** Waits for the log of the only attempt. */
async function attemptIn(within: Locator): Promise<Locator> {
  await within.getByRole('region', { name: 'request line' }).waitFor();
  return within;
}

test('the log of a one-off event shows what the webhook got', async () => {
  const schedule_at = new Date().toISOString();
  const args = { webhook: '{{HOOKS}}/one-off', payload: { id: 7 }, schedule_at, headers };
  const { event_id: id } = (await service.command('create_scheduled_event', args)) as { readonly event_id: string };
  const received = await receivedAt('/one-off');
  await on(`/events/activity?event=${id}`, async (page) => {
    const shown = await shownRequest(await attemptIn(page.getByRole('dialog', { name: 'Event' })));
    expect(shown).toEqual(expectedRequest(received, '{{HOOKS}}/one-off', { ...hidden, ...host }));
  });
});

test('the preview of a one-off event has the headers that are sent', async () => {
  await on('/events/one-off/schedule', async (page) => {
    await page.getByLabel('Webhook URL').fill('{{HOOKS}}/previewed');
    await page.getByRole('button', { name: 'Advanced' }).click();
    await addHeaders(page);
    const names = await previewedNames(page.getByRole('region', { name: 'request line and headers' }));
    await page.getByRole('button', { name: 'Schedule the event' }).click();
    const { headers: sent } = await receivedAt('/previewed');
    expect(names).toEqual(Object.keys(sent).toSorted());
  });
});

async function addHeaders(page: Page): Promise<void> {
  for (const [index, { name }] of headers.entries()) {
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel(`Name of header ${index + 1}`).fill(name);
    await page.getByRole('textbox', { name: `Value of header ${index + 1}` }).fill('v');
  }
}

test('the log of a cron trigger shows what the webhook got', async () => {
  const trigger = {
    name: 'nightly',
    webhook: '{{HOOKS}}/nightly',
    schedule: '0 2 * * *',
    payload: { n: 1.5 },
    headers,
  };
  await service.command('create_cron_trigger', { ...trigger, include_in_metadata: true });
  await on('/events/cron/all?trigger=nightly', async (page) => {
    const details = page.getByRole('dialog', { name: 'Cron trigger' });
    await details.getByRole('button', { name: 'Run now' }).click();
    const received = await receivedAt('/nightly');
    const shown = await shownRequest(await attemptIn(details));
    expect(shown).toEqual(expectedRequest(received, '{{HOOKS}}/nightly', { ...hidden, ...host }));
  });
});

test('the preview of a cron trigger has the headers that are sent', async () => {
  const trigger = { name: 'hourly', webhook: '{{HOOKS}}/hourly', schedule: '0 * * * *', headers };
  await service.command('create_cron_trigger', { ...trigger, include_in_metadata: true });
  await service.command('run_cron_trigger', { name: 'hourly' });
  const { headers: sent } = await receivedAt('/hourly');
  await on('/events/cron/edit:hourly', async (page) => {
    const names = await previewedNames(page.getByRole('region', { name: 'request line and headers' }));
    expect(names).toEqual(Object.keys(sent).toSorted());
  });
});

test('the log of an event trigger shows what the webhook got', async () => {
  await orders.create('placed', { webhook: '{{HOOKS}}/placed', headers });
  await orders.sql('insert into orders (total) values (12.50)');
  const received = await receivedAt('/placed');
  await on('/events/activity?trigger=placed', async (page) => {
    await page.getByRole('row').filter({ hasText: 'placed' }).getByRole('link').first().click();
    const shown = await shownRequest(await attemptIn(page.getByRole('dialog', { name: 'Event' })));
    expect(shown).toEqual(expectedRequest(received, '{{HOOKS}}/placed', { ...hidden, ...host }));
  });
});

test.each([
  ['without a transform', 'plain', {}],
  [
    'with a transform',
    'transformed',
    { request_transform: { version: 2, request_headers: { add_headers: { 'X-More': 'm' } } } },
  ],
])('the preview of an event trigger %s has the headers that are sent', async (_what, name, more) => {
  await orders.create(name, { webhook: `{{HOOKS}}/${name}`, headers, ...more });
  await orders.sql('insert into orders (total) values (1)');
  const { headers: sent } = await receivedAt(`/${name}`);
  await on(`/events/triggers/edit/default/${name}`, async (page) => {
    const section = page.getByRole('button', { name: /^Request on a real row/ });
    if ((await section.getAttribute('aria-expanded')) !== 'true') await section.click();
    await page.getByRole('button', { name: 'Show the request' }).click();
    const names = await previewedNames(page.getByRole('region', { name: 'request line and headers' }));
    expect(names).toEqual(Object.keys(sent).toSorted());
  });
});

test('the preview of an action has the headers that are sent', async () => {
  await createAction('previewed', '/handler', { request_transform: { version: 2 } });
  await service.query('mutation { previewed(month: "2026-08") }', { 'X-Service-Role': 'admin' });
  const { headers: sent } = await receivedAt('/handler');
  await on('/actions/of/previewed?tab=handler', async (page) => {
    await page.getByRole('button', { name: 'Try the transforms' }).click();
    const names = await previewedNames(page.getByRole('region', { name: 'request line and headers', exact: true }));
    expect(names).toEqual(Object.keys(sent).toSorted());
  });
});

test('the log of an asynchronous action shows what its handler got', async () => {
  await createAction('report', '/report');
  await service.query('mutation { report(month: "2026-08") }', { 'X-Service-Role': 'admin' });
  const received = await receivedAt('/report');
  await on('/actions/of/report?tab=runs', async (page) => {
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click();
    const shown = await shownRequest(await attemptIn(page.getByRole('dialog', { name: 'Run' })));
    expect(shown).toEqual(expectedRequest(received, '{{HOOKS}}/report', { ...hiddenKey, ...host }));
  });
});

async function createAction(name: string, path: string, more: object = {}): Promise<void> {
  const objects = [{ name: 'Report', fields: [{ name: 'accepted', type: 'Boolean!' }] }];
  await service.command('set_custom_types', { objects });
  const definition = {
    kind: 'asynchronous',
    arguments: [{ name: 'month', type: 'String!' }],
    output_type: 'Report',
    handler: `{{HOOKS}}${path}`,
    headers,
    ...more,
  };
  await service.command('create_action', { name, definition });
}
