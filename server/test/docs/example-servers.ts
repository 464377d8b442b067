/** The handlers and the remote schemas that the examples of the documentation call. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';
import { until } from '../support/until.ts';

interface Call {
  readonly query?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly input?: { readonly sku?: string; readonly quantity?: number };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const schemas = {
  '/graphql': buildSchema(`
    type Review { id: Int! stars: Int! text: String }
    type Query { reviews(article: Int!, limit: Int): [Review!]! }
  `),
  '/ratings': buildSchema(`
    type Rating { stars: Int! text: String }
    type Query { ratings(sku: String!): [Rating!]! }
  `),
  '/carrier/graphql': buildSchema(`
    type Parcel { code: String! ownerId: ID! }
    type Query { parcels(owner: ID!, first: Int): [Parcel!]! }
  `),
};
const rootValue = {
  reviews: [{ id: 1, stars: 5, text: 'clear' }],
  ratings: ({ sku }: { readonly sku: string }) => (sku === 'A1' ? [{ stars: 5, text: 'bright' }] : []),
  parcels: ({ owner }: { readonly owner: string }) => [{ code: 'P1', ownerId: owner }],
};
/** The responses of other handlers. */
const handlers: Readonly<Record<string, unknown>> = {
  '/place-order': { orderId: 1 },
  '/place-order-of-customer': { orderId: 1, customerId: 1 },
  '/profiles': [{ name: 'Ada' }, { name: 'Grace' }],
};
/** Names that pages give to environment variables with an address. */
const addressNames = [
  'HANDLERS',
  'HANDLER_URL',
  'NOTIFY_URL',
  'JOBS_URL',
  'OPS_URL',
  'HOOKS',
  'BROKER_URL',
  'SEARCH_URL',
];

export interface ExampleServers {
  /** Environment variables with the addresses. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the body of the last request to a path as soon as there is one. */
  received(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

async function reply(path: string, call: Call): Promise<Reply> {
  if (path in schemas) {
    const { query: source = '', variables: variableValues } = call;
    return {
      status: 200,
      body: await graphql({ schema: schemas[path as keyof typeof schemas], source, variableValues, rootValue }),
    };
  }
  if (path !== '/quote-price') return { status: 200, body: handlers[path] ?? { author_id: 1, cents: 1200 } };
  const { sku, quantity = 1 } = call.input ?? {};
  if (sku === 'A1') return { status: 200, body: { sku, cents: 990 * quantity } };
  return { status: 400, body: { message: `there is no product ${sku}`, extensions: { code: 'no-product' } } };
}

async function bodyOf(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return (text === '' ? {} : JSON.parse(text)) as Call;
}

/** `/quote-price` is the handler of docs/handlers.md; other paths return the same quote. */
export async function startExampleServers(): Promise<ExampleServers> {
  const bodies = new Map<string, Call>();
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (call) => {
      bodies.set(request.url ?? '', call);
      const { status, body } = await reply(request.url ?? '', call);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: {
      ...Object.fromEntries([...addressNames, 'CACHE_URL', 'CHECKS'].map((name) => [name, address])),
      NOTIFY_KEY: 'key',
      CHECKS_KEY: 'key',
      CARRIER_URL: `${address}/carrier`,
      CARRIER_TOKEN: 'Bearer token',
      HANDLER_SECRET: 'secret',
      SINK_URL: `${address}/sink`,
      REMOTE: `${address}/graphql`,
      RATINGS_URL: `${address}/ratings`,
    },
    received: (path) => until(`a request to ${path} was received`, () => bodies.get(path)),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
