/** Browser tests of the audit log: list, search, details and export. */
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
  for (const name of ['songs', 'albums']) {
    await service.command('create_query_collection', { name, definition: { queries: [] } });
  }
  await service.command('drop_query_collection', { collection: 'songs', cascade: false });
  await service.command('drop_query_collection', { collection: 'missing', cascade: false }).catch(() => undefined);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { secret });

const table = (page: Page) => page.getByRole('table', { name: 'Audit log' });

test('lists commands with author and outcome, and shows one with its arguments', () =>
  on('/audit', async (page) => {
    await table(page).getByText('not-exists').waitFor();
    expect(await table(page).getByText('admin secret').count()).toBe(4);
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await table(page).getByRole('row').filter({ hasText: '"albums"' }).click();
    const entry = page.getByRole('dialog', { name: 'create_query_collection' });
    await entry.getByText('"name": "albums"').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await entry.getByRole('button', { name: 'Show this command only' }).click();
    await table(page).getByText('not-exists').waitFor({ state: 'detached' });
  }));

test('searches and exports what was found', () =>
  on('/audit', async (page) => {
    await page.getByLabel('Search').fill('ALBUMS');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await table(page).getByText('not-exists').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Export' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'CSV of this search' }).click();
    const lines = readFileSync(await (await saving).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('albums');
  }));
