/** Browser tests of stored operations, REST endpoints, limits, rejected requests, nodes and configuration. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';

const secret = 'only for these tests';

let browser: Browser;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  service = await startService({ JOINERY_ADMIN_SECRET: secret, JOINERY_POOL_SIZE: '7' });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { secret, meant: /Failed to load resource.*400/ });

const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

test('a saved operation of the explorer can be added to and removed from the allow list, and can get a URL', () =>
  on('/explore', async (page) => {
    const operation = page.getByRole('textbox', { name: 'Operation' });
    await operation.press('Control+A');
    await operation.press('Delete');
    await operation.fill('query Kind($of: Boolean!) { __typename @include(if: $of) }');
    await page.getByRole('button', { name: 'Favorites' }).click();
    await page.getByRole('textbox', { name: 'Save as' }).fill('kind');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('button', { name: 'New collection' }).click();
    await page.getByLabel('Name').fill('shop');
    await page.getByRole('button', { name: 'Create the collection' }).click();
    const shop = page.getByRole('region', { name: 'Collection shop' });
    await shop.getByText('Not in the allow list').waitFor();
    await shop.getByRole('button', { name: 'Add an operation' }).click();
    await page.getByLabel('Saved in the explorer').selectOption('kind');
    await page.getByRole('button', { name: 'Add the operation' }).click();
    await shop.getByText('1 operation').waitFor();
    await shop.getByRole('button', { name: 'Add to the allow list' }).click();
    await shop.getByText('Allowed for every role').waitFor();

    await tab(page, 'REST endpoints');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Name').fill('kind');
    await page.getByLabel('URL').fill('kind/:of');
    await page.getByLabel('POST').check();
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    const endpoint = page.getByRole('region', { name: 'Endpoint kind' });
    await endpoint.getByText('/api/rest/kind/:of').waitFor();
    const response = await fetch(`${service.url}/api/rest/kind/true`, {
      headers: { 'x-service-admin-secret': secret },
    });
    expect(await response.json()).toEqual({ __typename: 'query_root' });
    await endpoint.getByRole('link', { name: 'Open in Explore' }).click();
    await operation
      .getByText(/query Kind/)
      .first()
      .waitFor();
    await page.goBack();

    await tab(page, 'Collections');
    await shop.getByRole('button', { name: 'Remove the collection' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Nothing was removed').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await tab(page, 'REST endpoints');
    await endpoint.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No REST endpoints').waitFor();
    await tab(page, 'Collections');
    await shop.getByRole('button', { name: 'Remove the collection' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No collections of operations').waitFor();
    expect(await service.command('export_metadata', {})).not.toHaveProperty('query_collections');
  }));

test('a mutation gets a GET endpoint only after a confirmation in the form', async () => {
  const command = async (type: string, args: unknown) => {
    const headers = { 'content-type': 'application/json', 'x-service-admin-secret': secret };
    const body = JSON.stringify({ type, args });
    const response = await fetch(`${service.url}/v1/query`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
  };
  await command('run_sql', { sql: 'create table visit (id int primary key)' });
  await command('track_table', 'visit');
  const queries = [{ name: 'clear', query: 'mutation { delete_visit(where: {}) { affected_rows } }' }];
  await command('create_query_collection', { name: 'visits', definition: { queries } });
  await on('/operations/endpoints', async (page) => {
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Name').fill('clear');
    await page.getByLabel('URL').fill('clear');
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    await page.getByText('The endpoint was not created').waitFor();
    await page.getByLabel('Run the mutation for GET requests').check();
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    await page.getByRole('region', { name: 'Endpoint clear' }).waitFor();
  });
  const headers = { 'x-service-admin-secret': secret };
  const response = await fetch(`${service.url}/api/rest/clear`, { headers });
  expect(await response.json()).toEqual({ delete_visit: { affected_rows: 0 } });
  await command('drop_rest_endpoint', { name: 'clear' });
  await command('drop_query_collection', { collection: 'visits', cascade: false });
});

test('sets limits by a form beside their JSON, for every role and for single roles, and removes them', () =>
  on('/operations/limits', async (page) => {
    await page.getByRole('button', { name: 'Set limits' }).click();
    await page.getByLabel('Depth for every role').fill('deep');
    await expect.poll(() => page.getByLabel('Depth for every role').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('button', { name: 'Save the limits' }).isDisabled()).toBe(true);
    await page.getByLabel('Depth for every role').fill('4');
    await page.getByRole('button', { name: 'Add a role with another depth' }).click();
    await page.getByRole('combobox', { name: 'Role 1 with another depth' }).fill('user');
    await page.getByLabel('Depth for user', { exact: true }).fill('2');
    await page.getByLabel('Rate for every role', { exact: true }).fill('600');
    await page.getByLabel('Rate for every role: callers that share it').selectOption('address');
    await page.getByRole('textbox', { name: 'Limits' }).getByText('"unique_params"').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save the limits' }).click();
    await page.getByRole('cell', { name: 'user: 2 levels of selections' }).waitFor();
    expect(await service.command('export_metadata', {})).toMatchObject({
      api_limits: {
        depth_limit: { global: 4, per_role: { user: 2 } },
        rate_limit: { global: { max_reqs_per_min: 600, unique_params: 'IP' } },
      },
    });
    await page.getByRole('button', { name: 'Edit' }).click();
    await write(page, 'Limits', '{"width_limit": {"global": 4}}');
    await page.getByText('The form cannot show the text. There is no limit "width_limit".').waitFor();
    expect(await page.getByRole('button', { name: 'Save the limits' }).isDisabled()).toBe(true);
    await write(page, 'Limits', '{"node_limit": {"global": 9}}');
    await expect.poll(() => page.getByLabel('Nodes for every role').inputValue()).toBe('9');
    await page.getByRole('button', { name: 'Save the limits' }).click();
    await page.getByRole('cell', { name: '9 fields in an operation' }).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove the limits' }).click();
    await page.getByText('Callers have no limits').waitFor();
  }));

test('lists rejected requests by code with their reason', () =>
  on('/operations/rejected', async (page) => {
    await fetch(`${service.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-admin-secret': secret, 'x-request-id': 'mine-1' },
      body: '{"query": "{ nowhere }"}',
    });
    await page.getByRole('button', { name: 'Refresh now' }).click();
    await page.getByLabel('Code').selectOption('validation-failed');
    await page.getByRole('row').filter({ hasText: 'nowhere' }).first().click();
    await page.getByRole('dialog', { name: 'Rejected request' }).getByText('mine-1').waitFor();
  }));

test('lists the nodes, and each setting with its origin, without secrets', () =>
  on('/settings/nodes', async (page) => {
    await page.getByText('1 node alive').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'Responds to this console' })
      .getByText('API, Console, Events')
      .waitFor();
    await tab(page, 'Configuration');
    const settings = page.getByRole('list', { name: 'Settings' });
    await page.getByLabel('Only settings that are set').check();
    await page.getByLabel('Search the settings').fill('pool');
    await settings.getByText('From the environment; default 10').waitFor();
    await page.getByLabel('Search the settings').fill('admin_secret');
    await settings.getByText('***').waitFor();
    expect(await page.content()).not.toContain(secret);
  }));

test('lists members without effect separately from inconsistent objects, and does not remove them together', () =>
  on('/settings', async (page) => {
    const metadata = (await service.command('export_metadata', {})) as { sources: object[] };
    const [first, ...others] = metadata.sources;
    const sources = [{ ...first, stored_procedures: [{ stored_procedure: 'a' }] }, ...others];
    await service.command('replace_metadata', { metadata: { ...metadata, sources } });
    await page.reload();
    await page.getByRole('heading', { name: 'Metadata without effect' }).waitFor();
    await page.getByRole('button', { name: /stored_procedures of source "default"/ }).waitFor();
    await page.getByText('every object is in use').waitFor();
    expect(await page.getByRole('button', { name: 'Remove all inconsistent objects' }).count()).toBe(0);
    await service.command('replace_metadata', { metadata });
  }));

test('links an inconsistent object to its page, and removes all of them after confirmation', () =>
  on('/settings', async (page) => {
    await page.getByText('every object is in use').waitFor();
    const metadata = (await service.command('export_metadata', {})) as { sources: { tables: object[] }[] };
    for (const name of ['gone', 'gone_too']) metadata.sources[0]?.tables.push({ table: { schema: 'public', name } });
    await service.command('replace_metadata', { allow_inconsistent_metadata: true, metadata });
    await page.reload();
    await page.getByRole('button', { name: /table gone in source default/ }).click();
    const link = page.getByRole('link', { name: 'Open the table' });
    expect(await link.getAttribute('href')).toBe('/console/data/default/public/gone/structure');
    await page.getByRole('button', { name: 'Remove all inconsistent objects' }).click();
    await page.getByRole('button', { name: 'Remove 2 objects' }).click();
    await page.getByText('every object is in use').waitFor();
    expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: true });
  }));
