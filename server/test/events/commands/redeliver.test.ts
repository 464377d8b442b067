/** The commands redeliver_scheduled_event, redeliver_scheduled_events and run_scheduled_event_now. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import {
  column,
  fromNow,
  type Respond,
  type Sink,
  startNode,
  startSink,
  type TestNode,
} from '../../support/events/delivery-node.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let service: TestServiceCore;
let node: TestNode;
const sinks: Sink[] = [];

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  service = await startServiceCore(db);
  node = await startNode(db);
});
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close();
});
afterAll(async () => {
  await node.close();
  await service.stop();
  await db.drop();
});

async function sinkFor(respond?: Respond): Promise<Sink> {
  const sink = await startSink(respond);
  sinks.push(sink);
  return sink;
}

async function schedule(args: Record<string, unknown>): Promise<string> {
  const result = await service.run('create_scheduled_event', { schedule_at: fromNow(0), payload: {}, ...args });
  return String((result as { event_id: unknown }).event_id);
}

async function processedAs(id: string, status: string): Promise<void> {
  const text = 'select status from joinery.processed_events where id = $1';
  await until(`the event is ${status}`, async () => (await column(db.database, text, [id]))[0] === status);
}

const attempts = (id: string): Promise<string[]> =>
  column(db.database, 'select attempt from joinery.event_invocations where event_id = $1 order by created_at', [id]);

describe('redeliver_scheduled_event', () => {
  test('delivers the event under the same id and key, resets the retries, and continues the numbers of attempts', async () => {
    let failures = 3;
    const sink = await sinkFor((_call, response) => {
      response.writeHead(failures > 0 ? 500 : 200).end();
      failures -= 1;
    });
    const retry_conf = { num_retries: 1, retry_interval_seconds: 0 };
    const id = await schedule({ webhook: sink.origin, key: 'order 7', retry_conf });
    await processedAs(id, 'error');
    expect(await service.run('redeliver_scheduled_event', { key: 'order 7' })).toEqual({
      message: 'success',
      event_id: id,
    });
    await processedAs(id, 'delivered');
    expect(await attempts(id)).toEqual(['1', '2', '3', '4']);
    expect(new Set(sink.calls.map((call) => call.body.scheduled_time)).size).toBe(1);
    expect(await service.run('get_scheduled_event', { key: 'order 7' })).toMatchObject({ event: { id, tries: 4 } });
  });

  test('delivers a dead event regardless of its tolerance', async () => {
    const sink = await sinkFor();
    const retry_conf = { tolerance_seconds: 1 };
    const id = await schedule({ webhook: sink.origin, schedule_at: fromNow(-60_000), retry_conf });
    await processedAs(id, 'dead');
    await service.run('redeliver_scheduled_event', { event_id: id });
    await processedAs(id, 'delivered');
    expect(sink.calls).toHaveLength(1);
  });

  test('rejects a pending event and an unknown id', async () => {
    const id = await schedule({ webhook: 'http://127.0.0.1:9/', schedule_at: fromNow(3_600_000) });
    const pending = await service.rejection('redeliver_scheduled_event', { event_id: id });
    expect(pending).toMatchObject({ code: 'conflict', path: '$.args.event_id' });
    const unknownId = '00000000-0000-4000-8000-000000000000';
    const missing = await service.rejection('redeliver_scheduled_event', { event_id: unknownId });
    expect(missing).toMatchObject({ code: 'not-exists', path: '$.args.event_id' });
    await service.run('delete_scheduled_event', { type: 'one_off', event_id: id });
  });
});

describe('redeliver_scheduled_events', () => {
  test('delivers failed events of a search again, and no delivered events', async () => {
    let failing = true;
    const sink = await sinkFor((call, response) => {
      response.writeHead(failing && call.path === '/bad' ? 500 : 200).end();
    });
    const failed = await Promise.all(
      [1, 2, 3].map(() => schedule({ webhook: `${sink.origin}/bad`, comment: 'batch 9' })),
    );
    const delivered = await schedule({ webhook: `${sink.origin}/good`, comment: 'batch 9' });
    for (const id of failed) await processedAs(id, 'error');
    await processedAs(delivered, 'delivered');
    failing = false;
    const args = { comment: 'batch 9', destination: sink.origin, limit: 2 };
    expect(await service.run('redeliver_scheduled_events', args)).toEqual({
      message: 'success',
      redelivered: 2,
      more: true,
    });
    await until('two events are called again', () => sink.calls.length === 6);
    expect(await service.run('redeliver_scheduled_events', args)).toMatchObject({ redelivered: 1, more: false });
    for (const id of failed) await processedAs(id, 'delivered');
    expect(sink.callsOf(delivered)).toHaveLength(1);
  });

  test('rejects a status of pending events', async () => {
    const error = await service.rejection('redeliver_scheduled_events', { status: ['locked'] });
    expect(error).toMatchObject({ code: 'parse-failed', path: '$.args.status[0]' });
  });
});

describe('run_scheduled_event_now', () => {
  test('calls a future event immediately, with its original scheduled time', async () => {
    const sink = await sinkFor();
    const schedule_at = fromNow(3_600_000);
    const id = await schedule({ webhook: sink.origin, schedule_at });
    expect(await service.run('run_scheduled_event_now', { event_id: id })).toEqual({
      message: 'success',
      event_id: id,
    });
    await processedAs(id, 'delivered');
    expect(Date.parse(sink.calls[0]?.body.scheduled_time ?? '')).toBe(Date.parse(schedule_at));
    const repeated = await service.rejection('run_scheduled_event_now', { event_id: id });
    expect(repeated).toMatchObject({ code: 'conflict', path: '$.args.event_id' });
  });

  test('calls an event that waits for its retry', async () => {
    let failures = 1;
    const sink = await sinkFor((_call, response) => {
      response.writeHead(failures > 0 ? 500 : 200).end();
      failures -= 1;
    });
    const id = await schedule({ webhook: sink.origin, retry_conf: { num_retries: 1, retry_interval_seconds: 3_600 } });
    const waits = 'select id from joinery.scheduled_events where id = $1 and tries = 1 and lease is null';
    await until('the event waits for its retry', async () => (await column(db.database, waits, [id])).length === 1);
    await service.run('run_scheduled_event_now', { event_id: id });
    await processedAs(id, 'delivered');
    expect(await attempts(id)).toEqual(['1', '2']);
  });

  test('rejects an event that is being called', async () => {
    let release = (): void => undefined;
    const sink = await sinkFor((_call, response) => {
      release = () => response.end();
    });
    const id = await schedule({ webhook: sink.origin });
    await until('the webhook is called', () => sink.calls.length === 1);
    const error = await service.rejection('run_scheduled_event_now', { event_id: id });
    expect(error).toMatchObject({ code: 'conflict', message: expect.stringContaining('is being called') });
    release();
    await processedAs(id, 'delivered');
    expect(sink.calls).toHaveLength(1);
  });
});
