// The list of hostile requests, each of at most 10 MB and built when it is sent.
import { createHash } from 'node:crypto';
import { hostileDocuments } from './documents.mjs';
import { hostileFrames } from './frames.mjs';
import { hostileMetadata } from './metadata.mjs';
import { sendBytes, sendHttp } from './send.mjs';
import { hostileVariables } from './variables.mjs';

const MB = 1_000_000;
const everyone = ['admin', 'user', 'anonymous', 'impostor'];
const small = JSON.stringify({ query: '{ note { id } }' });

/** Returns a request with a body for an endpoint. */
const to = (path, name, bodyOf, callers = everyone, more = {}) => ({
  name: `${path}: ${name}`,
  callers,
  send: (url, headers) => sendHttp(url, headers, { path, body: bodyOf(), ...more }),
});

const numbers = (digits) => `[${'1'.repeat(digits)}]`;

/** Bodies that are not valid requests, for every endpoint that reads one. */
const bodies = [
  ['10 MB of spaces', () => ' '.repeat(10 * MB)],
  ['10 MB of brackets', () => '['.repeat(10 * MB)],
  ['10 MB of nested lists', () => '['.repeat(5 * MB) + ']'.repeat(5 * MB)],
  ['10 MB of nested objects', () => `${'{"a":'.repeat(1_600_000)}1${'}'.repeat(1_600_000)}`],
  ['10 MB of empty lists', () => `[${'[],'.repeat(3_300_000)}[]]`],
  ['10 MB of small integers', () => `[${'1,'.repeat(4_900_000)}1]`],
  ['10 MB of integers of 18 digits', () => `[${'123456789012345678,'.repeat(520_000)}1]`],
  ['one number of 10 MB', () => numbers(9.9 * MB)],
  ['one fraction of 10 MB', () => `[0.${'1'.repeat(9.9 * MB)}]`],
  ['one exponent of 10 MB', () => `[1e${'1'.repeat(9.9 * MB)}]`],
  ['10 MB of 1e400', () => `[${'1e400,'.repeat(1_600_000)}1]`],
  ['10 MB of member names', () => `{${Array.from({ length: 700_000 }, (_, n) => `"name${n}":1`).join(',')}}`],
  [
    '10 MB of member names and an exact number',
    () => `{${Array.from({ length: 650_000 }, (_, n) => `"name${n}":1`).join(',')},"n":1e400}`,
  ],
  ['10 MB of one duplicate member and an exact number', () => `{${'"a":1,'.repeat(1_600_000)}"n":1e400}`],
  ['10 MB of escapes and an exact number', () => `["${'\\u0041'.repeat(1_600_000)}",1e400]`],
  [
    '10 MB of numeric member names',
    () =>
      `{${Array.from({ length: 900_000 }, (_, n) => `"${n * 4001}":1`)
        .join(',')
        .slice(0, 9.9 * MB)
        .replace(/,[^,]*$/, '')}}`,
  ],
  ['one string of 10 MB', () => JSON.stringify('x'.repeat(9.9 * MB))],
];

const endpoints = ['/v1/graphql', '/v1/metadata', '/v2/query', '/v1/graphql/explain', '/api/rest/notes'];

const hash = (text) => createHash('sha256').update(text).digest('hex');

