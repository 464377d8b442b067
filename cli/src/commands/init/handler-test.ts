/** The tests of the handlers of a new project: the test runner of Node, no dependencies. */

export const handlerTestFile = `/** Tests of the handlers, run by "npm test". A stub replaces the service. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const calls = [];
const service = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  calls.push({ path: request.url, body: JSON.parse(Buffer.concat(chunks).toString()) });
  const body = request.url === '/v1/graphql' ? { data: { insert_orders_one: { id: 7 } } } : { event_id: '1' };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
let handlers;
let url;

before(async () => {
  const SERVICE_URL = await listen(service);
  const reserved = createServer();
  url = await listen(reserved);
  reserved.close();
  const environment = { ...process.env, HANDLER_URL: url, SERVICE_URL, JOINERY_HEADER_PREFIX: 'X-Service-' };
  handlers = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(handlers.stdout, 'data');
});

after(() => {
  handlers.kill();
  service.close();
});

test('placeOrder inserts an order of the customer and schedules a review request', async () => {
  const session = { 'x-service-role': 'user', 'x-service-user-id': '1' };
  const { status, body } = await post('/place-order', { input: { sku: 'A1' }, session_variables: session });
  assert.deepEqual({ status, body }, { status: 200, body: { orderId: 7 } });
  const [insert, schedule] = calls;
  assert.deepEqual(insert.body.variables, { order: { customer_id: 1, sku: 'A1' } });
  assert.deepEqual(schedule.body.args.payload, { orderId: 7, customerId: 1 });
});

test('a path without a handler has the status 404', async () => {
  assert.equal((await post('/unknown', {})).status, 404);
});

async function listen(server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return \`http://127.0.0.1:\${server.address().port}\`;
}

async function post(path, body) {
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}
`;
