import { expect, test } from 'vitest';
import { removeView, savedViews, saveView } from './saved-views.ts';

function memory(text: string | null = null) {
  let stored = text;
  return {
    getItem: () => stored,
    setItem: (_key: string, value: string) => {
      stored = value;
    },
  };
}

test('saves a view in place of that with the same name, in order of names', () => {
  const storage = memory();
  saveView(storage, { name: 'Renewals', path: '/events/activity?q=renewal' });
  saveView(storage, { name: 'Billing', path: '/events/activity?q=bill' });
  saveView(storage, { name: 'Renewals', path: '/events/activity?q=renew' });
  expect(savedViews(storage)).toEqual([
    { name: 'Billing', path: '/events/activity?q=bill' },
    { name: 'Renewals', path: '/events/activity?q=renew' },
  ]);
  removeView(storage, 'Billing');
  expect(savedViews(storage).map(({ name }) => name)).toEqual(['Renewals']);
});

test('ignores stored text that is no list of views', () => {
  expect(savedViews(memory('{'))).toEqual([]);
  expect(savedViews(memory('[{"name":"x","path":"https://other.example"}]'))).toEqual([]);
});
