/** Tests of the strict parser of request heads. */
import { expect, test } from 'vitest';
import { headPattern, readHead } from './request-head.ts';

const lines = ['POST /v1/graphql HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Content-Length: 2'];
const pattern = headPattern('/v1/graphql');

test('reads the headers of a common request', () => {
  const headers = { host: 'a', 'content-type': 'application/json', 'content-length': '2' };
  expect(readHead(lines.join('\r\n'), pattern)).toEqual({ headers, contentLength: 2 });
});

test.each(['Set-Cookie: a=b', 'Transfer-Encoding: chunked', 'Expect: 100-continue', 'Host: b'])(
  'leaves a request with %s to node:http',
  (line) => {
    expect(readHead([...lines, line].join('\r\n'), pattern)).toBeUndefined();
  },
);
