/** The handlers and the remote schema that the examples of the documentation call. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';

const schema = buildSchema(`
  type Review { id: Int! stars: Int! text: String }
  type Query { reviews(article: Int!, limit: Int): [Review!]! }
`);
const reviews = [{ id: 1, stars: 5, text: 'clear' }];
const quote = { author_id: 1, cents: 1200 };

export interface ExampleServers {
  /** Environment variables with the addresses: `HANDLERS` and `REMOTE`. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Every path of the handlers returns the same quote; `/graphql` is the remote schema. */
export async function startExampleServers(): Promise<ExampleServers> {
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (text) => {
      const { query = '', variables } = JSON.parse(text === '' ? '{}' : text) as {
        query?: string;
        variables?: Record<string, unknown>;
      };
      const result =
        request.url === '/graphql'
          ? await graphql({ schema, source: query, variableValues: variables, rootValue: { reviews } })
          : quote;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: { HANDLERS: address, REMOTE: `${address}/graphql` },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
