/** Tests of the tabs of the explorer. */
import { expect, test } from 'vitest';
import { activeTab, changeTab, closeTab, firstTabs, openTab, reopenTab, storedTabs, storeTabs } from './tabs.ts';

function store(entries: Record<string, string> = {}) {
  return {
    entries,
    getItem: (name: string) => entries[name] ?? null,
    setItem: (name: string, value: string) => {
      entries[name] = value;
    },
  };
}

test('an operation replaces an empty tab, and is a new tab beside another operation', () => {
  const one = openTab(firstTabs, { query: '{ a }' });
  expect(one.open.map(({ query }) => query)).toEqual(['{ a }']);
  const two = openTab(one, { query: '{ b }', role: 'user' });
  expect(two.open.map(({ query }) => query)).toEqual(['{ a }', '{ b }']);
  expect(activeTab(two)).toMatchObject({ query: '{ b }', role: 'user', sendsSecret: true });
});

test('closing a tab activates the one beside it, and the tab can be opened again', () => {
  const two = openTab(openTab(firstTabs, { query: '{ a }' }), { query: '{ b }' });
  const closed = closeTab(two, two.active);
  expect(activeTab(closed).query).toBe('{ a }');
  const reopened = reopenTab(closed);
  expect(activeTab(reopened).query).toBe('{ b }');
  expect(reopened.closed).toEqual([]);
});

test('the last tab is replaced by an empty one with another id', () => {
  const one = openTab(firstTabs, { query: '{ a }' });
  const closed = closeTab(one, one.active);
  expect(closed.open).toHaveLength(1);
  expect(closed.active).not.toBe(one.active);
});

test('changes one tab only', () => {
  const two = openTab(openTab(firstTabs, { query: '{ a }' }), { query: '{ b }' });
  const changed = changeTab(two, two.active, { query: '{ c }' });
  expect(changed.open.map(({ query }) => query)).toEqual(['{ a }', '{ c }']);
});

test('restores the tabs, and headers in the same browser tab only', () => {
  const session = store();
  const local = store();
  const tabs = openTab(firstTabs, { query: '{ a }', headers: 'Authorization: Bearer x', sendsSecret: false });
  storeTabs(session, local, tabs);
  expect(storedTabs(session, local)).toEqual(tabs);
  expect(activeTab(storedTabs(store(), local))).toMatchObject({ query: '{ a }', headers: '', sendsSecret: false });
  expect(JSON.stringify(local.entries)).not.toContain('Bearer');
});

test('ignores stored tabs that are invalid', () => {
  for (const text of ['{', 'null', '{"open":[]}', '{"open":[{"query":1}]}', '[]']) {
    expect(storedTabs(store({ 'joinery.explore.tabs': text }), store())).toEqual(firstTabs);
  }
});
