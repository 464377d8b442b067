import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpCall } from './http-client.ts';

const httpClient = createHttpClient({ connections: 4 });
const servers: Server[] = [];

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function call(url: string, more: Partial<HttpCall> = {}): ReturnType<typeof httpClient.call> {
  return httpClient.call({
    method: 'POST',
    url,
    headers: [['content-type', 'application/json']],
    body: '{}',
    timeoutMs: 60_000,
    maxBytes: 1_000,
    overflow: 'fail',
    ...more,
  });
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => httpClient.close());

describe('HTTP client', () => {
  it('returns status, headers and body for any status', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(503, { 'Set-Cookie': ['a=1', 'b=2'], 'Retry-After': '3' }).end('busy');
    });
    const response = await call(url);
    expect(response).toMatchObject({ status: 503, body: 'busy', truncated: false });
    expect(response.headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value)).toEqual([
      'a=1',
      'b=2',
    ]);
  });

  it('rejects credentials that are not URL-encoded, without printing them', async () => {
    const error = await call('http://us%zzer:pass@127.0.0.1:1/').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'invalid-url', message: expect.not.stringContaining('zzer') });
  });

  it.each(['http://127.0.0.1:1/a\r\nHost: b', 'http://127.0.0.1\t:1/', 'http://127.0.0.1:1/\0'])(
    'rejects the URL %j, from which parsers remove a character',
    async (url) => {
      await expect(call(url)).rejects.toMatchObject({
        kind: 'invalid-url',
        message: expect.stringContaining('control character'),
      });
    },
  );

  it('ignores a line break after a URL', async () => {
    await expect(call('http://127.0.0.1:1/\n')).rejects.toMatchObject({ kind: 'refused' });
  });

  it('does not follow a redirect', async () => {
    const url = await listen((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    await expect(call(url)).resolves.toMatchObject({ status: 302 });
  });

  it('fails as a timeout if the complete response is late', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(200).write('x');
    });
    await expect(call(url, { timeoutMs: 150 })).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('stops reading an endless body at the limit', async () => {
    const endless: RequestListener = (_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(400)), 1);
      response.on('close', () => clearInterval(timer));
    };
    await expect(call(await listen(endless))).rejects.toMatchObject({ kind: 'too-large' });
    const cut = await call(await listen(endless), { overflow: 'truncate' });
    expect(cut.truncated).toBe(true);
    expect(cut.body).toHaveLength(1_000);
  });

  describe('content codings', () => {
    const text = '{"text":"é"}'.repeat(20);
    const encoded = (coding: string, bytes: Buffer, status = 200): RequestListener => {
      return (_request, response) => response.writeHead(status, { 'content-encoding': coding }).end(bytes);
    };

    it.each([
      ['gzip', gzipSync(text)],
      ['X-GZIP', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['deflate', deflateRawSync(text)],
      ['br', brotliCompressSync(text)],
      ['gzip, br', brotliCompressSync(gzipSync(text))],
      ['identity', Buffer.from(text)],
    ])('decodes a body in %s', async (coding, bytes) => {
      const url = await listen(encoded(coding, bytes));
      expect(await call(url)).toMatchObject({ body: text, truncated: false });
    });

    it('decodes a body whose codings are in several headers', async () => {
      const url = await listen((_request, response) => {
        response.setHeader('content-encoding', ['gzip', 'br']).end(brotliCompressSync(gzipSync(text)));
      });
      expect(await call(url)).toMatchObject({ body: text, truncated: false });
    });

    it('decodes a body that arrives in many parts', async () => {
      const large = randomBytes(3_000_000).toString('hex');
      const url = await listen(encoded('gzip', gzipSync(large)));
      expect((await call(url, { maxBytes: 10_000_000 })).body === large).toBe(true);
    });

    it('accepts an empty body in any coding', async () => {
      const url = await listen(encoded('gzip', Buffer.alloc(0), 202));
      expect(await call(url)).toMatchObject({ status: 202, body: '' });
    });

    it('applies the limit to the decoded bytes', async () => {
      const url = await listen(encoded('gzip', gzipSync(Buffer.alloc(200_000_000, 'x'))));
      const before = process.memoryUsage.rss();
      await expect(call(url)).rejects.toMatchObject({ kind: 'too-large' });
      const cut = await call(url, { overflow: 'truncate' });
      expect(cut).toMatchObject({ body: 'x'.repeat(1_000), truncated: true });
      expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
    });

    it.each([
      ['gzip', Buffer.from('no gzip'), 'the body is not valid gzip'],
      ['gzip', gzipSync(text).subarray(0, -9), 'the body is not valid gzip'],
      ['compress', Buffer.from('x'), 'the content coding "compress" is not supported'],
      ['br, br, br, br', Buffer.from('x'), 'the body has too many content codings'],
    ])('rejects a body in %s that cannot be decoded', async (coding, bytes, message) => {
      await expect(call(await listen(encoded(coding, bytes)))).rejects.toMatchObject({ kind: 'other', message });
    });

    it.each([['gzip'], ['compress']])(
      'returns the encoded bytes of a %s body if it may be truncated',
      async (coding) => {
        const bytes = Buffer.from('plain text');
        const response = await call(await listen(encoded(coding, bytes, 500)), { overflow: 'truncate' });
        expect(response).toMatchObject({ status: 500, body: 'plain text', bytes });
      },
    );
  });

  it('distinguishes rejected and reset connections, unknown hosts and invalid URLs', async () => {
    await expect(call('http://127.0.0.1:1/')).rejects.toMatchObject({ kind: 'refused' });
    const resetting = await listen((request) => request.socket.destroy());
    await expect(call(resetting)).rejects.toMatchObject({ kind: 'reset' });
    await expect(call('http://does-not-exist.invalid/')).rejects.toMatchObject({ kind: 'dns' });
    await expect(call('ftp://example.com/')).rejects.toMatchObject({ kind: 'invalid-url' });
  });

  it('fails as a timeout if no connection is free in time, and sends nothing afterwards', async () => {
    const narrow = createHttpClient({ connections: 1 });
    const received: string[] = [];
    let respondToFirst = (): void => undefined;
    const url = await listen((request, response) => {
      received.push(request.url ?? '');
      if (request.url === '/first') respondToFirst = () => response.end();
      else response.end();
    });
    const send = (path: string, timeoutMs: number) =>
      narrow.call({ method: 'GET', url: url + path, headers: [], timeoutMs, maxBytes: 10, overflow: 'fail' });
    const first = send('first', 60_000);
    await expect(send('second', 100)).rejects.toMatchObject({ kind: 'timeout' });
    respondToFirst();
    await first;
    await send('third', 60_000);
    expect(received).toEqual(['/first', '/third']);
    await narrow.close();
  });

  it('sends no request for an aborted signal', async () => {
    let calls = 0;
    const url = await listen((_request, response) => {
      calls += 1;
      response.end();
    });
    await expect(call(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'aborted' });
    await call(url);
    expect(calls).toBe(1);
  });

  it('fails when its signal is aborted', async () => {
    const url = await listen(() => undefined);
    const leaving = new AbortController();
    const pending = call(url, { signal: leaving.signal });
    leaving.abort();
    await expect(pending).rejects.toMatchObject({ kind: 'aborted' });
  });
});
