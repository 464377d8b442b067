// The shop's REST endpoints: the handler of the action `checkout`, and webhooks for scheduled events and event triggers.
// Run alone with: PORT=4001 node examples/shop/handlers.mjs
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** Requests of the webhooks, newest last: `{ path, at, attempt, body }`, `at` in milliseconds since 1970. */
const receipts = [];
const failuresLeft = new Map();
/** The URL of the service, for webhooks that change rows. */
let serviceUrl = '';

const routes = {
  /** Creates an order of a basket for the customer of the session. */
  'POST /checkout': (body) => {
    const customerId = Number(body.session_variables['x-service-user-id']);
    if (!Number.isInteger(customerId)) {
      return [400, { message: 'only a signed-in customer can check out', extensions: { code: 'not-signed-in' } }];
    }
    if (body.input.items.length === 0) {
      return [422, { message: 'the basket is empty', extensions: { code: 'empty-basket' } }];
    }
    return [
      200,
      {
        confirmation: randomUUID(),
        name: body.input.name,
        customerId,
        lines: body.input.items.map((item) => ({ productId: item.productId, quantity: item.quantity })),
      },
    ];
  },
  'POST /reminder': (body, path, at) => {
    receipts.push({ path, at, attempt: 1, body });
    return [200, { received: body.id }];
  },
  /** Fails twice for each event, then accepts it. */
  'POST /flaky': (body, path, at) => {
    const left = failuresLeft.get(body.id) ?? 2;
    failuresLeft.set(body.id, left - 1);
    receipts.push({ path, at, attempt: 3 - left, body });
    return left > 0 ? [503, { message: 'the printer is busy' }] : [200, { received: body.id }];
  },
  /** Creates the shipment of an order. Its id is that of the event, so that a repeated call creates no second one. */
  'POST /ship': async (body, path, at) => {
    receipts.push({ path, at, attempt: body.delivery_info.current_retry + 1, body });
    const query = `mutation ($shipment: shipment_insert_input!) {
      insert_shipment_one(object: $shipment, on_conflict: { constraint: shipment_pkey, update_columns: [] }) { id }
    }`;
    const shipment = {
      id: body.id,
      order_id: body.event.data.new.id,
      carrier: 'bicycle',
      tracking_codes: [`B${body.event.data.new.id}`],
      sent_at: new Date(at).toISOString(),
    };
    const response = await fetch(`${serviceUrl}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Service-Role': 'admin' },
      body: JSON.stringify({ query, variables: { shipment } }),
    });
    const { errors } = await response.json();
    return errors === undefined ? [200, { received: body.id }] : [503, { message: errors[0].message }];
  },
  'POST /service': ({ url }) => {
    serviceUrl = url;
    return [200, {}];
  },
  'GET /receipts': () => [200, receipts],
};

const server = createServer((request, response) => {
  const at = Date.now();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const [status, result] = await handle(request, Buffer.concat(chunks).toString('utf8'), at);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  });
});

async function handle(request, text, at) {
  const route = routes[`${request.method} ${request.url}`];
  if (route === undefined) return [404, { message: `no endpoint ${request.method} ${request.url}` }];
  try {
    return await route(text === '' ? undefined : JSON.parse(text), request.url, at);
  } catch (error) {
    return [400, { message: `cannot read the request: ${error.message}` }];
  }
}

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  process.stdout.write(`listening http://127.0.0.1:${server.address().port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
