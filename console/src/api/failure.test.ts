import { expect, test } from 'vitest';
import { hintOf, rejectionOf, toFailure, unreachable } from './failure.ts';

test('an error response has the message of the service', () => {
  const body = { error: 'must be a number', code: 'parse-failed', path: '$.args.limit', internal: { a: 1 } };
  expect(rejectionOf(400, body)).toMatchObject({
    message: 'must be a number',
    code: 'parse-failed',
    path: '$.args.limit',
    status: 400,
    internal: { a: 1 },
  });
});

test.each([[null], ['<html>'], [[]], [{ message: 'x' }]])(
  'a response of another shape is not from the service: %j',
  (body) => {
    expect(rejectionOf(502, body)).toMatchObject({ code: 'unreadable', status: 502 });
  },
);

test('converts any thrown value to a Failure', () => {
  const failure = unreachable(new TypeError('fetch failed'));
  expect(toFailure(failure)).toBe(failure);
  expect(toFailure('odd')).toMatchObject({ code: 'unexpected', message: 'odd', path: '$' });
});

test('errors that users can resolve have a hint', () => {
  expect(hintOf(unreachable(undefined))).toContain('retries automatically');
  expect(hintOf(rejectionOf(401, { error: 'no', code: 'access-denied' }))).toContain('Sign in again');
  expect(hintOf(rejectionOf(400, { error: 'no', code: 'parse-failed' }))).toBeUndefined();
});
