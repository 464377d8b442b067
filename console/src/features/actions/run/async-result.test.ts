import { expect, test } from 'vitest';
import { idIn, resultIn } from './async-result.ts';

test('the id is the only value of the response', () => {
  expect(idIn({ data: { report: 'a-b' } })).toBe('a-b');
  expect(idIn({ errors: [{ message: 'no' }] })).toBeUndefined();
  expect(idIn(undefined)).toBeUndefined();
});

test('a run is pending until it has an output or errors', () => {
  expect(resultIn({ data: { report: { output: null, errors: null } } }, 'report').state).toBe('waiting');
  expect(resultIn({ data: { report: { output: { a: 1 }, errors: null } } }, 'report').state).toBe('done');
  expect(resultIn({ data: { report: { output: null, errors: { error: 'x' } } } }, 'report').state).toBe('failed');
  expect(resultIn({ data: { report: null } }, 'report').state).toBe('failed');
  expect(resultIn({ errors: [{ message: 'no' }] }, 'report')).toEqual({ state: 'failed', shown: [{ message: 'no' }] });
});
