/** Tests of the runs of the explorer. */
import { expect, test } from 'vitest';
import { changedRun, errorsIn, type Run, statusOf, withResult } from './runs.ts';

const run: Run = {
  number: 2,
  kind: 'query',
  state: 'ended',
  sent: {},
  response: undefined,
  failure: undefined,
  plan: undefined,
  received: 0,
  results: [],
};
const response = { status: 200, headers: {}, bytes: 2, durationMs: 1 };

test('ignores changes of a former run', () => {
  const runs = { 1: run };
  const end = (one: Run): Run => ({ ...one, state: 'canceled' });
  expect(changedRun(runs, '1', 1, end)).toBe(runs);
  expect(changedRun(runs, '9', 2, end)).toBe(runs);
  expect(changedRun(runs, '1', 2, end)[1]?.state).toBe('canceled');
});

test('numbers the results of a subscription and keeps the latest 50', () => {
  let live = run;
  for (let at = 1; at <= 60; at += 1) live = withResult(live, { data: at }, at);
  expect(live.results).toHaveLength(50);
  expect(live.results[0]).toEqual({ number: 60, at: 60, response: { data: 60 } });
});

test('distinguishes errors of GraphQL, error responses and canceled runs from success', () => {
  expect(statusOf({ ...run, response: { ...response, body: { data: {} } } })).toBe('ok');
  expect(statusOf({ ...run, response: { ...response, body: { errors: [{}] } } })).toBe('errors');
  expect(statusOf({ ...run, response: { ...response, status: 401, body: {} } })).toBe('failed');
  expect(statusOf({ ...run, state: 'canceled' })).toBe('canceled');
});

test('reads message, code, path and hint of errors', () => {
  const extensions = { code: 'validation-failed', path: '$.selectionSet.a', hint: 'role `user` has no permission' };
  expect(
    errorsIn({
      errors: [
        { message: 'no a', extensions },
        { message: 'b', path: ['x', 0, 'y'] },
      ],
    }),
  ).toEqual([
    { message: 'no a', code: 'validation-failed', path: '$.selectionSet.a', hint: 'role `user` has no permission' },
    { message: 'b', code: undefined, path: 'x.0.y', hint: undefined },
  ]);
  expect(errorsIn('text')).toEqual([]);
});
