/** Browser tests of the SQL page. */
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';
import { makeShop, rowsOfSql } from '../support/shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await makeShop(service, false);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const onSql = (steps: (page: Page) => Promise<void>, isRejected = false) =>
  walk(browser, `${service.url}/console/sql`, steps, isRejected ? { meant: expectedRejections } : {});

const runs = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();

const rowsOf = (sql: string) => rowsOfSql(service, sql);

test('completes the columns of an alias without keywords', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'select c. from customer c');
    const editor = page.getByRole('textbox', { name: 'SQL' });
    await editor.press('End');
    for (let step = 0; step < ' from customer c'.length; step += 1) await editor.press('ArrowLeft');
    await editor.pressSequentially('n');
    const options = page.locator('.cm-tooltip-autocomplete').getByRole('option');
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual(['name', 'note']);
  }));

test('an error is marked in the text, with its line and column', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'select 1;\nselect id, name\n  from custmer');
    await page.keyboard.press('Control+Enter');
    await page.getByText('At line 3, column 8.').waitFor();
    await page.locator('.cm-lintRange-error', { hasText: /^custmer$/ }).waitFor();
  }, true));

test('each statement has a result, with types, null, and the number of changed rows', () =>
  onSql(async (page) => {
    await write(
      page,
      'SQL',
      "create temporary table t as select 1 as id, null::text as note; update t set id = 2; select * from t; select 'last' as word",
    );
    await runs(page);
    await page.getByText(/^4 statements in/).waitFor();
    await page.getByRole('cell', { name: 'last' }).waitFor();
    await page.getByRole('tab', { name: '2. UPDATE (1)' }).click();
    await page.getByText('it changed 1 row').waitFor();
    await page.getByRole('tab', { name: '3. SELECT (1)' }).click();
    await page.getByRole('columnheader', { name: 'id integer' }).waitFor();
    await page.getByRole('cell', { name: 'null' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  }));

test('the selection runs alone, and an error in it is marked in the whole text', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'select 1 as first;\nselect 2 as second;\nselect nothing');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByRole('button', { name: 'Run selection' }).click();
    await page.getByRole('columnheader', { name: 'second integer' }).waitFor();
    expect(await page.getByRole('tab', { name: /SELECT/ }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'SQL' }).press('ArrowDown');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Shift+Home');
    await page.getByRole('button', { name: 'Run selection' }).click();
    await page.locator('.cm-lintRange-error', { hasText: /^nothing$/ }).waitFor();
  }, true));

test('schemas, tables and columns are completed from the catalog', () =>
  onSql(async (page) => {
    const offers = (name: string) => page.getByRole('option', { name, exact: true });
    await write(page, 'SQL', 'select * from ');
    await page.keyboard.type('cust');
    await offers('customer').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type(' where customer.na');
    // A type of PostgreSQL has the same name.
    await offers('name').first().waitFor();
  }));

test('a plan shows tables, rows and shares, and measuring it changes no rows', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'select * from customer where id = 1');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('The statement was not run').waitFor();
    await page.getByRole('rowheader', { name: /Scan on customer/ }).waitFor();
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.getByText(/^Planning took/).waitFor();
    await page.getByRole('columnheader', { name: 'Rows read' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await write(page, 'SQL', 'delete from customer');
    await page.getByRole('button', { name: 'Measure' }).click();
    await page
      .getByText(/read-only transaction/)
      .first()
      .waitFor();
  }, true));

test('the draft survives a reload', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'select 4711');
    await page.reload();
    await page.getByRole('textbox', { name: 'SQL' }).getByText('select 4711').waitFor();
  }));

test('queries are saved by name, opened and deleted', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'select 1 as saved');
    await page.getByRole('tab', { name: 'Saved' }).click();
    await page.getByLabel('Save the SQL as').fill('first');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await write(page, 'SQL', 'select 2');
    await page.reload();
    await page.getByRole('tab', { name: 'Saved' }).click();
    await page.getByRole('button', { name: /^first/ }).click();
    await page.getByRole('textbox', { name: 'SQL' }).getByText('as saved').waitFor();
    await page.getByRole('button', { name: 'Delete first' }).click();
    await expect.poll(() => page.getByRole('button', { name: /^first/ }).count()).toBe(0);
  }));

test('the history has the outcome of each run, survives a reload, and opens its SQL', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'select n from generate_series(1, 2000) n');
    await runs(page);
    await page.getByText(/^The first 1,000 rows/).waitFor();
    await write(page, 'SQL', 'select wrong');
    await runs(page);
    await page.getByText('The SQL was not run').waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^select wrong Failed/ }).waitFor();
    await page.getByRole('button', { name: /generate_series.*Succeeded/ }).click();
    await page.getByRole('textbox', { name: 'SQL' }).getByText('generate_series').waitFor();
  }, true));

test('a result is downloaded as CSV', () =>
  onSql(async (page) => {
    await write(page, 'SQL', "select 1 as id, 'a, b' as text, null as none");
    await runs(page);
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download CSV' }).click();
    const file = await download;
    expect(await readFile(await file.path(), 'utf8')).toBe('id,text,none\r\n1,"a, b",');
  }));

test('a created table can be tracked at once', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'create table coupon (code text primary key, percent int)');
    await runs(page);
    await page.getByText(/returns no rows/).waitFor();
    await page.getByRole('button', { name: 'Track it' }).click();
    await page.getByText('coupon tracked').waitFor();
    expect(await service.query('{ coupon { code } }')).toEqual({ data: { coupon: [] } });
  }));

test('read-only SQL cannot write', () =>
  onSql(async (page) => {
    await page.getByLabel('Read only').check();
    await write(page, 'SQL', 'delete from customer');
    await runs(page);
    await page
      .getByText(/read-only transaction/)
      .first()
      .waitFor();
    expect(await rowsOf('select count(*) > 0 from customer')).toEqual([['t']]);
  }, true));

test('SQL is stopped in the database', () =>
  onSql(async (page) => {
    await write(page, 'SQL', 'select pg_sleep(100) /* to be stopped */');
    await runs(page);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('The database cancels the SQL').waitFor();
    const active = "select count(*) from pg_stat_activity where state = 'active' and query like '%be stop' || 'ped%'";
    await expect.poll(() => rowsOf(active)).toEqual([['0']]);
    await page.getByRole('button', { name: /pg_sleep.*Stopped/ }).waitFor();
  }));
