/** Browser tests of actions: transforms, headers, asynchronous calls, relationships, handler code. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { choose, expectedRejections, startBrowser, walk } from '../support/browser.ts';
import { write } from '../support/editors.ts';
import { type Service, startService } from '../support/service.ts';

let browser: Browser;
let handler: Server;
let service: Service;

const definition = {
  arguments: [{ name: 'product', type: 'String!', default_value: 'tea' }],
  output_type: 'Placed',
  handler: '{{HANDLERS}}/place',
  headers: [{ name: 'X-Key', value: 'k' }],
  timeout: 45,
  cache: { ttl_seconds: 5 },
  type: 'query',
};
const custom_types = {
  objects: [
    {
      name: 'Placed',
      fields: [
        { name: 'orderId', type: 'Int!', deprecation_reason: 'use id' },
        { name: 'customerId', type: 'Int' },
      ],
    },
    { name: 'Other', implements: ['Unused'], fields: [{ name: 'id', type: 'Int' }] },
  ],
  interfaces: [{ name: 'Unused', fields: [{ name: 'id', type: 'Int' }] }],
};

beforeAll(async () => {
  browser = await startBrowser();
  handler = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { input } = JSON.parse(body === '' ? '{}' : body);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ orderId: input?.product === 'tea' ? 11 : 12, customerId: 7 }));
  }).listen(0, '127.0.0.1');
  await once(handler, 'listening');
  service = await startService({ KEY: 'k-2', HANDLERS: `http://127.0.0.1:${(handler.address() as AddressInfo).port}` });
});

beforeEach(async () => {
  const [exported] = [(await service.command('export_metadata', {})) as { sources: unknown }];
  const actions = [{ name: 'placed', comment: 'What was placed', definition, permissions: [{ role: 'user' }] }];
  await service.command('replace_metadata', { version: 3, sources: exported.sources, actions, custom_types });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  handler?.close();
});

const on = (path: string, steps: (page: Page) => Promise<void>) =>
  walk(browser, `${service.url}/console${path}`, steps, { meant: expectedRejections });

interface Exported {
  readonly actions: readonly { readonly name: string; readonly definition: object }[];
  readonly custom_types: { readonly objects: readonly { readonly name: string; readonly relationships?: unknown }[] };
}

test('saving an action preserves members without an input', () =>
  on('/actions/of/placed', async (page) => {
    const before = (await service.command('export_metadata', {})) as Exported;
    await page.getByLabel('Comment').fill('Another comment');
    await page.getByRole('button', { name: 'Save the action' }).click();
    await page.getByText('Action changed').waitFor();
    const actions = before.actions.map((one) => ({ ...one, comment: 'Another comment' }));
    expect(await service.command('export_metadata', {})).toEqual({ ...before, actions });
  }));

test('headers, timeouts and transforms are entered, tried before they are saved, and take effect', () =>
  on('/actions/of/placed?tab=handler', async (page) => {
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 2').fill('X-From');
    await page.getByLabel('Source of the value of header 2').selectOption('environment');
    await page.getByLabel('Variable of header 2').fill('KEY');
    await page.getByLabel('Forward the headers of the client').check();
    await page.getByLabel('Headers that are not forwarded').selectOption('these');
    await page.getByLabel('Ignored headers').fill('Cookie');
    await page.getByLabel('Timeout in seconds').fill('soon');
    await page.getByText('Must be a whole number.', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Save the action' }).isDisabled()).toBe(true);
    await page.getByLabel('Timeout in seconds').fill('60');
    await page.getByRole('button', { name: 'Transforms' }).click();
    await page.getByLabel('Transform the request').check();
    await page.getByLabel('Method').selectOption('PUT');
    await page.getByLabel('URL template').fill('{{$base_url}}/{{$body.input.product}}');
    await page.getByLabel('Body of the request').selectOption('template');
    await write(page, 'Template of the request body', '{ "input": {{$body.inputs}} }');
    await page.getByRole('button', { name: 'Try the transforms' }).click();
    await page.getByText('request transform validation failed').waitFor();
    await page
      .getByRole('list', { name: 'Errors of the templates' })
      .getByText(/: line 1, column \d+: .*inputs/)
      .waitFor();
    await write(page, 'Template of the request body', '{ "input": {{$body.input}} }');
    await page.getByLabel('Transform the response').check();
    await page.getByLabel('Body of the response').selectOption('template');
    await write(page, 'Template of the response', '{ "orderId": {{$body.orderId + 1}} }');
    await page.getByRole('button', { name: 'Try the transforms' }).click();
    await page
      .getByText(/response transform|Transform/)
      .first()
      .waitFor();
    await write(page, 'Template of the response', '{ "orderId": {{$body.orderId}}, "customerId": null }');
    await write(page, 'Sample response', '{"orderId": 5}');
    await page.getByRole('button', { name: 'Try the transforms' }).click();
    await page
      .getByRole('region', { name: 'request line and headers' })
      .getByText(/PUT https:\/\/handlers.example\/place\/tea/)
      .waitFor();
    await page.getByRole('region', { name: 'transformed response' }).getByText('5').waitFor();
    await page.getByRole('button', { name: 'Save the action' }).click();
    await page.getByText('Action changed').waitFor();
    const { actions } = (await service.command('export_metadata', {})) as Exported;
    expect(actions[0]?.definition).toMatchObject({
      headers: [
        { name: 'X-Key', value: 'k' },
        { name: 'X-From', value_from_env: 'KEY' },
      ],
      forward_client_headers: true,
      ignored_client_headers: ['Cookie'],
      timeout: 60,
      request_transform: { version: 2, method: 'PUT', url: '{{$base_url}}/{{$body.input.product}}' },
      response_transform: { version: 2 },
    });
  }));

test('runs an action as a role, opens it in the explorer, and shows its code', () =>
  on('/actions/of/placed?tab=run', async (page) => {
    await page.getByRole('button', { name: 'Run' }).click();
    const response = page.getByRole('region', { name: 'response' });
    const asRole = page.getByRole('combobox', { name: 'As role' });
    await response.getByText('11').waitFor();
    await write(page, 'Variables', '{"product": "milk"}');
    await asRole.fill('stranger');
    await asRole.press('Tab');
    await page.getByRole('button', { name: 'Run' }).click();
    await response.getByText(/not found|no such|does not exist/i).waitFor();
    await asRole.fill('user');
    await asRole.press('Tab');
    await page.getByRole('button', { name: 'Run' }).click();
    await response.getByText('12').waitFor();

    await page.getByRole('tab', { name: 'Code' }).click();
    await page
      .getByRole('region', { name: 'code', exact: true })
      .getByText(/export async function placed/)
      .waitFor();
    await page.getByLabel('Language of the code').selectOption('express');
    await page
      .getByRole('region', { name: 'code', exact: true })
      .getByText(/import express from/)
      .waitFor();
    await page.getByLabel('Language of the code').selectOption('curl');
    await page
      .getByRole('region', { name: 'code', exact: true })
      .getByText(/curl -X POST/)
      .waitFor();

    await page.getByLabel('Client', { exact: true }).selectOption('urql');
    await page
      .getByRole('region', { name: 'client code' })
      .getByText(/client.query\(/)
      .waitFor();

    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Open in Explore' }).click();
    await page.getByRole('heading', { name: 'Explore', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Run' }).click();
    await response.getByText('12', { exact: true }).waitFor();
  }));

test('polls the result of an asynchronous action until it is complete', async () => {
  const later = { ...definition, type: 'mutation', kind: 'asynchronous', cache: undefined };
  await service.command('create_action', { name: 'later', definition: later });
  await on('/actions/of/later?tab=run', async (page) => {
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Done').waitFor();
    await page.getByRole('region', { name: 'result' }).getByText('11', { exact: true }).waitFor();
  });
});

test('relationships to actions are edited by a form and as JSON, renamed, shown and removed', async () => {
  const profile = { ...definition, arguments: [{ name: 'id', type: 'Int' }], cache: undefined };
  await service.command('create_action', { name: 'profile', definition: profile });
  await on('/actions/of/placed?tab=relationships', async (page) => {
    await page.getByRole('button', { name: 'Add a relationship' }).click();
    await page.getByLabel('Leads to').selectOption('action');
    await page.getByLabel('Relationship name').fill('who');
    await choose(page, 'Action', 'profile');
    await page.getByRole('checkbox', { name: /^id/ }).check();
    await page.getByLabel('Source of id').selectOption('key');
    await page.getByRole('textbox', { name: 'Definition' }).getByText('"$orderId"').waitFor();
    await write(page, 'Definition', '{"to_action": {"action": "nowhere", "arguments": {"id": "$customerId"}}}');
    await page.getByRole('button', { name: 'Add the relationship' }).click();
    await page.getByText('The relationship was not saved').waitFor();
    await write(page, 'Definition', '{"to_action": {"action": "profile", "arguments": {"id": "$customerId"}}}');
    await page.getByRole('button', { name: 'Add the relationship' }).click();
    await page.getByText('Placed → profile(id: $customerId)').waitFor();
    await page.getByRole('button', { name: 'Edit who' }).click();
    await page.getByLabel('Relationship name').fill('profile');
    await page.getByRole('button', { name: 'Save the relationship' }).click();
    await page.getByRole('button', { name: 'Remove profile' }).waitFor();
    const { custom_types: types } = (await service.command('export_metadata', {})) as Exported;
    expect(types.objects[0]?.relationships).toEqual([
      { name: 'profile', definition: { to_action: { action: 'profile', arguments: { id: '$customerId' } } } },
    ]);
    await page.getByRole('button', { name: 'Remove profile' }).click();
    await page.getByRole('button', { name: 'Remove the relationship' }).click();
    await page.getByText('It has no relationships yet.').waitFor();
  });
});
