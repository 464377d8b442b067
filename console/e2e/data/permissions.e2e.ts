/** Browser tests of permissions: rule builder, preview, saving, and requests as the role. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { openTeaShop } from '../support/tea-shop.ts';

const address = '/data/default/public/order/permissions';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService();
  await openTeaShop(service);
  const using = { foreign_key_constraint_on: 'customer_id' };
  await service.command('pg_create_object_relationship', { table: 'order', name: 'customer', using });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>, isRejected = false) =>
  walk(browser, `${service.url}/console${path}`, steps, isRejected ? { meant: expectedRejections } : {});

async function add(page: Page, to: string, what: string): Promise<void> {
  await page.getByRole('button', { name: `Add to: ${to}`, exact: true }).click();
  await page.getByRole('menuitem', { name: what }).click();
}

function as(role: string, userId = '2'): Record<string, string> {
  return { 'x-service-role': role, 'x-service-user-id': userId };
}

interface Permission {
  readonly role: string;
  readonly permission: unknown;
  readonly comment?: string;
}

/** Returns the permissions of the table `order` from the metadata. */
async function permissions(operation: string): Promise<readonly Permission[]> {
  const exported = (await service.command('export_metadata', {})) as {
    sources: { tables: (Record<string, readonly Permission[]> & { table: { name: string } })[] }[];
  };
  const entry = exported.sources[0]?.tables.find(({ table }) => table.name === 'order');
  return entry?.[`${operation}_permissions`] ?? [];
}

