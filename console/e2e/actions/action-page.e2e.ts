/** Browser tests of the page of an action: clicks, the path of a request, drafts, permissions. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { countClicks, expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

let browser: Browser;
let handler: Server;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  handler = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7,"customer_id":2}');
  }).listen(0, '127.0.0.1');
  await once(handler, 'listening');
  service = await startService({ HANDLERS: `http://127.0.0.1:${(handler.address() as AddressInfo).port}` });
  const sql = `create table customer (id int primary key, name text not null);
    create table invoice (id int primary key, customer_id int not null references customer, total numeric);
    insert into customer values (2, 'Grace Hopper');
    insert into invoice values (11, 2, 99.90)`;
  const response = await fetch(`${service.url}/v2/query`, {
    method: 'POST',
    body: JSON.stringify({ type: 'run_sql', args: { sql } }),
  });
  expect(response.status).toBe(200);
});

beforeEach(async () => {
  const { sources } = (await service.command('export_metadata', {})) as {
    sources: readonly { readonly tables?: unknown }[];
  };
  const permission = (role: string, columns: readonly string[]) => ({ role, permission: { columns, filter: {} } });
  const tables = [
    {
      table: 'customer',
      select_permissions: [permission('clerk', ['name']), permission('user', ['id', 'name'])],
    },
    { table: 'invoice' },
  ];
  const fields = [
    { name: 'id', type: 'Int!' },
    { name: 'customer_id', type: 'Int!' },
  ];
  const definition = { output_type: 'Order', arguments: [{ name: 'name', type: 'String' }] };
  await service.command('replace_metadata', {
    version: 3,
    sources: sources.map((source) => ({ ...source, tables })),
    actions: [
      { name: 'order', definition: { ...definition, handler: '{{HANDLERS}}/order' } },
      { name: 'fail', definition: { ...definition, handler: 'http://127.0.0.1:9/fail' } },
    ],
    custom_types: { objects: [{ name: 'Order', fields }] },
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  handler?.close();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant: expectedRejections });

const path = (page: Page) => page.getByRole('navigation', { name: 'Path of a request' });
const joined = { name: 'customer', remote_table: { schema: 'public', name: 'customer' }, type: 'object' };

test('a suggested relationship is added with two clicks', () =>
  on('/actions/of/order', async (page) => {
    await path(page).waitFor();
    const clicks = await countClicks(page);
    await page.getByRole('tab', { name: 'Relationships' }).click();
    await page.getByRole('button', { name: 'Add customer' }).click();
    await page.getByRole('button', { name: 'Remove customer' }).waitFor();
    expect(await clicks()).toBe(2);
    expect(await service.command('export_metadata', {})).toMatchObject({
      custom_types: { objects: [{ relationships: [{ ...joined, field_mapping: { customer_id: 'id' } }] }] },
    });
  }));

test('a relationship to any table is added by form with three clicks, as its name, type and mapping are filled in', () =>
  on('/actions/of/order', async (page) => {
    await path(page).waitFor();
    const clicks = await countClicks(page);
    await page.getByRole('tab', { name: 'Relationships' }).click();
    await page.getByRole('button', { name: 'Add a relationship' }).click();
    const table = page.getByRole('combobox', { name: 'Reference table' });
    await expect.poll(() => table.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type('inv');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Relationship name').inputValue()).toBe('invoices');
    expect(await page.getByLabel('Relationship type').inputValue()).toBe('array');
    await page.getByRole('button', { name: 'Add the relationship' }).click();
    await page.getByRole('button', { name: 'Remove invoices' }).waitFor();
    expect(await clicks()).toBe(3);
    expect(await service.command('export_metadata', {})).toMatchObject({
      custom_types: {
        objects: [{ relationships: [{ name: 'invoices', field_mapping: { customer_id: 'customer_id' } }] }],
      },
    });
  }));

test('"Try it" selects a new relationship at once, also in a request that was edited', () =>
  on('/actions/of/order?tab=run', async (page) => {
    const request = page.getByRole('textbox', { name: 'Request', exact: true });
    await request.getByText('customer_id').waitFor();
    await request.press('Control+Home');
    await request.pressSequentially('# edited\n');
    await page.getByRole('tab', { name: 'Relationships' }).click();
    await page.getByRole('button', { name: 'Add customer' }).click();
    await page.getByRole('button', { name: 'Remove customer' }).waitFor();
    await page.getByRole('tab', { name: 'Try it' }).click();
    await request.getByText('# edited').waitFor();
    await expect.poll(() => page.getByRole('checkbox', { name: 'customer' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'response' }).getByText('"Grace Hopper"').waitFor();
    await page.getByText('Call of order').waitFor();
    await page.getByRole('checkbox', { name: 'customer' }).uncheck();
    expect(await request.innerText()).not.toContain('customer {');
  }));

test('the path of a request opens tabs and the pages of joined tables by keyboard', async () => {
  await service.command('create_action_relationship', {
    type_name: 'Order',
    ...joined,
    field_mapping: { customer_id: 'id' },
  });
  await on('/actions/of/order', async (page) => {
    await path(page)
      .getByRole('link', { name: /^Handler/ })
      .press('Enter');
    await page.getByRole('textbox', { name: 'Handler' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=handler');
    await page.goBack();
    await page.getByRole('textbox', { name: 'Types', exact: true }).waitFor();
    await path(page)
      .getByRole('link', { name: /^Row of customer/ })
      .press('Enter');
    await page.getByRole('heading', { name: 'customer', level: 1 }).waitFor();
  });
});

test('the path marks a handler whose calls failed', () =>
  on('/actions/of/fail?tab=run', async (page) => {
    const box = path(page).getByRole('link', { name: /^Handler/ });
    await box.getByText('No failure in the last hour').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await box.getByText('1 failure in the last hour').waitFor();
  }));

test('the test of a handler shows what was sent and received', () =>
  on('/actions/of/order?tab=handler', async (page) => {
    await page.getByRole('button', { name: 'Call the handler' }).click();
    await page.getByText(/^Status 200 after/).waitFor();
    const region = (name: string) => page.getByRole('region', { name, exact: true });
    await region('sent request line and headers').getByText('POST {{HANDLERS}}/order').waitFor();
    await region('sent body').getByText('"session_variables"').waitFor();
    await region('received body').getByText('"customer_id"').waitFor();
    await page.getByLabel('Timeout in seconds').fill('31');
    const call = page.getByRole('button', { name: 'Call the handler' });
    const description = page.locator(`[id="${await call.getAttribute('aria-describedby')}"]`);
    expect(await description.innerText()).toBe('Save the changes first. The test calls the saved handler.');
  }));

test('the draft stays when another tab opens, and the disabled button gives its reason', () =>
  on('/actions/of/order', async (page) => {
    const save = page.getByRole('button', { name: 'Save the action' });
    await save.and(page.locator('[aria-disabled=true]')).waitFor();
    await page.getByLabel('Comment').fill('Orders tea');
    await page.getByRole('tab', { name: 'Handler' }).click();
    await page.getByRole('textbox', { name: 'Handler' }).fill('');
    await page.getByRole('tab', { name: 'Code' }).click();
    await page.getByText('Not saved: Definition, Handler.').waitFor();
    const description = page.locator(`[id="${await save.getAttribute('aria-describedby')}"]`);
    expect(await description.innerText()).toBe('Handler: Must not be empty.');
    await page.getByRole('tab', { name: /^Definition/ }).click();
    expect(await page.getByLabel('Comment').inputValue()).toBe('Orders tea');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    expect(await page.getByLabel('Comment').inputValue()).toBe('');
  }));

test('several roles are permitted at once, each with the columns that it sees', async () => {
  await service.command('create_action_relationship', {
    type_name: 'Order',
    ...joined,
    field_mapping: { customer_id: 'id' },
  });
  await on('/actions/of/order?tab=permissions', async (page) => {
    await page.getByLabel('clerk may call it').check({ force: true });
    await page.getByLabel('user may call it').check({ force: true });
    await page
      .getByRole('row', { name: /^clerk/ })
      .getByText('Order.customer: name')
      .waitFor();
    await page.getByRole('row', { name: /^user/ }).getByText('Order.customer: id, name').waitFor();
    await page.getByRole('button', { name: 'Save 2 changes' }).click();
    await page.getByText('Permissions changed').waitFor();
    const { actions } = (await service.command('export_metadata', {})) as {
      actions: readonly { readonly name: string; readonly permissions?: readonly { readonly role: string }[] }[];
    };
    const permitted = actions.find(({ name }) => name === 'order')?.permissions ?? [];
    expect(permitted.map(({ role }) => role).sort()).toEqual(['clerk', 'user']);
  });
});
