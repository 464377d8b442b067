/** Browser tests of an export while other clients write to the table. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command } from '../support/shop.ts';

let browser: Browser;
let service: Service;

const ROWS = 12_000;

const sql = (text: string) => command(service, 'run_sql', { sql: text });

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await sql('create table reading (id int primary key, value int not null)');
  await command(service, 'track_table', 'reading');
});

beforeEach(async () => {
  await sql(
    `truncate reading; insert into reading select n * 10, n from generate_series(1, ${ROWS}) n; analyze reading`,
  );
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

interface Reading {
  readonly id: number;
  readonly value: number;
}

/** Exports as JSON lines. `write` runs after the first page has been read, and before the second one. */
async function exported(page: Page, write: () => Promise<unknown>): Promise<readonly Reading[]> {
  const dialog = page.getByRole('dialog', { name: 'Export rows' });
  await dialog.getByRole('radio', { name: 'JSON lines' }).check();
  await page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
  let pages = 0;
  await page.route('**/v2/query', async (route) => {
    const isPage = route.request().postData()?.includes('"limit":5000') === true;
    if (isPage) pages += 1;
    if (isPage && pages === 2) await write();
    await route.continue();
  });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(pages).toBeGreaterThan(2);
  const lines = Buffer.concat(chunks).toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Reading);
}

const on = (search: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console/data/default/public/reading/rows${search}`, async (page) => {
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await steps(page);
  });

const writes = `
  update reading set value = -value where id % 30 = 0;
  delete from reading where id in (100, 90000);
  insert into reading values (105, 0), (90005, 0);`;

test('by the key, rows that exist throughout are exported once, as they are when their page is read', () =>
  on('', async (page) => {
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    const rows = await exported(page, () => sql(writes));
    const ids = rows.map(({ id }) => id);
    const stayed = Array.from({ length: ROWS }, (_row, index) => (index + 1) * 10).filter((id) => id !== 90_000);
    // 100 was read before it was deleted; 105 was inserted before the position, 90005 after it.
    expect(ids).toEqual([...stayed, 90_005].sort((a, b) => a - b));
    const changed = rows.filter(({ value }) => value < 0).map(({ id }) => id);
    expect(changed).toEqual(stayed.filter((id) => id % 30 === 0 && id > 50_000));
  }));

test('an export that is sorted by another column names the risk, and can be made in the order of the key', () =>
  on('?sort=value', async (page) => {
    const dialog = page.getByRole('dialog', { name: 'Export rows' });
    await dialog.getByText('those whose value changes meanwhile can be missing or occur twice').waitFor();
    await dialog.getByRole('checkbox', { name: 'In the order of the primary key' }).check();
    await dialog.getByText('keep their key are in the file once').waitFor();
    const rows = await exported(page, () => sql('update reading set value = 100000 - value'));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(ROWS);
    expect(rows).toHaveLength(ROWS);
  }));
