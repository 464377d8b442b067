/** Browser tests of metadata export and import. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

const secret = 'only for these tests';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService({ JOINERY_ADMIN_SECRET: secret });
  const sql = `create table customer (id int primary key, name text);
    insert into customer values (7, 'Ada'), (8, 'Bea');
    create table purchase (id int primary key, customer_id int references customer);
    insert into purchase values (1, 7)`;
  await sqlAsAdmin(sql);
  const permission = { columns: ['id', 'name'], filter: { id: { _eq: 'X-Service-User-Id' } } };
  await service.command('bulk', [
    { type: 'pg_track_table', args: { table: 'customer' } },
    { type: 'pg_create_select_permission', args: { table: 'customer', role: 'user', permission } },
  ]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function sqlAsAdmin(sql: string): Promise<void> {
  const response = await fetch(`${service.url}/v2/query`, {
    method: 'POST',
    headers: { 'x-service-admin-secret': secret },
    body: JSON.stringify({ type: 'run_sql', args: { sql } }),
  });
  expect(await response.text()).toContain('result');
}

function on(path: string, steps: (page: Page) => Promise<void>): Promise<void> {
  // A download is not a request.
  return walk(browser, `${service.url}/console${path}`, steps, { secret, meant: /^loads blob:/ });
}

/** In both themes, with content wider than a narrow window. */
async function problems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    for (const problem of await axeViolations(page)) found.push(`${colorScheme}: ${problem}`);
  }
  await page.setViewportSize({ width: 400, height: 800 });
  await settled(page);
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (beyond > 0) found.push(`the page is ${beyond} pixels wider than a narrow window`);
  await page.setViewportSize({ width: 1_280, height: 800 });
  return found;
}

test('downloads metadata, compares them by role, imports them after a confirmation, and reloads them', () =>
  on('/settings', async (page) => {
    await page.getByText('every object is in use').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the metadata' }).click();
    const metadata = JSON.parse(readFileSync(await (await downloading).path(), 'utf8'));
    expect(metadata).toEqual(await service.command('export_metadata', {}));

    const text = page.getByRole('textbox', { name: 'Metadata' });
    await text.fill('version: 3');
    await page.getByRole('button', { name: 'Preview the difference' }).click();
    await page.getByText(/This is no JSON/).waitFor();

    const [source] = metadata.sources;
    const fewer = { ...metadata, sources: [{ ...source, tables: [] }] };
    await text.fill(JSON.stringify(fewer));
    await page.getByRole('button', { name: 'Preview the difference' }).click();
    await page.getByText('Every object could be used').waitFor();
    const row = page
      .getByRole('region', { name: 'Changes for user' })
      .getByRole('row', { name: /query_root\.customer / });
    await row.getByText('removed, breaking').waitFor();
    expect(await service.command('export_metadata', {})).toEqual(metadata);

    const more = { ...source, tables: [...source.tables, { table: 'purchase' }, { table: 'nowhere' }] };
    const file = { name: 'metadata.json', mimeType: 'application/json' };
    const buffer = Buffer.from(JSON.stringify({ ...metadata, sources: [more] }));
    await page.getByLabel('File with metadata').setInputFiles({ ...file, buffer });
    await page.getByRole('button', { name: 'Preview the difference' }).click();
    await page.getByText('1 could not be used').waitFor();
    expect(await problems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import anyway' }).click();
    await page.getByRole('button', { name: 'Replace the metadata' }).click();
    await page.getByText('Metadata imported').waitFor();
    await page.getByRole('heading', { name: 'Inconsistent metadata objects' }).waitFor();
    await page.getByText('table nowhere in source default').first().waitFor();

    await sqlAsAdmin('create table nowhere (id int primary key)');
    await page.getByRole('button', { name: 'Reload the metadata' }).click();
    await page.getByText('every object is in use').waitFor();
    expect(await problems(page)).toEqual([]);
  }));
