/** Browser tests of relationships and the diagram. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { openTeaShop } from '../support/tea-shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await openTeaShop(service);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>, isRejected = false) =>
  walk(browser, `${service.url}/console${path}`, steps, isRejected ? { meant: expectedRejections } : {});

test('a suggestion becomes a relationship under the entered name, and can be queried', () =>
  on('/data/default/public/order/relationships', async (page) => {
    await page.getByText('order is not joined to anything yet').waitFor();
    await page.getByLabel('Name of the object relationship to customer').fill('buyer');
    await page.getByRole('button', { name: 'Add buyer to customer' }).click();
    await page.getByRole('button', { name: 'Edit buyer' }).waitFor();
    await page.getByRole('button', { name: 'Add order_items to order_item' }).click();
    await page.getByRole('button', { name: 'Edit order_items' }).waitFor();
    await page.getByText('Suggested by foreign keys').waitFor({ state: 'detached' });
    expect(
      await service.query(
        '{ order(limit: 1, order_by: { id: asc }) { buyer { name } order_items(order_by: { quantity: asc }) { quantity } } }',
      ),
    ).toEqual({
      data: { order: [{ buyer: { name: 'Ada' }, order_items: [{ quantity: 1 }, { quantity: 2 }] }] },
    });
  }));

test('a relationship by columns offers compatible columns, and explains why others are not', () =>
  on('/data/default/public/product/relationships', async (page) => {
    await page.getByRole('button', { name: 'Add a relationship' }).click();
    await page.getByLabel('Relationship type').selectOption('array');
    await choose(page, 'Reference table', 'order_item');
    await choose(page, 'From', 'name: text');
    await page.getByText('No column of the referenced table fits the column name.').waitFor();
    await choose(page, 'From', 'id: int4');
    await choose(page, 'To', 'product_id: int4');
    expect(await page.getByLabel('Relationship name').inputValue()).toBe('order_items');
    await page.getByLabel('Relationship name').fill('sold');
    await page.getByLabel('Comment').fill('Where it was sold');
    await page.getByRole('dialog').getByRole('button', { name: 'Add the relationship' }).click();
    await page.getByText('id → order_item.product_id').waitFor();
    await page.getByText('Where it was sold').waitFor();
    expect(
      await service.query(
        '{ product(where: { id: { _eq: 1 } }) { sold(limit: 1, order_by: { order_id: asc }) { quantity } } }',
      ),
    ).toEqual({
      data: { product: [{ sold: [{ quantity: 2 }] }] },
    });
  }));

test('renaming updates rules; removing requires confirmation, fails with dependents, and can cascade', async () => {
  await service.command('pg_create_select_permission', {
    table: 'order',
    role: 'clerk',
    permission: { columns: '*', filter: { buyer: { id: { _eq: 1 } } } },
  });
  const clerk = { 'x-service-role': 'clerk' };
  await on(
    '/data/default/public/order/relationships',
    async (page) => {
      await page.getByRole('button', { name: 'Edit buyer' }).click();
      await page.getByLabel('Relationship name').fill('customer');
      await page.getByLabel('Comment').fill('Who ordered');
      await page.getByRole('button', { name: 'Save the relationship' }).click();
      await page.getByRole('button', { name: 'Edit customer' }).waitFor();
      await page.getByText('Who ordered').waitFor();
      expect(await service.query('{ order(limit: 1, order_by: { id: asc }) { id } }', clerk)).toEqual({
        data: { order: [{ id: 1 }] },
      });

      await page.getByRole('button', { name: 'Remove customer' }).click();
      await page.getByRole('button', { name: 'Remove the relationship' }).click();
      await page.getByText('The relationship was not removed').waitFor();
      await page.getByText('dependency-error').waitFor();
      await page.getByLabel(/Also remove what depends on it/).check();
      await page.getByRole('button', { name: 'Remove the relationship' }).click();
      await page.getByRole('button', { name: 'Add customer to customer' }).waitFor();
    },
    true,
  );
  expect(await service.query('{ order { id } }', clerk)).toMatchObject({ errors: [{}] });
});

test('the diagram shows relationships, finds and opens a table, and has a text view', () =>
  on('/data/default/diagram', async (page) => {
    await page.getByText('4 tables, 2 joins').waitFor();
    await page.getByText('sold', { exact: true }).waitFor();
    await page.getByText('order_items', { exact: true }).waitFor();
    const product = page.getByRole('link', { name: 'product', exact: true });
    await page.getByRole('combobox', { name: 'Search a table' }).fill('prod');
    await page.getByText('1 table of that name').waitFor();
    await page.getByRole('link', { name: 'product', exact: true }).and(page.locator('[aria-current]')).waitFor();
    expect(new URL(page.url()).searchParams.get('table')).toBe('prod');
    await page.getByRole('button', { name: 'Fit View' }).click();
    await page.getByText('List', { exact: true }).click();
    await page.getByText('sold: many rows of order_item, where id = product_id').waitFor();
    await page.getByText('Diagram', { exact: true }).last().click();
    await product.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit sold' }).waitFor();
  }));

test('the diagram of 150 tables is drawn', async () => {
  const names = Array.from({ length: 150 }, (_one, index) => `part_${String(index).padStart(3, '0')}`);
  const sql = names.map((name, index) => {
    const parent = index === 0 ? '' : `, parent_id int references many.${names[Math.floor((index - 1) / 3)]}`;
    return `create table many.${name} (id int primary key${parent});`;
  });
  const response = await fetch(`${service.url}/v2/query`, {
    method: 'POST',
    body: JSON.stringify({ type: 'run_sql', args: { sql: `create schema many; ${sql.join('')}` } }),
  });
  expect(response.status).toBe(200);
  const tables = names.map((name) => ({ table: { schema: 'many', name } }));
  await service.command('pg_track_tables', { tables });
  const links = names.slice(1).map((name) => ({
    type: 'pg_create_object_relationship',
    args: { table: { schema: 'many', name }, name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } },
  }));
  await service.command('bulk', links);
  await on('/data/default/diagram', async (page) => {
    await page.getByText(/^154 tables, 1[0-9]+ joins/).waitFor();
    await page.getByRole('combobox', { name: 'Search a table' }).fill('many.part_149');
    await page.getByRole('link', { name: 'many.part_149' }).waitFor();
    await page.getByRole('link', { name: 'many.part_149' }).click();
    await page.getByRole('button', { name: 'Edit parent' }).waitFor();
  });
});
