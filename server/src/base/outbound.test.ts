import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createOutbound, type OutboundCall } from './outbound.ts';

const outbound = createOutbound({ connections: 4 });
const servers: Server[] = [];

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function call(url: string, more: Partial<OutboundCall> = {}): ReturnType<typeof outbound.call> {
  return outbound.call({
    method: 'POST',
    url,
    headers: [['content-type', 'application/json']],
    body: '{}',
    timeoutMs: 5_000,
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
afterAll(() => outbound.close());

describe('outbound', () => {
  it('answers with status, headers and body, whatever the status', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(503, { 'Set-Cookie': ['a=1', 'b=2'], 'Retry-After': '3' }).end('busy');
    });
    const answer = await call(url);
    expect(answer).toMatchObject({ status: 503, body: 'busy', truncated: false });
    expect(answer.headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value)).toEqual([
      'a=1',
      'b=2',
    ]);
  });

  it('does not follow a redirect', async () => {
    const url = await listen((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    await expect(call(url)).resolves.toMatchObject({ status: 302 });
  });

  it('fails as a timeout when the whole answer is late, though its first byte was not', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(200).write('x');
    });
    await expect(call(url, { timeoutMs: 150 })).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('stops reading an endless body at the cap', async () => {
    const endless: RequestListener = (_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(400)), 1);
      response.on('close', () => clearInterval(timer));
    };
    await expect(call(await listen(endless))).rejects.toMatchObject({ kind: 'too-large' });
    const cut = await call(await listen(endless), { overflow: 'truncate' });
    expect(cut.truncated).toBe(true);
    expect(cut.body).toHaveLength(1_000);
  });

  it('tells refused, reset, unknown host and bad URL apart', async () => {
    await expect(call('http://127.0.0.1:1/')).rejects.toMatchObject({ kind: 'refused' });
    const resetting = await listen((request) => request.socket.destroy());
    await expect(call(resetting)).rejects.toMatchObject({ kind: 'reset' });
    await expect(call('http://does-not-exist.invalid/')).rejects.toMatchObject({ kind: 'dns' });
    await expect(call('ftp://example.com/')).rejects.toMatchObject({ kind: 'invalid-url' });
  });

  it('fails as a timeout while it waits for a connection, and is not sent afterwards', async () => {
    const narrow = createOutbound({ connections: 1 });
    const heard: string[] = [];
    let answerFirst = (): void => undefined;
    const url = await listen((request, response) => {
      heard.push(request.url ?? '');
      if (request.url === '/first') answerFirst = () => response.end();
      else response.end();
    });
    const ask = (path: string, timeoutMs: number) =>
      narrow.call({ method: 'GET', url: url + path, headers: [], timeoutMs, maxBytes: 10, overflow: 'fail' });
    const first = ask('first', 5_000);
    await expect(ask('second', 100)).rejects.toMatchObject({ kind: 'timeout' });
    answerFirst();
    await first;
    await ask('third', 5_000);
    expect(heard).toEqual(['/first', '/third']);
    await narrow.close();
  });

  it('does not call at all for a caller that is gone already', async () => {
    let calls = 0;
    const url = await listen((_request, response) => {
      calls += 1;
      response.end();
    });
    await expect(call(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'aborted' });
    await call(url);
    expect(calls).toBe(1);
  });

  it('gives up when its caller does', async () => {
    const url = await listen(() => undefined);
    const leaving = new AbortController();
    const pending = call(url, { signal: leaving.signal });
    leaving.abort();
    await expect(pending).rejects.toMatchObject({ kind: 'aborted' });
  });
});
