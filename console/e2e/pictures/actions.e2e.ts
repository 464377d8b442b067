/** Screenshots and accessibility checks of action and remote schema pages in both themes and widths. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { capture, type Scene } from '../support/scenes.ts';
import { type Service, startService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { startWebhook, type Webhook } from '../support/webhook.ts';

let browser: Browser;
let webhook: Webhook;
let upstream: Upstream;
let service: Service;
let empty: Service;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  upstream = await startUpstream(offered, {});
  const environment = {
    NOTIFY_URL: webhook.url,
    NOTIFY_KEY: 'k-1',
    CARRIER: upstream.url,
    JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
  };
  [service, empty] = await Promise.all([startService(environment), startService({})]);
  await fill(service);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), empty?.stop(), webhook?.stop(), upstream?.stop()]);
});

const offered = `
  type Query { parcels(owner: ID, size: Size, first: Int = 10): [Parcel!]! carrier(code: String!): Carrier }
  type Mutation { send(parcel: SentParcel!): Parcel }
  "What is on its way"
  type Parcel { code: String! ownerId: Int! size: Size to: Place carrier: Carrier }
  type Place { city: String! country: String! }
  type Carrier { code: String! name: String }
  enum Size { SMALL MEDIUM LARGE }
  input SentParcel { ownerId: Int! size: Size = SMALL }
`;

async function fill({ url, command }: Service): Promise<void> {
  const sql = `create table customer (id int primary key, name text, region text);
    insert into customer values (7, 'Ada', 'north')`;
  const response = await fetch(`${url}/v2/query`, {
    method: 'POST',
    body: JSON.stringify({ type: 'run_sql', args: { sql } }),
  });
  expect(await response.text()).toContain('result');
  await command('pg_track_table', { table: 'customer' });
  const relationships = [
    {
      name: 'customer',
      type: 'object',
      remote_table: { schema: 'public', name: 'customer' },
      field_mapping: { customerId: 'id', region: 'region' },
    },
    { name: 'profile', definition: { to_action: { action: 'getProfile', arguments: { id: '$customerId' } } } },
  ];
  await command('bulk', [
    {
      type: 'set_custom_types',
      args: {
        scalars: [],
        enums: [{ name: 'Speed', values: [{ value: 'standard' }, { value: 'express' }] }],
        input_objects: [
          {
            name: 'Line',
            fields: [
              { name: 'sku', type: 'String!' },
              { name: 'count', type: 'Int', default_value: 1 },
            ],
          },
        ],
        objects: [
          {
            name: 'PlacedOrder',
            fields: [
              { name: 'orderId', type: 'Int!' },
              { name: 'customerId', type: 'Int!' },
              { name: 'region', type: 'String' },
            ],
          },
          {
            name: 'Profile',
            fields: [
              { name: 'id', type: 'Int!' },
              { name: 'name', type: 'String' },
            ],
          },
        ],
      },
    },
    {
      type: 'create_action',
      args: {
        name: 'placeOrder',
        comment: 'Places an order',
        definition: {
          handler: '{{NOTIFY_URL}}/place-order',
          output_type: 'PlacedOrder',
          arguments: [
            { name: 'lines', type: '[Line!]!' },
            { name: 'speed', type: 'Speed', default_value: 'standard' },
          ],
          headers: [{ name: 'X-Key', value_from_env: 'NOTIFY_KEY' }],
          timeout: 60,
          response_transform: {
            version: 2,
            body: { action: 'transform', template: '{ "orderId": 1042, "customerId": 7, "region": "north" }' },
          },
          request_transform: {
            version: 2,
            template_engine: 'Kriti',
            method: 'PUT',
            url: '{{$base_url}}/{{$body.input.speed}}',
            body: { action: 'transform', template: '{\n  "lines": {{$body.input.lines}}\n}' },
          },
        },
      },
    },
    {
      type: 'create_action',
      args: {
        name: 'getProfile',
        definition: {
          type: 'query',
          handler: '{{NOTIFY_URL}}/profile',
          output_type: 'Profile',
          arguments: [{ name: 'id', type: 'Int!' }],
        },
      },
    },
    { type: 'create_action_permission', args: { action: 'placeOrder', role: 'user' } },
    { type: 'create_action_permission', args: { action: 'getProfile', role: 'clerk' } },
    ...relationships.map((one) => ({ type: 'create_action_relationship', args: { type_name: 'PlacedOrder', ...one } })),
  ]);
  await command('add_remote_schema', { name: 'carrier', definition: { url: '{{CARRIER}}' }, comment: 'Parcels' });
  const schema =
    'type Query {\n  parcels(owner: ID @preset(value: "x-service-user-id")): [Parcel!]!\n}\n\ntype Parcel {\n  code: String!\n}';
  await command('add_remote_schema_permissions', { remote_schema: 'carrier', role: 'user', definition: { schema } });
  await command('create_remote_schema_remote_relationship', {
    remote_schema: 'carrier',
    type_name: 'Parcel',
    name: 'owner',
    definition: {
      to_source: {
        source: 'default',
        table: { schema: 'public', name: 'customer' },
        relationship_type: 'object',
        field_mapping: { ownerId: 'id' },
      },
    },
  });
}

interface ServiceScene extends Scene {
  /** On the empty service. */
  readonly empty?: true;
}

