/** Browser tests of enum types: their page, and those that are created with a column. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../../support/axe.ts';
import { choose, startBrowser, walk } from '../../support/browser.ts';
import { type Service, startService } from '../../support/service.ts';
import { command } from '../../support/shop.ts';
import { firstValue, onStructure, submit } from './forms.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await command(service, 'run_sql', {
    sql: `create table ticket (id int primary key, title text not null, state text not null default 'open');
      insert into ticket values (1, 'No tea', 'open'), (2, 'No milk', 'closed');`,
  });
  await command(service, 'track_table', 'ticket');
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const onTypes = (steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console/data/default/enum-types`, steps);

const valuesOf = (type: string) => firstValue(service, `select array_to_string(enum_range(null::${type}), '|')`);

test('a type is created with its values and comment, by SQL that is shown before', () =>
  onTypes(async (page) => {
    await page.getByText('The database has no enum types yet').waitFor();
    await page.getByRole('button', { name: 'Create an enum type' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an enum type' });
    await dialog.getByRole('textbox', { name: 'Name of the type' }).fill(`Priority "1"`);
    await dialog.getByRole('textbox', { name: 'Values' }).fill(`low\n\n  won't do  \nhigh`);
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('of a ticket');
    expect(await dialog.getByRole('textbox', { name: 'SQL' }).inputValue()).toBe(
      `create type public."Priority ""1""" as enum ('low', 'won''t do', 'high');
comment on type public."Priority ""1""" is 'of a ticket';`,
    );
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await submit(page, dialog, 'Create the enum type', 'The enum type was created');
    await page.getByText(`Priority "1", of no column: low, won't do, high`).waitFor();
    expect(await valuesOf(`"Priority ""1"""`)).toBe(`low|won't do|high`);
  }));

test('values that occur twice are rejected at their field', () =>
  onTypes(async (page) => {
    await page.getByRole('button', { name: 'Create an enum type' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an enum type' });
    await dialog.getByRole('textbox', { name: 'Name of the type' }).fill('size');
    await dialog.getByRole('textbox', { name: 'Values' }).fill('s\nm\ns');
    await dialog.getByRole('button', { name: 'Create the enum type' }).click();
    await dialog.getByText('The value "s" occurs twice.').waitFor();
    expect(await firstValue(service, `select to_regtype('size') is null`)).toBe('t');
  }));

test('a value is added and renamed, and the type is dropped', () =>
  onTypes(async (page) => {
    await command(service, 'run_sql', { sql: `create type weather as enum ('sun', 'rain')` });
    await page.reload();
    await page.getByRole('button', { name: 'Add a value to weather' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a value to weather' });
    await adding.getByRole('textbox', { name: 'Value' }).fill('snow');
    await submit(page, adding, 'Add the value', 'The value was added');
    await page.getByRole('button', { name: 'Rename a value of weather' }).click();
    const renaming = page.getByRole('dialog', { name: 'Rename a value of weather' });
    await renaming.getByRole('combobox', { name: 'Value' }).selectOption('rain');
    await renaming.getByRole('textbox', { name: 'New name' }).fill('drizzle');
    await submit(page, renaming, 'Rename the value', 'The value was renamed');
    await page.getByText('weather, of no column: sun, drizzle, snow').waitFor();
    await page.getByRole('button', { name: 'Drop the type weather' }).click();
    const dropping = page.getByRole('dialog', { name: 'Drop weather' });
    await submit(page, dropping, 'Drop the type', 'Type weather dropped');
    expect(await firstValue(service, `select to_regtype('weather') is null`)).toBe('t');
  }));

test('a column of text gets a new enum type, and keeps its values and default', () =>
  onStructure({ browser, service }, 'ticket', async (page) => {
    await page.getByRole('button', { name: 'Change column state' }).click();
    const dialog = page.getByRole('dialog', { name: 'Column state' });
    await dialog.getByRole('checkbox', { name: 'Of a new enum type' }).check();
    await dialog.getByRole('textbox', { name: 'Name of the type' }).fill('ticket_state');
    await dialog.getByRole('textbox', { name: 'Values', exact: true }).fill('open\nclosed');
    await submit(page, dialog, 'Change the column', 'Column state changed');
    expect(await service.query('{ ticket(order_by: { id: asc }) { state } }')).toEqual({
      data: { ticket: [{ state: 'open' }, { state: 'closed' }] },
    });
    expect(await firstValue(service, `insert into ticket (id, title) values (3, 'x') returning state`)).toBe('open');
  }));

test('a column gets an existing enum type from the list of types', () =>
  onStructure({ browser, service }, 'ticket', async (page) => {
    await page.getByRole('button', { name: 'Add a column' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a column' });
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('former');
    await dialog.getByRole('combobox', { name: 'Type' }).fill('ticket');
    await choose(dialog, 'Type', 'public.ticket_state');
    await submit(page, dialog, 'Add the column', 'The column was added');
    expect(await firstValue(service, `select pg_typeof(former) from ticket limit 1`)).toBe('ticket_state');
  }));
