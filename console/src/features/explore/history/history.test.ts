/** Tests of the history of operations. */
import { expect, test } from 'vitest';
import { forgetOperations, pastOperations, rememberOperation, titleOf } from './history.ts';

test('lists past operations once, the latest first, until they are cleared', () => {
  const kept: Record<string, string> = {};
  const store = {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, text: string) => {
      kept[name] = text;
    },
  };
  const one = { query: '{ a }', variables: '', role: '', session: '', at: 1, status: 'ok' as const, durationMs: 5 };
  rememberOperation(store, one);
  rememberOperation(store, { ...one, query: '{ b }', at: 2 });
  rememberOperation(store, { ...one, at: 3 });
  expect(pastOperations(store).map(({ query, at }) => [query, at])).toEqual([
    ['{ a }', 3],
    ['{ b }', 2],
  ]);
  forgetOperations(store);
  expect(pastOperations(store)).toEqual([]);
});

test('reads entries without status, session variables and duration, and ignores invalid ones', () => {
  const stored = [{ query: '{ a }', variables: '', role: 'user', at: 1, status: 'odd' }, { query: 1 }, null];
  const store = { getItem: () => JSON.stringify(stored), setItem: () => undefined };
  expect(pastOperations(store)).toEqual([
    { query: '{ a }', variables: '', role: 'user', session: '', at: 1, status: undefined, durationMs: undefined },
  ]);
});

test('the title of an operation is its names, or its beginning', () => {
  expect(titleOf('query A { a } mutation B { b }')).toBe('A, B');
  expect(titleOf('{\n  a\n}')).toBe('{ a }');
});
