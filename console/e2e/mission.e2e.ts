/** Browser test of the complete workflow: tables, a joined action, a query, an event. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose, startBrowser, visit } from './support/browser.ts';
import { write } from './support/editors.ts';
import { captureForDocs } from './support/scenes.ts';
import { type Service, startService } from './support/service.ts';
import { startWebhook, type Webhook } from './support/webhook.ts';

let browser: Browser;
let handler: Server;
let service: Service;
let webhook: Webhook;

beforeAll(async () => {
  [browser, webhook] = await Promise.all([startBrowser(), startWebhook()]);
  handler = createServer((request, response) => {
    void respond(request).then((body) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(handler, 'listening');
  const { port } = handler.address() as AddressInfo;
  service = await startService({ HANDLERS: `http://127.0.0.1:${port}`, NOTIFY_URL: webhook.url });
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), webhook?.stop()]);
  handler?.close();
});

const loyalty = buildSchema(
  'type Loyalty { level: String! points: Int! } type Query { loyalty(customer: Int!): Loyalty }',
);

/** The response of the action handler, or of the remote schema at `/graphql`. */
async function respond(request: IncomingMessage): Promise<unknown> {
  if (request.url !== '/graphql') return { id: 7, customer_id: 2 };
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { query: source, variables: variableValues } = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly query: string;
    readonly variables?: Record<string, unknown>;
  };
  return graphql({ schema: loyalty, source, variableValues, rootValue: { loyalty: { level: 'gold', points: 310 } } });
}

const link = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

async function createTables(page: Page): Promise<void> {
  await link(page, 'SQL');
  await write(
    page,
    'SQL',
    `create table customer (id int primary key, name text not null);
    create table invoice (id int primary key, customer_id int not null references customer, total numeric);
    insert into customer values (1, 'Ada Lovelace'), (2, 'Grace Hopper');
    insert into invoice values (10, 2, 12.50), (11, 2, 99.90);`,
  );
  await button(page, 'Run');
  await page.getByText('INSERT').first().waitFor();
}

async function trackTables(page: Page): Promise<void> {
  await link(page, 'Tables');
  for (const table of ['customer', 'invoice']) {
    await row(page, table).getByRole('button', { name: 'Track' }).click();
    await page.getByText(`${table} tracked`).waitFor();
  }
  await button(page, 'Review');
  await button(page, 'Create 2 relationships');
  await row(page, 'customer').getByText('1 relationship').waitFor();
}

async function createAction(page: Page): Promise<void> {
  await link(page, 'Actions');
  await page.getByRole('link', { name: 'Create an action' }).first().click();
  await write(page, 'Action', 'type Mutation { createOrder(name: String!): Order }');
  await write(page, 'Types', 'type Order { id: Int! customer_id: Int! }');
  await page.getByRole('textbox', { name: 'Handler' }).fill('{{HANDLERS}}/order');
  await button(page, 'Create the action');
  await button(page, 'Add a relationship');
  await choose(page, 'Reference table', 'customer');
  await expect.poll(() => page.getByRole('combobox', { name: 'From' }).inputValue()).toContain('customer_id');
  expect(await page.getByRole('combobox', { name: 'To', exact: true }).inputValue()).toContain('id');
  await captureForDocs(page, 'relationship');
  await button(page, 'Add the relationship');
  await page.getByText('Order.customer_id → default.public.customer.id').waitFor();
}

/** Joins customers to the remote schema. */
async function joinRemoteSchema(): Promise<void> {
  await service.command('add_remote_schema', { name: 'loyalty', definition: { url: '{{HANDLERS}}/graphql' } });
  await service.command('pg_create_remote_relationship', {
    table: 'customer',
    name: 'loyalty',
    definition: {
      to_remote_schema: {
        remote_schema: 'loyalty',
        lhs_fields: ['id'],
        remote_field: { loyalty: { arguments: { customer: '$id' } } },
      },
    },
  });
}

async function queryIt(page: Page): Promise<void> {
  await joinRemoteSchema();
  await link(page, 'Explore');
  const query = `mutation {
  createOrder(name: "tea") {
    id
    customer {
      name
      invoices {
        total
      }
      loyalty {
        level
        points
      }
    }
  }
}`;
  await write(page, 'Operation', query);
  await button(page, 'Run');
  await page.getByText('"Grace Hopper"').waitFor();
  await page.getByText('99.9').waitFor();
  await page.getByText('"gold"').waitFor();
  await page.getByText(/Call of createOrder/).waitFor();
  await captureForDocs(page, 'explore');
}

async function schedule(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.getByRole('link', { name: 'Schedule an event' }).first().click();
  await page.getByLabel('Webhook URL').fill('{{NOTIFY_URL}}/held');
  await page.getByLabel('Payload').fill('{"invoice": 11}');
  await page.getByLabel('From now').fill('1 hour');
  await page.getByRole('button', { name: 'Advanced' }).click();
  await page.getByLabel('Comment').fill('Remind of invoice 11');
  await button(page, 'Schedule the event');
  await page.getByText('Event scheduled').waitFor();
}

async function follow(page: Page): Promise<void> {
  // The event is open after it was scheduled.
  const event = page.getByRole('dialog', { name: 'Event', exact: true });
  await event.getByRole('button', { name: 'Run now' }).click();
  await button(page, 'Run this event now');
  await event.getByText('In flight', { exact: true }).waitFor();
  webhook.release('/held');
  await event.getByText('Delivered by the first attempt.').waitFor();
  expect(await event.getByRole('region', { name: 'response body' }).innerText()).toContain('"accepted": true');
  await event.getByRole('region', { name: 'request body' }).getByText('"invoice"').waitFor();
  await captureForDocs(page, 'event');
  await page.keyboard.press('Escape');
  await row(page, 'Remind of invoice 11').getByText('Delivered').waitFor();
}

test('creates and tracks tables, joins and queries an action, schedules an event and reads its log', async () => {
  const seen = await visit(browser, `${service.url}/console`);
  const { page } = seen;
  for (const step of [createTables, trackTables, createAction, queryIt, schedule, follow]) await step(page);
  await seen.close();
  expect(webhook.received).toHaveLength(1);
  expect(JSON.parse(webhook.received[0]?.body ?? '')).toMatchObject({ payload: { invoice: 11 } });
  expect(seen.complaints).toEqual([]);
});
