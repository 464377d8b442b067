/** Browser tests of the page of functions, also of those that belong to no table. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../../support/axe.ts';
import { startBrowser, walk } from '../../support/browser.ts';
import { type Service, startService } from '../../support/service.ts';
import { command } from '../../support/shop.ts';
import { firstValue, submit } from './forms.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await command(service, 'run_sql', {
    sql: `create table book (id int primary key, title text);
      insert into book values (1, 'Tea'), (2, 'Milk');
      create function add_up(a int, b int) returns int language sql immutable as 'select a + b';
      create function add_up(a numeric, b numeric) returns numeric language sql immutable as 'select a + b';
      create procedure tidy() language sql as 'delete from book where title is null';`,
  });
  await command(service, 'track_table', 'book');
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (steps: (page: Page) => Promise<void>, search = '') =>
  walk(browser, `${service.url}/console/data/default/functions${search}`, steps);
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('functions of no table and procedures are listed with their use in GraphQL', () =>
  on(async (page) => {
    await row(page, 'a integer, b integer').getByText('Only in the database').waitFor();
    await row(page, 'tidy').getByText('procedure').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
  }));

test('a function is found by words of its name, arguments and result', () =>
  on(async (page) => {
    await page.getByRole('searchbox', { name: 'Search functions' }).fill('numeric add');
    await row(page, 'a numeric, b numeric').waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'add_up' }).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('search')).toBe('numeric add');
  }));

test('a function that returns rows is created and tracked as a query', () =>
  on(async (page) => {
    await page.getByRole('button', { name: 'Create a function' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a function' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('titled');
    await dialog.getByRole('textbox', { name: 'Result' }).fill('setof book');
    await dialog.getByRole('textbox', { name: 'Arguments' }).fill('start text');
    await dialog.getByRole('textbox', { name: 'Body' }).fill(`select * from book where title like start || '%'`);
    await submit(page, dialog, 'Create the function', 'The function was created');
    await row(page, 'titled').getByText('titled').click();
    await page.getByRole('button', { name: 'Track as a query' }).click();
    await page.getByText('titled is a query now').waitFor();
    expect(await service.query('{ titled(args: { start: "T" }) { id } }')).toEqual({ data: { titled: [{ id: 1 }] } });
  }));

test('one of two functions with the same name is replaced by its definition', () =>
  on(async (page) => {
    await row(page, 'a integer, b integer').getByText('add_up').click();
    await page.getByRole('button', { name: 'Edit the definition or comment' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit function add_up' });
    const definition = dialog.getByRole('textbox', { name: 'Definition' });
    await definition.fill((await definition.inputValue()).replace('select a + b', 'select a + b + 1'));
    await submit(page, dialog, 'Replace the function', 'Function add_up changed');
    expect(await firstValue(service, `select add_up(1, 1) || ' ' || add_up(1.0, 1.0)`)).toBe('3 2.0');
  }));

test('a procedure is dropped', () =>
  on(async (page) => {
    await row(page, 'tidy').getByText('tidy').click();
    await page.getByRole('button', { name: 'Drop', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Drop function tidy' });
    await submit(page, dialog, 'Drop the function', 'Function tidy dropped');
    expect(await firstValue(service, `select to_regproc('tidy') is null`)).toBe('t');
  }));
