/** Browser tests of sources: creation, reload, removal, and creation of tables. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command } from '../support/shop.ts';

let browser: Browser;
let service: Service;
let address: string;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await command(service, 'run_sql', { sql: "create role keeper login password 'hidden phrase'" });
  await command(service, 'run_sql', { sql: 'create database warehouse owner keeper', transaction: false });
  const { result } = (await command(service, 'run_sql', { sql: "select current_setting('port')" })) as {
    result: string[][];
  };
  address = `postgres://keeper:hidden%20phrase@127.0.0.1:${result[1]?.[0]}/warehouse`;
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant: expectedRejections });

test('adds a source by its URL, creates a table, reloads and removes the source', () =>
  on('/data', async (page) => {
    await page.getByRole('button', { name: 'Add a source' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Add the source' }).click();
    await form.getByText('Must not be empty.').first().waitFor();
    await form.getByRole('textbox', { name: 'Name' }).fill('warehouse');
    await form.getByLabel('Database from').selectOption('url');
    await form.getByLabel('URL', { exact: true }).fill('postgres://keeper:wrong@127.0.0.1:9/warehouse');
    await form.getByRole('button', { name: 'Add the source' }).click();
    await form.getByRole('alert').waitFor();
    expect(await form.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('warehouse');
    await form.getByLabel('URL', { exact: true }).fill(address);
    await form.getByRole('button', { name: 'Advanced' }).click();
    await form.getByLabel('Maximum connections').fill('5');
    await form.getByLabel('Namespace of root fields').fill('depot');
    await form.getByLabel('Prefix of type names').fill('Depot_');
    await form.getByRole('button', { name: 'Add the source' }).click();
    await page.getByText('The database has no tables yet').waitFor();

    await page.getByRole('link', { name: 'Create a table' }).first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('bin');
    const second = page.getByRole('group', { name: 'Column 2' });
    await second.getByRole('textbox', { name: 'Name' }).fill('label');
    await second.getByLabel('Nullable').uncheck();
    await page.getByText('label text not null').waitFor();
    await page.getByRole('button', { name: 'Create the table' }).click();
    await page.getByRole('heading', { name: 'bin' }).waitFor();
    await page.getByText('There is no row').waitFor();
    // API names are irrelevant here.
    const naming_convention = 'graphql-default';
    const customization = { root_fields: { namespace: 'depot' }, naming_convention };
    await command(service, 'pg_set_source_customization', { source: 'warehouse', customization });
    await page.getByRole('button', { name: 'Insert a row' }).click();
    await page.getByRole('textbox', { name: 'label' }).fill('left');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByRole('button', { name: 'Open bin 1' }).waitFor();

    await page.goto(`${service.url}/console/data`);
    const card = page.getByRole('region', { name: 'warehouse' });
    await card.getByText('1 table tracked · at most 5 connections').waitFor();
    expect(await card.textContent()).not.toContain('phrase');
    await card.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('Source warehouse reloaded').waitFor();
    await card.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the source' }).click();
    await page.getByText('Source warehouse removed').waitFor();
    await card.waitFor({ state: 'detached' });
  }));
