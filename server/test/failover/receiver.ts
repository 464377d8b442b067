/** The webhook of the events and the handler of the action. Records the times of each call and its response. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Times of a call in milliseconds since 1970. */
export interface Call {
  readonly arrivedAt: number;
  /** Undefined while the call is in flight. */
  respondedAt?: number;
}

export interface Receiver {
  readonly url: string;
  /** Calls by the number of the event in the load, in order. */
  readonly events: ReadonlyMap<number, readonly Call[]>;
  readonly actions: ReadonlyMap<number, readonly Call[]>;
  /** The bodies of the calls of event triggers by path, in the order of their arrival. */
  readonly changes: ReadonlyMap<string, readonly { readonly body: unknown }[]>;
  close(): Promise<void>;
}

/** Longest response time in milliseconds, so that some calls are in flight at any time. */
const LONGEST_CALL_MS = 200;

export async function startReceiver(): Promise<Receiver> {
  const events = new Map<number, Call[]>();
  const actions = new Map<number, Call[]>();
  const changes = new Map<string, { readonly body: unknown }[]>();
  const server = createServer(async (request, response) => {
    const arrivedAt = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as {
      readonly payload?: { readonly n: number };
      readonly input?: { readonly n: number };
    };
    const { url = '' } = request;
    if (url.startsWith('/change/')) {
      changes
        .set(url, changes.get(url) ?? [])
        .get(url)
        ?.push({ body });
      response.end();
      return;
    }
    const [calls, n] = request.url === '/run' ? [actions, body.input?.n ?? -1] : [events, body.payload?.n ?? -1];
    const call: Call = { arrivedAt };
    calls.set(n, [...(calls.get(n) ?? []), call]);
    await sleep(Math.random() * LONGEST_CALL_MS);
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ n }));
    call.respondedAt = Date.now();
  });
  // A client that disconnects is not an error of the rig.
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    events,
    actions,
    changes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
