/** Screenshots and accessibility checks of permissions, relationships and the diagram in both themes and widths. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { capture, type Scene } from '../support/scenes.ts';
import { type Service, startService } from '../support/service.ts';
import { openTeaShop } from '../support/tea-shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await openTeaShop(service);
  await fill(service);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function fill({ command }: Service): Promise<void> {
  const object = (table: string, name: string, column: string) =>
    command('pg_create_object_relationship', { table, name, using: { foreign_key_constraint_on: column } });
  await object('order', 'customer', 'customer_id');
  await object('order_item', 'order', 'order_id');
  await object('order_item', 'product', 'product_id');
  await command('pg_create_array_relationship', {
    table: 'order',
    name: 'items',
    using: { foreign_key_constraint_on: { table: 'order_item', columns: ['order_id'] } },
  });
  const grant = (operation: string, role: string, permission: object, comment?: string) =>
    command(`pg_create_${operation}_permission`, { table: 'order', role, permission, comment });
  const own = { customer_id: { _eq: 'X-Service-User-Id' } };
  await grant('select', 'customer', {
    columns: ['id', 'status', 'placed_at'],
    filter: {
      _or: [own, { customer: { manager_id: { _eq: 'X-Service-User-Id' } } }],
      status: { _in: ['placed', 'paid', 'shipped'] },
      items_aggregate: { count: { predicate: { _gt: 0 } } },
    },
  });
  await grant('insert', 'customer', { columns: ['note'], check: own, set: { customer_id: 'X-Service-User-Id' } });
  await grant('update', 'customer', { columns: ['note'], filter: { ...own, status: { _eq: 'placed' } } });
  await grant('select', 'clerk', { columns: '*', filter: {}, allow_aggregations: true }, 'Packs the orders');
  await grant('update', 'clerk', { columns: ['status'], filter: {} });
  await grant('delete', 'manager', { filter: {}, backend_only: true });
  await command('add_inherited_role', { role_name: 'lead', role_set: ['clerk', 'manager'] });
}

async function open(page: Page, cell: RegExp): Promise<void> {
  await page.getByRole('button', { name: cell }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save permission' }).waitFor();
}

const scenes: readonly Scene[] = [
  {
    name: 'rules-grid',
    path: '/data/default/public/order/permissions',
    act: (page) => page.getByText('made of clerk, manager').waitFor(),
  },
  {
    name: 'rules-form',
    path: '/data/default/public/order/permissions',
    above: true,
    act: async (page) => {
      await open(page, /^Select for customer/);
      await page.getByRole('textbox', { name: /as JSON/ }).waitFor();
    },
  },
  {
    name: 'rules-preview',
    path: '/data/default/public/order/permissions',
    above: true,
    act: async (page) => {
      await open(page, /^Select for customer/);
      await page.getByLabel('Session variables of customer').fill('user-id: 1');
      await page.getByText('As saved').click();
      await page.getByRole('button', { name: 'Show the rows' }).click();
      await page.getByText(/customer sees/).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'rules-new',
    path: '/data/default/public/order/permissions',
    above: true,
    act: async (page) => {
      await open(page, /^Delete for clerk/);
      await page.getByLabel('All rows, without any check').check();
    },
  },
  {
    name: 'rules-conflict',
    path: '/data/default/public/order/permissions',
    above: true,
    unreachable: true,
    act: async (page) => {
      await open(page, /^Delete for manager/);
      const theirs = { table: 'order', role: 'manager', type: 'delete', comment: 'Orders that were never paid' };
      await service.command('pg_set_permission_comment', theirs);
      await page.getByRole('button', { name: 'Save permission' }).click();
      await page.getByRole('button', { name: 'Overwrite their change' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'links-tab',
    path: '/data/default/public/order/relationships',
    act: (page) => page.getByRole('button', { name: 'Edit items' }).waitFor(),
  },
  {
    name: 'links-suggested',
    path: '/data/default/public/customer/relationships',
    act: (page) => page.getByText('Suggested by foreign keys').waitFor(),
  },
  {
    name: 'links-form',
    path: '/data/default/public/customer/relationships',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a relationship' }).click();
      await page.getByRole('combobox', { name: 'Reference table' }).click();
      await page.getByRole('option', { name: 'order', exact: true }).click();
      await page.getByRole('combobox', { name: 'From' }).click();
      await page.getByRole('option', { name: 'id: int4', exact: true }).click();
      await page.getByText(/do not fit id/).click();
    },
  },
  {
    name: 'diagram',
    path: '/data/default/diagram',
    act: (page) => page.getByRole('link', { name: 'order_item' }).waitFor(),
  },
  {
    name: 'diagram-list',
    path: '/data/default/diagram?view=list',
    act: (page) => page.getByText(/many rows of order_item/).waitFor(),
  },
];

test.each(scenes)('$name', async (scene) => {
  expect(await capture(browser, service.url, scene)).toEqual([]);
});
