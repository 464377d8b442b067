/** A real GraphQL server for tests: node:http and graphql-js, with a record of what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, type GraphQLSchema, graphql } from 'graphql';

export interface ReceivedRequest {
  /** The GraphQL document. */
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** As it came, before anything was read. */
  readonly body: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What the server answers instead of GraphQL; `never` leaves the caller waiting. */
export type Reply = { readonly status: number; readonly body: string; readonly type?: string } | 'never';

export interface GraphQLServer {
  readonly url: string;
  /** Every request but introspections, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Introspections alone. */
  readonly introspections: readonly ReceivedRequest[];
  /** From now on: `reply` decides on every request, undefined lets GraphQL answer. */
  misbehave(reply: (request: ReceivedRequest) => Reply | undefined): void;
  /** From now on another schema is served. */
  become(schema: string, root?: Readonly<Record<string, unknown>>): void;
  /** Forgets the requests and behaves again. */
  reset(): void;
  close(): Promise<void>;
}

/**
 * Serves `schema` (SDL or built) on 127.0.0.1. Members of `root` are values or functions `(args) => value`; objects
 * behind interfaces and unions carry `__typename`.
 */
export async function startGraphQLServer(
  schema: string | GraphQLSchema,
  root: Readonly<Record<string, unknown>> = {},
): Promise<GraphQLServer> {
  let built = typeof schema === 'string' ? buildSchema(schema) : schema;
  let rootValue = root;
  const requests: ReceivedRequest[] = [];
  const introspections: ReceivedRequest[] = [];
  let replyOf: (request: ReceivedRequest) => Reply | undefined = () => undefined;

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await readText(incoming);
    const { query, variables } = JSON.parse(body) as Pick<ReceivedRequest, 'query' | 'variables'>;
    const request: ReceivedRequest = { query, variables, body, headers: incoming.headers };
    (query.includes('__schema') ? introspections : requests).push(request);
    const reply = replyOf(request);
    if (reply === 'never') return;
    if (reply !== undefined) return send(outgoing, reply.status, reply.type ?? 'application/json', reply.body);
    const result = await graphql({ schema: built, source: query, rootValue, variableValues: variables });
    send(outgoing, 200, 'application/json', JSON.stringify(result));
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => send(outgoing, 500, 'text/plain', String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests,
    introspections,
    become: (sdl, values = root) => {
      built = buildSchema(sdl);
      rootValue = values;
    },
    misbehave: (reply) => {
      replyOf = reply;
    },
    reset: () => {
      requests.length = 0;
      introspections.length = 0;
      replyOf = () => undefined;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(outgoing: ServerResponse, status: number, type: string, body: string): void {
  outgoing.writeHead(status, { 'content-type': type });
  outgoing.end(body);
}
