/** How the HTTP client opens, shares and closes connections. */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { createHttpClient, type HttpCall, type HttpClient, type HttpResponse } from './http-client.ts';

let httpClient: HttpClient;
const stops: (() => void)[] = [];

beforeEach(() => {
  httpClient = createHttpClient({ connections: 10 });
});
afterEach(async () => {
  await httpClient.close();
  for (const stop of stops.splice(0)) stop();
});

interface Counted {
  readonly url: string;
  /** All sockets, in the order of their connections. */
  readonly sockets: Socket[];
  open(): number;
}

async function counted(server: Server): Promise<Counted> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => undefined)));
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    sockets,
    open: () => sockets.filter((socket) => !socket.destroyed).length,
  };
}

const serve = (listener: RequestListener, options = {}): Promise<Counted> => counted(createServer(options, listener));

function call(url: string, more: Partial<HttpCall> = {}): Promise<HttpResponse> {
  const limits = { timeoutMs: 20_000, maxBytes: 1_000_000, overflow: 'fail' } as const;
  return httpClient.call({ method: 'POST', url, headers: [], body: '{}', ...limits, ...more });
}

async function each(count: number, work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}

describe('the number of connections', () => {
  test('is one for calls one after the other', async () => {
    const server = await serve((_request, response) => response.end('ok'));
    for (let times = 0; times < 20; times += 1) await call(server.url);
    expect(server.sockets).toHaveLength(1);
  });

  test('follows the number of concurrent calls, up to the limit', async () => {
    const waiting: (() => void)[] = [];
    const server = await serve((_request, response) => waiting.push(() => response.end('ok')));
    const calls = Array.from({ length: 25 }, () => call(server.url));
    for (let served = 0; served < 25; served += 5) {
      await until('five requests wait', () => waiting.length >= 5);
      for (const respond of waiting.splice(0, 5)) respond();
    }
    await Promise.all(calls);
    expect(server.sockets).toHaveLength(10);
  });

  test('does not grow with rounds of as many calls', async () => {
    const server = await serve((_request, response) => response.end('ok'));
    await each(4, () => call(server.url));
    const first = server.sockets.length;
    for (let round = 0; round < 10; round += 1) await each(4, () => call(server.url));
    expect(server.sockets.length).toBe(first);
  });

  test('is that of the host, regardless of the paths', async () => {
    const server = await serve((_request, response) => response.end('ok'));
    for (const path of ['a', 'b?c=1', 'd']) await call(server.url + path);
    expect(server.sockets).toHaveLength(1);
  });
});

