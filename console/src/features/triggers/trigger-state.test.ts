import { expect, test } from 'vitest';
import {
  calledBy,
  calledKind,
  failedCount,
  filterTriggers,
  newPath,
  operationsText,
  pendingText,
  stateOf,
  triggerPath,
} from './trigger-state.ts';
import type { TriggerStats } from './triggers-api.ts';

const active = { consistent: true, reason: null, outdated_at: null, paused: false };

test.each([
  ['Active', {}],
  ['Paused', { paused: true }],
  ['Outdated', { outdated_at: '2026-01-01T00:00:00Z', paused: true }],
  ['Inconsistent', { consistent: false, reason: 'column "nam" does not exist', paused: true }],
])('a trigger is %s with %j', (label, more) => {
  expect(stateOf({ ...active, ...more }).label).toBe(label);
});

test.each<[string, Parameters<typeof calledBy>[0]]>([
  ['https://example.com/hook', { webhook: 'https://example.com/hook' }],
  ['{{ORDER_HOOK}}', { webhook_from_env: 'ORDER_HOOK' }],
  ['operation:shop.add_invoice', { target: { operation: { collection: 'shop', name: 'add_invoice', role: 'clerk' } } }],
  [
    'function:default.public.close_month',
    { target: { function: { function: { schema: 'public', name: 'close_month' } } } },
  ],
])('a trigger calls %s with %j', (name, trigger) => {
  expect(calledBy(trigger)).toBe(name);
});

test.each<[string, Parameters<typeof calledKind>[0]]>([
  ['webhook', {}],
  ['saved operation', { target: { operation: { collection: 'shop', name: 'add_invoice', role: 'clerk' } } }],
  ['function', { target: { function: { function: { schema: 'public', name: 'close_month' } } } }],
])('a trigger calls a %s with %j', (kind, trigger) => {
  expect(calledKind(trigger)).toBe(kind);
});

test('an inconsistent trigger shows its reason', () => {
  expect(stateOf({ ...active, consistent: false, reason: 'no such column' }).about).toBe('no such column');
});

test('lists operations in one sentence-case string', () => {
  expect(operationsText(['insert', 'update', 'manual'])).toBe('Insert, update, manual');
});

test('marks a number of pending events that is a lower bound', () => {
  expect(pendingText({ pending: 10_000, pending_is_capped: true })).toBe('10,000+');
  expect(pendingText({ pending: 12, pending_is_capped: false })).toBe('12');
});

test('counts failed and dead events of the last day', () => {
  expect(
    failedCount({ last_day: { seconds: 86_400, delivered: 9, error: 2, dead: 3, calls: 20, p50_ms: 1, p95_ms: 2 } }),
  ).toBe(5);
});

test('filters by source, name and table', () => {
  const trigger = (source: string, name: string, table: string) =>
    ({ source, name, table: { schema: 'shop', name: table } }) as TriggerStats;
  const all = [trigger('default', 'order_paid', 'orders'), trigger('far', 'welcome', 'users')];
  const found = (source: string, text: string) => filterTriggers(all, { source, text }).map(({ name }) => name);
  expect(found('', '')).toEqual(['order_paid', 'welcome']);
  expect(found('far', '')).toEqual(['welcome']);
  expect(found('', 'PAID')).toEqual(['order_paid']);
  expect(found('', 'shop.users')).toEqual(['welcome']);
  expect(found('default', 'users')).toEqual([]);
});

test('paths contain names of any form', () => {
  expect(triggerPath({ source: 'a/b', name: 't' }, 'calls')).toBe('/events/triggers/of/a%2Fb/t/calls');
  expect(newPath()).toBe('/events/triggers/new');
  expect(newPath({ source: 'a', schema: 'public', table: 'o r' })).toBe(
    '/events/triggers/new?source=a&schema=public&table=o+r',
  );
});
