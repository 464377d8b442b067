/** Browser tests of the structure of tables: forms that run SQL on the database and are followed by the metadata. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../../support/axe.ts';
import { choose, startBrowser } from '../../support/browser.ts';
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
      create table customer (id int primary key, name text not null, "Zip ""code""" text);
      create table "Order" (id int, customer int, total text, note text);
      insert into customer values (1, 'Ada', '10115');
      insert into "Order" values (1, 1, '12', 'first'), (2, 1, '30', null);
      create type order_state as enum ('open', 'paid');
      create table parcel (id int primary key, state order_state not null default 'open');
      create view customer_names as select id, name from customer;
    `,
  });
  for (const table of ['customer', 'Order', 'parcel']) await command(service, 'track_table', { name: table });
  await service.command('pg_create_select_permission', {
    table: 'Order',
    role: 'user',
    permission: { columns: ['id', 'note'], filter: { note: { _is_null: false } } },
  });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (table: string, steps: (page: Page) => Promise<void>, isRejected = false) =>
  onStructure({ browser, service }, table, steps, isRejected);

test('adds a column with a default, a comment and a name that SQL must quote', () =>
  on('customer', async (page) => {
    await page.getByRole('button', { name: 'Add a column' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a column' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Discount %');
    await dialog.getByRole('combobox', { name: 'Type' }).fill('numeric(5,2)');
    await dialog.getByRole('textbox', { name: 'Default' }).fill('0');
    await dialog.getByRole('checkbox', { name: 'Nullable' }).uncheck();
    await dialog.getByRole('textbox', { name: 'Comment' }).fill("the customer's own");
    expect(await dialog.getByRole('textbox', { name: 'SQL' }).inputValue()).toBe(
      `alter table public.customer add column "Discount %" numeric(5,2) default 0 not null;
comment on column public.customer."Discount %" is 'the customer''s own';`,
    );
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await submit(page, dialog, 'Add the column', 'The column was added');
    const row = page.getByRole('row').filter({ hasText: 'Discount %' });
    await row.getByText('not in the schema').waitFor();
    expect(await firstValue(service, 'select "Discount %" from customer')).toBe('0.00');
  }));

test('changes the type of a column with an expression, and its nullability and default', () =>
  on('Order', async (page) => {
    await page.getByRole('button', { name: 'Change column total' }).click();
    const dialog = page.getByRole('dialog', { name: 'Column total' });
    await dialog.getByRole('combobox', { name: 'Type' }).fill('integer');
    await dialog.getByRole('textbox', { name: 'Convert values with' }).fill('total::integer * 100');
    await dialog.getByRole('textbox', { name: 'Default' }).fill('0');
    await submit(page, dialog, 'Change the column', 'Column total changed');
    expect(await firstValue(service, 'select sum(total) from "Order"')).toBe('4200');
    await page.getByRole('row').filter({ hasText: 'total' }).getByText('default 0').waitFor();
  }));

test('the metadata follows a renamed column', () =>
  on('Order', async (page) => {
    await page.getByRole('button', { name: 'Change column note' }).click();
    const dialog = page.getByRole('dialog', { name: 'Column note' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('remark');
    await submit(page, dialog, 'Change the column', 'Column note changed');
    expect(await service.query('{ Order { remark } }', { 'X-Service-Role': 'user' })).toEqual({
      data: { Order: [{ remark: 'first' }] },
    });
  }));

test('a column that a permission uses is dropped only with the permission, which is listed first', () =>
  on(
    'Order',
    async (page) => {
      await page.getByRole('button', { name: 'Drop column remark' }).click();
      const dialog = page.getByRole('dialog', { name: 'Drop column remark' });
      await dialog.getByRole('button', { name: 'Drop the column' }).click();
      await dialog.getByText(/permission Order\.user\.select/).waitFor();
      expect(await firstValue(service, 'select count(remark) from "Order"')).toBe('1');
      await dialog.getByRole('checkbox', { name: 'Also remove these objects from the metadata' }).check();
      await submit(page, dialog, 'Drop the column', 'Column remark dropped');
      await page.getByRole('button', { name: 'Drop column remark' }).waitFor({ state: 'detached' });
    },
    true,
  ));

test('adds a primary key and a foreign key with an index, which relationships can use', () =>
  on('Order', async (page) => {
    await page.getByRole('button', { name: 'Add a primary key' }).click();
    const primary = page.getByRole('dialog', { name: 'Primary key' });
    await choose(primary, 'Columns', 'id');
    await page.keyboard.press('Escape');
    await submit(page, primary, 'Add the primary key', 'The primary key was changed');
    await page.getByRole('button', { name: 'Add a foreign key' }).click();
    const foreign = page.getByRole('dialog', { name: 'Add a foreign key' });
    await choose(foreign, 'References table', 'customer');
    await choose(foreign, 'Column 1', 'customer');
    const referenced = foreign.getByRole('combobox', { name: 'Referenced column 1' });
    await expect.poll(() => referenced.inputValue()).toBe('id');
    await foreign.getByRole('combobox', { name: 'When a referenced row is deleted' }).selectOption('cascade');
    await submit(page, foreign, 'Add the foreign key', 'The foreign key was added');
    const keys = page.getByRole('region', { name: 'Keys' });
    await keys.getByText('FOREIGN KEY (customer) REFERENCES customer(id) ON DELETE CASCADE').waitFor();
    await page.getByRole('region', { name: 'Indexes' }).getByText('Order_customer_idx').waitFor();
  }));

test('creates an index concurrently under a suggested name, and drops it', () =>
  on('customer', async (page) => {
    await page.getByRole('button', { name: 'Create an index' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an index' });
    await choose(dialog, 'Columns', 'Zip "code"');
    await page.keyboard.press('Escape');
    await dialog.getByRole('textbox', { name: 'Only rows where' }).fill('id > 0');
    await submit(page, dialog, 'Create the index', 'The index was created');
    const name = 'customer_Zip "code"_idx';
    await page.getByRole('button', { name: `Drop index ${name}` }).click();
    const drop = page.getByRole('dialog', { name: `Drop ${name}` });
    await submit(page, drop, 'Drop the index', `Index ${name} dropped`);
    await page.getByRole('button', { name: `Drop index ${name}` }).waitFor({ state: 'detached' });
  }));

test('shows the phase of an index that waits for a transaction', () =>
  on('parcel', async (page) => {
    // The transaction ends some seconds after the index waits for it.
    const sql = `insert into parcel values (7, 'open');
      do $$ begin
        for n in 1..600 loop
          perform pg_stat_clear_snapshot();
          exit when exists (select from pg_stat_progress_create_index where phase like 'waiting for writers%');
          perform pg_sleep(0.1);
        end loop;
        perform pg_sleep(8);
      end $$`;
    const writing = command(service, 'run_sql', { sql, check_metadata_consistency: false });
    await page.getByRole('button', { name: 'Create an index' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an index' });
    await choose(dialog, 'Columns', 'state');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Create the index' }).click();
    await dialog.getByText(/waiting for writers/).waitFor();
    await writing;
    await page.getByText('The index was created').first().waitFor();
  }));

test('a check that rows violate is not added, and is added by edited SQL', () =>
  on(
    'Order',
    async (page) => {
      await page.getByRole('button', { name: 'Add a check' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a check' });
      await dialog.getByRole('textbox', { name: 'Condition' }).fill('total > 1500');
      await dialog.getByRole('button', { name: 'Add the check' }).click();
      await dialog.getByText(/is violated by some row/).waitFor();
      await dialog
        .getByRole('textbox', { name: 'SQL' })
        .fill('alter table "Order" add constraint "Total!" check (total > 0) not valid');
      await submit(page, dialog, 'Add the check', 'The check was added');
      const checks = page.getByRole('region', { name: 'Checks' });
      await checks.getByText('(not validated)').waitFor();
      await checks.getByRole('button', { name: 'Actions on Total!' }).click();
      await page.getByRole('menuitem', { name: 'Validate' }).click();
      await submit(
        page,
        page.getByRole('dialog', { name: 'Validate Total!' }),
        'Validate the constraint',
        'Constraint Total! validated',
      );
      await checks.getByText('(not validated)').waitFor({ state: 'detached' });
    },
    true,
  ));

test('a value is added to an enum type before another one, and can be used at once', () =>
  on('parcel', async (page) => {
    await page.getByRole('button', { name: 'Add a value to order_state' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a value to order_state' });
    await dialog.getByRole('textbox', { name: 'Value' }).fill("won't pay");
    await dialog.getByRole('combobox', { name: 'Place' }).selectOption('before');
    await dialog.getByRole('combobox', { name: 'Of value' }).selectOption('paid');
    await submit(page, dialog, 'Add the value', 'The value was added');
    await page.getByText("order_state of state: open, won't pay, paid").waitFor();
    expect(await firstValue(service, "insert into parcel values (1, 'won''t pay') returning state")).toBe("won't pay");
  }));

test('a function of the row becomes a computed field', () =>
  on('customer', async (page) => {
    await page.getByRole('button', { name: 'Create a function for a computed field' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a function for a computed field' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('initial');
    await dialog.getByRole('textbox', { name: 'Body' }).fill('select left(self.name, 1)');
    await dialog.getByRole('button', { name: 'Create the function' }).click();
    const field = page.getByRole('dialog', { name: 'Add a computed field' });
    await choose(field, 'Function', /^initial/);
    await submit(page, field, 'Add the computed field', 'Computed field initial added');
    expect(await service.query('{ customer { initial } }')).toEqual({ data: { customer: [{ initial: 'A' }] } });
  }));

test('the metadata follows a renamed table, and a table with dependents is dropped with them', () =>
  on(
    'customer',
    async (page) => {
      await page.getByRole('button', { name: 'Rename or comment' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change customer' });
      await dialog.getByRole('textbox', { name: 'Name' }).fill('buyer');
      await dialog.getByText('Requests that use customer fail afterwards').waitFor();
      await submit(page, dialog, 'Change it', 'customer changed');
      await page.getByRole('heading', { name: 'buyer', exact: true }).waitFor();
      expect(await service.query('{ buyer { name } }')).toEqual({ data: { buyer: [{ name: 'Ada' }] } });
      await page.getByRole('button', { name: 'Drop the table' }).click();
      const drop = page.getByRole('dialog', { name: 'Drop buyer' });
      await drop.getByText('view customer_names').waitFor();
      await drop.getByRole('button', { name: 'Drop buyer' }).click();
      await drop.getByText(/other objects depend on it/).waitFor();
      await drop.getByRole('checkbox', { name: 'Also drop what depends on it in the database' }).check();
      await submit(page, drop, 'Drop buyer', 'buyer dropped');
      await page.getByRole('searchbox', { name: 'Search tables' }).waitFor();
      expect(await firstValue(service, "select to_regclass('buyer') is null")).toBe('t');
    },
    true,
  ));
