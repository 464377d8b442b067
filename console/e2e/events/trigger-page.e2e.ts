/** Browser tests of the list and the pages of event triggers: states, redelivery, pause, search, deletion, accessibility. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, walk } from '../support/browser.ts';
import { type OrderTable, openOrders } from '../support/order-table.ts';
import { capture } from '../support/scenes.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let service: Service;
let orders: OrderTable;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  service = await startService({ HOOKS: webhook.url });
  orders = await openOrders(service);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const received = (path: string) => webhook.received.filter((one) => one.path === path).length;

test('a paused trigger stores its events, and delivers them when it is resumed', async () => {
  await orders.create('pausable', { webhook: '{{HOOKS}}/pausable' });
  await on('/events/triggers/of/default/pausable/definition', async (page) => {
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('This trigger is paused').waitFor();
    await orders.sql('insert into orders (total) values (1)');
    await page.getByRole('link', { name: 'Events', exact: true }).last().click();
    await row(page, 'pausable').getByText('Scheduled').waitFor();
    expect(received('/pausable')).toBe(0);
    await row(page, 'pausable').getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByText('Delivered when the trigger is resumed.').waitFor();
    await drawer.getByRole('link', { name: 'pausable' }).click();
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await page.getByText('Trigger resumed').waitFor();
    await expect.poll(() => received('/pausable')).toBe(1);
  });
});

test('redelivers one event, and all failed ones that match a search', async () => {
  await orders.create('failing', { webhook: '{{HOOKS}}/fail/orders' });
  await orders.sql('insert into orders (total) values (501), (502), (503)');
  await expect.poll(() => received('/fail/orders')).toBe(3);
  // A former address.
  await on('/events/triggers/of/default/failing/failed', async (page) => {
    await expect.poll(() => row(page, 'failing').count()).toBe(3);
    await page.getByRole('button', { name: 'Failed 3' }).waitFor();
    await row(page, 'failing').first().getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByText('Given up after 1 call').waitFor();
    await drawer.getByText('out of order').waitFor();
    await drawer.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByRole('button', { name: 'Redeliver this event' }).click();
    await page.getByText('1 event queued for redelivery').first().waitFor();
    await drawer.getByText('Attempt 2').first().waitFor();
    await expect.poll(() => received('/fail/orders')).toBe(4);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByLabel('Payload contains').fill('{"new": {"total": 501');
    await page.getByRole('button', { name: 'Show matching events' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByLabel('Payload contains').fill('{"new": {"total": 502}}');
    await page.getByRole('button', { name: 'Show matching events' }).click();
    await expect.poll(() => row(page, 'failing').count()).toBe(1);
    await page.getByRole('button', { name: 'Change all that match' }).click();
    await page.getByRole('menuitem', { name: 'Redeliver all failed events that match' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver all failed events that match' }).click();
    await page.getByText('1 event queued for redelivery').first().waitFor();
    await expect.poll(() => received('/fail/orders')).toBe(5);

    await page.goto(`${service.url}/console/events/triggers/of/default/failing/calls`);
    await expect.poll(() => row(page, '503').count()).toBe(5);
  });
});

test('creates a manual event with a payload that survives Escape, and follows its delivery', async () => {
  await orders.create('manual_only', { enable_manual: true, webhook: '{{HOOKS}}/manual' });
  await on('/events/triggers/of/default/manual_only/definition', async (page) => {
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByLabel('Payload').fill('{"exact": 12345678901234567890}');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Invoke' }).click();
    await page.getByRole('button', { name: 'Create the event' }).click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByText('Delivered by the first call.').waitFor();
    await drawer.getByRole('region', { name: 'row' }).getByText('12345678901234567890').waitFor();
  });
});

test('lists states with reasons, filters by text, and opens a trigger by keyboard', async () => {
  await orders.sql('create table parts (id int primary key, name text)');
  await service.command('pg_track_table', { table: 'parts' });
  await service.command('pg_create_event_trigger', {
    name: 'broken',
    table: 'parts',
    update: { columns: ['name'] },
    webhook: '{{HOOKS}}/broken',
  });
  await orders.create('quiet', { webhook: '{{HOOKS}}/quiet', paused: true });
  const metadata = (await service.command('export_metadata', {})) as { sources: { tables: Table[] }[] };
  const parts = metadata.sources[0]?.tables.find(({ table }) => table.name === 'parts');
  for (const trigger of parts?.event_triggers ?? []) trigger.definition.update.columns = ['absent'];
  await service.command('replace_metadata', { metadata, allow_inconsistent_metadata: true });
  await on('/events/triggers', async (page) => {
    await row(page, 'broken').getByText('Inconsistent').waitFor();
    await row(page, 'broken')
      .getByText(/absent/)
      .waitFor();
    await row(page, 'quiet').getByText('Paused').waitFor();
    await page.getByLabel('Name or table contains').fill('PARTS');
    await row(page, 'quiet').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'broken' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('This trigger is inconsistent').waitFor();
    await page.getByRole('link', { name: 'Edit the trigger' }).click();
    await page.getByRole('combobox', { name: 'Columns listened to' }).waitFor();
  });
});

interface Table {
  readonly table: { readonly name: string };
  readonly event_triggers?: { readonly definition: { readonly update: { columns: string[] } } }[];
}

test('deletes a trigger after a confirmation that names what is removed', async () => {
  await orders.create('obsolete', { webhook: '{{HOOKS}}/obsolete' });
  await on('/events/triggers/of/default/obsolete/definition', async (page) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText(/All its events are removed with their log/).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the trigger and its events' }).click();
    await page.getByRole('heading', { level: 1, name: 'Event triggers' }).waitFor();
    await row(page, 'obsolete').waitFor({ state: 'detached' });
  });
  expect(await orders.defined('obsolete')).toBeUndefined();
});

test('all pages have no serious accessibility violation, in both themes and widths', async () => {
  await orders.create('pictured', {
    update: { columns: ['status'] },
    webhook: '{{HOOKS}}/pictured',
    when: { new: { status: { _eq: 'paid' } } },
  });
  await orders.sql("insert into orders (total) values (7); update orders set status = 'paid' where total = 7");
  await expect.poll(() => received('/pictured')).toBeGreaterThan(0);
  const page = '/events/triggers/of/default/pictured';
  const problems = [
    ...(await capture(browser, service.url, { name: 'triggers', path: '/events/triggers' })),
    ...(await capture(browser, service.url, {
      name: 'trigger-form',
      path: '/events/triggers/edit/default/pictured',
      act: async (shown) => {
        await shown.getByRole('button', { name: /^Request on a real row/ }).click();
        await shown.getByRole('button', { name: /^Delivery/ }).click();
        await shown.getByRole('button', { name: 'Show the request' }).click();
        await shown.getByRole('region', { name: 'request body' }).waitFor();
      },
    })),
    ...(await capture(browser, service.url, { name: 'trigger', path: `${page}/definition` })),
    ...(await capture(browser, service.url, {
      name: 'trigger-event',
      path: `${page}/all`,
      above: true,
      act: async (shown) => {
        await shown.getByText('pictured').last().click();
        await shown.getByText('Delivered by the first call.').waitFor();
      },
    })),
    ...(await capture(browser, service.url, { name: 'trigger-calls', path: `${page}/calls` })),
  ];
  expect(problems).toEqual([]);
});
