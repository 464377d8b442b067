/** Browser tests of the list of tables beside the pages, the command palette and the keyboard shortcuts. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docsPages } from '../../src/ui/docs/docs-pages.ts';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

let browser: Browser;
let service: Service;

const many = Array.from({ length: 310 }, (_one, index) => `part_${String(index).padStart(3, '0')}`);

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  const tables = many.map((name) => `create table parts.${name} (id int primary key);`);
  const sql = `create schema parts; ${tables.join('')} create table customer (id int primary key, name text); create table draft (id int primary key);`;
  const response = await fetch(`${service.url}/v2/query`, {
    method: 'POST',
    body: JSON.stringify({ type: 'run_sql', args: { sql } }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  const tracked = [{ table: 'customer' }, ...many.map((name) => ({ table: { schema: 'parts', name } }))];
  await service.command('pg_track_tables', { tables: tracked });
  await service.command('create_cron_trigger', {
    name: 'nightly_report',
    webhook: 'http://127.0.0.1:9/x',
    schedule: '0 2 1 1 *',
    include_in_metadata: false,
  });
  await service.command('create_action', {
    name: 'placeOrder',
    definition: { handler: 'http://127.0.0.1:9/x', output_type: 'String', type: 'mutation' },
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps);

const tree = (page: Page) => page.getByRole('tree', { name: 'Tables' });
const line = (page: Page, name: string) => tree(page).getByRole('treeitem', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

describe('the list of tables', () => {
  test('shows schemas and tables of which it renders the visible ones, and opens a table by a link', () =>
    on('/data/default', async (page) => {
      await page.getByText('312 tables').waitFor();
      await line(page, 'parts 310').waitFor();
      expect(await tree(page).getByRole('treeitem').count()).toBeLessThan(60);
      expect(await line(page, 'customer').getAttribute('href')).toBe('/console/data/default/public/customer/rows');
      const [tab] = await Promise.all([
        page.context().waitForEvent('page'),
        line(page, 'customer').click({ modifiers: ['Control'] }),
      ]);
      await heading(tab, 'customer');
      await tree(page).getByTitle('draft, not tracked').waitFor();
    }));

  test('finds a table by a part of its name, and opens it with Enter on the tab that is open', () =>
    on('/data/default/public/customer/permissions', async (page) => {
      await line(page, 'customer').and(page.locator('[aria-current=page]')).waitFor();
      await page.getByRole('heading', { level: 1, name: 'customer' }).click();
      await page.keyboard.press('/');
      await page.keyboard.type('part 207');
      await expect.poll(() => tree(page).getByRole('treeitem').count()).toBe(2);
      await page.keyboard.press('Enter');
      await heading(page, 'parts.part_207');
      expect(new URL(page.url()).pathname).toMatch(/part_207\/permissions$/);
    }));

  test('is used by arrow keys, and keeps a closed schema closed', () =>
    on('/data/default', async (page) => {
      await line(page, 'customer').waitFor();
      await page.getByRole('textbox', { name: 'Search the list of tables' }).focus();
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('public');
      await page.keyboard.press('ArrowLeft');
      await line(page, 'customer').waitFor({ state: 'detached' });
      await page.keyboard.press('ArrowDown');
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('parts');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await heading(page, 'parts.part_000');
      await page.reload();
      await line(page, 'public 2').waitFor();
      expect(await line(page, 'customer').count()).toBe(0);
    }));

  test('applies a key to the row that the key before it moved to, also when that row was not rendered', () =>
    on('/data/default', async (page) => {
      await line(page, 'customer').waitFor();
      await line(page, 'parts 310').focus();
      await page.evaluate(() => {
        const press = (key: string) =>
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        press('End');
        press('ArrowUp');
        (document.activeElement as HTMLElement).click();
      });
      await heading(page, 'parts.part_308');
    }));

  test('is part of the navigation of a narrow window', () =>
    on('/data/default', async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('button', { name: 'Open the navigation' }).click();
      await line(page, 'customer').click();
      await heading(page, 'customer');
      await page.getByRole('button', { name: 'Open the navigation' }).waitFor();
    }));

  test('has no serious accessibility violations', () =>
    on('/data/default', async (page) => {
      await line(page, 'customer').waitFor();
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
    }));
});

test('with one source, the navigation opens its tables without the page of sources', () =>
  on('/', async (page) => {
    await page.getByRole('link', { name: 'Tables', exact: true }).click();
    await heading(page, 'Tables');
    expect(new URL(page.url()).pathname).toBe('/console/data/default');
  }));

describe('the command palette', () => {
  const results = (page: Page) => page.getByRole('dialog', { name: 'Command palette' }).getByRole('option');
  const open = async (page: Page) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search pages, tables and commands' }).waitFor();
  };

  test.each([
    ['a table by letters of its name', 'part309', 'parts.part_309'],
    ['an action', 'placeo', 'placeOrder'],
    ['a cron trigger outside of the metadata', 'nightly', 'Edit a cron trigger'],
    ['a page', 'deliv', 'Delivery'],
    ['a page of a source', 'enum typ', 'Enum types'],
    ['a command', 'new remote', 'Add a remote schema'],
    ['a setting', 'pool pipeline', 'Settings'],
  ])('opens %s', (_what, text, title) =>
    on('/', async (page) => {
      await open(page);
      await page.keyboard.type(text);
      await results(page).first().waitFor();
      await expect.poll(() => results(page).first().getAttribute('data-combobox-selected')).toBe('true');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    }),
  );

  test('lists what was opened last first', () =>
    on('/', async (page) => {
      await open(page);
      await page.keyboard.type('placeo');
      await results(page).filter({ hasText: 'placeOrder' }).click();
      await heading(page, 'placeOrder');
      await open(page);
      await page.getByText('Recent', { exact: true }).waitFor();
      expect(await results(page).first().textContent()).toContain('placeOrder');
    }));

  test('runs a command, and closes with Escape', () =>
    on('/', async (page) => {
      await open(page);
      await page.keyboard.press('Escape');
      await results(page).first().waitFor({ state: 'detached' });
      await open(page);
      await page.keyboard.type('dark theme');
      await results(page).filter({ hasText: 'Switch to the dark theme' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Switch to the light theme' }).waitFor();
    }));

  test('has no serious accessibility violations', () =>
    on('/', async (page) => {
      await open(page);
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
    }));
});

describe('keyboard shortcuts', () => {
  test('open pages, and are listed by the help sheet', () =>
    on('/', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('a');
      await heading(page, 'Actions');
      await page.keyboard.press('?');
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await sheet.getByText('Search pages, tables and commands').waitFor();
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });
    }));

  test('type their characters in a text field', () =>
    on('/data/default', async (page) => {
      const search = page.getByRole('textbox', { name: 'Search the list of tables' });
      await search.fill('');
      await search.press('g');
      await search.press('a');
      await search.press('?');
      expect(await search.inputValue()).toBe('ga?');
      expect(await page.getByRole('dialog').count()).toBe(0);
    }));
});

describe('the documentation', () => {
  test('of a page opens in a drawer, and its links stay in it', () =>
    on('/events/cron/all', async (page) => {
      await page.getByRole('button', { name: 'Documentation: Cron triggers' }).click();
      const drawer = page.getByRole('dialog', { name: 'Documentation' });
      await drawer.getByRole('heading', { level: 2 }).first().waitFor();
      const title = await drawer.getByRole('heading', { level: 2 }).first().textContent();
      await drawer.locator('button[type=button]').filter({ hasText: /\w/ }).first().click();
      await drawer.getByRole('button', { name: 'Previous page' }).click();
      await expect.poll(() => drawer.getByRole('heading', { level: 2 }).first().textContent()).toBe(title);
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
    }));

  test('has a file for each page of the console', () => {
    const folder = fileURLToPath(new URL('../../../docs/', import.meta.url));
    expect(docsPages.filter((name) => !existsSync(`${folder}${name}.md`))).toEqual([]);
  });
});
