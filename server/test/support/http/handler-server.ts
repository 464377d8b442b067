/** An HTTP server for action handlers that records its calls. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HandlerCall {
  readonly path: string;
  readonly method: string;
  /** The query string with its question mark; empty without one. */
  readonly search: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The unparsed body. */
  readonly text: string;
  /** The body parsed as JSON; `{}` if it is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Writes the response to `outgoing`, or returns a value that is sent as JSON with status 200. */
export type Handle = (call: HandlerCall, outgoing: ServerResponse) => unknown;

export interface HandlerServer {
  readonly url: string;
  /** All requests, in order. */
  readonly calls: readonly HandlerCall[];
  /** Clears the recorded calls. */
  reset(): void;
  close(): Promise<void>;
}

/** Serves `routes` by path on 127.0.0.1. */
export async function startHandlerServer(routes: Readonly<Record<string, Handle>>): Promise<HandlerServer> {
  const calls: HandlerCall[] = [];
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const text = await textOf(incoming);
    const { pathname: path, search } = new URL(incoming.url ?? '/', 'http://localhost');
    const body = jsonOf(text);
    const call = { path, method: incoming.method ?? '', headers: incoming.headers, search, text, body };
    calls.push(call);
    const handle = routes[path];
    if (handle === undefined) {
      outgoing.writeHead(404).end();
      return;
    }
    const value = await handle(call, outgoing);
    if (value === undefined) return;
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    reset: () => {
      calls.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): HandlerCall['body'] {
  try {
    return JSON.parse(text) as HandlerCall['body'];
  } catch {
    return {};
  }
}
