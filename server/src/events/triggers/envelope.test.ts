import { describe, expect, test } from 'vitest';
import { type CapturedChange, printData, traceOf, triggerEnvelope } from './envelope.ts';

const trigger = { name: 'order_paid', table: { schema: 'public', name: 'order' }, numRetries: 3 };
const change: CapturedChange = {
  id: '5b0c1f9e-0000-8000-8000-000000000001',
  operation: 'UPDATE',
  createdAt: '2026-09-01T08:00:00.123456',
  session: '{"x-hasura-user-id":"3","x-hasura-role":"user"}',
  trace: '{"trace_id":"4a000000000000000000000000000001","span_id":"9f00000000000001","sampling_state":"1"}',
};
const rows = { before: '{"id":7,"status":"open"}', after: '{"id":7,"status":"paid"}' };

describe('the body of an event', () => {
  test('is that of Hasura v2, byte for byte', () => {
    expect(triggerEnvelope(trigger, change, printData(rows), 0)).toBe(
      '{"created_at":"2026-09-01T08:00:00.123456","delivery_info":{"current_retry":0,"max_retries":3},' +
        '"event":{"data":{"new":{"id":7,"status":"paid"},"old":{"id":7,"status":"open"}},"op":"UPDATE",' +
        '"session_variables":{"x-hasura-role":"user","x-hasura-user-id":"3"},' +
        '"trace_context":{"sampling_state":"1","span_id":"9f00000000000001","trace_id":"4a000000000000000000000000000001"}},' +
        '"id":"5b0c1f9e-0000-8000-8000-000000000001","table":{"name":"order","schema":"public"},' +
        '"trigger":{"name":"order_paid"}}',
    );
  });

  test('has null for the session and the trace of a change by another client', () => {
    const other = { ...change, session: undefined, trace: undefined };
    expect(triggerEnvelope(trigger, other, printData(rows), 0)).toContain(
      '"op":"UPDATE","session_variables":null,"trace_context":null}',
    );
  });

  test('counts earlier calls in current_retry, and has the present num_retries in max_retries', () => {
    const body = triggerEnvelope({ ...trigger, numRetries: 5 }, change, printData(rows), 2);
    expect(body).toContain('"delivery_info":{"current_retry":2,"max_retries":5}');
  });

  test.each([
    ['2026-09-01T08:00:00.000000', '2026-09-01T08:00:00'],
    ['2026-09-01T08:00:10.120000', '2026-09-01T08:00:10.12'],
    ['2026-09-01T08:00:00.000001', '2026-09-01T08:00:00.000001'],
  ])('has %s in created_at as %s, without a zone', (createdAt, written) => {
    const body = triggerEnvelope(trigger, { ...change, createdAt }, printData(rows), 0);
    expect(JSON.parse(body).created_at).toBe(written);
  });

  test('escapes names', () => {
    const named = { ...trigger, table: { schema: 'a"b', name: 'c\\d' } };
    expect(JSON.parse(triggerEnvelope(named, change, printData(rows), 0)).table).toEqual({
      name: 'c\\d',
      schema: 'a"b',
    });
  });
});

describe('the data of an event', () => {
  test.each([
    ['INSERT', { before: undefined, after: '{"id":1}' }, '{"new":{"id":1},"old":null}'],
    ['DELETE', { before: '{"id":1}', after: undefined }, '{"new":null,"old":{"id":1}}'],
    ['MANUAL', { before: undefined, after: '[1,"any JSON"]' }, '{"new":[1,"any JSON"],"old":null}'],
  ])('of %s have null for the absent row', (_operation, captured, data) => {
    expect(printData(captured)).toBe(data);
  });

  test('have the digits of numbers as PostgreSQL prints them', () => {
    const after = '{"id":12345678901234567890,"price":1.50,"tiny":1e-30}';
    expect(printData({ before: undefined, after })).toBe(`{"new":${after},"old":null}`);
  });

  test('have the delivered columns only of rows that were captured whole', () => {
    const after = '{"secret":"x","id":12345678901234567890,"note":null}';
    expect(printData({ before: '{"secret":"y"}', after }, { columns: ['note', 'id', 'gone'] })).toBe(
      '{"new":{"id":12345678901234567890,"note":null},"old":{}}',
    );
  });
});

describe('the trace of a call', () => {
  const own = { traceId: change.id.replaceAll('-', ''), sampled: true };

  test.each([
    ['continues the trace of the change', change.trace, { traceId: '4a000000000000000000000000000001', sampled: true }],
    [
      'is not sampled if the trace of the change is not',
      '{"trace_id":"4a000000000000000000000000000001","span_id":"9f","sampling_state":"0"}',
      { traceId: '4a000000000000000000000000000001', sampled: false },
    ],
    [
      'extends an id of 64 bits with zeros',
      '{"trace_id":"4a00000000000001","span_id":"9f"}',
      { traceId: '00000000000000004a00000000000001', sampled: true },
    ],
    ['is that of the event without a trace of the change', undefined, own],
    ['is that of the event if the trace of the change has no valid id', '{"trace_id":"none"}', own],
    ['is that of the event if the trace of the change is no object', '"none"', own],
    ['is that of the event if the id has only zeros', '{"trace_id":"00000000000000000000000000000000"}', own],
  ])('%s', (_rule, trace, expected) => {
    expect(traceOf({ ...change, trace })).toEqual(expected);
  });
});
