/** Browser tests of relationships to remote schemas, actions and functions by form, beside their JSON and GraphQL. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, settled } from '../support/axe.ts';
import { choose, expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';
import { openTeaShop } from '../support/tea-shop.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const offered = `
  type Query { parcels(customerId: ID!, where: Filter, first: Int): [Parcel!]! depot(id: ID): Depot notes: String matching(any: [Filter!]!): [Parcel!]! }
  input Filter { state: State weight: Range }
  input Range { least: Int most: Int }
  enum State { SENT ARRIVED }
  type Parcel { code: String! customerId: ID }
  type Depot { name: String workers(first: Int): [Worker!]! }
  type Worker { name: String }
`;

let browser: Browser;
let upstream: Upstream;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  upstream = await startUpstream(offered, {
    parcels: ({ customerId }: { customerId: string }) => [{ code: `P-${customerId}`, customerId }],
    depot: { name: 'North', workers: [{ name: 'Ada' }] },
    matching: ({ any }: { any: readonly { state?: string; weight?: { most?: number } }[] }) =>
      any.map(({ state, weight }) => ({ code: `${state} ${weight?.most}` })),
  });
  service = await startService({ CARRIER: upstream.url });
  await openTeaShop(service);
  await service.command('add_remote_schema', { name: 'carrier', definition: { url: '{{CARRIER}}' } });
  await service.command('set_custom_types', {
    objects: [{ name: 'Tracking', fields: [{ name: 'code', type: 'String!' }] }],
  });
  const definition = {
    type: 'query',
    handler: 'http://127.0.0.1:9/track',
    output_type: 'Tracking',
    arguments: [
      { name: 'order_id', type: 'Int!' },
      { name: 'kind', type: 'String' },
    ],
  };
  await service.command('create_action', { name: 'trackingOf', definition });
  const sql = `create function orders_from(customer_id int, lowest int default 1) returns setof "order" stable language sql
    as 'select * from "order" where customer_id = $1 and id >= $2'`;
  const body = JSON.stringify({ type: 'run_sql', args: { sql } });
  expect((await fetch(`${service.url}/v2/query`, { method: 'POST', body })).status).toBe(200);
  await service.command('pg_track_function', { function: 'orders_from' });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await upstream?.stop();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant: expectedRejections });

const written = async (table: string, name: string): Promise<unknown> => {
  const { sources } = (await service.command('export_metadata', {})) as Exported;
  const entry = sources[0]?.tables.find((one) => one.table.name === table);
  return entry?.remote_relationships?.find((one) => one.name === name)?.definition;
};

interface Exported {
  readonly sources: readonly {
    readonly tables: readonly {
      readonly table: { readonly name: string };
      readonly remote_relationships?: readonly { readonly name: string; readonly definition: unknown }[];
    }[];
  }[];
}

const add = async (page: Page, name: string, target: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add a relationship' }).click();
  await page.getByLabel('Relationship name').fill(name);
  await page.getByLabel('Leads to').selectOption(target);
  await page.getByRole('textbox', { name: 'Definition' }).waitFor();
  expect(await page.getByLabel('Relationship name').inputValue()).toBe(name);
};

const save = (page: Page) => page.getByRole('button', { name: 'Add the relationship' }).click();

test('a field of a remote schema is chosen in a tree, with the argument of the same name filled in, and can be tried', () =>
  on('/data/default/public/order/relationships', async (page) => {
    await add(page, 'parcels', 'remote schema');
    await choose(page, 'Remote schema', 'carrier');
    await page.getByLabel('Search the fields').fill('parc');
    await page.getByRole('radio', { name: 'depot' }).waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'parcels' }).check();
    expect(await page.getByRole('combobox', { name: 'Column for customerId' }).inputValue()).toContain('customer_id');
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await save(page);
    await page.getByText('order → carrier: parcels(customerId: $customer_id)').waitFor();
    await page.getByRole('button', { name: 'Try it: parcels' }).click();
    await page.getByRole('heading', { name: 'Explore', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/P-2/).first().waitFor();
  }));

test('a computed field is the key of a relationship', async () => {
  const sql = `create function badge_of(owner customer) returns text language sql stable as $$ select 'B' || owner.id $$`;
  const body = JSON.stringify({ type: 'run_sql', args: { sql } });
  expect((await fetch(`${service.url}/v2/query`, { method: 'POST', body })).status).toBe(200);
  await service.command('pg_add_computed_field', {
    table: 'customer',
    name: 'badge',
    definition: { function: 'badge_of' },
  });
  await on('/data/default/public/customer/relationships', async (page) => {
    await add(page, 'by_badge', 'remote schema');
    await choose(page, 'Remote schema', 'carrier');
    await page.getByRole('radio', { name: 'parcels' }).check();
    await choose(page, 'Column for customerId', /^badge/);
    await save(page);
    await page.getByText('customer → carrier: parcels(customerId: $badge)').waitFor();
  });
  expect(await service.query('{ customer(limit: 1, order_by: { id: asc }) { by_badge { code } } }')).toEqual({
    data: { customer: [{ by_badge: [{ code: 'P-B1' }] }] },
  });
});

test('items of a list of input objects are filled by fields, added and removed', async () => {
  await on('/data/default/public/customer/relationships', async (page) => {
    await add(page, 'matching', 'remote schema');
    await choose(page, 'Remote schema', 'carrier');
    await page.getByRole('radio', { name: 'matching' }).check();
    await page.getByRole('checkbox', { name: /^any/ }).check();
    await page.getByRole('button', { name: 'Add an item to any' }).click();
    await page.getByRole('button', { name: 'Remove item 2 of any' }).click();
    await page.getByRole('checkbox', { name: /^state/ }).check();
    await page.getByLabel('Value of any.0.state').selectOption('ARRIVED');
    await page.getByRole('checkbox', { name: /^weight/ }).check();
    await page.getByRole('checkbox', { name: /^most/ }).check();
    await page.getByLabel('Source of any.0.weight.most').selectOption('key');
    await choose(page, 'Column for any.0.weight.most', /^id/);
    await settled(page);
    expect(await axeViolations(page)).toEqual([]);
    await save(page);
    await page.getByRole('button', { name: 'Remove matching' }).waitFor();
  });
  expect(await service.query('{ customer(limit: 1, order_by: { id: asc }) { matching { code } } }')).toEqual({
    data: { customer: [{ matching: [{ code: 'ARRIVED 1' }] }] },
  });
});

test('nested input objects are filled by fields with fixed values and columns', async () => {
  await on('/data/default/public/customer/relationships', async (page) => {
    await add(page, 'light_parcels', 'remote schema');
    await choose(page, 'Remote schema', 'carrier');
    await page.getByRole('radio', { name: 'parcels' }).check();
    await page.getByRole('checkbox', { name: /^where/ }).check();
    await page.getByRole('checkbox', { name: /^state/ }).check();
    await page.getByLabel('Value of where.state').selectOption('ARRIVED');
    await page.getByRole('checkbox', { name: /^weight/ }).check();
    await page.getByRole('checkbox', { name: /^most/ }).check();
    await page.getByLabel('Value of where.weight.most').fill('heavy');
    await page.getByText('Must be a whole number.').waitFor();
    await page.getByLabel('Value of where.weight.most').fill('5');
    await save(page);
    await page.getByRole('button', { name: 'Remove light_parcels' }).waitFor();
  });
  expect(await written('customer', 'light_parcels')).toEqual({
    to_remote_schema: {
      remote_schema: 'carrier',
      lhs_fields: ['id'],
      remote_field: {
        parcels: { arguments: { customerId: '$id', where: { state: 'ARRIVED', weight: { most: 5 } } } },
      },
    },
  });
});

test('form, JSON and GraphQL follow each other, and the form says what it cannot show', async () => {
  await on('/data/default/public/product/relationships', async (page) => {
    await add(page, 'workers', 'remote schema');
    await choose(page, 'Remote schema', 'carrier');
    await page.getByText('GraphQL', { exact: true }).click();
    await write(page, 'Request', '{ depot(id: $id) { workers(first: 3) } }');
    await page.getByRole('radio', { name: 'depot.workers' }).waitFor();
    expect(await page.getByRole('radio', { name: 'depot.workers' }).isChecked()).toBe(true);
    expect(await page.getByLabel('Value of first').inputValue()).toBe('3');
    await page.getByLabel('Value of first').fill('4');
    await page.getByRole('textbox', { name: 'Request' }).getByText('4').waitFor();
    await page.getByText('JSON', { exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Definition' });
    await editor.getByText('"workers"').waitFor();
    const text = (await editor.innerText()).replaceAll('\n', ' ');
    await write(page, 'Definition', '{"to_nowhere": {}}');
    await page.getByText('The form cannot show the text. There is no target "to_nowhere".').waitFor();
    expect(await page.getByRole('button', { name: 'Add the relationship' }).isDisabled()).toBe(true);
    await write(page, 'Definition', text);
    await page.getByRole('radio', { name: 'depot.workers' }).waitFor();
    await save(page);
    await page.getByRole('button', { name: 'Remove workers' }).waitFor();
  });
  const remote_field = { depot: { arguments: { id: '$id' }, field: { workers: { arguments: { first: 4 } } } } };
  expect(await written('product', 'workers')).toEqual({
    to_remote_schema: { remote_schema: 'carrier', lhs_fields: ['id'], remote_field },
  });
});

test('an error of the service is shown at the argument that it is about, and the input stays', () =>
  on('/data/default/public/order/relationships', async (page) => {
    await add(page, 'wrong', 'remote schema');
    const remote_field = { parcels: { arguments: { customerId: '$customer_id', first: 'many' } } };
    const definition = { to_remote_schema: { remote_schema: 'carrier', lhs_fields: ['customer_id'], remote_field } };
    await write(page, 'Definition', JSON.stringify(definition));
    await page.getByLabel('Value of first').waitFor();
    await save(page);
    await page.getByText('The relationship was not saved').waitFor();
    await page
      .getByRole('listitem')
      .filter({ has: page.getByLabel('Value of first') })
      .last()
      .getByText('"many" is not a value of type Int')
      .waitFor();
    await page.getByLabel('Value of first').fill('2');
    await save(page);
    await page.getByRole('button', { name: 'Remove wrong' }).waitFor();
  }));

test('an action and a function are chosen from lists, with their arguments filled in by name', async () => {
  await on('/data/default/public/order/relationships', async (page) => {
    await add(page, 'tracking', 'action');
    await choose(page, 'Action', 'trackingOf');
    expect(await page.getByRole('combobox', { name: 'Column for order_id' }).inputValue()).toContain('id');
    await page.getByRole('checkbox', { name: /^kind/ }).check();
    await page.getByLabel('Value of kind').fill('short');
    await save(page);
    await page.getByText('order → trackingOf(order_id: $id, kind: "short")').waitFor();
    await page.getByRole('button', { name: 'Edit tracking' }).click();
    await page.getByLabel('Relationship name').fill('shipment');
    await page.getByRole('button', { name: 'Save the relationship' }).click();
    await page.getByRole('button', { name: 'Remove shipment' }).click();
    await page.getByRole('button', { name: 'Remove the relationship' }).click();
    await page.getByRole('button', { name: 'Remove shipment' }).waitFor({ state: 'detached' });
  });
  await on('/data/default/public/customer/relationships', async (page) => {
    await add(page, 'recent', 'function');
    await choose(page, 'Function', 'orders_from');
    await page.getByRole('textbox', { name: 'Definition' }).getByText('"customer_id"').waitFor();
    await save(page);
    await page.getByRole('button', { name: 'Remove recent' }).waitFor();
    await page.getByText('customer.id → default.public.orders_from(customer_id)').waitFor();
  });
  expect(
    await service.query('{ customer(where: {id: {_eq: 2}}) { recent(limit: 1, order_by: {id: asc}) { id } } }'),
  ).toEqual({ data: { customer: [{ recent: [{ id: 2 }] }] } });
});

test('an action whose arguments have names of columns is suggested, and the form is filled in', () =>
  on('/data/default/public/order/relationships', async (page) => {
    await page.getByRole('button', { name: 'Review trackingOf' }).click();
    expect(await page.getByLabel('Relationship name').inputValue()).toBe('trackingOf');
    await page.getByRole('combobox', { name: 'Column for order_id' }).waitFor();
    await save(page);
    await page.getByRole('button', { name: 'Remove trackingOf' }).waitFor();
    await page.getByRole('button', { name: 'Review trackingOf' }).waitFor({ state: 'detached' });
  }));
