/** A place to point webhooks at while developing: tells what arrives; the path chooses the answer. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sink {
  /** Such as `http://127.0.0.1:8090/sink`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** What it is answered with; undefined where the connection is dropped. */
  readonly status: number | undefined;
}

const mostSeconds = 600;

/**
 * `/sink` answers 200, `/sink/503` that status, `/sink/slow` after 10 seconds and `/sink/slow/30` after 30, `/sink/drop`
 * closes the connection. Takes a free port where `port` is taken.
 */
export async function openSink(port: number, tell: (arrival: Arrival) => void): Promise<Sink> {
  const ending = new AbortController();
  const server = createServer((request, response) => {
    answer(request, response, tell, ending.signal).catch(() => response.destroy());
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

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  tell: (arrival: Arrival) => void,
  ending: AbortSignal,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname: path } = new URL(request.url ?? '/', 'http://sink');
  const asked = replyOf(path);
  const { method = 'GET', headers } = request;
  tell({ method, path, headers, body: Buffer.concat(chunks).toString('utf8'), status: asked.status });
  if (asked.status === undefined) {
    request.socket.destroy();
    return;
  }
  if (asked.seconds > 0) await sleep(asked.seconds * 1000, undefined, { signal: ending });
  response.writeHead(asked.status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(asked.body)}\n`);
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
    body: status < 300 ? { received: true } : { message: `the sink was asked for ${status}` },
  };
}
