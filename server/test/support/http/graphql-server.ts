/** A GraphQL server on node:http and graphql-js that records its requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, type GraphQLSchema, graphql } from 'graphql';

export interface ReceivedRequest {
  /** The GraphQL document. */
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** The unparsed body. */
  readonly body: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A response in place of a GraphQL result. `never` sends no response. */
export type Reply =
  | { readonly status: number; readonly body: string; readonly type?: string; readonly cookies?: readonly string[] }
  | 'never';

export interface GraphQLServer {
  readonly url: string;
  /** Requests except introspections, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Introspections, in order. */
  readonly introspections: readonly ReceivedRequest[];
  /** Sends the result of `reply` to each following request, or the GraphQL result if it is undefined. */
  respondWith(reply: (request: ReceivedRequest) => Reply | undefined): void;
  /** Serves another schema. */
  replaceSchema(schema: string, root?: Readonly<Record<string, unknown>>): void;
  /** Clears the recorded requests and removes the function of `respondWith`. */
  reset(): void;
  close(): Promise<void>;
}

/**
 * Serves `schema` (SDL or built) on 127.0.0.1. Members of `root` are values or functions `(args) => value`; objects
 * of interfaces and unions have a member `__typename`.
 */
export async function startGraphQLServer(
  schema: string | GraphQLSchema,
  root: Readonly<Record<string, unknown>> = {},
): Promise<GraphQLServer> {
  let currentSchema = typeof schema === 'string' ? buildSchema(schema) : schema;
  let rootValue = root;
  const requests: ReceivedRequest[] = [];
  const introspections: ReceivedRequest[] = [];
  let replyOf: (request: ReceivedRequest) => Reply | undefined = () => undefined;

  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await readText(incoming);
    const { query, variables } = JSON.parse(body) as Pick<ReceivedRequest, 'query' | 'variables'>;
    const request: ReceivedRequest = { query, variables, body, headers: incoming.headers };
    (query.includes('__schema') ? introspections : requests).push(request);
    const reply = replyOf(request);
    if (reply === 'never') return;
    if (reply?.cookies !== undefined) outgoing.setHeader('set-cookie', reply.cookies);
    if (reply !== undefined) return send(outgoing, reply.status, reply.type ?? 'application/json', reply.body);
    const result = await graphql({ schema: currentSchema, source: query, rootValue, variableValues: variables });
    send(outgoing, 200, 'application/json', JSON.stringify(result));
  };
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch((error: unknown) => send(outgoing, 500, 'text/plain', String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests,
    introspections,
    replaceSchema: (sdl, values = root) => {
      currentSchema = buildSchema(sdl);
      rootValue = values;
    },
    respondWith: (reply) => {
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