export const hostileRequests = [
  ...endpoints.flatMap((path) =>
    bodies.map(([name, bodyOf]) => to(path, name, bodyOf, path === '/v1/graphql' ? ['user'] : ['admin', 'user'])),
  ),
  ...hostileVariables,
  ...hostileDocuments,
  ...hostileMetadata,
  ...hostileFrames,
  to('/v1/graphql', 'a batch of 2,000,000 operations', () => `[${'{},'.repeat(2 * MB)}{}]`),
  to('/v1/graphql', 'a batch of 100 operations of 100 kB', () =>
    JSON.stringify(Array.from({ length: 100 }, (_, n) => ({ query: `query q${n} { ${fieldsOf(5_000, n)} }` }))),
  ),
  to(
    '/v1/graphql',
    'a batch of 100 mutations of 100 kB',
    () =>
      JSON.stringify(
        Array.from({ length: 100 }, () => ({
          query: 'mutation ($rows: [note_insert_input!]!) { insert_note(objects: $rows) { affected_rows } }',
          variables: { rows: Array.from({ length: 3_000 }, () => ({ title: 'a title of a row' })) },
        })),
      ),
    ['user'],
  ),
  to('/v1/graphql', 'a persisted query of 10 MB', () => {
    const query = `{ note { id } } #${'x'.repeat(9.8 * MB)}`;
    return JSON.stringify({ query, extensions: { persistedQuery: { version: 1, sha256Hash: hash(query) } } });
  }),
  to(
    '/v1/graphql',
    'extensions of 10 MB',
    () =>
      `{"query":"{ note { id } }","extensions":${'{"a":'.repeat(4_000)}[${'1,'.repeat(4.8 * MB)}1]${'}'.repeat(4_000)}}`,
  ),
  to('/v1/graphql', 'an operation name of 10 MB', () =>
    JSON.stringify({ query: '{ note { id } }', operationName: 'x'.repeat(9.9 * MB) }),
  ),
  to('/v1/graphql', 'a form of 10 MB', () => `query=${'%41'.repeat(3.2 * MB)}`, ['user'], {
    type: 'application/x-www-form-urlencoded',
  }),
  to('/v1/graphql', 'multipart of 10 MB', () => `--x\r\n${'a'.repeat(9.9 * MB)}`, ['user'], {
    type: 'multipart/form-data; boundary=x',
  }),
  to('/v1/graphql', 'a content type of 12 kB', () => small, ['user'], { type: `application/${'a+'.repeat(6_000)}x` }),
  to('/api/rest/notes', 'a form of 10 MB', () => 'where=1&'.repeat(1.2 * MB), ['user'], {
    type: 'application/x-www-form-urlencoded',
  }),
  to(
    '/api/rest/notes',
    'a form of 1,000,000 names',
    () => Array.from({ length: MB }, (_, n) => `n${n}=`).join('&'),
    ['user'],
    { type: 'application/x-www-form-urlencoded' },
  ),
  to(
    '/api/rest/notes',
    '40,000 terms of order_by',
    () => JSON.stringify({ order: Array(40_000).fill({ id: 'asc' }) }),
    ['user'],
  ),
  to(
    '/api/rest/add',
    '10 MB of rows',
    () => JSON.stringify({ rows: Array.from({ length: 400_000 }, () => ({ title: 'a title' })) }),
    ['user'],
  ),
  ...[
    ['GET with a query string of 12 kB', `/v1/graphql?${'query=1&'.repeat(1_500)}`],
    [
      'GET with variables of 12 kB',
      `/v1/graphql?query=${encodeURIComponent('{ note { id } }')}&variables=${'['.repeat(12_000)}`,
    ],
    ['REST with a query string of 12 kB', `/api/rest/notes?${'where={&'.repeat(1_500)}`],
    ['a path of 12 kB', `/${'a/'.repeat(6_000)}`],
    ['a REST path of 12 kB', `/api/rest/${'%41/'.repeat(3_000)}`],
  ].map(([name, path]) => ({
    name,
    callers: ['user'],
    send: (url, headers) => sendHttp(url, headers, { method: 'GET', path }),
  })),
  ...[
    ['a token of 12 kB', { authorization: `Bearer ${'a.'.repeat(6_000)}` }],
    ['a token of 1 MB', { authorization: `Bearer ${'a'.repeat(MB)}.${'b'.repeat(10)}.c` }],
    ['cookies of 12 kB', { cookie: 'a=b; '.repeat(2_400) }],
    [
      'headers of session variables of 12 kB',
      Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`x-service-v${n}`, '1'])),
    ],
    ['Accept of 12 kB', { accept: 'a/b;q=0.1,'.repeat(1_200) }],
    ['Accept-Encoding of 12 kB', { 'accept-encoding': 'gzip;q=0.1,'.repeat(1_100) }],
    ['X-Forwarded-For of 12 kB', { 'x-forwarded-for': '1.1.1.1, '.repeat(1_300) }],
    ['Content-Encoding gzip', { 'content-encoding': 'gzip' }],
    ['If-None-Match of 12 kB', { 'if-none-match': '"a", '.repeat(2_400) }],
  ].map(([name, extra]) => ({
    name,
    callers: ['anonymous'],
    send: (url, headers) => sendHttp(url, { ...headers, ...extra }, { body: small }),
  })),
  {
    name: 'a body of 10 MB in chunks of one byte',
    callers: ['anonymous'],
    send: (url) =>
      sendBytes(
        url,
        Buffer.concat([
          Buffer.from(
            'POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
          ),
          Buffer.from('1\r\n \r\n'.repeat(1_600_000)),
          Buffer.from('0\r\n\r\n'),
        ]),
      ),
  },
  {
    name: '20,000 requests in one pipeline',
    callers: ['anonymous'],
    send: (url) => sendBytes(url, Buffer.from('GET /v1/version HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20_000))),
  },
  {
    name: '10 MB of headers',
    callers: ['anonymous'],
    send: (url) => sendBytes(url, Buffer.from(`GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(1_600_000)}\r\n`)),
  },
];

function fieldsOf(count, seed) {
  return Array.from({ length: count }, (_, n) => `a${seed}_${n}: note { id }`).join(' ');
}
