/** Browser tests of tables, rows and columns. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command, makeShop, rowsOfSql, shopTables } from '../support/shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await makeShop(service, false);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>, isRejected = false) =>
  walk(browser, `${service.url}/console${path}`, steps, isRejected ? { meant: expectedRejections } : {});

const rowsOf = (sql: string) => rowsOfSql(service, sql);

test('searches tables, tracks them together, and joins them by foreign keys under chosen names', () =>
  on('/', async (page) => {
    await page.getByRole('link', { name: 'Tables', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search tables' }).fill('shelf');
    await page.getByRole('button', { name: 'Track depot.shelf' }).click();
    await page.getByText('depot.shelf tracked').waitFor();
    await page.getByRole('button', { name: 'Untrack depot.shelf' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Untrack' }).click();
    await page.getByText('depot.shelf no longer tracked').waitFor();

    await page.getByRole('searchbox', { name: 'Search tables' }).fill('');
    await page.getByLabel('Schema', { exact: true }).selectOption('public');
    await page.getByRole('checkbox', { name: 'Choose all on this page' }).click();
    await page.getByRole('button', { name: `Track ${shopTables.length}` }).click();
    await page.getByText(`${shopTables.length} tables tracked`).waitFor();

    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('checkbox', { name: 'Create order_items on product' }).uncheck();
    await page.getByRole('textbox', { name: 'Name of order_items on order' }).fill('items');
    await page.getByRole('button', { name: 'Create 5 relationships' }).click();
    await page.getByText('5 relationships created').waitFor();
    expect(
      await service.query('{ order_by_pk(id: 1) { customer { name } items(limit: 1) { product { title } } } }'),
    ).toEqual({
      data: {
        order_by_pk: { customer: { name: 'Alan Turing' }, items: [{ product: { title: 'Table no. 2' } }] },
      },
    });
  }));

test('filters, sorts and scrolls rows, and follows a foreign key to its row', () =>
  on('/data/default/public/customer/rows', async (page) => {
    await page.getByText('240 rows', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Column', { exact: true }).selectOption('name');
    await page.getByLabel('Value').fill('grace');
    await page.getByRole('button', { name: 'Show matching rows' }).click();
    await page.getByText('40 rows', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'id', exact: true }).click();
    await page.getByRole('button', { name: 'id', exact: true }).click();
    await page.getByRole('button', { name: 'Open customer 235' }).waitFor();
    await page.getByRole('grid').press('Control+End');
    await page.getByRole('button', { name: 'Open customer 1', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove: name contains grace' }).click();
    await page.getByText('240 rows', { exact: true }).waitFor();

    await page.goto(`${service.url}/console/data/default/public/order/rows`);
    await page.getByRole('row').filter({ hasText: 'Berlin' }).nth(5).getByRole('link').click();
    await page.getByRole('heading', { name: 'customer' }).waitFor();
    await page.getByText('id = 7').waitFor();
    await page.getByText('customer7@example.com').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'order', exact: true }).waitFor();
  }));

test('inserts, edits and deletes rows, and shows database errors at their field', () =>
  on(
    '/data/default/public/customer/rows?sort=-id',
    async (page) => {
      await page.getByRole('button', { name: 'More ways to insert' }).click();
      await page.getByRole('menuitem', { name: 'Insert by form' }).click();
      const form = page.getByRole('dialog');
      await form.getByRole('textbox', { name: 'id' }).fill('9007199254740993');
      await form.getByRole('textbox', { name: 'name' }).fill('Margaret Hamilton');
      await form.getByRole('textbox', { name: 'email' }).fill('customer1@example.com');
      await form.getByRole('button', { name: 'Insert the row' }).click();
      await form.getByText(/customer_email_key/).waitFor();
      expect(await form.getByRole('textbox', { name: 'name' }).inputValue()).toBe('Margaret Hamilton');
      await form.getByRole('textbox', { name: 'email' }).fill('margaret@example.com');
      await form.getByRole('button', { name: 'Insert the row' }).click();
      await page.getByText('Row inserted').waitFor();
      await page.getByRole('button', { name: 'Open customer 9007199254740993' }).click();
      await page.getByText('margaret@example.com').last().waitFor();

      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await form.getByRole('textbox', { name: 'id' }).fill('many');
      await form.getByRole('button', { name: 'Save the row' }).click();
      await form.getByText('Must be a whole number.').waitFor();
      await form.getByRole('textbox', { name: 'id' }).fill('9007199254740995');
      await form.getByLabel('vip').selectOption('true');
      await form.getByRole('textbox', { name: 'note' }).fill('');
      await form.getByLabel('Source of the value of note').selectOption('value');
      await form.getByRole('button', { name: 'Save the row' }).click();
      await page.getByText('Row changed').waitFor();
      expect(await rowsOf("select id, vip, note = '' from customer where email = 'margaret@example.com'")).toEqual([
        ['9007199254740995', 't', 't'],
      ]);

      await page.getByRole('checkbox', { name: 'Choose customer 9007199254740995' }).check();
      await page.getByRole('checkbox', { name: 'Choose customer 240' }).check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 rows' }).click();
      await page
        .getByText(/violates foreign key|foreign key violation/i)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByRole('checkbox', { name: 'Choose customer 240' }).uncheck();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 row' }).click();
      await page.getByText('1 row deleted').waitFor();
      expect(await rowsOf('select count(*) from customer')).toEqual([['240']]);
    },
    true,
  ));

test('shows rows as a role with its session variables', async () => {
  await command(service, 'pg_create_select_permission', {
    table: 'customer',
    role: 'user',
    permission: { columns: ['id', 'name'], filter: { id: 'X-Service-User-Id' } },
  });
  await on('/data/default/public/customer/rows', async (page) => {
    await page.getByRole('button', { name: 'See as a role' }).click();
    await page.getByRole('combobox', { name: 'Role' }).fill('user');
    await page.getByLabel('Session variables').fill('user-id: 7');
    await page.getByRole('button', { name: 'Show the rows' }).click();
    await page.getByText('Editing is off').waitFor();
    await page.getByRole('button', { name: 'Open customer 7' }).waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['', 'idbigint', 'nametext']);
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Insert a row' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Back to admin' }).click();
    await page.getByText('240 rows', { exact: true }).waitFor();
  });
});

test('shows a view, and explains why rows without a key are read-only', async () => {
  await on('/data/default/public/revenue/rows', async (page) => {
    await page.getByText('Rows are read only here').waitFor();
    expect(await page.getByRole('button', { name: 'Insert a row' }).count()).toBe(0);
  });
  await on('/data/default/public/audit_log/rows', async (page) => {
    await page.getByText('without a primary key').waitFor();
    await page.getByText('30 rows', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });
});

test('columns and root fields can be renamed', () =>
  on('/data/default/public/customer/structure', async (page) => {
    await page.getByRole('button', { name: /edit the GraphQL name of name$/ }).click();
    await page.getByLabel('Name in GraphQL').fill('fullName');
    await page.getByRole('button', { name: 'Save the column' }).click();
    await page.getByText('Column name changed').waitFor();
    await page.getByRole('button', { name: 'Edit names' }).click();
    await page.getByLabel('select_by_pk').fill('buyer');
    await page.getByRole('button', { name: 'Save the names' }).click();
    await page.getByText('Names changed').waitFor();
    expect(await service.query('{ buyer(id: 7) { fullName } }')).toEqual({
      data: { buyer: { fullName: 'Grace Hopper' } },
    });
    await page.getByRole('tab', { name: 'Rows' }).click();
    await page.getByRole('button', { name: 'Open customer 1', exact: true }).waitFor();
  }));

test('reads a table again on request after a change without the service', async () => {
  // The service does not notice changes without a reload.
  const sql = 'alter table audit_log add column who text';
  await command(service, 'run_sql', { sql, check_metadata_consistency: false });
  await on(
    '/data/default/public/audit_log/rows',
    async (page) => {
      await page.getByText('The table was changed in the database').waitFor();
      await page.getByRole('button', { name: 'Read it again' }).click();
      await page.getByRole('columnheader', { name: 'who' }).waitFor();
      await page.getByText('The table was changed').waitFor({ state: 'detached' });
    },
    true,
  );
});

test('tracks a function as a query and permits a role to call it', async () => {
  const sql = `create function costly(floor numeric) returns setof product language sql stable
    as $$ select * from product where price >= floor $$`;
  await command(service, 'run_sql', { sql });
  await command(service, 'pg_create_select_permission', {
    table: 'product',
    role: 'user',
    permission: { columns: ['sku'], filter: {} },
  });
  await on('/data/default', async (page) => {
    await page.getByRole('link', { name: 'Functions' }).click();
    await page.getByRole('row').filter({ hasText: 'setof product' }).getByText('costly').click();
    await page.getByRole('dialog', { name: 'Function costly' }).getByText('floor numeric').first().waitFor();
    await page.getByRole('button', { name: 'Track as a query' }).click();
    await page.getByText('costly is a query now').waitFor();
    expect(await service.query('{ costly(args: { floor: "69" }) { sku } }')).toEqual({
      data: { costly: [{ sku: 'SKU-0060' }] },
    });
    await page.getByRole('textbox', { name: 'Role' }).fill('user');
    await page.getByRole('button', { name: 'Grant permission' }).click();
    await page.getByRole('button', { name: 'Revoke from user' }).waitFor();
    await page.getByRole('button', { name: 'Untrack' }).click();
    await page.getByRole('dialog', { name: 'Untrack costly?' }).getByRole('button', { name: 'Untrack' }).click();
    await page.getByRole('button', { name: 'Track as a query' }).waitFor();
  });
});

test('untracks a referenced table only together with its dependents', () =>
  on(
    '/data/default/public/product/rows',
    async (page) => {
      await page.getByRole('button', { name: 'Untrack' }).click();
      const question = page.getByRole('dialog');
      await question.getByRole('button', { name: 'Untrack' }).click();
      await question.getByRole('alert').waitFor();
      await question.getByLabel(/Also remove/).check();
      await question.getByRole('button', { name: 'Untrack' }).click();
      await page.getByText('product no longer tracked').waitFor();
      await page.getByText('product is not tracked').waitFor();
      await page.getByRole('link', { name: 'Read it by SQL' }).click();
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('60 rows').waitFor();
    },
    true,
  ));
