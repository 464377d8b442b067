/** Browser tests of remote schemas: creation, search, permissions, joins, change, reload, removal. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { choose, expectedRejections, startBrowser, visit, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const offered = `
  type Query { parcels(owner: ID, first: Int): [Parcel!]! secret: Secret }
  type Parcel { code: String! ownerId: Int! to: Place }
  type Place { city: String }
  type Secret { key: String }
`;

let browser: Browser;
let upstream: Upstream;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  upstream = await startUpstream(offered, { parcels: [{ code: 'P-1', ownerId: 7 }] });
  const environment = { CARRIER: upstream.url, CARRIER_URL: upstream.url, CARRIER_KEY: 'k' };
  service = await startService({ ...environment, JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' });
  const sql = "create table customer (id int primary key, name text); insert into customer values (7, 'Ada')";
  const response = await fetch(`${service.url}/v2/query`, {
    method: 'POST',
    body: JSON.stringify({ type: 'run_sql', args: { sql } }),
  });
  expect(await response.text()).toContain('result');
  await service.command('pg_track_table', { table: 'customer' });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await upstream?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant: expectedRejections });

const writtenRemote = async () => {
  const exported = (await service.command('export_metadata', {})) as { remote_schemas: readonly unknown[] };
  return exported.remote_schemas[0];
};

test('the disabled button of the form gives its reason to the keyboard', () =>
  on('/remotes/new', async (page) => {
    const button = page.getByRole('button', { name: 'Add the remote schema' });
    expect(await button.isDisabled()).toBe(true);
    await button.focus();
    await page
      .getByRole('tooltip')
      .getByText(/^Name: /)
      .waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('carrier2');
    await page
      .getByRole('tooltip')
      .getByText(/^Name: /)
      .waitFor({ state: 'detached' });
    await button.focus();
    await page
      .getByRole('tooltip')
      .getByText(/^Address: /)
      .waitFor();
  }));

test('adds a remote schema with headers, searches it, changes it, and shows the differences after a reload', () =>
  on('/remotes', async (page) => {
    await page.getByText('There is no remote schema').waitFor();
    await page.getByRole('link', { name: 'Add a remote schema' }).first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('carrier');
    await page.getByRole('textbox', { name: 'URL' }).fill('http://127.0.0.1:9/nobody');
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 1').fill('X-Key');
    await page.getByLabel('Source of the value of header 1').selectOption('environment');
    await page.getByLabel('Variable of header 1').fill('CARRIER_KEY');
    await page.getByRole('button', { name: 'Add the remote schema' }).click();
    await page.getByText('The remote schema was not saved').waitFor();
    await page.getByRole('textbox', { name: 'URL' }).fill('{{CARRIER}}');
    await page.getByRole('button', { name: 'Add the remote schema' }).click();
    await page.getByText('Current').waitFor();

    await page.getByText('4 types, in the names of the remote schema itself.').waitFor();
    await page.getByRole('textbox', { name: 'Search' }).fill('CITY');
    await page.getByText('1 type of 4 with it.').waitFor();
    await page
      .getByRole('region', { name: 'SDL' })
      .getByText(/type Place/)
      .waitFor();

    await page.getByRole('tab', { name: /Settings/ }).click();
    await page.getByLabel('Timeout in seconds').fill('5');
    await page.getByLabel('Address').selectOption('environment');
    await page.getByRole('textbox', { name: 'Variable', exact: true }).fill('CARRIER_URL');
    await page.getByRole('button', { name: 'Other names' }).click();
    await page.getByLabel('Namespace of the root fields').fill('shipping');
    await page.getByRole('button', { name: 'Add a renamed type' }).click();
    await page.getByLabel('Name of renamed type 1').fill('Parcel');
    await page.getByLabel('Value of renamed type 1').fill('Package');
    await page.getByRole('button', { name: 'Add a type' }).click();
    await page.getByRole('combobox', { name: 'Type 1 with other names of fields' }).fill('Parcel');
    await page.getByRole('button', { name: 'Add a renamed field of type 1' }).click();
    await page.getByLabel('Name of renamed field of type 1 1').fill('code');
    await page.getByLabel('Value of renamed field of type 1 1').fill('number');
    await page.getByRole('textbox', { name: 'Names of fields' }).getByText('"number"').waitFor();
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.getByText('Remote schema changed').waitFor();
    expect(await writtenRemote()).toEqual({
      name: 'carrier',
      definition: {
        url_from_env: 'CARRIER_URL',
        headers: [{ name: 'X-Key', value_from_env: 'CARRIER_KEY' }],
        timeout_seconds: 5,
        customization: {
          root_fields_namespace: 'shipping',
          type_names: { mapping: { Parcel: 'Package' } },
          field_names: [{ parent_type: 'Parcel', mapping: { code: 'number' } }],
        },
      },
    });
    expect(await service.query('{ shipping { parcels { number __typename } } }')).toEqual({
      data: { shipping: { parcels: [{ number: 'P-1', __typename: 'Package' }] } },
    });

    upstream.offer(
      offered.replace('secret: Secret', 'secret: Secret news: String').replace('city: String', 'zip: Int'),
    );
    await page.getByRole('button', { name: 'Reload' }).click();
    const changes = page.getByRole('list', { name: 'Changes' });
    await changes.getByText('Place.city was removed').waitFor();
    await changes.getByText('Query.news is new').waitFor();
    upstream.offer(offered);
    await page.getByRole('button', { name: 'Reload' }).click();
    await changes.getByText('Place.city is new').waitFor();
  }));

test('a role gets permission for chosen fields with a preset, in an editor that validates them', () =>
  on('/remotes/of/carrier?tab=permissions', async (page) => {
    await page.getByRole('button', { name: 'Add a permission' }).click();
    await page.getByRole('combobox', { name: 'Role' }).fill('user');
    await page.getByLabel('Query.parcels').check();
    const editor = page.getByRole('textbox', { name: 'What the role sees' });
    await editor
      .getByText(/Parcel/)
      .first()
      .waitFor();
    await write(
      page,
      'What the role sees',
      'type Query { parcels(owner: ID): [Parcel!]! } type Parcel { cod: String! }',
    );
    await page.getByText(/Parcel has no field cod, in line 1, column 61/).waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    await write(
      page,
      'What the role sees',
      'type Query { parcels(owner: ID @preset(value: "x-service-user-id")): [Parcel!]! } type Parcel { code: String! }',
    );
    await page.getByRole('button', { name: 'Save the permission' }).click();
    await page.getByText('Permission of user saved').waitFor();
    expect(
      await service.query('{ shipping { parcels { number } } }', {
        'x-service-role': 'user',
        'x-service-user-id': '7',
      }),
    ).toEqual({
      data: { shipping: { parcels: [{ number: 'P-1' }] } },
    });

    await page.getByRole('button', { name: 'Edit what user sees' }).click();
    await page.getByLabel('Query.secret').check();
    expect(await page.getByLabel('Preset of owner of parcels').inputValue()).toBe('x-service-user-id');
    await page.getByLabel('Argument first of parcels').check();
    await page.getByLabel('Preset of first of parcels').fill('3');
    await editor.getByText('@preset(value: 3)').waitFor();
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save the permission' }).click();
    await page
      .getByRole('region', { name: 'SDL of user' })
      .getByText(/type Secret/)
      .waitFor();
    await page.getByRole('button', { name: 'Remove the permission of user' }).click();
    await page.getByRole('button', { name: 'Remove the permission', exact: true }).click();
    await page.getByText('No role has a permission').waitFor();
  }));

test('joins a type to a table, renames and removes the relationship, and removes the remote schema', () =>
  on('/remotes/of/carrier?tab=relationships', async (page) => {
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Parcel' }).click();
    await page.getByRole('button', { name: 'Add a relationship' }).click();
    await page.getByLabel('Relationship name').fill('owner');
    await page.getByLabel('Leads to').selectOption('table');
    await choose(page, 'Reference table', 'customer');
    await choose(page, 'From', 'ownerId: Int!');
    await choose(page, 'To', 'id: int4');
    const to_source = {
      source: 'default',
      table: { schema: 'public', name: 'customer' },
      relationship_type: 'object',
      field_mapping: { ownerId: 'id' },
    };
    await write(page, 'Definition', JSON.stringify({ to_source: { ...to_source, field_mapping: { ownerId: 'ids' } } }));
    await page.getByRole('button', { name: 'Add the relationship' }).click();
    await page.getByText('The relationship was not saved').waitFor();
    await write(page, 'Definition', JSON.stringify({ to_source }));
    await page.getByRole('button', { name: 'Add the relationship' }).click();
    await page.getByText('Parcel.ownerId → default.public.customer.id').waitFor();
    await page.getByRole('button', { name: 'Edit owner' }).click();
    await page.getByLabel('Relationship name').fill('customer');
    await page.getByRole('button', { name: 'Save the relationship' }).click();
    await page.getByRole('button', { name: 'Remove customer' }).waitFor();
    expect(await service.query('{ shipping { parcels { customer { name } } } }')).toEqual({
      data: { shipping: { parcels: [{ customer: { name: 'Ada' } }] } },
    });
    await page.getByRole('button', { name: 'Remove customer' }).click();
    await page.getByRole('button', { name: 'Remove the relationship' }).click();
    await page.getByText('No type has relationships yet.').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the remote schema' }).click();
    await page.getByText('There is no remote schema').waitFor();
  }));

test('does not overwrite settings, permissions and relationships that changed elsewhere, and keeps the input', async () => {
  const definition = { url: '{{CARRIER}}' };
  const schema = 'type Query { parcels: [Parcel!]! } type Parcel { code: String! }';
  const permission = { remote_schema: 'carrier', role: 'user', definition: { schema } };
  const to_source = {
    source: 'default',
    table: { schema: 'public', name: 'customer' },
    relationship_type: 'object',
    field_mapping: { ownerId: 'id' },
  };
  const join = { remote_schema: 'carrier', type_name: 'Parcel', name: 'owner' };
  await service.command('add_remote_schema', { name: 'carrier', definition });
  await service.command('add_remote_schema_permissions', permission);
  await service.command('create_remote_schema_remote_relationship', { ...join, definition: { to_source } });
  await on('/remotes/of/carrier?tab=settings', async (page) => {
    const timeout = page.getByLabel('Timeout in seconds');
    const save = page.getByRole('button', { name: 'Save the settings' });
    await timeout.fill('5');
    await service.command('update_remote_schema', {
      name: 'carrier',
      definition: { ...definition, timeout_seconds: 9 },
    });
    await save.click();
    await page.getByText(/did not match current version/).waitFor();
    expect(await timeout.inputValue()).toBe('5');
    expect(await writtenRemote()).toMatchObject({ definition: { timeout_seconds: 9 } });
    await page.getByRole('button', { name: 'Overwrite their change' }).click();
    await page.getByText('Remote schema changed').waitFor();
    expect(await writtenRemote()).toMatchObject({ definition: { timeout_seconds: 5 } });
    // The saved values are the base of the next change.
    await page.getByText('The remote schema was not saved').waitFor({ state: 'detached' });
    await timeout.fill('6');
    await save.click();
    await expect.poll(writtenRemote).toMatchObject({ definition: { timeout_seconds: 6 } });

    await page.getByRole('tab', { name: /Permissions/ }).click();
    await page.getByRole('button', { name: 'Edit what user sees' }).click();
    await page.getByLabel('Query.secret').check();
    await service.command('bulk', [
      { type: 'drop_remote_schema_permissions', args: { remote_schema: 'carrier', role: 'user' } },
      { type: 'add_remote_schema_permissions', args: { ...permission, comment: 'theirs' } },
    ]);
    await page.getByRole('button', { name: 'Save the permission' }).click();
    await page.getByText(/did not match current version/).waitFor();
    expect(await page.getByLabel('Query.secret').isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Overwrite their change' }).click();
    await page
      .getByRole('region', { name: 'SDL of user' })
      .getByText(/type Secret/)
      .waitFor();

    await page.getByRole('tab', { name: /Relationships/ }).click();
    await page.getByRole('button', { name: 'Edit owner' }).click();
    await page.getByLabel('Relationship name').fill('customer');
    const array = { ...to_source, relationship_type: 'array' };
    const change = { ...join, definition: { to_source: array } };
    await service.command('update_remote_schema_remote_relationship', change);
    await page.getByRole('button', { name: 'Save the relationship' }).click();
    await page.getByText(/did not match current version/).waitFor();
    expect(await page.getByLabel('Relationship name').inputValue()).toBe('customer');
    expect(await writtenRemote()).toMatchObject({ remote_relationships: [{ relationships: [{ name: 'owner' }] }] });
    await page.getByRole('button', { name: 'Overwrite their change' }).click();
    await page.getByRole('button', { name: 'Remove customer' }).waitFor();
  });
  await service.command('remove_remote_schema', { name: 'carrier' });
});

test('reports an unreachable remote schema as stale with the reason, and why a reload failed', async () => {
  const leaving = await startUpstream(offered, {});
  const watched = await startService({ CARRIER: leaving.url, JOINERY_REMOTE_SCHEMA_REFRESH_INTERVAL: '1' });
  try {
    await watched.command('add_remote_schema', { name: 'carrier', definition: { url: '{{CARRIER}}' } });
    await leaving.stop();
    const seen = await visit(browser, `${watched.url}/console/remotes/of/carrier`);
    await seen.page.getByText('Stale').waitFor();
    await seen.page.getByText(/The cached schema is in use/).waitFor();
    await seen.page
      .getByRole('region', { name: 'SDL' })
      .getByText(/type Parcel/)
      .waitFor();
    await seen.page.getByRole('button', { name: 'Reload' }).click();
    await seen.page.getByText('It was not read again').waitFor();
    await seen.close();
  } finally {
    await watched.stop();
  }
});
