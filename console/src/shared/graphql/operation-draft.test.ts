/** Tests of the stored draft of the explorer. */
import { expect, test } from 'vitest';
import { emptyDraft, operationsIn, storeDraft, storedDraft } from './operation-draft.ts';

function store(entries: Record<string, string> = {}) {
  return {
    getItem: (name: string) => entries[name] ?? null,
    setItem: (name: string, value: string) => {
      entries[name] = value;
    },
  };
}

test('restores the stored draft, and ignores an invalid one', () => {
  const entries = store();
  expect(storedDraft(entries)).toEqual(emptyDraft);
  const draft = { ...emptyDraft, query: '{ a }', role: 'user' };
  storeDraft(entries, draft);
  expect(storedDraft(entries)).toEqual(draft);
  expect(storedDraft(store({ 'joinery.explore': '{' }))).toEqual(emptyDraft);
  expect(storedDraft(store({ 'joinery.explore': '{"role":1,"other":"x"}' }))).toEqual(emptyDraft);
});

test('lists the operations of a document in order with their kinds', () => {
  expect(operationsIn('query A { a } fragment F on T { b } mutation { c }')).toEqual([
    { name: 'A', kind: 'query' },
    { name: undefined, kind: 'mutation' },
  ]);
  expect(operationsIn('query {')).toEqual([]);
});
