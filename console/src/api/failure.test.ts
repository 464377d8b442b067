import { expect, test } from 'vitest';
import { hintOf, rejectionOf, toFailure, unreachable } from './failure.ts';

test('an error answer is told in the words of the service', () => {
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
  'an answer of another shape, %j, is not one of ours',
  (body) => {
    expect(rejectionOf(502, body)).toMatchObject({ code: 'unreadable', status: 502 });
  },
);

test('what is thrown is a failure, whatever it is', () => {
  const failure = unreachable(new TypeError('fetch failed'));
  expect(toFailure(failure)).toBe(failure);
  expect(toFailure('odd')).toMatchObject({ code: 'unexpected', message: 'odd', path: '$' });
});

test('a failure that one can do something about has a hint', () => {
  expect(hintOf(unreachable(undefined))).toContain('retries automatically');
  expect(hintOf(rejectionOf(401, { error: 'no', code: 'access-denied' }))).toContain('Sign in again');
  expect(hintOf(rejectionOf(400, { error: 'no', code: 'parse-failed' }))).toBeUndefined();
});
