/** Tests of saved operations. */
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

test('saves operations by name, replaces them under the same name, and removes them', () => {
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

test('ignores stored values that are invalid', () => {
  expect(savedOperations(store({ 'joinery.operations': '[{"name":1}]' }))).toEqual([]);
  expect(savedOperations(store({ 'joinery.operations': '{' }))).toEqual([]);
});
