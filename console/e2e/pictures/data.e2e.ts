/** Screenshots and accessibility checks of source, table and SQL pages in both themes and widths. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { capture, type Scene } from '../support/scenes.ts';
import { type Service, startService } from '../support/service.ts';
import { command, makeShop } from '../support/shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await makeShop(service, true);
  const database_url = 'postgres://shop:secret@127.0.0.1:9/archive';
  const archive = {
    name: 'archive',
    kind: 'postgres',
    configuration: { connection_info: { database_url } },
    tables: [],
  };
  const metadata = (await command(service, 'export_metadata', {})) as { sources: object[] };
  await command(service, 'replace_metadata', {
    allow_inconsistent_metadata: true,
    metadata: { ...metadata, sources: [...metadata.sources, archive] },
  });
  const costly = `create function costly(floor numeric) returns setof product language sql stable
    as $$ select * from product where price >= floor $$;
    create function shelves() returns setof depot.shelf language sql as $$ select * from depot.shelf $$;`;
  await command(service, 'run_sql', { sql: `${costly} create type size as enum ('small', 'large');` });
  await command(service, 'pg_track_function', { function: 'costly' });
  await command(service, 'pg_create_select_permission', {
    table: 'customer',
    role: 'user',
    permission: { columns: ['id', 'name'], filter: { id: 'X-Service-User-Id' } },
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const customers = '/data/default/public/customer';

const scenes: readonly Scene[] = [
  { name: 'data-sources', path: '/data' },
  {
    name: 'data-source-add',
    path: '/data',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a source' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('warehouse');
      await page.getByRole('textbox', { name: 'Variable' }).fill('WAREHOUSE_DATABASE_URL');
      await page.getByRole('button', { name: 'Advanced' }).click();
      await page.getByRole('button', { name: 'Add a read replica' }).click();
    },
  },
  {
    name: 'data-source-settings',
    path: '/data/archive/settings',
    act: async (page) => {
      await page.getByLabel('Maximum connections').fill('20');
      await page.getByRole('button', { name: 'Add a read replica' }).click();
      await page.getByLabel('Variable', { exact: true }).fill('ARCHIVE_REPLICA_URL');
    },
  },
  {
    name: 'data-source-rejected',
    path: '/data/archive/settings',
    unreachable: true,
    act: async (page) => {
      await page.getByLabel('Database from').selectOption('url');
      await page.getByLabel('Wait for a connection (s)').fill('soon');
      await page.getByRole('button', { name: 'Save the settings' }).click();
      await page.getByText('Must be a number of seconds.').waitFor();
    },
  },
  {
    name: 'data-source-names',
    path: '/data/default/settings',
    above: true,
    act: async (page) => {
      await page.getByLabel('Prefix of root fields').fill('shop_');
      await page.getByRole('button', { name: 'Save the settings' }).click();
      await page.getByRole('button', { name: /^Role user/ }).click();
      await page.getByRole('dialog').getByText('query_root.shop_customer', { exact: true }).waitFor();
    },
  },
  {
    name: 'data-source-remove',
    path: '/data',
    above: true,
    act: async (page) => {
      await page.getByRole('region', { name: 'default' }).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('checkbox').waitFor();
    },
  },
  {
    name: 'data-sql',
    path: '/sql',
    act: async (page) => {
      await write(page, 'SQL', 'select id, name, email, country, created_at\nfrom customer\norder by id\nlimit 12');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('12 rows').waitFor();
    },
  },
  {
    name: 'data-sql-rejected',
    path: '/sql',
    unreachable: true,
    act: async (page) => {
      await write(page, 'SQL', 'select *\nfrom custmer');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'data-tables', path: '/data/default' },
  { name: 'data-functions', path: '/data/default/functions' },
  {
    name: 'data-function',
    path: '/data/default/functions',
    act: async (page) => {
      await page.getByRole('row').filter({ hasText: 'costly' }).getByText('costly').click();
      await page.getByText('Roles with permission:').waitFor();
    },
    above: true,
  },
  { name: 'data-enum-types', path: '/data/default/enum-types' },
  {
    name: 'data-enum-type-form',
    path: '/data/default/enum-types',
    act: async (page) => {
      await page.getByRole('button', { name: 'Create an enum type' }).click();
      await page.getByRole('textbox', { name: 'Name of the type' }).fill('season');
      await page.getByRole('textbox', { name: 'Values', exact: true }).fill('spring\nsummer');
    },
    above: true,
  },
  {
    name: 'data-new-table',
    path: '/data/default/new-table',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('coupon');
      const second = page.getByRole('group', { name: 'Column 2' });
      await second.getByRole('textbox', { name: 'Name' }).fill('code');
      await page.getByText('create table public.coupon').waitFor();
    },
  },
  {
    name: 'data-tables-suggestions',
    path: '/data/default',
    act: async (page) => {
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('list', { name: 'Relationships to create' }).waitFor();
    },
  },
  {
    name: 'data-tables-chosen',
    path: '/data/default?show=tracked',
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Choose order_item' }).check();
      await page.getByText('1 table chosen').waitFor();
    },
  },
  { name: 'data-rows', path: `${customers}/rows`, act: (page) => page.getByText('customer1@example.com').waitFor() },
  {
    name: 'data-rows-filter',
    path: `${customers}/rows?sort=-id&where=${encodeURIComponent('[["country","eq","DE"],["vip","eq","true"]]')}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('form', { name: 'Filters' }).waitFor();
    },
  },
  {
    name: 'data-row',
    path: '/data/default/public/order/rows',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Open order 1', exact: true }).click();
      await page.getByRole('button', { name: 'Copy as JSON' }).waitFor();
    },
  },
  {
    name: 'data-row-insert',
    path: `${customers}/rows`,
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'More ways to insert' }).click();
      await page.getByRole('menuitem', { name: 'Insert by form' }).click();
      await page.getByRole('textbox', { name: 'email' }).fill('ada@example.com');
    },
  },
  {
    name: 'data-row-edit',
    path: `${customers}/rows`,
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Open customer 5', exact: true }).click();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.locator('.cm-content').waitFor();
    },
  },
  {
    name: 'data-rows-delete',
    path: `${customers}/rows`,
    above: true,
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Choose customer 2', exact: true }).check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByText('cannot be undone').waitFor();
    },
  },
  {
    name: 'data-rows-role',
    path: `${customers}/rows`,
    act: async (page) => {
      await page.getByRole('button', { name: 'See as a role' }).click();
      await page.getByRole('combobox', { name: 'Role' }).fill('user');
      await page.getByLabel('Session variables').fill('user-id: 7');
      await page.getByRole('button', { name: 'Show the rows' }).click();
      await page.getByText('Back to admin').waitFor();
    },
  },
  { name: 'data-columns', path: `${customers}/structure` },
  {
    name: 'data-column',
    path: `${customers}/structure`,
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: /edit the GraphQL name of name$/ }).click();
      await page.getByLabel('Name in GraphQL').fill('fullName');
    },
  },
  {
    name: 'data-names',
    path: `${customers}/structure`,
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit names' }).click();
      await page.getByLabel('select_by_pk').fill('buyer');
    },
  },
  { name: 'data-rows-view', path: '/data/default/public/revenue/rows' },
  { name: 'data-untracked', path: '/data/default/depot/shelf/rows' },
];

test.each(scenes)('$name has no violations', async (scene) => {
  expect(await capture(browser, service.url, { ...scene, unreachable: true })).toEqual([]);
});
