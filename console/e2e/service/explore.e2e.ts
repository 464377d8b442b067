/** Browser tests of the explorer and of metadata export and import. */
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';

const secret = 'only for these tests';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService({ JOINERY_ADMIN_SECRET: secret });
  const sql = `create table customer (id int primary key, name text);
    insert into customer values (7, 'Ada'), (8, 'Bea');
    create table purchase (id int primary key, customer_id int references customer);
    insert into purchase values (1, 7)`;
  await sqlAsAdmin(sql);
  const permission = { columns: ['id', 'name'], filter: { id: { _eq: 'X-Service-User-Id' } } };
  await service.command('bulk', [
    { type: 'pg_track_table', args: { table: 'customer' } },
    { type: 'pg_create_select_permission', args: { table: 'customer', role: 'user', permission } },
  ]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function sqlAsAdmin(sql: string): Promise<void> {
  const response = await fetch(`${service.url}/v2/query`, {
    method: 'POST',
    headers: { 'x-service-admin-secret': secret },
    body: JSON.stringify({ type: 'run_sql', args: { sql } }),
  });
  expect(await response.text()).toContain('result');
}

function on(path: string, steps: (page: Page) => Promise<void>): Promise<void> {
  // A download is not a request.
  return walk(browser, `${service.url}/console${path}`, steps, { secret, meant: /^loads blob:/ });
}

/**
 * Empties the editor first: typing over colored text would add style attributes, which the content security policy
 * forbids.
 */
async function write(editor: Locator, text: string): Promise<void> {
  await editor.press('Control+A');
  await editor.press('Delete');
  await editor.fill(text);
}

/** In both themes, with content wider than a narrow window. */
async function problems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    for (const problem of await axeViolations(page)) found.push(`${colorScheme}: ${problem}`);
  }
  await page.setViewportSize({ width: 400, height: 800 });
  await settled(page);
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (beyond > 0) found.push(`the page is ${beyond} pixels wider than a narrow window`);
  await page.setViewportSize({ width: 1_280, height: 800 });
  return found;
}

