/** Browser tests of tracking tables and columns whose names GraphQL does not permit. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command } from '../support/shop.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await command(service, 'run_sql', {
    sql: `
      create table author (id int primary key);
      create table "users address" (id int primary key, "first name" text);
      create schema "my-shop";
      create table "my-shop"."2nd item" (id int primary key);
      create table "my-shop".plain (id int primary key);
      create table "silent one" (id int primary key);
    `,
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>, isRejected = false) =>
  walk(browser, `${service.url}/console${path}`, steps, isRejected ? { meant: expectedRejections } : {});

async function fieldsOf(type: string): Promise<readonly string[]> {
  const { data } = (await service.query(`{ __type(name: "${type}") { fields { name } } }`)) as {
    data: { __type: { fields: { name: string }[] } | null };
  };
  return (data.__type?.fields ?? []).map(({ name }) => name);
}

test('a table is tracked under the names that its dialog suggests for it and its columns', () =>
  on('/data/default?search=users', async (page) => {
    await page.getByRole('button', { name: 'Track users address' }).click();
    const dialog = page.getByRole('dialog', { name: 'Names in GraphQL' });
    const name = dialog.getByRole('textbox', { name: 'Name of table users address in GraphQL' });
    await expect.poll(() => name.inputValue()).toBe('users_address');
    await dialog.getByText('the root fields users_address, users_address_by_pk').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await name.fill('users address');
    await dialog.getByRole('button', { name: 'Track the table' }).click();
    await dialog.getByText('Letters, digits and underscores, not starting').waitFor();
    await name.fill('address');
    await dialog.getByRole('textbox', { name: 'Name of column first name of users address' }).fill('firstName');
    await dialog.getByRole('button', { name: 'Track the table' }).click();
    await page.getByText('users address tracked').waitFor();
    expect(await fieldsOf('address')).toEqual(['firstName', 'id']);
  }));

test('many tables are tracked together, and only those without a GraphQL name need one', () =>
  on('/data/default?schema=my-shop', async (page) => {
    await page.getByRole('checkbox', { name: 'Choose all on this page' }).click();
    await page.getByRole('button', { name: 'Track 2' }).click();
    const dialog = page.getByRole('dialog', { name: 'Names in GraphQL' });
    await dialog.getByRole('textbox', { name: 'Name of table my-shop.2nd item in GraphQL' }).waitFor();
    await dialog.getByRole('button', { name: 'Track 2 tables' }).click();
    await page.getByText('2 tables tracked').waitFor();
    expect(await fieldsOf('my_shop_2nd_item')).toEqual(['id']);
    expect(await fieldsOf('my_shop_plain')).toEqual(['id']);
  }));

test('a table that is tracked without a GraphQL name is listed as in no schema, with what to do', async () => {
  await service.command('pg_track_table', { table: 'silent one' });
  await on(
    '/data/default?search=silent',
    async (page) => {
      await page.getByRole('row').filter({ hasText: 'silent one' }).getByText('Tracked, in no schema').waitFor();
      await page.getByRole('link', { name: 'silent one' }).click();
      const alert = page.getByRole('alert').filter({ hasText: 'The table is in no schema' });
      await alert.getByText('set a custom_name such as "silent_one"').waitFor();
      await page.getByText('Rows are read by GraphQL, and the table is in no schema.').waitFor();
      await alert.getByRole('button', { name: 'Set a GraphQL name' }).click();
      const dialog = page.getByRole('dialog', { name: 'Names of silent one' });
      const name = dialog.getByRole('textbox', { name: 'Table', exact: true });
      await expect.poll(() => name.inputValue()).toBe('silent_one');
      await settled(page);
      expect(await axeViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save the names' }).click();
      await alert.waitFor({ state: 'detached' });
      expect(await fieldsOf('silent_one')).toEqual(['id']);
    },
    // The page does not request rows of a table that is in no schema.
  );
});
