/** Browser tests of the import of files into a table, and of the export of its rows. */
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command, rowsOfSql } from '../support/shop.ts';

let browser: Browser;
let service: Service;

const LARGE = 30_000;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await command(service, 'run_sql', {
    sql: `create table part (id int primary key, full_name text not null, price numeric, in_stock boolean default true, note text, tags text[]);
      create table reading (id bigint primary key, sensor int not null, value numeric, note text)`,
  });
  await command(service, 'track_table', 'part');
  await command(service, 'track_table', 'reading');
  await command(service, 'create_select_permission', {
    table: 'part',
    role: 'buyer',
    permission: { columns: ['id', 'full_name'], filter: { id: { _gt: 1 } }, limit: 1 },
  });
});

beforeEach(() =>
  command(service, 'run_sql', {
    sql: `truncate part, reading;
      insert into part values (1, 'Nut', 12345678901234567890.10, true, null, '{a,b}'), (2, 'Bolt "M8"', 0.5, false, '', null), (3, 'Nail', null, true, E'two\\nlines', '{}')`,
  }),
);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (table: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console/data/default/public/${table}/rows`, steps);

const rowsOf = (sql: string) => rowsOfSql(service, sql);

const parts = () =>
  rowsOf(`select id, full_name, price, in_stock, coalesce('[' || note || ']', 'none'), tags from part order by id`);

/** Opens the drawer with a file. */
async function choose(page: Page, name: string, text: string) {
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: /^Import rows into/ });
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    drawer.getByRole('button', { name: 'Choose a file' }).click(),
  ]);
  await chooser.setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await drawer.getByText('First rows').waitFor();
  return drawer;
}

/** Exports without the dialog of the browser and returns the text of the file. */
async function exported(page: Page, format: string): Promise<string> {
  await page.evaluate(() => Reflect.set(window, 'showSaveFilePicker', undefined));
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Export rows' });
  await dialog.getByRole('radio', { name: format, exact: true }).check();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  await dialog.waitFor({ state: 'detached' });
  return readFile(await download.path(), 'utf8');
}

test('a CSV file is imported with detected format, columns mapped by similar names and empty fields as null', () =>
  on('part', async (page) => {
    const text = 'ID;Full Name;price;note;color\n4;"Screw; long";1.25;"";red\n5;Washer;;;blue\n';
    const drawer = await choose(page, 'parts.csv', text);
    expect(await drawer.getByLabel('Delimiter').inputValue()).toBe(';');
    expect(await drawer.getByLabel('Column of the file for full_name').inputValue()).toBe('Full Name');
    await drawer.getByText('Not imported from the file: color.').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Import rows' }).click();
    await page.getByText('2 rows imported', { exact: true }).waitFor();
    await page.getByText('5 rows', { exact: true }).waitFor();
    expect((await parts()).slice(3)).toEqual([
      ['4', 'Screw; long', '1.25', 't', '[]', 'NULL'],
      ['5', 'Washer', 'NULL', 't', 'none', 'NULL'],
    ]);
  }));

test('JSON lines are imported from pasted text with all digits of numbers, and absent members get their defaults', () =>
  on('part', async (page) => {
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Import rows into part' });
    await drawer.getByRole('button', { name: 'Paste text' }).click();
    await drawer
      .getByLabel('CSV or JSON')
      .fill(
        '{"id": 4, "full_name": "a", "price": 98765432109876543210.12}\n{"id": 5, "full_name": "b", "tags": ["x"], "in_stock": null}',
      );
    await drawer.getByRole('button', { name: 'Read the text' }).click();
    await drawer.getByRole('button', { name: 'Import rows' }).click();
    await page.getByText('2 rows imported', { exact: true }).waitFor();
    expect((await parts()).slice(3)).toEqual([
      ['4', 'a', '98765432109876543210.12', 't', 'none', 'NULL'],
      ['5', 'b', 'NULL', 'NULL', 'none', '{x}'],
    ]);
  }));

test('values that do not fit their column are listed by line before anything is sent', () =>
  on('part', async (page) => {
    const drawer = await choose(page, 'parts.csv', 'id,full_name,price\nx,a,1\n5,,2\n6,"c\nd",cheap\n7,e\n');
    await drawer.getByRole('button', { name: 'Import rows' }).click();
    const errors = drawer.getByRole('alert');
    await errors.getByText('4 errors:').waitFor();
    expect(await errors.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/Line/),
      expect.stringMatching(/2\s+id\s+Must be a whole number/),
      expect.stringMatching(/3\s+full_name\s+Must not be null/),
      expect.stringMatching(/4\s+price\s+Must be a number/),
      expect.stringMatching(/6\s+Has 2 fields instead of 3/),
    ]);
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    expect(await parts()).toHaveLength(3);
  }));

test('rows that the database rejects are listed by line, and no row is inserted', () =>
  on('part', async (page) => {
    const drawer = await choose(page, 'parts.csv', 'id,full_name\n4,a\n\n1,b\n5,c\n5,d\n');
    await drawer.getByRole('button', { name: 'Import rows' }).click();
    const errors = drawer.getByRole('alert');
    await errors.getByText('2 errors:').waitFor();
    await errors.getByRole('row', { name: /^4.*part_pkey/ }).waitFor();
    await errors.getByRole('row', { name: /^6.*part_pkey/ }).waitFor();
    expect(await parts()).toHaveLength(3);
  }));

test('existing rows are updated by the key that is chosen', () =>
  on('part', async (page) => {
    const drawer = await choose(page, 'parts.csv', 'id,full_name\n1,Nut M6\n4,new\n');
    await drawer.getByLabel('Rows that exist').selectOption({ label: 'are updated by id' });
    await drawer.getByRole('button', { name: 'Import rows' }).click();
    await page.getByText('2 rows imported', { exact: true }).waitFor();
    const rows = await parts();
    expect(rows[0]).toEqual(['1', 'Nut M6', '12345678901234567890.10', 't', 'none', '{a,b}']);
    expect(rows).toHaveLength(4);
  }));

test('the import is disabled, with the reason, while a required column has no column of the file', () =>
  on('part', async (page) => {
    const drawer = await choose(page, 'parts.csv', 'id,label\n4,a\n');
    await drawer.getByText('Without a default, these columns need a column of the file: full_name.').first().waitFor();
    expect(await drawer.getByRole('button', { name: 'Import rows' }).isDisabled()).toBe(true);
    await drawer.getByLabel('Column of the file for full_name').selectOption('label');
    await expect.poll(() => drawer.getByRole('button', { name: 'Import rows' }).isDisabled()).toBe(false);
  }));

test('a large file is imported in one transaction with progress, and inserts nothing when it is canceled', () =>
  on('reading', async (page) => {
    const lines = Array.from({ length: LARGE }, (_, n) => `${n},${n % 1000},${n / 8},reading number ${n}`);
    const text = `id,sensor,value,note\n${lines.join('\n')}\n`;
    const drawer = await choose(page, 'readings.csv', text);
    const start = drawer.getByRole('button', { name: 'Import rows' });
    await start.click();
    await drawer.getByText(/^[\d,]{5,} of 30,000 rows inserted/).waitFor();
    await drawer.getByRole('button', { name: 'Cancel the import' }).click();
    await drawer.getByText('No row was imported', { exact: false }).waitFor();
    expect(await rowsOf('select count(*) from reading')).toEqual([['0']]);
    const started = performance.now();
    await start.click();
    await page.getByText('30,000 rows imported', { exact: true }).waitFor({ timeout: 60_000 });
    process.stdout.write(`30,000 rows imported: ${Math.round(performance.now() - started)} ms\n`);
    expect(await rowsOf('select count(*) from reading')).toEqual([[String(LARGE)]]);
    const exporting = performance.now();
    const file = await exported(page, 'CSV');
    process.stdout.write(`30,000 rows exported: ${Math.round(performance.now() - exporting)} ms\n`);
    expect(file === text).toBe(true);
  }));

test('an exported CSV file imports to the same rows: null, empty text, digits, lists and line breaks', () =>
  on('part', async (page) => {
    await page.getByRole('grid').waitFor();
    const before = await parts();
    const text = await exported(page, 'CSV');
    expect(text).toBe(
      'id,full_name,price,in_stock,note,tags\n1,Nut,12345678901234567890.10,true,,"[""a"",""b""]"\n2,"Bolt ""M8""",0.5,false,"",\n3,Nail,,true,"two\nlines",[]\n',
    );
    await command(service, 'run_sql', { sql: 'truncate part' });
    const drawer = await choose(page, 'part.csv', text);
    await drawer.getByRole('button', { name: 'Import rows' }).click();
    await page.getByText('3 rows imported', { exact: true }).waitFor();
    expect(await parts()).toEqual(before);
  }));

test('the export has the rows of the filter, in their order, with the visible columns', () =>
  walk(
    browser,
    `${service.url}/console/data/default/public/part/rows?sort=-id&where=${encodeURIComponent('[["id","lt","3"]]')}`,
    async (page) => {
      await page.getByRole('grid').waitFor();
      await page.getByRole('button', { name: 'Options of column price' }).click();
      await page.getByRole('menuitem', { name: 'Hide column' }).click();
      const rows: { id: number }[] = JSON.parse(await exported(page, 'JSON'));
      expect(rows[0]).not.toHaveProperty('price');
      expect(rows[0]).toHaveProperty('note');
      expect(rows.map(({ id }) => id)).toEqual([2, 1]);
    },
  ));

test('the export as a role has all rows and columns that the role can read, beyond its limit for one request', () =>
  on('part', async (page) => {
    await page.getByRole('button', { name: 'See as a role' }).click();
    await page.getByRole('combobox', { name: 'Role' }).fill('buyer');
    await page.getByRole('button', { name: 'Show the rows' }).click();
    await page.getByText('Editing is off in this view', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Open part 2' }).waitFor();
    expect(await exported(page, 'JSON lines')).toBe(
      '{"id":2,"full_name":"Bolt \\"M8\\""}\n{"id":3,"full_name":"Nail"}\n',
    );
  }));

test('an export is written to the chosen file in parts, and leaves none when the service fails', () =>
  on('part', async (page) => {
    await page.getByRole('grid').waitFor();
    await page.evaluate(() => {
      const written: string[] = [];
      const stream = {
        write: async (text: string) => void written.push(text),
        close: async () => void written.push('closed'),
        abort: async () => void written.push('discarded'),
      };
      Reflect.set(window, 'written', written);
      Reflect.set(window, 'showSaveFilePicker', async () => ({ createWritable: async () => stream }));
    });
    const written = () => page.evaluate(() => Reflect.get(window, 'written') as string[]);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export rows' });
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.route('**/v2/query', (route) =>
      route.fulfill({ status: 200, contentType: 'application/json', body: 'no JSON' }),
    );
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    await dialog.getByText('Nothing was exported').waitFor();
    expect((await written()).at(-1)).toBe('discarded');
    await page.unroute('**/v2/query');
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('3 rows exported to public.part.csv').waitFor();
    expect((await written()).at(-1)).toBe('closed');
  }));
