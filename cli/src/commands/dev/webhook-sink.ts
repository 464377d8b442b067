/** The webhook sink of `joinery dev`: reports received requests; the path of a request selects the response. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sink {
  /** Example: `http://127.0.0.1:8090/sink`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Status of the response; undefined where the connection is dropped. */
  readonly status: number | undefined;
}

const mostSeconds = 600;

/**
 * Starts the sink. `/sink` returns 200, `/sink/503` that status, `/sink/slow` responds after 10 seconds, `/sink/slow/30`
 * after 30, and `/sink/drop` closes the connection. Uses a free port where `port` is in use.
 */
export async function openSink(port: number, onRequest: (arrival: Arrival) => void): Promise<Sink> {
  const ending = new AbortController();
  const server = createServer((request, response) => {
    respond(request, response, onRequest, ending.signal).catch(() => response.destroy());
  });
  const listen = (wanted: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return listen(0);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sink`,
    close: () =>
      new Promise((resolve) => {
        ending.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  onRequest: (arrival: Arrival) => void,
  ending: AbortSignal,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname: path } = new URL(request.url ?? '/', 'http://sink');
  const reply = replyOf(path);
  const { method = 'GET', headers } = request;
  onRequest({ method, path, headers, body: Buffer.concat(chunks).toString('utf8'), status: reply.status });
  if (reply.status === undefined) {
    request.socket.destroy();
    return;
  }
  if (reply.seconds > 0) await sleep(reply.seconds * 1000, undefined, { signal: ending });
  response.writeHead(reply.status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(reply.body)}\n`);
}

interface Reply {
  readonly status: number | undefined;
  readonly seconds: number;
  readonly body: unknown;
}

function replyOf(path: string): Reply {
  const [, root, kind, amount] = path.split('/');
  if (root !== 'sink') {
    return {
      status: 404,
      seconds: 0,
      body: { message: 'webhooks go to /sink, /sink/<status>, /sink/slow/<seconds> or /sink/drop' },
    };
  }
  if (kind === 'drop') return { status: undefined, seconds: 0, body: null };
  if (kind === 'slow') {
    const seconds = /^\d+$/.test(amount ?? '') ? Number(amount) : 10;
    return { status: 200, seconds: Math.min(seconds, mostSeconds), body: { received: true } };
  }
  const status = /^[2-5]\d\d$/.test(kind ?? '') ? Number(kind) : 200;
  return {
    status,
    seconds: 0,
    body: status < 300 ? { received: true } : { message: `the path requests status ${status}` },
  };
}
