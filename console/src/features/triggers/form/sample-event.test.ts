import { expect, test } from 'vitest';
import { nameOfSample, sampleBody, sampleOperations, sampleSql } from './sample-event.ts';
import { emptyTriggerDraft, type TriggerDraft } from './trigger-draft.ts';

const update = { enabled: true, columns: ['total'], payload: ['id'] };
const draft: TriggerDraft = { ...emptyTriggerDraft, name: 'paid', table: '["shop","orders"]', retries: '3', update };
const row = '{"id":7,"total":1.50}';
const context = { prefix: 'x-service-', now: Date.parse('2026-01-01T00:00:00.250Z') };

test('a sample has the members of a real event, and the delivered columns only', () => {
  expect(JSON.parse(sampleBody(draft, 'update', row, context))).toEqual({
    created_at: '2026-01-01T00:00:00.250',
    delivery_info: { current_retry: 0, max_retries: 3 },
    event: {
      data: { new: { id: 7 }, old: { id: 7 } },
      op: 'UPDATE',
      session_variables: { 'x-service-role': 'user', 'x-service-user-id': '1' },
      trace_context: null,
    },
    id: '0190c5a2-0000-8000-8000-000000000001',
    table: { name: 'orders', schema: 'shop' },
    trigger: { name: 'paid' },
  });
});

test.each([
  ['insert', { new: { id: 7, total: 1.5 }, old: null }],
  ['manual', { new: { id: 7, total: 1.5 }, old: null }],
  ['delete', { new: null, old: { id: 7, total: 1.5 } }],
] as const)('%s has the rows %j', (operation, data) => {
  expect(JSON.parse(sampleBody(draft, operation, row, context))).toMatchObject({ event: { data } });
});

test('a sample of a trigger with batches is a list', () => {
  expect(JSON.parse(sampleBody({ ...draft, batched: true }, 'insert', row, context))).toHaveLength(1);
});

test('offers the operations of the trigger', () => {
  expect(sampleOperations({ ...draft, manual: true })).toEqual(['insert', 'update', 'manual']);
});

test('reads the last rows by primary key as the capture prints them', () => {
  const table = { schema: 'shop', name: 'or"ders' };
  expect(sampleSql({ table, primary_key: ['id', 'line'] })).toBe(
    'select row_to_json(r)::text from "shop"."or""ders" r order by r."id" desc, r."line" desc limit 20',
  );
  expect(sampleSql({ table, primary_key: null })).not.toContain('order by');
});

test('names a row by its primary key', () => {
  expect(nameOfSample('{"id":7,"line":2,"total":1.50}', ['id', 'line'])).toBe('id 7, line 2');
  expect(nameOfSample(row, null)).toBe(row);
});
