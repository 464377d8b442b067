/** Browser tests of editing rows in the grid. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';
import { command, makeShop, rowsOfSql } from '../support/shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await makeShop(service, true);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>, isRejected = false) =>
  walk(
    browser,
    `${service.url}/console/data/default/public/${path}`,
    async (page) => {
      await page.getByRole('grid').waitFor();
      await steps(page);
    },
    isRejected ? { meant: expectedRejections } : {},
  );

const rowsOf = (sql: string) => rowsOfSql(service, sql);

/** Returns the cell of a column in the row with this name. */
async function cell(page: Page, row: string, column: string): Promise<Locator> {
  const opener = page.getByRole('button', { name: row, exact: true });
  return cellOf(page, page.getByRole('row').filter({ has: opener }), column);
}

async function cellOf(page: Page, row: Locator, column: string): Promise<Locator> {
  const header = page.getByRole('columnheader', { name: new RegExp(`^${column}\\b`) });
  return row.locator(`[aria-colindex="${await header.getAttribute('aria-colindex')}"]`);
}

const save = (page: Page, changes: string) => page.getByRole('button', { name: `Save ${changes}` }).click();

test('cells of several types and rows are edited in place and saved together', () =>
  on('customer/rows', async (page) => {
    await (await cell(page, 'Open customer 1', 'name')).dblclick();
    await page.getByRole('textbox', { name: 'name' }).fill('Alan Mathison Turing');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'email' }).fill('alan@example.com');
    await page.keyboard.press('Enter');
    await (await cell(page, 'Open customer 2', 'vip')).dblclick();
    await page.getByRole('option', { name: 'true' }).click();
    await (await cell(page, 'Open customer 2', 'preferences')).dblclick();
    await write(page, 'preferences', '{"language": "fr"}');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('4 changes in 2 rows not saved').waitFor();
    expect(await rowsOf("select count(*) from customer where email = 'alan@example.com'")).toEqual([['0']]);
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await save(page, '4 changes');
    await page.getByText('4 changes saved').waitFor();
    expect(await rowsOf('select name, email from customer where id = 1')).toEqual([
      ['Alan Mathison Turing', 'alan@example.com'],
    ]);
    expect(await rowsOf('select vip, preferences from customer where id = 2')).toEqual([['t', '{"language": "fr"}']]);
  }));

test('a cell is edited by the keyboard alone', () =>
  on('product/rows', async (page) => {
    await page.getByText('60 rows', { exact: true }).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.keyboard.type('77');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.type('78');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+s');
    await page.getByText('2 changes saved').waitFor();
    expect(await rowsOf("select stock from product where sku in ('SKU-0001', 'SKU-0002') order by sku")).toEqual([
      ['77'],
      ['78'],
    ]);
  }));

test('Escape reverts the text of an open editor, then the change of the cell', () =>
  on('customer/rows', async (page) => {
    const name = await cell(page, 'Open customer 3', 'name');
    await name.dblclick();
    await page.getByRole('textbox', { name: 'name' }).fill('Nobel');
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'name' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('group', { name: 'Unsaved changes' }).count()).toBe(0);
    await page.keyboard.type('Nobel');
    await page.keyboard.press('Enter');
    await page.getByText('1 change in 1 row not saved').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    await page.getByRole('group', { name: 'Unsaved changes' }).waitFor({ state: 'detached' });
  }));

test('null, the default and the empty text can be chosen', () =>
  on('order/rows', async (page) => {
    await (await cell(page, 'Open order 1', 'state')).dblclick();
    await page.getByRole('button', { name: 'Set default' }).click();
    await (await cell(page, 'Open order 1', 'total')).dblclick();
    await page.getByRole('button', { name: 'Set null' }).click();
    await save(page, '2 changes');
    await page.getByText('2 changes saved').waitFor();
    expect(await rowsOf('select state, coalesce(total::text, \'none\') from "order" where id = 1')).toEqual([
      ['open', 'none'],
    ]);
  }));

test('values of an enum and rows of a foreign key are found by typing', () =>
  on('order/rows', async (page) => {
    await (await cell(page, 'Open order 2', 'state')).dblclick();
    await page.getByRole('combobox', { name: 'state' }).fill('ret');
    await page.keyboard.press('Enter');
    await (await cell(page, 'Open order 2', 'customer_id')).dblclick();
    await page.getByRole('combobox', { name: 'customer_id' }).fill('customer77@');
    await page.getByRole('option', { name: /^77/ }).click();
    await save(page, '2 changes');
    await page.getByText('2 changes saved').waitFor();
    expect(await rowsOf('select state, customer_id from "order" where id = 2')).toEqual([['returned', '77']]);
  }));