const scenes: readonly ServiceScene[] = [
  { name: 'actions', path: '/actions', act: (page) => page.getByText('placeOrder').first().waitFor() },
  {
    name: 'actions-permissions',
    path: '/actions?tab=permissions',
    act: (page) => page.getByLabel('user may call placeOrder').waitFor({ state: 'attached' }),
  },
  {
    name: 'actions-empty',
    path: '/actions',
    empty: true,
    act: (page) => page.getByText('There is no action').waitFor(),
  },
  {
    name: 'action',
    path: '/actions/of/placeOrder',
    act: (page) => page.getByRole('textbox', { name: 'Types', exact: true }).waitFor(),
  },
  {
    name: 'action-handler',
    path: '/actions/of/placeOrder?tab=handler',
    act: async (page) => {
      await page.getByRole('button', { name: 'Try the transforms' }).click();
      await page.getByRole('region', { name: 'request line and headers' }).waitFor();
    },
  },
  {
    name: 'action-permissions',
    path: '/actions/of/placeOrder?tab=permissions',
    act: (page) => page.getByText('no select permission on customer').first().waitFor(),
  },
  {
    name: 'action-relationships',
    path: '/actions/of/placeOrder?tab=relationships',
    act: (page) => page.getByText('PlacedOrder.customerId → default.public.customer.id').waitFor(),
  },
  {
    name: 'action-run',
    path: '/actions/of/placeOrder?tab=run',
    act: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('region', { name: 'response' }).waitFor();
    },
  },
  {
    name: 'action-code',
    path: '/actions/of/placeOrder?tab=code',
    act: (page) => page.getByRole('region', { name: 'code', exact: true }).waitFor(),
  },
  {
    name: 'relationship-form',
    path: '/actions/of/placeOrder?tab=relationships',
    act: async (page) => {
      await page.getByRole('button', { name: 'Edit customer' }).click();
      await page.getByText('Output fields').first().waitFor();
    },
  },
  {
    name: 'remote-relationship',
    path: '/actions/of/placeOrder?tab=relationships',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a relationship' }).click();
      await page.getByLabel('Leads to').selectOption('action');
      await page.getByRole('textbox', { name: 'Definition' }).waitFor();
    },
  },
  {
    name: 'action-form',
    path: '/actions/new',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Types', exact: true }).waitFor();
      await page.getByRole('textbox', { name: 'Handler' }).waitFor();
    },
  },
  {
    name: 'action-form-operation',
    path: '/actions/new',
    act: async (page) => {
      await page.getByRole('button', { name: 'Start from an operation' }).click();
      await write(page, 'Operation', 'query find($id: Int!) {\n  customer_by_pk(id: $id) {\n    id\n    name\n  }\n}');
      await page.getByRole('button', { name: 'Write the action' }).click();
      await page.getByText('FindOutput').first().waitFor();
    },
  },
  {
    name: 'action-form-errors',
    path: '/actions/new',
    act: async (page) => {
      await write(page, 'Action', 'type Mutation {\n  placeOrder(product: String!, product: Line): PlaecdOrder\n}');
      await write(page, 'Types', 'type PlacedOrder {\n  orderId: Int!\n  at: Timestamp\n}');
      await page.locator('.cm-lintRange-error').nth(2).waitFor();
    },
  },
  { name: 'remotes', path: '/remotes', act: (page) => page.getByText('carrier').first().waitFor() },
  {
    name: 'remotes-empty',
    path: '/remotes',
    empty: true,
    act: (page) => page.getByText('There is no remote schema').waitFor(),
  },
  { name: 'remote-new', path: '/remotes/new', act: openNames },
  {
    name: 'remote-schema',
    path: '/remotes/of/carrier',
    act: (page) => page.getByRole('region', { name: 'SDL' }).waitFor(),
  },
  {
    name: 'remote-permissions',
    path: '/remotes/of/carrier?tab=permissions',
    act: (page) => page.getByRole('region', { name: 'SDL of user' }).waitFor(),
  },
  {
    name: 'remote-permission-form',
    path: '/remotes/of/carrier?tab=permissions',
    above: true,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add a permission' }).click();
      await page.getByLabel('Query.parcels').check();
      await page
        .getByText(/type Parcel/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'remote-relationships',
    path: '/remotes/of/carrier?tab=relationships',
    act: (page) => page.getByText('Parcel.ownerId → default.public.customer.id').waitFor(),
  },
  {
    name: 'remote-settings',
    path: '/remotes/of/carrier?tab=settings',
    act: (page) => page.getByRole('button', { name: 'Save the settings' }).waitFor(),
  },
];

async function openNames(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Other names' }).click();
  await page.getByRole('textbox', { name: 'Names of fields' }).waitFor();
}

test.each(scenes)('$name', async (scene) => {
  expect(await capture(browser, scene.empty ? empty.url : service.url, scene)).toEqual([]);
});
