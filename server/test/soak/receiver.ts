/** The webhook and handler of a soak. Counts calls and their lateness without retaining them. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  readonly url: string;
  /** Numbers of the events that were delivered. */
  readonly events: ReadonlySet<number>;
  /** Deliveries of events that had been delivered before. */
  readonly repeated: number;
  /** Calls before their time. */
  readonly early: number;
  /** Calls by path. */
  readonly calls: ReadonlyMap<string, number>;
  /** Returns the lateness of the calls of events since the last call of `takeLateness`, in milliseconds. */
  takeLateness(): readonly number[];
  close(): Promise<void>;
}

interface DeliveredBody {
  readonly scheduled_time?: string;
  readonly payload?: { readonly n: number };
  readonly input?: { readonly n: number };
}

export async function startReceiver(): Promise<Receiver> {
  const events = new Set<number>();
  const calls = new Map<string, number>();
  const state = { repeated: 0, early: 0 };
  let lateness: number[] = [];
  const server = createServer(async (request, response) => {
    const arrivedAt = Date.now();
    const body = await readBody(request);
    const path = request.url ?? '';
    calls.set(path, (calls.get(path) ?? 0) + 1);
    const { n } = body.payload ?? {};
    if (path === '/event' && n !== undefined) {
      if (events.has(n)) state.repeated += 1;
      events.add(n);
      const late = arrivedAt - Date.parse(body.scheduled_time ?? '');
      if (late < 0) state.early += 1;
      lateness.push(late);
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ n: body.input?.n ?? 0 }));
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    calls,
    get repeated() {
      return state.repeated;
    },
    get early() {
      return state.early;
    },
    takeLateness: () => {
      const taken = lateness;
      lateness = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<DeliveredBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as DeliveredBody;
}
