/** Tests saved operations. */
import { expect, test } from 'vitest';
import { removeOperation, savedOperations, saveOperation } from './saved-operations.ts';

function store(kept: Record<string, string> = {}) {
  return {
    getItem: (name: string) => kept[name] ?? null,
    setItem: (name: string, value: string) => {
      kept[name] = value;
    },
  };
}

test('operations are kept by name, replaced under the same name, and removed', () => {
  const kept = store();
  saveOperation(kept, { name: 'b', query: '{ b }', variables: '' });
  saveOperation(kept, { name: 'a', query: '{ a }', variables: '{}' });
  saveOperation(kept, { name: 'b', query: '{ c }', variables: '' });
  expect(savedOperations(kept).map(({ name, query }) => [name, query])).toEqual([
    ['a', '{ a }'],
    ['b', '{ c }'],
  ]);
  expect(removeOperation(kept, 'a').map(({ name }) => name)).toEqual(['b']);
  expect(savedOperations(kept)).toHaveLength(1);
});

test('what cannot be read is as if it were not there', () => {
  expect(savedOperations(store({ 'joinery.operations': '[{"name":1}]' }))).toEqual([]);
  expect(savedOperations(store({ 'joinery.operations': '{' }))).toEqual([]);
});
