/** Browser tests of actions: creation, join to a table, query, change, removal. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';

let browser: Browser;
let handler: Server;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  handler = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"orderId":1,"customerId":7,"region":"north"}');
  }).listen(0, '127.0.0.1');
  await once(handler, 'listening');
  service = await startService({ HANDLERS: `http://127.0.0.1:${(handler.address() as AddressInfo).port}` });
  const sql = `create table customer (id int primary key, name text, key uuid, region text);
    insert into customer values (7, 'Ada', null, 'north'), (8, 'Bea', null, 'south')`;
  const response = await fetch(`${service.url}/v1/query`, {
    method: 'POST',
    body: JSON.stringify({
      type: 'bulk',
      args: [
        { type: 'run_sql', args: { sql } },
        { type: 'track_table', args: 'customer' },
      ],
    }),
  });
  expect(await response.text()).toContain('success');
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  handler?.close();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant: expectedRejections });

test('creates an action, joins it to a table, renames it, and queries the joined row', () =>
  on('/actions', async (page) => {
    await page.getByRole('link', { name: 'Create an action' }).first().click();
    await write(page, 'Action', 'type Mutation {\n  placeOrder(product: : }');
    await page.getByText(/in line 2, column 23/).waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    expect(await page.getByRole('button', { name: 'Create the action' }).isDisabled()).toBe(true);
    await write(page, 'Action', 'type Mutation { placeOrder(product: String!, at: timestamptz): Plaecd }');
    await page.getByText(/There is no type Plaecd: .*, in line 1, column 64/).waitFor();
    await write(page, 'Types', 'type Placed { orderId: Int! customerId: Int! region: String }');
    await write(page, 'Action', 'type Mutation { placeOrder(product: String!, at: timestamptz): }');
    const editor = page.getByRole('textbox', { name: 'Action', exact: true });
    await editor.press('End');
    await editor.press('ArrowLeft');
    await editor.press('ArrowLeft');
    await editor.pressSequentially(' Pla');
    await page.getByRole('option', { name: /^Placed/ }).click();
    await page.getByText('One field of type Query or Mutation.').waitFor();
    await page.getByRole('textbox', { name: 'Handler' }).fill('{{HANDLERS}}/place');
    await page.getByRole('button', { name: 'Create the action' }).click();

    await page.getByRole('button', { name: 'Add a relationship' }).click();
    await choose(page, 'Reference table', 'customer');
    const from = page.getByRole('combobox', { name: 'From', exact: true });
    await expect.poll(() => from.inputValue()).toContain('customerId');
    expect(await page.getByRole('combobox', { name: 'To', exact: true }).inputValue()).toContain('id');
    expect(await page.getByLabel('Relationship name').inputValue()).toBe('customer');
    await page.getByLabel('Relationship name').fill('buyer');
    await page.getByText('3 columns do not fit customerId').click();
    await page.getByText(/the field has type Int, and the column has type uuid/).waitFor();
    await page.getByRole('button', { name: 'Add a pair' }).click();
    await choose(page, 'From 2', /region/);
    await choose(page, 'To 2', /^region/);
    await page.getByRole('button', { name: 'Add the relationship' }).click();
    await page.getByText('Placed.customerId → default.public.customer.id').first().waitFor();
    await page.getByText('Placed.region → default.public.customer.region').waitFor();

    await page.getByRole('button', { name: 'Edit buyer' }).click();
    await page.getByLabel('Relationship name').fill('customer');
    await page.getByRole('button', { name: 'Save the relationship' }).click();
    await page.getByRole('button', { name: 'Remove customer' }).waitFor();
    expect(await service.query('mutation { placeOrder(product: "x") { orderId customer { name } } }')).toEqual({
      data: { placeOrder: { orderId: 1, customer: { name: 'Ada' } } },
    });

    await page.getByRole('tab', { name: 'Permissions' }).click();
    await page.getByRole('textbox', { name: 'Another role' }).fill('user');
    await page.getByRole('button', { name: 'Permit the role' }).click();
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('Permissions changed').waitFor();
    await page.getByRole('link', { name: 'Actions' }).last().click();
    await page.getByRole('tab', { name: 'Permissions' }).click();
    await page.getByLabel('user may call placeOrder').click();
    await page.getByText('user may no longer call placeOrder').waitFor();
    await page.goto(`${service.url}/console/actions/of/placeOrder?tab=relationships`);
    await page.getByText('Placed.region → default.public.customer.region').waitFor();

    await page.getByRole('tab', { name: 'Definition' }).click();
    await write(page, 'Types', 'type Placed { orderId: Int! customerId: Int! region: String note: String }');
    await page.getByRole('button', { name: 'Save the action' }).click();
    await page.getByText('Action changed').waitFor();
    await page.getByRole('tab', { name: 'Relationships' }).click();
    await page.getByRole('region', { name: 'Type Placed' }).getByText('note: String').waitFor();
    await page.getByRole('button', { name: 'Remove customer' }).click();
    await page.getByRole('button', { name: 'Remove the relationship' }).click();
    await page.getByText('It has no relationships yet.').waitFor();
    await page.getByRole('button', { name: 'Drop' }).click();
    await page.getByRole('button', { name: 'Drop the action' }).click();
    await page.getByText('There is no action').waitFor();
  }));

test('derives an action from an operation of the service', () =>
  on('/actions/new', async (page) => {
    await page.getByRole('button', { name: 'Start from an operation' }).click();
    await write(page, 'Operation', 'query find_customer($id: Int!) { customer_by_pk(id: $id) { id label: name } }');
    await page.getByRole('button', { name: 'Write the action' }).click();
    await page.getByRole('textbox', { name: 'Action', exact: true }).getByText('find_customer').waitFor();
    await page.getByRole('textbox', { name: 'Handler' }).fill('{{NOWHERE}}/find');
    await page.getByRole('button', { name: 'Create the action' }).click();
    await page.getByText('The action was not saved').waitFor();
    await page.getByRole('textbox', { name: 'Action', exact: true }).getByText('find_customer').waitFor();
    await page.getByRole('textbox', { name: 'Handler' }).fill('{{HANDLERS}}/find');
    await page.getByRole('button', { name: 'Create the action' }).click();
    await page.getByText('id: Int!, label: String').waitFor();
    await page.getByText('find_customer(id: Int!): FindCustomerOutput').waitFor();
  }));
