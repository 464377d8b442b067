/** The handlers of a new project: plain Node, no dependencies. */

export const handlerFile = `/** The handlers of this project: what the service calls. Plain Node, nothing to install. */
import { createServer } from 'node:http';

const { HANDLER_URL = 'http://127.0.0.1:3000', SERVICE_URL = 'http://127.0.0.1:8080' } = process.env;
const prefix = process.env.JOINERY_HEADER_PREFIX ?? 'X-Service-';

const handlers = {
  /** The action placeOrder: gets { action, input, session_variables }. */
  '/place-order': async ({ input, session_variables: session }) => {
    const customerId = Number(session[\`\${prefix.toLowerCase()}user-id\`]);
    const { insert_orders_one: order } = await graphql(
      'mutation ($order: orders_insert_input!) { insert_orders_one(object: $order) { id } }',
      { order: { customer_id: customerId, sku: input.sku } },
    );
    await command('create_scheduled_event', {
      webhook: '{{HANDLER_URL}}/request-review',
      schedule_at: new Date(Date.now() + 5_000).toISOString(),
      payload: { orderId: order.id, customerId },
      retry_conf: { num_retries: 3 },
      comment: 'request a review',
      key: \`review-\${order.id}\`,
    });
    return { orderId: order.id };
  },

  /** The scheduled event: gets { id, scheduled_time, payload }. The same id may come twice. */
  '/request-review': async ({ id, payload }) => {
    process.stdout.write(\`handlers: customer \${payload.customerId} gets a review request for order \${payload.orderId} (\${id})\\n\`);
    return { requested: true };
  },
};

const server = createServer(async (request, response) => {
  const respond = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const handler = handlers[request.url];
  if (handler === undefined) return respond(404, { message: \`there is no handler for \${request.url}\` });
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    respond(200, await handler(JSON.parse(Buffer.concat(chunks).toString())));
  } catch (error) {
    // A response with a status of 4xx to an action becomes a GraphQL error with this message.
    respond(400, { message: error.message });
  }
});

const { hostname, port } = new URL(HANDLER_URL);
server.listen(Number(port), hostname, () => process.stdout.write(\`handlers: listening on \${HANDLER_URL}\\n\`));

async function graphql(query, variables) {
  const { data, errors } = await post('/v1/graphql', { query, variables });
  if (errors) throw new Error(errors[0].message);
  return data;
}

async function command(type, args) {
  const result = await post('/v1/query', { type, args });
  if (result.error) throw new Error(result.error);
  return result;
}

/** Calls the service as an admin. */
async function post(path, body) {
  const secret = process.env.JOINERY_ADMIN_SECRET;
  const response = await fetch(SERVICE_URL + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [\`\${prefix}Role\`]: 'admin',
      ...(secret && { [\`\${prefix}Admin-Secret\`]: secret }),
    },
    body: JSON.stringify(body),
  });
  return response.json();
}
`;
