/** Browser tests of the form of event triggers: creating, conditions, editing, errors, and unsaved changes. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type OrderTable, openOrders } from '../support/order-table.ts';
import { type Service, startService } from '../support/service.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let service: Service;
let orders: OrderTable;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  service = await startService({ HOOKS: webhook.url, HOOK_KEY: 'k-1' });
  orders = await openOrders(service);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
});

const on = (path: string, steps: (page: Page) => Promise<void>, isRejected = false) =>
  walk(browser, `${service.url}/console${path}`, steps, isRejected ? { meant: expectedRejections } : {});

const bodies = (path: string) =>
  webhook.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body) as { event: unknown });

const save = (page: Page) => page.getByRole('button', { name: 'Create the trigger' }).click();

test('creates a trigger from the empty state, and shows the delivery of its first event', () =>
  on('', async (page) => {
    await page.getByRole('link', { name: 'Event triggers' }).click();
    await page.getByText('There is no event trigger').waitFor();
    await page.getByRole('link', { name: 'Create a trigger' }).last().click();
    await save(page);
    await page.getByText('Choose a table.').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('order_placed');
    await choose(page, 'Table', 'orders');
    await page.getByLabel('Webhook URL').fill('{{HOOKS}}/placed');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 1').fill('X-Key');
    await page.getByLabel('Source of the value of header 1').selectOption('environment');
    await page.getByLabel('Variable of header 1').fill('HOOK_KEY');
    await save(page);
    await page.getByText('Trigger created').waitFor();
    await page.getByRole('link', { name: 'Events', exact: true }).last().click();

    await orders.sql('insert into orders (total) values (12.50)');
    const row = page.getByRole('row').filter({ hasText: 'order_placed' });
    await row.getByText('Delivered').waitFor();
    expect(webhook.received.find(({ path }) => path === '/placed')?.headers['x-key']).toBe('k-1');
    await row.getByRole('link').first().click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByText('Delivered by the first call.').waitFor();
    await drawer.getByRole('region', { name: 'request body' }).getByText('"order_placed"').waitFor();
    await drawer.getByRole('region', { name: 'response body' }).getByText('"accepted": true').waitFor();
    await drawer.getByRole('link', { name: 'id 1' }).click();
    await page.getByRole('tab', { name: 'Rows', selected: true }).waitFor();
    await page.getByText('12.50').waitFor();
  }));

test('builds a condition on the rows that the operations have, and only matching changes are delivered', () =>
  on('/data/default/public/orders/triggers', async (page) => {
    await page.getByRole('link', { name: 'Create a trigger' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('order_paid');
    await page.getByLabel('Webhook URL').fill(`${webhook.url}/paid`);
    await page.getByLabel('Changes for which a condition holds').check();
    await page.getByRole('button', { name: 'Add to: Condition' }).click();
    await page.getByRole('menuitem', { name: 'A condition on the new row' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'A condition on the old row' }).count()).toBe(0);
    expect(await page.getByRole('menuitem', { name: /relationship|any table/ }).count()).toBe(0);
    await page.keyboard.press('Escape');

    await page.getByLabel('Insert', { exact: true }).uncheck();
    await page.getByLabel('Update', { exact: true }).check();
    await choose(page, 'Columns listened to', 'status');
    for (const [which, value] of [
      ['old', 'open'],
      ['new', 'paid'],
    ] as const) {
      await page.getByRole('button', { name: 'Add to: Condition' }).click();
      await page.getByRole('menuitem', { name: `A condition on the ${which} row` }).click();
      const group = page.getByRole('group', { name: `Conditions on the ${which} row` });
      await choose(group, 'Column', 'status');
      await group.getByLabel('Value for status').fill(value);
    }
    await save(page);
    await page.getByText('Trigger created').waitFor();
    expect(await orders.defined('order_paid')).toMatchObject({
      definition: { update: { columns: ['status'] } },
      when: { old: { status: { _eq: 'open' } }, new: { status: { _eq: 'paid' } } },
    });
    await orders.sql('insert into orders (total) values (1), (2)');
    await orders.sql(
      "update orders set status = 'canceled' where total = 1; update orders set status = 'paid' where total = 2",
    );
    await expect
      .poll(() => bodies('/paid').map(({ event }) => event))
      .toMatchObject([{ op: 'UPDATE', data: { old: { status: 'open' }, new: { status: 'paid', total: 2 } } }]);
    await page.getByRole('link', { name: 'Events', exact: true }).last().click();
    await page.getByRole('row').filter({ hasText: 'Delivered' }).getByRole('link').first().click();
    const changes = page.getByRole('dialog').getByRole('table', { name: 'Changes of the row' });
    await changes.getByRole('row').filter({ hasText: 'status' }).getByText('"paid"').waitFor();
    expect(await changes.getByText('total').count()).toBe(0);
    await page.getByRole('button', { name: 'Show 2 unchanged columns' }).click();
    await changes.getByText('total').waitFor();
  }));

test('a saved operation in place of a webhook runs for a new row, and an edit preserves it', async () => {
  await orders.sql('create table invoices (order_id int primary key, total numeric not null)');
  await service.command('pg_track_table', { table: 'invoices' });
  const query = `mutation add_invoice($order: Int!, $total: numeric!) {
    insert_invoices_one(object: { order_id: $order, total: $total }) { order_id }
  }`;
  await service.command('create_query_collection', {
    name: 'shop',
    definition: { queries: [{ name: 'add_invoice', query }] },
  });
  const [order, total] = ['{{$body.event.data.new.id}}', '{{$body.event.data.new.total}}'];
  const operation = { collection: 'shop', name: 'add_invoice', role: 'admin', variables: { order, total } };
  await on('/data/default/public/orders/triggers', async (page) => {
    await page.getByRole('link', { name: 'Create a trigger' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('order_invoiced');
    await page.getByRole('radiogroup', { name: 'Target' }).getByText('Saved operation').click();
    await page.getByRole('combobox', { name: 'Collection' }).fill('sh');
    await page.getByRole('option', { name: 'shop' }).click();
    await page.getByRole('combobox', { name: 'Operation', exact: true }).fill('add');
    await page.getByRole('option', { name: 'add_invoice' }).click();
    const variables = page.getByLabel('Variables', { exact: true });
    await expect.poll(async () => JSON.parse(await variables.inputValue())).toMatchObject({ total });
    await variables.fill('{');
    await page.getByRole('combobox', { name: 'Role', exact: true }).fill('admin');
    await save(page);
    await page.getByText(/JSON at position/).waitFor();
    await page.getByText('The form cannot show the text. It is not JSON.').waitFor();
    await variables.fill(JSON.stringify({ order }));
    await page.getByLabel('$total: numeric!').fill(total);
    await expect.poll(async () => JSON.parse(await variables.inputValue())).toEqual({ order, total });
    await save(page);
    await page.getByText('Trigger created').waitFor();
    await page.getByText('operation:shop.add_invoice').first().waitFor();
    const [[id] = []] = await orders.sql('insert into orders (total) values (77.75) returning id');
    await expect
      .poll(() => orders.sql(`select total from invoices where order_id = ${id}`), { timeout: 45_000 })
      .toEqual([['77.75']]);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await expect.poll(() => page.getByRole('combobox', { name: 'Role', exact: true }).inputValue()).toBe('admin');
    await page.getByRole('button', { name: 'Save the trigger' }).click();
    await page.getByText('Trigger saved').waitFor();
  });
  expect(await orders.defined('order_invoiced')).toMatchObject({ target: { operation } });
  await on('/events/triggers', async (page) => {
    await page.getByRole('row').filter({ hasText: 'order_invoiced' }).getByText('operation:shop.add_invoice').waitFor();
  });
});

test('shows the exact request for a row of the table, after its transform', () =>
  on('/events/triggers/new', async (page) => {
    await orders.sql('insert into orders (total) values (99.90)');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('tried');
    await choose(page, 'Table', 'orders');
    await page.getByLabel('Webhook URL').fill('{{HOOKS}}/tried');
    await page.getByRole('button', { name: /^Request on a real row/ }).click();
    await page.getByLabel('Row', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show the request' }).click();
    const body = page.getByRole('region', { name: 'request body' });
    await expect.poll(() => body.innerText()).toContain('"total": 99.90');
    await page
      .getByRole('region', { name: 'request line and headers' })
      .getByText('POST https://hooks.example/tried')
      .waitFor();
    await page.getByLabel('Transform the request').check();
    await page.getByLabel('URL template').fill('{{$base_url}}/{{$body.event.data.new.status}}');
    await page.getByRole('button', { name: 'Show the request' }).click();
    await page
      .getByRole('region', { name: 'request line and headers' })
      .getByText('POST https://hooks.example/tried/open')
      .waitFor();
  }));

test('an edit preserves what the form does not show, and the pause', async () => {
  const retry_conf = { num_retries: 2, interval_sec: 7, timeout_sec: 9, retry_delays_seconds: [1, 2] };
  const when = { _and: [{ new: { total: { $gt: 12345678901234567890n.toString() } } }] };
  const cleanup_config = { schedule: '0 3 * * *', clear_older_than: 24, clean_invocation_logs: true };
  await orders.create('edited', { webhook: '{{HOOKS}}/edited', retry_conf, when, cleanup_config, paused: true });
  const before = await orders.defined('edited');
  await on('/events/triggers/edit/default/edited', async (page) => {
    await page.getByLabel('Webhook URL').fill('{{HOOKS}}/changed');
    await page.getByRole('button', { name: 'Save the trigger' }).click();
    await page.getByText('Trigger saved').waitFor();
    await page.getByText('This trigger is paused').waitFor();
  });
  expect(await orders.defined('edited')).toEqual({ ...before, webhook: '{{HOOKS}}/changed' });
});

test('shows an error of the service at its field, with what was typed', () =>
  on(
    '/events/triggers/new',
    async (page) => {
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('unset');
      await choose(page, 'Table', 'orders');
      await page.getByLabel('Webhook URL').fill('{{NOT_SET}}/x');
      await save(page);
      const field = page.getByLabel('Webhook URL');
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
      await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
      expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('unset');
      expect(await orders.defined('unset')).toBeUndefined();
    },
    true,
  ));

test('leaving with unsaved changes is confirmed, by links and by the back button', () =>
  on('/events/triggers', async (page) => {
    await page.getByRole('link', { name: 'Create a trigger' }).first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('half_done');
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('half_done');
    await page.goBack();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('half_done');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Event triggers' }).waitFor();
  }));

test('a duplicate begins paused under another name', async () => {
  await orders.create('original', { webhook: '{{HOOKS}}/original', ordering_key: ['id'] });
  await on('/events/triggers/of/default/original/definition', async (page) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await save(page);
    await page.getByText('This trigger is paused').waitFor();
  });
  expect(await orders.defined('original_copy')).toMatchObject({ paused: true, ordering_key: ['id'] });
});