test('a time is picked in the time zone of the browser', () =>
  on('order/rows', async (page) => {
    await (await cell(page, 'Open order 3', 'placed_at')).dblclick();
    await page.getByLabel('Local time').fill('2026-07-01T12:00:00');
    await page.getByRole('textbox', { name: 'placed_at' }).press('Enter');
    await save(page, '1 change');
    await page.getByText('1 change saved').waitFor();
    expect(await rowsOf('select placed_at at time zone \'UTC\' from "order" where id = 3')).toEqual([
      ['2026-07-01 10:00:00'],
    ]);
  }));

test('a rejected change saves none, and its cell and message are shown', () =>
  on(
    'customer/rows',
    async (page) => {
      await (await cell(page, 'Open customer 4', 'note')).dblclick();
      await page.getByRole('textbox', { name: 'note' }).fill('call back');
      await page.keyboard.press('Enter');
      await (await cell(page, 'Open customer 5', 'name')).dblclick();
      await page.getByRole('textbox', { name: 'name' }).fill('x');
      await page.keyboard.press('Enter');
      await command(service, 'run_sql', { sql: "alter table customer add check (name <> 'x')" });
      await save(page, '2 changes');
      await page.getByText('No change was saved').waitFor();
      await page
        .getByRole('list', { name: 'Errors' })
        .getByText(/customer 5/)
        .waitFor();
      expect(await rowsOf("select count(*) from customer where note = 'call back'")).toEqual([['0']]);
      await page.getByText('2 changes in 2 rows not saved').waitFor();
    },
    true,
  ));

test('a value that does not fit its type is marked and not sent', () =>
  on('product/rows', async (page) => {
    const stock = await cell(page, 'Open product SKU-0003', 'stock');
    await stock.dblclick();
    await page.getByRole('textbox', { name: 'stock' }).fill('many');
    await page.keyboard.press('Enter');
    await save(page, '1 change');
    await page.getByText('product SKU-0003: stock: Must be a whole number.').waitFor();
    expect(await stock.getAttribute('aria-invalid')).toBe('true');
  }));

test('a row is inserted in place and another one duplicated', () =>
  on('customer/rows?sort=-id', async (page) => {
    await page.getByText('240 rows', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Insert a row' }).click();
    await page.getByRole('textbox', { name: 'name' }).fill('Margaret Hamilton');
    await page.keyboard.press('Tab');
    await page.keyboard.type('margaret@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Choose customer 240' }).check();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('textbox', { name: 'name' }).press('Tab');
    await page.keyboard.type('copy@example.com');
    await page.keyboard.press('Enter');
    await save(page, '2 changes');
    await page.getByText('2 changes saved').waitFor();
    expect(
      await rowsOf(
        "select c.name = (select name from customer where id = 240) from customer c where email = 'copy@example.com'",
      ),
    ).toEqual([['t']]);
    expect(await rowsOf("select name from customer where email = 'margaret@example.com'")).toEqual([
      ['Margaret Hamilton'],
    ]);
    await page.getByText('242 rows', { exact: true }).waitFor();
  }));

test('leaving the page with unsaved changes needs a confirmation', () =>
  on('product/rows', async (page) => {
    await (await cell(page, 'Open product SKU-0004', 'title')).dblclick();
    await page.getByRole('textbox', { name: 'title' }).fill('Sofa');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Explore' }).click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByText('1 change in 1 row not saved').waitFor();
  }));

test('chosen rows are copied as JSON, CSV and SQL', () =>
  on('product/rows', async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('checkbox', { name: 'Choose product SKU-0010' }).check();
    const copied = async (format: string): Promise<string> => {
      await page.getByRole('button', { name: 'Copy as' }).click();
      await page.getByRole('menuitem', { name: format }).click();
      await page.getByText(`1 row copied as ${format}`).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    expect(JSON.parse(await copied('JSON'))).toHaveLength(1);
    expect(await copied('CSV')).toMatch(/^sku,title,price,tags,stock\nSKU-0010,/);
    expect(await copied('SQL insert')).toMatch(/^insert into "public"."product"/);
  }));

test('a row leads to the rows that reference it', async () => {
  const array = { name: 'orders', using: { foreign_key_constraint_on: { table: 'order', column: 'customer_id' } } };
  await command(service, 'pg_create_array_relationship', { table: 'customer', ...array });
  await on('customer/rows', async (page) => {
    await page.getByRole('button', { name: 'Open customer 9', exact: true }).click();
    await page.getByRole('link', { name: 'orders' }).click();
    await page.getByRole('heading', { name: 'order', exact: true }).waitFor();
    await page.getByText('customer_id = 9').waitFor();
  });
});
