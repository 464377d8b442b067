/** Browser tests of the grid of rows: columns, keyboard and layout. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command, makeShop } from '../support/shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await makeShop(service, true);
  const columns = Array.from({ length: 60 }, (_, index) => `c${index} text default 'value ${index}'`);
  await command(service, 'run_sql', {
    sql: `create table wide (id int primary key, ${columns.join(', ')}); insert into wide select n from generate_series(1, 500) n`,
  });
  await command(service, 'track_table', 'wide');
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (table: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console/data/default/public/${table}/rows`, async (page) => {
    await page.getByRole('grid', { name: `Rows of ${table}` }).waitFor();
    await steps(page);
  });

/** Returns the text of the cell that the focused grid names as active. */
const activeText = (page: Page) =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant');
    return id === null || id === undefined ? null : document.getElementById(id)?.textContent;
  });

test('the header shows the type of each column, and the grid its size to assistive technology', () =>
  on('customer', async (page) => {
    await page.getByRole('columnheader', { name: 'created_at timestamptz' }).waitFor();
    await page.getByText('240 rows', { exact: true }).waitFor();
    const grid = page.getByRole('grid');
    expect(await grid.getAttribute('aria-rowcount')).toBe('241');
    expect(await grid.getAttribute('aria-colcount')).toBe('9');
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
  }));

test('keys move the active cell, and the grid scrolls with it', () =>
  on('customer', async (page) => {
    const grid = page.getByRole('grid');
    await grid.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await activeText(page)).toBe('customer2@example.com');
    await page.keyboard.press('Control+End');
    await page.getByRole('button', { name: 'Open customer 240' }).waitFor();
    await page.keyboard.press('Home');
    await expect.poll(() => activeText(page)).toBe('240');
    await page.keyboard.press('Control+Home');
    await expect.poll(() => activeText(page)).toBe('1');
  }));

test('the header is sorted and its menu is opened by the keyboard', () =>
  on('customer', async (page) => {
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Open customer 240' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press(' ');
    await page.getByRole('menuitem', { name: 'Hide column' }).click();
    await page.getByRole('columnheader', { name: /^name/ }).waitFor({ state: 'detached' });
  }));

test('hidden, moved and resized columns are kept for the table', () =>
  on('customer', async (page) => {
    const header = (name: string) => page.getByRole('columnheader', { name: new RegExp(`^${name}\\b`) });
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByRole('checkbox', { name: 'note' }).uncheck();
    await page.getByRole('button', { name: 'Move email up' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Options of column country' }).click();
    const before = (await header('country').boundingBox())?.width ?? 0;
    await page.getByRole('menuitem', { name: 'Widen' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Columns (1 hidden)' }).waitFor();
    expect(await header('note').count()).toBe(0);
    expect((await header('country').boundingBox())?.width).toBe(before + 40);
    const names = await page
      .getByRole('columnheader')
      .getByRole('button', { name: /^(name|email)$/ })
      .allTextContents();
    expect(names).toEqual(['email', 'name']);
    await page.goto(`${service.url}/console/data/default/public/order/rows`);
    await page.getByRole('button', { name: 'Columns', exact: true }).waitFor();
  }));

test('sixty columns scroll under the pinned key, and only the visible ones are rendered', () =>
  on('wide', async (page) => {
    const count = await page.getByRole('columnheader').count();
    expect(count).toBeLessThan(20);
    await page.getByRole('grid').press('End');
    await page.getByRole('columnheader', { name: /^c59/ }).waitFor();
    const key = await page.getByRole('columnheader', { name: /^id/ }).boundingBox();
    const grid = await page.getByRole('grid').locator('..').boundingBox();
    expect((key?.x ?? 0) - (grid?.x ?? 0)).toBeLessThan(80);
    expect(await page.getByRole('columnheader', { name: /^c0\b/ }).count()).toBe(0);
  }));
