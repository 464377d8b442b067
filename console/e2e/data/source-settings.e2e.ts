/** Browser tests of source settings: connection and names, with confirmation. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { command } from '../support/shop.ts';

let browser: Browser;
/** The service that owns the database of the source. */
let keeping: Service;
let service: Service;
let address: string;

beforeAll(async () => {
  browser = await startBrowser();
  keeping = await startService();
  await command(keeping, 'run_sql', { sql: "create role keeper login superuser password 'hidden phrase'" });
  const { result } = (await command(keeping, 'run_sql', {
    sql: "create table bin (id int primary key, label text); insert into bin values (1, 'left'); select current_setting('port')",
  })) as { result: string[][] };
  address = `postgres://keeper:hidden%20phrase@127.0.0.1:${result[1]?.[0]}/postgres`;
  service = await startService({ WAREHOUSE_URL: address });
  const connection_info = { database_url: address, isolation_level: 'repeatable-read' };
  await service.command('pg_add_source', { name: 'warehouse', configuration: { connection_info } });
  await service.command('pg_track_table', { source: 'warehouse', table: 'bin' });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await keeping?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant: expectedRejections });

interface Written {
  readonly name: string;
  readonly configuration: unknown;
  readonly customization?: unknown;
}

async function warehouse(): Promise<Written | undefined> {
  const { sources } = (await service.command('export_metadata', {})) as { sources: readonly Written[] };
  return sources.find(({ name }) => name === 'warehouse');
}

test('changes the address and pool of a source, reports an unreachable address, and keeps the input', () =>
  on('/data', async (page) => {
    const card = page.getByRole('region', { name: 'warehouse' });
    await card.getByRole('link', { name: 'Settings' }).click();
    const from = page.getByLabel('Database from');
    await from.waitFor();
    expect(await from.inputValue()).toBe('kept');
    expect(await page.locator('form').innerHTML()).not.toContain('phrase');
    const most = page.getByLabel('Maximum connections');
    await most.fill('none');
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.getByText('Must be a whole number above zero.').waitFor();

    await most.fill('7');
    await from.selectOption('url');
    const url = page.getByLabel('URL', { exact: true });
    await url.fill('postgres://keeper:wrong@127.0.0.1:9/warehouse');
    await page.getByRole('button', { name: 'Save the settings' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('The source was not changed').waitFor();
    await alert.getByText(/the database is not reachable/).waitFor();
    expect(await most.inputValue()).toBe('7');
    expect(await url.inputValue()).toBe('postgres://keeper:wrong@127.0.0.1:9/warehouse');
    expect((await warehouse())?.configuration).toMatchObject({ connection_info: { database_url: address } });

    await from.selectOption('environment');
    await page.getByLabel('Variable', { exact: true }).fill('WAREHOUSE_URL');
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.getByText('Settings of warehouse saved').waitFor();
    await card.getByText('the value of WAREHOUSE_URL').waitFor();
    await card.getByText(/at most 7 connections/).waitFor();
    expect((await warehouse())?.configuration).toEqual({
      connection_info: {
        database_url: { from_env: 'WAREHOUSE_URL' },
        isolation_level: 'repeatable-read',
        pool_settings: { max_connections: 7 },
      },
    });
  }));

test('changes names that clients use only after a confirmation that lists them', () =>
  on('/data/warehouse', async (page) => {
    await page.getByRole('link', { name: 'Source settings' }).click();
    const save = page.getByRole('button', { name: 'Save the settings' });
    await page.getByLabel('Prefix of root fields').fill('depot-');
    await save.click();
    await page.getByText('Must be letters, digits and underscores.').waitFor();
    await page.getByLabel('Prefix of root fields').fill('depot_');
    await save.click();
    const question = page.getByRole('dialog');
    await question.getByText(/root fields removed/).waitFor();
    await question.getByText('depot_bin_by_pk', { exact: true }).waitFor();
    await question.getByRole('button', { name: /^Role admin: \d+ changes/ }).click();
    await question.getByText('query_root.depot_bin', { exact: true }).waitFor();
    await question.getByRole('button', { name: 'Cancel', exact: true }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Prefix of root fields').inputValue()).toBe('depot_');
    expect((await warehouse())?.customization).toBeUndefined();

    await save.click();
    await question.getByRole('button', { name: 'Change the names' }).click();
    await page.getByText('Settings of warehouse saved').waitFor();
    expect((await warehouse())?.customization).toEqual({ root_fields: { prefix: 'depot_' } });
    expect(await service.query('{ depot_bin { label } }')).toEqual({ data: { depot_bin: [{ label: 'left' }] } });
  }));

test('does not overwrite settings that changed elsewhere', () =>
  on('/data/warehouse/settings', async (page) => {
    const idle = page.getByLabel('Idle timeout (s)');
    await idle.fill('5');
    const customization = { root_fields: { prefix: 'their_' } };
    await service.command('pg_set_source_customization', { source: 'warehouse', customization });
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.getByText(/did not match current version/).waitFor();
    expect(await idle.inputValue()).toBe('5');
    expect((await warehouse())?.customization).toEqual(customization);
    await page.getByRole('button', { name: 'Overwrite their change' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change the names' }).click();
    await page.getByText('Settings of warehouse saved').waitFor();
    expect(await warehouse()).toMatchObject({
      configuration: { connection_info: { pool_settings: { max_connections: 7, idle_timeout: 5 } } },
      customization: { root_fields: { prefix: 'depot_' } },
    });
  }));
