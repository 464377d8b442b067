import { expect, test } from 'vitest';
import { hideValues, readSent, variablesOf } from './sent-request.ts';

const call = { id: 'event', attempt: 2, agent: 'joinery/1', body: '{"n":1}' };
const stored = { url: 'https://user:secret@hook.example/x', timestamp: '1', traceparent: '00-a-b-01' };

test('a call without headers and transform has the default headers, those of the attempt and the body of its event', () => {
  expect(readSent({ ...stored, signed: true }, call)).toEqual({
    method: 'POST',
    url: 'https://***@hook.example/x',
    headers: [
      { name: 'Host', value: 'hook.example' },
      { name: 'Connection', value: 'keep-alive' },
      { name: 'Content-Type', value: 'application/json' },
      { name: 'User-Agent', value: 'joinery/1' },
      { name: 'webhook-id', value: 'event' },
      { name: 'webhook-timestamp', value: '1' },
      { name: 'webhook-attempt', value: '2' },
      { name: 'traceparent', value: '00-a-b-01' },
      { name: 'webhook-signature', value: '***' },
      { name: 'Authorization', value: '***' },
      { name: 'Content-Length', value: '7' },
    ],
    body: '{"n":1}',
  });
});

test('a transformed call has its own method, headers and body, and a batch its own id', () => {
  const own = { ...stored, id: 'batch', method: 'PUT', headers: [['X-A', 'b']], body: null };
  const sent = readSent(own, call);
  expect(sent).toMatchObject({ method: 'PUT', body: null });
  expect(sent?.headers.slice(2, 4)).toEqual([
    { name: 'X-A', value: 'b' },
    { name: 'webhook-id', value: 'batch' },
  ]);
});

test('the length is that of the body as sent; a method without a body has none', () => {
  const lengthOf = (own: object) =>
    readSent({ ...stored, ...own }, call)?.headers.find(({ name }) => name === 'Content-Length')?.value;
  expect(lengthOf({ body: '{{KEY}}', length: 90 })).toBe('90');
  expect(lengthOf({ body: 'é' })).toBe('2');
  expect(lengthOf({ body: null })).toBe('0');
  expect(lengthOf({ body: null, method: 'DELETE' })).toBeUndefined();
});

test('the host of a URL with templates is a template', () => {
  expect(readSent({ ...stored, url: '{{HOOKS}}/x' }, call)?.headers[0]).toEqual({ name: 'Host', value: '{{HOOKS}}' });
});

test.each([[undefined], [null], ['text']])('a log with %s has no request', (value) => {
  expect(readSent(value, call)).toBeUndefined();
});

test('values of variables become templates, in URLs and JSON as well, the longest first', () => {
  const environment = { KEY: 'a/b"c', LONG: 'a/b"cd', EMPTY: '', OTHER: 'x' };
  const text = `a/b"c ${encodeURIComponent('a/b"c')} ${JSON.stringify('a/b"c')} a/b"cd x`;
  expect(hideValues(text, ['KEY', 'LONG', 'EMPTY', 'MISSING'], environment)).toBe(
    '{{KEY}} {{KEY}} "{{KEY}}" {{LONG}} x',
  );
});

test('the variables of headers are those of templates and of values from the environment', () => {
  const headers = [
    { name: 'a', value: 'Bearer {{TOKEN}}' },
    { name: 'b', value_from_env: 'KEY' },
    { name: 'c', value: 'literal' },
  ];
  expect(variablesOf(headers)).toEqual(['TOKEN', 'KEY']);
});
