/** Remote schemas by clicking: added, seen by a role, reloaded and removed. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser, visit } from './browser.ts';
import { type Service, startService } from './service.ts';

let browser: Browser;
let upstream: Server;
let service: Service;

beforeAll(async () => {
  browser = await startBrowser();
  const schema = buildSchema('type Query { parcels: Int secret: Int }');
  upstream = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { query, variables } = JSON.parse(body);
    const answer = await graphql({ schema, source: query, variableValues: variables, rootValue: { parcels: 3 } });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const carrier = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  service = await startService({ CARRIER: carrier, JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  upstream?.close();
});

test('a remote schema is added, a role is let to see a part of it, and it is removed', async () => {
  const { page, complaints, close } = await visit(browser, `${service.url}/console/remotes`);
  await page.getByLabel('Name').fill('carrier');
  await page.getByLabel('URL').fill('{{CARRIER}}/graphql');
  await page.getByRole('button', { name: 'Add the remote schema' }).click();
  const card = page.getByRole('region', { name: 'carrier' });
  await card.getByText('current').waitFor();
  await card.getByLabel('Role').fill('user');
  await card.getByLabel('What it sees, as SDL').fill('type Query { parcels: Int }');
  await card.getByRole('button', { name: 'Give the permission' }).click();
  await card.getByRole('button', { name: 'Take away' }).waitFor();
  const response = await fetch(`${service.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-role': 'user' },
    body: '{"query":"{ parcels }"}',
  });
  expect(await response.json()).toEqual({ data: { parcels: 3 } });
  await card.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('Remote schema read again').waitFor();
  await card.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove the remote schema' }).click();
  await page.getByText('There is no remote schema').waitFor();
  await close();
  expect(complaints).toEqual([]);
});
