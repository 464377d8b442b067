/** A webhook that records its requests. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly body: string;
}

export interface Webhook {
  readonly url: string;
  readonly received: readonly Received[];
  /** Responds to the delayed requests of this path, and to later ones at once. */
  release(path: string): void;
  stop(): Promise<void>;
}

/**
 * Responds with 200 and a small JSON object. Paths with `fail` respond with 503, `/held` waits for `release`.
 */
export async function startWebhook(): Promise<Webhook> {
  const received: Received[] = [];
  const gates = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>();
  const gateOf = (path: string) => {
    const gate = gates.get(path) ?? createGate();
    gates.set(path, gate);
    return gate;
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const path = request.url ?? '/';
    received.push({ method: request.method ?? '', path, headers: request.headers, body });
    if (path.startsWith('/held')) await gateOf(path).opened;
    if (path.includes('fail')) response.writeHead(503, { 'content-type': 'text/plain' }).end('out of order');
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"accepted":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    release: (path) => gateOf(path).open(),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
