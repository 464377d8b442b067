/** Random heads of HTTP requests: where the direct parser accepts one, node:http must read the same. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { headPattern, readHead } from '../../../src/http/direct/request-head.ts';
import { fuzz, unhurried } from '../seed.ts';
import { damaged } from './json-texts.ts';

/** Waits for a request or an error of node:http; resolved with undefined for an error. */
let onHead: (headers: IncomingHttpHeaders | undefined) => void = () => undefined;
const server = createServer((request) => onHead({ ...request.headers }));
server.on('clientError', () => onHead(undefined));
server.on('upgrade', () => onHead(undefined));
afterAll(() => server.close());

/** Returns the headers that node:http reads; undefined if it rejects the request. */
function readByNode(head: string): Promise<IncomingHttpHeaders | undefined> {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const read = new Promise<IncomingHttpHeaders | undefined>((resolve) => {
    onHead = resolve;
  });
  server.emit('connection', socket);
  socket.push(Buffer.from(`${head}\r\n\r\n`, 'latin1'));
  return read.finally(() => socket.destroy());
}

const name = fc.constantFrom(
  ...['X-A', 'x-b', 'Accept', 'Cookie', 'Transfer-Encoding', 'Content-Length', 'Content-Type', 'Connection', 'Expect'],
  ...[
    'Host',
    'TE',
    'Upgrade',
    'constructor',
    '__proto__',
    "a!#$%&'*+.^_`|~b",
    'Content-Encoding',
    'Set-Cookie',
    'Date',
  ],
);
const value = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\t',
    'a',
    ' a b ',
    '\tx\t',
    'chunked',
    '5',
    '+5',
    '5,5',
    '0x5',
    'keep-alive',
    'close',
    'a\x80',
    'a\x7f',
    'a: b',
    '"',
  ),
  fc.string({ unit: fc.constantFrom(...'ab :;=,\t"\x01\x7f\xe9'), maxLength: 6 }),
);
const separator = fc.constantFrom(...Array<string>(8).fill(': '), ':', ':  ', ' : ', ':\t', '');
const line = fc.tuple(name, separator, value).map((parts) => parts.join(''));
const length = fc.constantFrom(...Array<string>(6).fill('5'), '0', '05', '5 ', '+5', '-1', '1e1', '12345678');
const head = fc
  .tuple(
    fc.constantFrom(
      ...Array<string>(8).fill('POST /v1/graphql HTTP/1.1'),
      'POST /v1/graphql?a HTTP/1.1',
      'post /v1/graphql HTTP/1.1',
    ),
    fc.array(line, { maxLength: 2 }),
    fc.constantFrom(...Array<string>(6).fill('application/json'), 'application/json; charset=utf-8', 'text/plain'),
    length,
    fc.nat({ max: 6 }),
  )
  .map(([first, lines, type, bytes, at]) => {
    const all = ['Host: a', `Content-Type: ${type}`, `Content-Length: ${bytes}`];
    all.splice(at % (all.length + 1), 0, ...lines);
    return [first, ...all].join('\r\n');
  });

test('a head that is parsed directly has the headers that node:http reads', unhurried, async () => {
  const pattern = headPattern('/v1/graphql');
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 3, arbitrary: head }, { weight: 1, arbitrary: damaged(head, '\r\n :\t\x00\xe9;,=') }),
      async (text) => {
        const direct = readHead(text, pattern);
        if (direct === undefined) return;
        accepted += 1;
        expect(await readByNode(text)).toEqual(direct.headers);
        expect(String(direct.contentLength)).toBe(direct.headers['content-length']);
      },
    ),
    fuzz(3_000),
  );
  // Otherwise the heads would prove nothing.
  expect(accepted).toBeGreaterThan(100);
});
