/** Browser tests that count the clicks of frequent tasks. docs/console.md has the same numbers. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countClicks, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { openTeaShop } from '../support/tea-shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await openTeaShop(service);
  // The role is known from another table.
  const permission = { columns: '*', filter: {} };
  await service.command('pg_create_select_permission', { table: 'product', role: 'guest', permission });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console/data/default/public/${path}`, async (page) => {
    await page.getByRole('grid').waitFor();
    await steps(page);
  });

test('a permission on own rows takes four clicks from the rows of the table, and says before what it exposes', () =>
  on('order/rows', async (page) => {
    const clicks = await countClicks(page);
    await page.getByRole('tab', { name: 'Permissions' }).click();
    await page.getByRole('button', { name: 'Select for guest: None' }).click();
    await page.getByRole('button', { name: 'Own rows: customer_id equals X-Service-User-Id' }).click();
    const exposed =
      'guest sees id, customer_id, status, note, placed_at of rows whose customer_id equals X-Service-User-Id';
    await page.getByText(exposed).waitFor();
    await page.getByRole('button', { name: 'Save permission' }).click();
    await page.getByRole('button', { name: /^Select for guest: Partial by a rule/ }).waitFor();
    expect(await clicks()).toBe(4);
    const as = { 'x-service-role': 'guest', 'x-service-user-id': '2' };
    expect(await service.query('{ order(distinct_on: customer_id) { customer_id } }', as)).toEqual({
      data: { order: [{ customer_id: 2 }] },
    });
  }));

test('what a suggested permission exposes follows the changes of the form', () =>
  on('order/rows', async (page) => {
    await page.getByRole('tab', { name: 'Permissions' }).click();
    await page.getByLabel('New role').fill('packer');
    await page.getByRole('button', { name: 'Select for packer: None' }).click();
    await page.getByRole('button', { name: /^Own rows/ }).click();
    await page.getByRole('checkbox', { name: 'note' }).uncheck();
    await page.getByRole('radio', { name: 'All rows, without any check' }).check();
    await page.getByText('packer sees id, customer_id, status, placed_at of all rows.').waitFor();
  }));

test('a cell is changed with a double-click and the keyboard', () =>
  on('product/rows', async (page) => {
    const clicks = await countClicks(page);
    await page.getByRole('gridcell', { name: 'Kettle' }).dblclick();
    await page.getByRole('textbox', { name: 'name' }).fill('Iron kettle');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+s');
    await page.getByText('1 change saved').waitFor();
    expect(await clicks()).toBe(2);
    expect(await service.query('{ product(where: { id: { _eq: 2 } }) { name } }')).toEqual({
      data: { product: [{ name: 'Iron kettle' }] },
    });
  }));
