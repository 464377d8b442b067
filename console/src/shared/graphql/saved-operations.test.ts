/** Tests saved operations. */
import { expect, test } from 'vitest';
import { removeOperation, savedOperations, saveOperation } from './saved-operations.ts';

function store(entries: Record<string, string> = {}) {
  return {
    getItem: (name: string) => entries[name] ?? null,
    setItem: (name: string, value: string) => {
      entries[name] = value;
    },
  };
}

test('operations are kept by name, replaced under the same name, and removed', () => {
  const entries = store();
  saveOperation(entries, { name: 'b', query: '{ b }', variables: '' });
  saveOperation(entries, { name: 'a', query: '{ a }', variables: '{}' });
  saveOperation(entries, { name: 'b', query: '{ c }', variables: '' });
  expect(savedOperations(entries).map(({ name, query }) => [name, query])).toEqual([
    ['a', '{ a }'],
    ['b', '{ c }'],
  ]);
  expect(removeOperation(entries, 'a').map(({ name }) => name)).toEqual(['b']);
  expect(savedOperations(entries)).toHaveLength(1);
});

test('what cannot be read is as if it were not there', () => {
  expect(savedOperations(store({ 'joinery.operations': '[{"name":1}]' }))).toEqual([]);
  expect(savedOperations(store({ 'joinery.operations': '{' }))).toEqual([]);
});