describe('a connection', () => {
  test.each([
    ['closes', { connection: 'close' }],
    ['keeps for no longer than two seconds', { 'keep-alive': 'timeout=2' }],
  ])('that the server %s is not used again', async (_what, headers) => {
    const server = await serve((_request, response) => response.writeHead(200, headers).end('ok'));
    for (let times = 0; times < 3; times += 1) expect((await call(server.url)).body).toBe('ok');
    expect(server.sockets).toHaveLength(3);
  });

  test('that fails a call is closed, and the request is not sent again', async () => {
    let requests = 0;
    const server = await counted(
      createTcpServer((socket) => {
        socket.on('data', () => {
          requests += 1;
          if (requests === 3) socket.destroy();
          else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        });
      }),
    );
    await call(server.url);
    await call(server.url);
    await expect(call(server.url)).rejects.toMatchObject({ kind: 'reset' });
    expect((await call(server.url)).body).toBe('ok');
    expect(requests).toBe(4);
    expect(server.sockets).toHaveLength(2);
  });

  test('of a call that ended early is closed', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/fast') response.end('ok');
      else response.write('x'.repeat(1_000));
    });
    await expect(call(server.url, { timeoutMs: 50 })).rejects.toMatchObject({ kind: 'timeout' });
    await expect(call(server.url, { maxBytes: 10 })).rejects.toMatchObject({ kind: 'too-large' });
    await expect(call(server.url, { maxBytes: 10, overflow: 'truncate' })).resolves.toMatchObject({ truncated: true });
    await until('the connections are closed', () => server.open() === 0);
    await call(`${server.url}fast`);
    expect(server.sockets).toHaveLength(4);
  });

  test('that is not made in time does not count any more', async () => {
    let lookups = 0;
    const narrow = createHttpClient({
      connections: 1,
      resolve: () => {
        lookups += 1;
        return lookups === 1 ? new Promise(() => undefined) : Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
      },
    });
    try {
      const server = await serve((_request, response) => response.end('ok'));
      const url = server.url.replace('127.0.0.1', 'localhost');
      const limits = { timeoutMs: 100, maxBytes: 10, overflow: 'fail' } as const;
      const first = narrow.call({ method: 'GET', url, headers: [], ...limits });
      await expect(first).rejects.toMatchObject({ kind: 'timeout' });
      const second = await narrow.call({ method: 'GET', url, headers: [], ...limits, timeoutMs: 20_000 });
      expect(second.body).toBe('ok');
      expect(lookups).toBe(2);
    } finally {
      await narrow.close();
    }
  });

  test('replaces one that failed while calls wait', async () => {
    const server = await serve((request, response) => {
      if (request.headers['x-fails'] === undefined) response.end('ok');
      else request.socket.destroy();
    });
    const calls = Array.from({ length: 30 }, (_call, n) =>
      call(server.url, { headers: n < 10 ? [['x-fails', '1']] : [] }).then(
        ({ body }) => body,
        ({ kind }) => kind,
      ),
    );
    const results = await Promise.all(calls);
    expect(results).toEqual(Array.from(results, (_result, n) => (n < 10 ? 'reset' : 'ok')));
  });
});

test('a malformed response fails the call', async () => {
  const server = await counted(createTcpServer((socket) => socket.end('SSH-2.0-x\r\n\r\n')));
  await expect(call(server.url)).rejects.toMatchObject({
    kind: 'other',
    message: 'the call failed before a response arrived',
  });
});

test('a request that cannot be sent opens no connection', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const invalid = { headers: [['x', 'a\r\nb: c']] } as const;
  await each(100, () => expect(call(server.url, invalid)).rejects.toMatchObject({ kind: 'other' }));
  expect(server.sockets).toHaveLength(0);
  await expect(call(server.url)).resolves.toMatchObject({ body: 'ok' });
});

test('a body without a length ends with the connection', async () => {
  const server = await counted(
    createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\nfirst ');
        setImmediate(() => socket.end('second'));
      });
    }),
  );
  await expect(call(server.url)).resolves.toMatchObject({ status: 200, body: 'first second' });
});

test('closing the client fails calls and closes all connections', async () => {
  const server = await serve(() => undefined);
  const calls = Array.from({ length: 12 }, () => call(server.url).catch((error: unknown) => error));
  await until('the connections are open', () => server.open() === 10);
  await httpClient.close();
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ kind: 'other' });
  await until('the connections are closed', () => server.open() === 0);
  await expect(call(server.url)).rejects.toMatchObject({ kind: 'other' });
});

describe('a connection with TLS', () => {
  /** A self-signed certificate for `localhost`. */
  const certificates = new URL('../../../test/support/http/certificates/', import.meta.url);
  const key = readFileSync(new URL('self-signed.key', certificates));
  const cert = readFileSync(new URL('self-signed.crt', certificates));
  const tls = (): Promise<Counted> =>
    counted(createTlsServer({ key, cert }, (request, response) => request.pipe(response)));
  const secure = ({ url }: Counted, host = 'localhost'): string => url.replace('http://127.0.0.1', `https://${host}`);

  test('is rejected without a trusted certificate', async () => {
    await expect(call(secure(await tls()))).rejects.toMatchObject({ kind: 'tls' });
  });

  test('sends and receives large bodies, and is used again', async () => {
    const server = await tls();
    const body = 'é'.repeat(300_000);
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      for (let times = 0; times < 3; times += 1)
        expect((await call(secure(server), { body })).body === body).toBe(true);
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
    expect(server.sockets).toHaveLength(1);
  });
});
