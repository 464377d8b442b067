/** Tests of the stored draft of the explorer. */
import { expect, test } from 'vitest';
import { emptyDraft, operationsIn, storeDraft, takeDraft, variablesIn } from './operation-draft.ts';

function store(entries: Record<string, string> = {}) {
  return {
    getItem: (name: string) => entries[name] ?? null,
    setItem: (name: string, value: string) => {
      entries[name] = value;
    },
    removeItem: (name: string) => {
      delete entries[name];
    },
  };
}

test('passes an operation once, and ignores an invalid one', () => {
  const entries = store();
  expect(takeDraft(entries)).toBeUndefined();
  const draft = { ...emptyDraft, query: '{ a }', role: 'user' };
  storeDraft(entries, draft);
  expect(takeDraft(entries)).toEqual(draft);
  expect(takeDraft(entries)).toBeUndefined();
  expect(takeDraft(store({ 'joinery.explore': '{' }))).toBeUndefined();
  expect(takeDraft(store({ 'joinery.explore': '{"role":1,"other":"x"}' }))).toBeUndefined();
});

test('lists the operations of a document in order with their kinds', () => {
  expect(operationsIn('query A { a } fragment F on T { b } mutation { c }')).toEqual([
    { name: 'A', kind: 'query', from: 0, to: 13 },
    { name: undefined, kind: 'mutation', from: 36, to: 50 },
  ]);
  expect(operationsIn('query {')).toEqual([]);
});

test('lists the variables of an operation with their types', () => {
  expect(variablesIn('mutation A($id: Int!, $tags: [String!] = []) { a(id: $id, tags: $tags) }')).toEqual([
    { name: 'id', type: 'Int!' },
    { name: 'tags', type: '[String!]' },
  ]);
  expect(variablesIn('{ a }')).toEqual([]);
  expect(variablesIn('mutation A($id')).toEqual([]);
});
