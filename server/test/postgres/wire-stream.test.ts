/** The stream of a server is read equally wherever it is split, and hostile lengths close the connection. */
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from '../../src/postgres/client/pool.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import { Framer } from '../../src/postgres/wire/framing.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

/** Starts a server that handles each connection with `serve`. */
async function startServer(serve: (socket: Socket) => void): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const target = new URL(db.url);
  target.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: target.href, close };
}

const settings = { poolSize: 1, statementTimeoutMs: 0, prepare: true, applicationName: 'wire stream' };

/** Records what a server sends for rows of several sizes, an error, a notice and an empty statement. */
async function record(): Promise<Buffer> {
  const received: Buffer[] = [];
  const { hostname, port } = new URL(db.url);
  const proxy = await startServer((client) => {
    const upstream = connectSocket(Number(port), hostname);
    upstream.on('data', (bytes) => received.push(bytes)).on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  const database = createDatabase({ ...settings, url: proxy.url });
  const run = (text: string, values: unknown[] = []) => database.query({ text, values, name: database.prepared(text) });
  await run(`select i, repeat('é', i), null::text from generate_series(1, $1::int) as i`, ['12']);
  await run('select $1::text', ['']);
  await database.query({ text: `do $$ begin raise notice 'a'; end $$`, values: [] });
  await database.query({ text: '', values: [] });
  await run('select 1 / $1::int', ['0']).catch(() => undefined);
  await database.close();
  proxy.close();
  return Buffer.concat(received);
}

/** Returns the messages that a framer finds in the parts of a stream. */
function messagesOf(parts: readonly Buffer[], dropped?: string): readonly string[] {
  const found: string[] = [];
  const framer = new Framer({
    begin: (type) => String.fromCharCode(type) !== dropped,
    handle: (type, bytes, start, end) =>
      found.push(`${String.fromCharCode(type)} ${bytes.toString('hex', start, end)}`),
  });
  // The caller reuses its buffer for each read.
  const shared = Buffer.alloc(Math.max(...parts.map(({ length }) => length)));
  for (const part of parts) {
    shared.fill(0xff);
    part.copy(shared);
    framer.push(shared, part.length);
  }
  return found;
}

test('a stream has the same messages wherever it is split', async () => {
  const stream = await record();
  const whole = messagesOf([stream]);
  expect(new Set(whole.map((message) => message[0]))).toEqual(new Set('RSKZ12TDCEIN'));
  expect(messagesOf(Array.from(stream, (byte) => Buffer.of(byte)))).toEqual(whole);
  for (let at = 1; at < stream.length; at += 1) {
    const parts = [stream.subarray(0, at), stream.subarray(at, at + 3), stream.subarray(at + 3)];
    expect(messagesOf(parts)).toEqual(whole);
  }
});

test('a message that is dropped before its end leaves those after it as they are, wherever the stream is split', async () => {
  const stream = await record();
  const whole = messagesOf([stream]);
  const others = whole.filter((message) => message[0] !== 'D');
  const bytes = messagesOf(
    Array.from(stream, (byte) => Buffer.of(byte)),
    'D',
  );
  expect(bytes).toEqual(others);
  for (let at = 1; at < stream.length; at += 1) {
    const found = messagesOf([stream.subarray(0, at), stream.subarray(at, at + 3), stream.subarray(at + 3)], 'D');
    expect(found.filter((message) => message[0] !== 'D')).toEqual(others);
    expect(found.length).toBeGreaterThanOrEqual(whole.length - 2);
  }
});

test('a message larger than the first allocation is complete', () => {
  const body = Buffer.alloc(9 * 2 ** 20, 'x');
  const header = Buffer.from('D0000');
  header.writeInt32BE(body.length + 4, 1);
  const stream = Buffer.concat([header, body]);
  const lengths: number[] = [];
  const framer = new Framer({
    begin: () => true,
    handle: (_type, bytes, start, end) => lengths.push(bytes.subarray(start, end).length),
  });
  for (let at = 0; at < stream.length; at += 300_000) {
    const part = stream.subarray(at, at + 300_000);
    framer.push(part, part.length);
  }
  expect(lengths).toEqual([body.length]);
});

const ready = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');

/** Returns the error of a statement on a server that accepts every client and then sends `bytes`. */
async function errorAfter(bytes: Buffer, ends = false): Promise<unknown> {
  const server = await startServer((socket) => {
    socket.once('data', () => {
      socket.write(ready);
      socket.on('data', () => (ends ? socket.end(bytes) : socket.write(bytes)));
    });
  });
  const database = createDatabase({ ...settings, url: server.url });
  const error = await database.query({ text: 'select 1', values: [] }).catch((thrown: unknown) => fromPostgres(thrown));
  server.close();
  await database.close();
  return error;
}

describe('a statement is rejected with busy if the server', () => {
  test.each([
    ['sends a length of 2 GB', 'D\x7f\xff\xff\xff', /type "D" and length 2147483647/],
    ['sends a negative length', 'D\xff\xff\xff\xf0', /type "D" and length -16/],
    ['sends a length below that of the header', 'Z\0\0\0\x03', /type "Z" and length 3/],
    ['sends a long message of a short type', 'C\0\x10\0\0', /type "C" and length 1048576/],
    ['sends an unknown type', '~\0\0\0\x04', /unexpected message of type "~"/],
    ['sends HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', /which is not a message of PostgreSQL/],
    ['sends a row with a value beyond its end', 'D\0\0\0\x0a\0\x01\0\0\x10\0', /shorter than its content/],
  ])('%s', async (_case, bytes, reason) => {
    expect(await errorAfter(Buffer.from(bytes, 'latin1'))).toMatchObject({
      code: 'busy',
      internal: { error: expect.stringMatching(reason) },
    });
  });

  test('closes in the middle of a message', async () => {
    expect(await errorAfter(Buffer.from('D\0\0\0\x20\0\x01', 'latin1'), true)).toMatchObject({
      code: 'busy',
      internal: { error: 'Connection terminated unexpectedly' },
    });
  });
});

test('a result is rejected at the beginning of a row that exceeds its limit', async () => {
  const { hostname, port } = new URL(db.url);
  let left = 200_000;
  const server = await startServer((client) => {
    const upstream = connectSocket(Number(port), hostname);
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).on('data', (bytes) => {
      client.write(bytes.subarray(0, left));
      left = Math.max(0, left - bytes.length);
    });
  });
  const database = createDatabase({ ...settings, url: server.url });
  const large = database.query({ text: `select repeat('x', 9000000)`, values: [] }, { reads: true, maxLength: 1_000 });
  await expect(large).rejects.toMatchObject({ code: 'result-limit-exceeded' });
  server.close();
  await database.close();
});

test('a connection is used further after a row that exceeded the limit of its result', async () => {
  const database = createDatabase({ ...settings, url: db.url });
  const limited = { reads: true, maxLength: 1_000_000 };
  const process = { text: 'select pg_backend_pid()', values: [] };
  const before = (await database.query(process)).rows;
  const large = `select repeat('x', 9000000)`;
  await expect(database.query({ text: large, values: [] }, limited)).rejects.toMatchObject({
    code: 'result-limit-exceeded',
  });
  expect((await database.query(process)).rows).toEqual(before);
  const fitting = await database.query({ text: `select repeat('é', 500000)`, values: [] }, limited);
  expect(fitting.rows[0]?.[0]).toHaveLength(500_000);
  await expect(database.query({ text: `select repeat('é', 500001)`, values: [] }, limited)).rejects.toMatchObject({
    code: 'result-limit-exceeded',
  });
  await database.close();
});