test('builds a select permission in the form, previews it before and after it is saved, and applies it', () =>
  on(address, async (page) => {
    await page.getByLabel('New role').fill('clerk');
    await page.getByRole('button', { name: 'Select for clerk: None' }).focus();
    await page.keyboard.press('Enter');
    const rows = 'Rows that clerk may select';
    await page.getByRole('button', { name: 'Save permission' }).click();
    await page.getByText(/Say which rows/).waitFor();

    await page.getByLabel('Rows for which a rule holds').check();
    await page.getByText('A rule without a condition opens all rows').waitFor();
    await add(page, rows, 'A condition on a column');
    await choose(page, 'Column', 'status');
    await choose(page, 'Operator for status', /is one of/);
    const values = page.getByRole('combobox', { name: 'Value for status' });
    for (const value of ['paid', 'shipped']) {
      await values.fill(value);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.press('Escape');
    await add(page, rows, 'Rows of a relationship');
    await add(page, 'Conditions on customer', 'A condition on a column');
    const behind = page.getByRole('group', { name: 'Conditions on customer' });
    const value = behind.getByRole('combobox', { name: 'Value for id' });
    await value.fill('seven');
    await page.getByText('Must be a number or a session variable.').waitFor();
    await add(page, 'Conditions on customer', 'A group');
    expect(await value.inputValue()).toBe('seven');
    await page.getByRole('button', { name: 'Remove the group' }).focus();
    await page.keyboard.press('Enter');
    const focused = page.locator(':focus');
    expect(await focused.getAttribute('aria-label')).toBe('Add to: Conditions on customer');
    await value.fill('x-service-user-id');
    const json = page.getByRole('textbox', { name: `${rows} as JSON` });
    expect(JSON.parse((await json.locator('.cm-line').allInnerTexts()).join('\n'))).toEqual({
      status: { _in: ['paid', 'shipped'] },
      customer: { id: { _eq: 'x-service-user-id' } },
    });

    await page.getByRole('button', { name: 'Choose all' }).click();
    await page.getByRole('checkbox', { name: 'note' }).uncheck();
    await page.getByLabel('Session variables of clerk').fill('user-id: 2');
    await page.getByRole('button', { name: 'Show the rows' }).click();
    await page.getByText('clerk sees 5 of 40 rows of order.').waitFor();
    await page.getByText('As saved').click();
    await page.getByRole('button', { name: 'Show the rows' }).click();
    await page.getByText('the role has no select permission that is saved', { exact: false }).waitFor();

    await page.getByLabel('May aggregate').check();
    await page.getByLabel('Rows at a time').fill('3');
    await page.getByLabel('Comment').fill('Packs the orders');
    await page.getByRole('button', { name: 'Save permission' }).click();
    await page.getByRole('button', { name: /^Select for clerk: Partial by a rule, 4 of 5 columns/ }).waitFor();

    const query = '{ order { customer_id status } order_aggregate { aggregate { count } } }';
    const response = (await service.query(query, as('clerk'))) as { data: { order: { status: string }[] } };
    expect(response.data).toMatchObject({ order_aggregate: { aggregate: { count: 5 } } });
    expect(response.data.order).toHaveLength(3);
    expect(response.data.order.every(({ status }) => status !== 'placed')).toBe(true);
    expect(await service.query('{ order { note } }', as('clerk'))).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
    expect(await permissions('select')).toMatchObject([{ role: 'clerk', comment: 'Packs the orders' }]);

    await page.getByRole('button', { name: /^Select for clerk/ }).click();
    expect(await page.getByLabel('Session variables of clerk').inputValue()).toBe('user-id: 2');
    await page.getByText('As saved').click();
    await page.getByRole('button', { name: 'Show the rows' }).click();
    await page.getByText('clerk sees 5 of 40 rows of order.').waitFor();
  }));

test('preserves members without an input, and edits rules without a visual form as JSON', async () => {
  const permission = {
    check: {
      _exists: { _table: { schema: 'public', name: 'customer' }, _where: { id: { _ceq: ['$', 'customer_id'] } } },
    },
    columns: ['note'],
    validate_input: { type: 'http', definition: { url: 'http://127.0.0.1:9/check' } },
  };
  await service.command('pg_create_insert_permission', { table: 'order', role: 'buyer', permission });
  await on(address, async (page) => {
    await page.getByRole('button', { name: /^Insert for buyer/ }).click();
    const operand = page.getByRole('combobox', { name: 'Value for id' });
    await expect.poll(() => operand.inputValue()).toBe('customer_id of order');
    expect(await page.getByRole('combobox', { name: 'Operator for id' }).inputValue()).toBe('equals the column (_ceq)');
    expect(await page.getByLabel('URL of the webhook').inputValue()).toBe('http://127.0.0.1:9/check');
    await page.getByLabel('Timeout in seconds').fill('5');
    const json = page.getByRole('textbox', { name: 'Rows that may be inserted as JSON' });
    await json.fill('{ "customer_id": ');
    await page.getByRole('alert').first().waitFor();
    await page.getByRole('button', { name: 'Save permission' }).click();
    await page.getByText('Correct the marked fields.').waitFor();
    await json.fill('{ "status": { "_eq": "placed" }, "_not": 1 }');
    await page.getByText('Preserved as written; change it as JSON.').waitFor();
    await page.getByRole('button', { name: 'Remove the JSON condition' }).click();
    await page.getByRole('button', { name: 'Add a preset' }).click();
    await choose(page, 'Preset column', 'customer_id');
    await page.getByRole('combobox', { name: 'Preset value of customer_id' }).fill('X-Service-User-Id');
    await page.getByRole('button', { name: 'Save permission' }).click();
    await page.getByText('The insert permission of buyer on order is saved').waitFor();
  });
  expect(await permissions('insert')).toMatchObject([
    {
      role: 'buyer',
      permission: {
        columns: ['note'],
        set: { customer_id: 'X-Service-User-Id' },
        validate_input: { type: 'http', definition: { url: 'http://127.0.0.1:9/check', timeout: 5 } },
      },
    },
  ]);
});

test('shows the path of a rejected rule, and loses no input', async () => {
  await service.command('pg_create_delete_permission', {
    table: 'order',
    role: 'buyer',
    permission: { filter: { status: { _eq: 'placed' } } },
  });
  await on(
    address,
    async (page) => {
      await page.getByRole('button', { name: /^Delete for buyer/ }).click();
      const json = page.getByRole('textbox', { name: 'Rows that buyer may delete as JSON' });
      await json.fill('{ "color": { "_eq": "red" } }');
      await page.getByText('The table has no such column').waitFor();
      await page.getByRole('button', { name: 'Save permission' }).click();
      await page.getByText('The permission was not saved').waitFor();
      await page
        .getByText(/permission\.filter\.color/)
        .first()
        .waitFor();
      expect(await permissions('delete')).toMatchObject([{ permission: { filter: { status: { _eq: 'placed' } } } }]);

      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('button', { name: 'Remove the permission' }).click();
      await page.getByRole('button', { name: 'Delete for buyer: None' }).waitFor();
      expect(await permissions('delete')).toEqual([]);
    },
    true,
  );
});

test('copies an update permission, and does not overwrite external changes', async () => {
  await on(
    address,
    async (page) => {
      await page.getByRole('button', { name: /^Update for buyer/ }).click();
      await page.getByRole('button', { name: 'Copy from another permission' }).click();
      await page.getByRole('menuitem', { name: 'clerk: select' }).click();
      expect(await page.getByRole('checkbox', { name: 'note' }).isChecked()).toBe(false);
      await page
        .getByRole('radiogroup', { name: 'Rows after the update' })
        .getByLabel(/without|empty/)
        .check();
      await page.getByText('A row may become any other row', { exact: false }).waitFor();
      const permission = { columns: ['note'], filter: {} };
      await service.command('pg_create_update_permission', { table: 'order', role: 'buyer', permission });
      await page.getByRole('button', { name: 'Save permission' }).click();
      await page.getByText(/did not match current version/).waitFor();
      expect(await permissions('update')).toMatchObject([{ permission }]);
      expect(await page.getByRole('checkbox', { name: 'note' }).isChecked()).toBe(false);
    },
    true,
  );
});

test('overwrites an external change of a permission only on demand, and preserves other changes', async () => {
  const permission = { columns: ['id', 'note'], filter: {} };
  const target = { table: 'order', role: 'packer' };
  await service.command('pg_create_select_permission', { ...target, permission });
  const ofPacker = async () => (await permissions('select')).find(({ role }) => role === 'packer');
  await on(
    address,
    async (page) => {
      const save = page.getByRole('button', { name: 'Save permission' });
      await page.getByRole('button', { name: /^Select for packer/ }).click();
      await page.getByLabel('Comment', { exact: true }).fill('orders to pack');
      await service.command('pg_create_delete_permission', { ...target, permission: { filter: {} } });
      await save.click();
      await page.getByText(/did not match current version/).waitFor();
      await page.getByText(/values that this form edits have not changed/).waitFor();
      expect(await page.getByLabel('Comment', { exact: true }).inputValue()).toBe('orders to pack');
      await save.click();
      await page.getByText('The select permission of packer on order is saved').waitFor();
      expect(await ofPacker()).toEqual({ role: 'packer', permission, comment: 'orders to pack' });
      expect((await permissions('delete')).map(({ role }) => role)).toEqual(['packer']);

      await page.getByRole('button', { name: /^Select for packer/ }).click();
      await page.getByRole('checkbox', { name: 'status' }).check();
      const theirs = { type: 'select', comment: 'theirs' };
      await service.command('pg_set_permission_comment', { ...target, ...theirs });
      await save.click();
      await page.getByText(/Another user changed the same object/).waitFor();
      await save.click();
      await page.getByText(/did not match current version/).waitFor();
      expect(await ofPacker()).toMatchObject({ permission, comment: 'theirs' });
      expect(await page.getByRole('checkbox', { name: 'status' }).isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Overwrite their change' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect(await ofPacker()).toMatchObject({ comment: 'orders to pack' });
      expect((await ofPacker())?.permission).toMatchObject({ columns: expect.arrayContaining(['status']) });
    },
    true,
  );
  await service.command('pg_drop_delete_permission', target);
  await service.command('pg_drop_select_permission', target);
});

test('an inherited role shows its parent roles', async () => {
  await service.command('add_inherited_role', { role_name: 'lead', role_set: ['clerk', 'buyer'] });
  await on(address, async (page) => {
    await page.getByText('made of clerk, buyer').waitFor();
    await page.getByRole('button', { name: 'Select for lead: Partial inherited' }).click();
    await page.getByText(/lead may select because it is made of clerk, buyer/).waitFor();
    await page.getByText('As saved').click();
    await page.getByLabel('Session variables of lead').fill('user-id: 2');
    await page.getByRole('button', { name: 'Show the rows' }).click();
    await page.getByText('lead sees 3 of 40 rows of order.').waitFor();
  });
});