test('the explorer completes and runs an operation as a role, shows its plan, and restores it after a reload', () =>
  on('/explore', async (page) => {
    const operation = page.getByRole('textbox', { name: 'Operation' });
    const variables = page.getByRole('textbox', { name: 'Variables', exact: true });
    await write(operation, 'query Mine($least: Int) { customer(where: { id: { _gte: $least } }) { name } }');
    await write(variables, '{"least": }');
    await page
      .getByText(/Unexpected token/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true);
    await write(variables, '{"least": 1}');
    await page.getByRole('button', { name: 'Run' }).click();
    const response = page.getByRole('region', { name: 'response' });
    await response.getByText('"Bea"').waitFor();

    await page.getByRole('combobox', { name: 'Role', exact: true }).fill('user');
    await page.getByRole('textbox', { name: 'Session variables' }).fill('nonsense');
    await page.getByText(/line 1 must be a name/i).waitFor();
    await page.getByRole('textbox', { name: 'Session variables' }).fill('user-id: 7');
    await page.getByLabel('Measure queries').check();
    await operation.press('Control+Enter');
    await response.getByText('"Bea"').waitFor({ state: 'detached' });
    await response.getByText('"Ada"').waitFor();
    const plan = page.getByRole('list', { name: 'Plan' });
    await plan.getByText('Statement on default').waitFor();
    await plan.getByText(/ on customer, 1 row, /).waitFor();
    await plan.getByText(/^took [\d.]+ ms$/).waitFor();
    await plan.getByText('SQL and plan').click();
    await plan.getByText(/from "public"."customer"/).waitFor();

    await page.getByRole('button', { name: 'Schema docs' }).click();
    await page.getByRole('textbox', { name: 'Search types' }).fill('customer');
    await page.getByRole('button', { name: 'customer', exact: true }).click();
    await page.getByRole('heading', { name: 'customer', exact: true }).waitFor();
    expect(await problems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close', exact: true }).click();

    await page.getByRole('textbox', { name: 'Save as' }).fill('mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('combobox', { name: 'Saved operations' }).waitFor();
    await page.reload();
    await operation
      .getByText(/query Mine/)
      .first()
      .waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Schema docs' }).isEnabled()).toBe(true);
    expect(await page.getByRole('combobox', { name: 'Role', exact: true }).inputValue()).toBe('user');
    await write(operation, '{ customer { na');
    await operation.press('End');
    await operation.pressSequentially('m');
    await page.getByRole('option', { name: /^name/ }).first().waitFor();
    await write(operation, '{ nothing }');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('There is no plan').waitFor();
    await page.getByRole('combobox', { name: 'Saved operations' }).selectOption('mine');
    await page.getByRole('button', { name: 'Run' }).click();
    await response.getByText('"Ada"').waitFor();
    expect(await problems(page)).toEqual([]);
  }));

test('a subscription shows results of the websocket as they arrive, until it is stopped', () =>
  on('/explore', async (page) => {
    const suggestion = page.getByRole('option', { name: 'user' });
    // On a loaded machine, the list of suggestions may close while the page still loads.
    await expect
      .poll(
        async () => {
          await page.getByRole('combobox', { name: 'Role', exact: true }).fill('');
          await page.getByRole('combobox', { name: 'Role', exact: true }).fill('us');
          return suggestion.click({ timeout: 5_000 }).then(
            () => true,
            () => false,
          );
        },
        { timeout: 25_000, message: 'the role "user" was not suggested' },
      )
      .toBe(true);
    await page.getByRole('textbox', { name: 'Session variables' }).fill('user-id: 7');
    const operation = page.getByRole('textbox', { name: 'Operation' });
    await write(operation, 'subscription Watch { customer { name } }');
    await page.getByRole('button', { name: 'Run' }).click();
    const response = page.getByRole('region', { name: 'response' });
    await response.getByText('"Ada"').waitFor();
    expect(await response.getByText('"Bea"').count()).toBe(0);
    await page.getByRole('list', { name: 'Plan' }).getByText('Statement on default').waitFor();
    await sqlAsAdmin("update customer set name = 'Ada Two' where id = 7");
    await response.getByText('"Ada Two"').waitFor();
    await page.getByText(/^2 results, the latest at/).waitFor();
    await page.getByRole('button', { name: /^Result 1, at/ }).click();
    await page.getByRole('region', { name: 'result 1' }).getByText('"Ada"').waitFor();
    expect(await problems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Ended').waitFor();
    await sqlAsAdmin("update customer set name = 'Ada' where id = 7");
    await write(operation, 'subscription { nothing }');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('The subscription ended').waitFor();
    await page
      .getByText(/nothing/)
      .first()
      .waitFor();
  }));

test('opens operations from a link and from the history, formats them, and copies them as curl commands', () =>
  on(`/explore?${new URLSearchParams({ query: 'query Linked{customer{name}}', role: 'admin' })}`, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const operation = page.getByRole('textbox', { name: 'Operation' });
    await operation
      .getByText(/query Linked/)
      .first()
      .waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Prettify' }).click();
    await expect.poll(() => operation.innerText()).toContain('customer {\n    name');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('admin-secret: $ADMIN_SECRET');
    expect(copied).not.toContain(secret);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('region', { name: 'response' }).getByText('"Bea"').waitFor();
    await write(operation, '{ __typename }');
    await page.getByRole('button', { name: 'History' }).click();
    await page.getByRole('list', { name: 'Operations that were run' }).getByText('Linked').waitFor();
    expect(await problems(page)).toEqual([]);
    await page.getByRole('button', { name: /Linked/ }).click();
    await operation
      .getByText(/query Linked/)
      .first()
      .waitFor();
  }));

test('downloads metadata, compares them by role, imports them after a confirmation, and reloads them', () =>
  on('/settings', async (page) => {
    await page.getByText('every object of them is in use').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the metadata' }).click();
    const metadata = JSON.parse(readFileSync(await (await downloading).path(), 'utf8'));
    expect(metadata).toEqual(await service.command('export_metadata', {}));

    const text = page.getByRole('textbox', { name: 'Metadata' });
    await text.fill('version: 3');
    await page.getByRole('button', { name: 'Preview the difference' }).click();
    await page.getByText(/This is no JSON/).waitFor();

    const [source] = metadata.sources;
    const fewer = { ...metadata, sources: [{ ...source, tables: [] }] };
    await text.fill(JSON.stringify(fewer));
    await page.getByRole('button', { name: 'Preview the difference' }).click();
    await page.getByText('Every object could be used').waitFor();
    const row = page
      .getByRole('region', { name: 'Changes for user' })
      .getByRole('row', { name: /query_root\.customer / });
    await row.getByText('removed, breaking').waitFor();
    expect(await service.command('export_metadata', {})).toEqual(metadata);

    const more = { ...source, tables: [...source.tables, { table: 'purchase' }, { table: 'nowhere' }] };
    const file = { name: 'metadata.json', mimeType: 'application/json' };
    const buffer = Buffer.from(JSON.stringify({ ...metadata, sources: [more] }));
    await page.getByLabel('File with metadata').setInputFiles({ ...file, buffer });
    await page.getByRole('button', { name: 'Preview the difference' }).click();
    await page.getByText('1 could not be used').waitFor();
    expect(await problems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import in spite of that' }).click();
    await page.getByRole('button', { name: 'Replace the metadata' }).click();
    await page.getByText('Metadata imported').waitFor();
    await page.getByRole('heading', { name: 'Inconsistent metadata objects' }).waitFor();
    await page.getByText('table nowhere in source default').first().waitFor();

    await sqlAsAdmin('create table nowhere (id int primary key)');
    await page.getByRole('button', { name: 'Reload the metadata' }).click();
    await page.getByText('every object of them is in use').waitFor();
    expect(await problems(page)).toEqual([]);
  }));
