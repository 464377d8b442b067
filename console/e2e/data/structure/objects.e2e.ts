/** Browser tests of views, functions and comments on the structure page, and of the dependents that are listed before a drop. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../../support/axe.ts';
import { startBrowser } from '../../support/browser.ts';
import { type Service, startService } from '../../support/service.ts';
import { command } from '../../support/shop.ts';
import { firstValue, onStructure, submit } from './forms.ts';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await command(service, 'run_sql', {
    sql: `
      create type mood as enum ('calm', 'loud');
      create table author (id int primary key, name text not null, mood mood);
      create index author_name on author (name);
      create table book (id int primary key, author_id int references author, title text, pages int);
      insert into author values (1, 'Ada', 'calm');
      create view author_names with (security_barrier) as select id, name from author;
      create view loud_authors as select id, upper(name) as name from author_names;
      create materialized view author_count as select count(*) as count from author;
      create unique index author_count_one on author_count (count);
      create function initial(self author) returns text language sql stable as 'select left(self.name, 1)';
    `,
  });
  for (const table of ['author', 'book', 'author_names', 'author_count'])
    await command(service, 'track_table', { name: table });
  await service.command('pg_add_computed_field', {
    table: 'author',
    name: 'initial',
    definition: { function: 'initial' },
  });
  await service.command('pg_create_object_relationship', {
    table: 'book',
    name: 'author',
    using: { foreign_key_constraint_on: 'author_id' },
  });
  await service.command('pg_create_select_permission', {
    table: 'book',
    role: 'reader',
    permission: { columns: ['id', 'title'], filter: {} },
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (table: string, steps: (page: Page) => Promise<void>, isRejected = false) =>
  onStructure({ browser, service }, table, steps, isRejected);

test('the query of a view is replaced with its parameters, and GraphQL has its new column', () =>
  on('author_names', async (page) => {
    await page.getByRole('button', { name: 'Edit the query' }).click();
    const dialog = page.getByRole('dialog', { name: 'Query of author_names' });
    await dialog.getByRole('textbox', { name: 'Query' }).fill('select id, name, length(name) as letters from author');
    expect(await dialog.getByRole('textbox', { name: 'SQL' }).inputValue()).toContain(
      'create or replace view public.author_names with (security_barrier=true) as\nselect id',
    );
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await submit(page, dialog, 'Replace the query', 'The view was changed');
    expect(await service.query('{ author_names { letters } }')).toEqual({ data: { author_names: [{ letters: 3 }] } });
  }));

test('a view that other views read is not dropped and created, and the views are listed', () =>
  on('author_names', async (page) => {
    await page.getByRole('button', { name: 'Edit the query' }).click();
    const dialog = page.getByRole('dialog', { name: 'Query of author_names' });
    await dialog.getByRole('checkbox', { name: 'Drop the view and create it again' }).check();
    await dialog.getByText('prevent the drop').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'view loud_authors' }).waitFor();
  }));

test('a materialized view is created again with its indexes and stays tracked', () =>
  on('author_count', async (page) => {
    await page.getByRole('button', { name: 'Edit the query' }).click();
    const dialog = page.getByRole('dialog', { name: 'Query of author_count' });
    await dialog.getByRole('textbox', { name: 'Query' }).fill('select count(*) as count, 7 as seven from author');
    await submit(page, dialog, 'Replace the query', 'The view was changed');
    expect(await service.query('{ author_count { seven } }')).toEqual({ data: { author_count: [{ seven: 7 }] } });
    expect(await firstValue(service, "select to_regclass('author_count_one') is not null")).toBe('t');
  }));

test('a function is replaced by its definition, and its computed field has the new result', () =>
  on('author', async (page) => {
    await page.getByRole('button', { name: 'Edit function initial' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit function initial' });
    const definition = dialog.getByRole('textbox', { name: 'Definition' });
    await definition.fill((await definition.inputValue()).replace(', 1)', ', 2)'));
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('the first letters');
    await submit(page, dialog, 'Replace the function', 'Function initial changed');
    await page.getByText('the first letters').first().waitFor();
    expect(await service.query('{ author { initial } }')).toEqual({ data: { author: [{ initial: 'Ad' }] } });
  }));

test('a function that returns rows is created by form', () =>
  on('author', async (page) => {
    await page.getByRole('button', { name: 'Create a function that returns rows' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a function that returns rows' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('named');
    await dialog.getByRole('textbox', { name: 'Arguments' }).fill('search text');
    await dialog.getByRole('textbox', { name: 'Body' }).fill('select * from author where name = search');
    await submit(page, dialog, 'Create the function', 'The function was created');
    await page.getByRole('button', { name: 'Edit function named' }).waitFor();
    expect(await firstValue(service, "select id from named('Ada')")).toBe('1');
  }));

test('an index, a constraint and an enum type have comments', () =>
  on('author', async (page) => {
    const edit = async (dialog: Locator, button: string, notice: string): Promise<void> => {
      await dialog.getByRole('textbox', { name: 'Comment' }).fill(`about it`);
      await submit(page, dialog, button, notice);
    };
    await page.getByRole('button', { name: 'Edit index author_name', exact: true }).click();
    const index = page.getByRole('dialog', { name: 'Change author_name' });
    await index.getByRole('textbox', { name: 'Name' }).fill('author_by_name');
    await edit(index, 'Change the index', 'Index author_name changed');
    await page.getByRole('row').filter({ hasText: 'author_by_name' }).getByText('about it').waitFor();
    await page.getByRole('button', { name: 'Actions on author_pkey' }).click();
    await page.getByRole('menuitem', { name: 'Rename or comment' }).click();
    await edit(
      page.getByRole('dialog', { name: 'Change author_pkey' }),
      'Change the constraint',
      'Constraint author_pkey changed',
    );
    const types = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Enum types of its columns' }) });
    await types.getByRole('button', { name: 'Rename or comment type mood' }).click();
    await edit(page.getByRole('dialog', { name: 'Change mood' }), 'Change the type', 'Type mood changed');
    await types.getByText('about it').waitFor();
    expect(
      await firstValue(
        service,
        `select obj_description('author_by_name'::regclass, 'pg_class')
        || obj_description('mood'::regtype, 'pg_type')
        || (select obj_description(oid, 'pg_constraint') from pg_constraint where conname = 'author_pkey')`,
      ),
    ).toBe('about itabout itabout it');
  }));

test('what depends on a column in the database and in the metadata is listed before it is dropped', () =>
  on('book', async (page) => {
    await page.getByRole('button', { name: 'Drop column title' }).click();
    const dialog = page.getByRole('dialog', { name: 'Drop column title' });
    await dialog.getByText('select permission reader in table book in source default').waitFor();
    await dialog.getByRole('checkbox', { name: 'Also remove these objects from the metadata' }).check();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await submit(page, dialog, 'Drop the column', 'Column title dropped');
    expect(await firstValue(service, "select count(*) from information_schema.columns where table_name = 'book'")).toBe(
      '3',
    );
    await page.getByRole('button', { name: 'Drop column pages' }).click();
    await page
      .getByRole('dialog', { name: 'Drop column pages' })
      .getByText('Nothing in the database and in the metadata depends on it.')
      .waitFor();
  }));

test('with cascade, the metadata of dropped dependents is listed too', () =>
  on('author', async (page) => {
    await page.getByRole('button', { name: 'Drop the table' }).click();
    const dialog = page.getByRole('dialog', { name: 'Drop author' });
    const items = dialog.getByRole('listitem');
    await items.filter({ hasText: 'view author_names' }).first().waitFor();
    await items.filter({ hasText: 'constraint book_author_id_fkey on table book' }).waitFor();
    await items.filter({ hasText: 'object relation author in table book' }).waitFor();
    expect(await items.filter({ hasText: 'table author_names in source default' }).count()).toBe(0);
    await dialog.getByRole('checkbox', { name: 'Also drop what depends on it in the database' }).check();
    await items.filter({ hasText: 'table author_names in source default' }).waitFor();
  }));

test('a link to a section moves the focus to its heading', () =>
  on('author', async (page) => {
    await page.getByRole('heading', { name: 'Triggers' }).waitFor();
    const links = page.getByRole('navigation', { name: 'Sections of the structure' });
    await links.getByRole('button', { name: 'Triggers' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Triggers');
    expect(await axeViolations(page)).toEqual([]);
  }));
