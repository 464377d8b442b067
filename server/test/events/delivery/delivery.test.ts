/** Delivery of events by one node to a webhook: calls, retries, tolerance and logged errors. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseJson, printJson } from '../../../src/base/json-value.ts';
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
import { createScheduledEvent, deleteScheduledEvent } from '../../support/events/event-commands.ts';
import { eventReader } from '../../support/events/event-reader.ts';
import { until } from '../../support/until.ts';

const environment = { KEY: 'secret-value' };
let db: TestDatabase;
let node: TestNode;
const sinks: Sink[] = [];

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  node = await startNode(db, { environment });
});
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close();
});
afterAll(async () => {
  await node.close();
  await db.drop();
});

async function sinkFor(respond?: Respond): Promise<Sink> {
  const sink = await startSink(respond);
  sinks.push(sink);
  return sink;
}

async function schedule(args: Record<string, unknown>): Promise<string> {
  const all = { schedule_at: fromNow(0), payload: {}, ...args };
  const { event_id } = await createScheduledEvent(db.database.query, all, environment);
  return String(event_id);
}

const statusOf = (id: string) => eventReader(db).statusOf(id);
const untilProcessed = (id: string) => eventReader(db).untilProcessed(id);
const logOf = (id: string) => eventReader(db).logOf(id);

describe('delivery', () => {
  test('calls the webhook once, not before the scheduled time, with envelope and headers, and logs the call', async () => {
    const sink = await sinkFor((_call, response) => {
      response.writeHead(201, { 'X-Response': 'yes' }).end('{"accepted":true}');
    });
    const schedule_at = fromNow(700);
    const id = await schedule({
      webhook: `${sink.origin}/hook?a=1`,
      schedule_at,
      payload: parseJson('{"amount":12345678901234567890.5}'),
      headers: [
        { name: 'X-Key', value_from_env: 'KEY' },
        { name: 'User-Agent', value: 'mine' },
      ],
      comment: 'renewal',
    });
    await untilProcessed(id);
    const [call] = sink.calls;
    expect(sink.calls).toHaveLength(1);
    expect(call?.at).toBeGreaterThanOrEqual(Date.parse(schedule_at));
    expect(call?.path).toBe('/hook?a=1');
    expect(call?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'joinery/test',
      'x-key': 'secret-value',
    });
    expect(call?.body).toEqual({
      id,
      scheduled_time: schedule_at.replace(/\.?0*Z$/, 'Z'),
      payload: parseJson('{"amount":12345678901234567890.5}'),
      created_at: expect.stringMatching(/Z$/),
      comment: 'renewal',
    });
    expect(await statusOf(id)).toBe('delivered');
    const [entry] = await logOf(id);
    expect(entry).toMatchObject({ status: 201, attempt: 1 });
    expect(entry?.response).toMatchObject({
      type: 'webhook_response',
      data: { body: '{"accepted":true}', status: 201 },
    });
    expect(entry?.response.data.headers).toContainEqual({ name: 'X-Response', value: 'yes' });
    expect(printJson(entry?.request.payload)).toBe(printJson(call?.body));
    expect(JSON.stringify(entry)).not.toContain('secret-value');
  });

  test('calls the webhook of a past event immediately', async () => {
    const sink = await sinkFor();
    const id = await schedule({ webhook: sink.origin, schedule_at: fromNow(-3_600_000) });
    await untilProcessed(id);
    expect(sink.callsOf(id)).toHaveLength(1);
  });

  test('sends a large payload completely', async () => {
    const sink = await sinkFor();
    const payload = Array.from({ length: 20_000 }, (_unused, index) => `item ${index}`);
    const id = await schedule({ webhook: sink.origin, payload });
    await untilProcessed(id);
    expect(sink.callsOf(id)[0]?.body.payload).toEqual(payload);
  });

  test('calls the webhook of an event inserted in a transaction after the commit, and not after a rollback', async () => {
    const sink = await sinkFor();
    const insert = `insert into joinery.scheduled_events (webhook, schedule_at) values ($1, now()) returning id`;
    let rolledBack = '';
    await db.database
      .transaction(async (query) => {
        rolledBack = (await query({ text: insert, values: [sink.origin] })).rows[0]?.[0] ?? '';
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    const [committed = ''] = await column(db.database, insert, [sink.origin]);
    await untilProcessed(committed);
    expect(sink.callsOf(committed)[0]?.body.payload).toBeNull();
    expect(sink.callsOf(rolledBack)).toEqual([]);
  });

  test('logs the first 64 KiB of a long response', async () => {
    const sink = await sinkFor((_call, response) => response.end('x'.repeat(1_000_000)));
    const id = await schedule({ webhook: sink.origin });
    await untilProcessed(id);
    const [entry] = await logOf(id);
    expect(entry?.status).toBe(200);
    expect(entry?.response.data.truncated).toBe(true);
    expect(String(entry?.response.data.body)).toHaveLength(65_536);
  });
});

describe('deletion of an event', () => {
  /** Deletes a claimed event. Returns whether the deletion ended before the scheduled time. */
  async function deleteClaimed(sink: Sink): Promise<boolean> {
    const scheduledAt = Date.now() + 1_500;
    const id = await schedule({ webhook: `${sink.origin}/deleted`, schedule_at: new Date(scheduledAt).toISOString() });
    const claimed = `select id from joinery.scheduled_events where id = $1 and lease is not null`;
    await until('the event is claimed', async () => (await column(db.database, claimed, [id])).length === 1);
    await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: id });
    return Date.now() < scheduledAt - 200;
  }

  test('prevents the call although a node has claimed the event', async () => {
    let sink = await sinkFor();
    while (!(await deleteClaimed(sink))) sink = await sinkFor();
    const fence = await schedule({ webhook: `${sink.origin}/fence`, schedule_at: fromNow(1_600) });
    await untilProcessed(fence);
    expect(sink.calls.map((call) => call.path)).toEqual(['/fence']);
  });

  test('discards the outcome of a call in flight', async () => {
    let release: () => void = () => undefined;
    const sink = await sinkFor((call, response) => {
      if (call.path === '/slow') release = () => response.end();
      else response.end();
    });
    const id = await schedule({ webhook: `${sink.origin}/slow` });
    await until('the webhook is called', () => sink.calls.length === 1);
    await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: id });
    const lost = node.stats().lost;
    release();
    await until('the outcome is rejected', () => node.stats().lost === lost + 1);
    expect(await logOf(id)).toEqual([]);
    expect(await statusOf(id)).toBe('pending');
    expect(await column(db.database, 'select id from joinery.event_invocations where event_id = $1', [id])).toEqual([]);
  });
});

describe('a failed call', () => {
  test('is repeated after the interval until it succeeds', async () => {
    let failures = 2;
    const sink = await sinkFor((_call, response) => {
      response.writeHead(failures > 0 ? 503 : 200).end(failures > 0 ? 'not yet' : 'done');
      failures -= 1;
    });
    const id = await schedule({ webhook: sink.origin, retry_conf: { num_retries: 5, retry_interval_seconds: 1 } });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('delivered');
    const log = await logOf(id);
    expect(log.map((entry) => [entry.attempt, entry.status])).toEqual([
      [1, 503],
      [2, 503],
      [3, 200],
    ]);
    expect(log[0]?.response).toMatchObject({ type: 'client_error', data: { message: 'not yet', status: 503 } });
    const [first, second, third] = sink.calls.map((call) => call.at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(await column(db.database, 'select tries from joinery.processed_events where id = $1', [id])).toEqual(['3']);
  });

  test('releases the event and stores the time of the retry if the retry is distant', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(500).end());
    const id = await schedule({ webhook: sink.origin, retry_conf: { num_retries: 1, retry_interval_seconds: 600 } });
    const waiting = `select extract(epoch from next_retry_at - schedule_at) >= 600 from joinery.scheduled_events
      where id = $1 and tries = 1 and lease is null`;
    await until('the event waits for its retry', async () => (await column(db.database, waiting, [id])).length === 1);
    expect(await column(db.database, waiting, [id])).toEqual(['t']);
    await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: id });
  });

  test('ends an event without retries with status error', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(404).end());
    const id = await schedule({ webhook: sink.origin });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('error');
    expect(sink.calls).toHaveLength(1);
  });

  test('is also a redirect, which is not followed', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(302, { Location: '/elsewhere' }).end());
    const id = await schedule({ webhook: `${sink.origin}/hook` });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('error');
    expect(sink.calls.map((call) => call.path)).toEqual(['/hook']);
  });

  test('is repeated after the time in Retry-After, within the number of retries', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(429, { 'Retry-After': '1' }).end());
    const retry_conf = { num_retries: 1, retry_interval_seconds: 3_600 };
    const id = await schedule({ webhook: sink.origin, retry_conf });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('error');
    expect(sink.calls).toHaveLength(2);
  });

  test('is repeated at the end of the tolerance if Retry-After is longer', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(503, { 'Retry-After': '86400' }).end());
    const retry_conf = { num_retries: 1, retry_interval_seconds: 10, tolerance_seconds: 3_600 };
    const id = await schedule({ webhook: sink.origin, retry_conf });
    const wait = `select extract(epoch from next_retry_at - schedule_at)::int from joinery.scheduled_events
      where id = $1 and tries = 1`;
    await until('the event waits for its retry', async () => (await column(db.database, wait, [id])).length === 1);
    expect(await column(db.database, wait, [id])).toEqual(['3600']);
    await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: id });
  });
});

describe('retry rules', () => {
  const rules = { num_retries: 2, retry_interval_seconds: 0 };

  async function statusesOf(responses: readonly number[], retry_conf: Record<string, unknown>): Promise<unknown[]> {
    const remaining = [...responses];
    const sink = await sinkFor((_call, response) => response.writeHead(remaining.shift() ?? 200).end());
    const id = await schedule({ webhook: sink.origin, retry_conf });
    await untilProcessed(id);
    return [await statusOf(id), ...(await logOf(id)).map((entry) => entry.status)];
  }

  test('treat status 410 as final, and other client errors only with final_client_errors', async () => {
    expect(await statusesOf([410], rules)).toEqual(['error', 410]);
    expect(await statusesOf([404], rules)).toEqual(['delivered', 404, 200]);
    expect(await statusesOf([404], { ...rules, final_client_errors: true })).toEqual(['error', 404]);
    expect(await statusesOf([429, 408], { ...rules, final_client_errors: true })).toEqual(['delivered', 429, 408, 200]);
  });

  test('make one retry for each item of retry_delays_seconds', async () => {
    expect(await statusesOf([500, 500, 500], { retry_delays_seconds: [0, 1] })).toEqual(['error', 500, 500, 500]);
  });

  test('increase the wait with exponential backoff', async () => {
    const retry_conf = { num_retries: 2, retry_interval_seconds: 1, backoff: 'exponential' };
    const sink = await sinkFor((_call, response) => response.writeHead(500).end());
    const id = await schedule({ webhook: sink.origin, retry_conf });
    await untilProcessed(id);
    const [first = 0, second = 0, third = 0] = sink.calls.map((call) => call.at);
    expect(second - first).toBeGreaterThanOrEqual(1_000);
    expect(third - second).toBeGreaterThanOrEqual(2_000);
  });
});

describe('an event that is later than its tolerance', () => {
  test('becomes dead without a call, and the log has the reason', async () => {
    const sink = await sinkFor();
    const retry_conf = { num_retries: 3, tolerance_seconds: 60 };
    const id = await schedule({ webhook: sink.origin, schedule_at: fromNow(-3_600_000), retry_conf });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('dead');
    expect(sink.calls).toEqual([]);
    const [entry, ...more] = await logOf(id);
    expect(more).toEqual([]);
    expect(entry?.status).toBeNull();
    expect(entry?.response.data.message).toMatch(/not called: 36\d\d s .* tolerance of 60 s/);
    expect(await column(db.database, 'select tries from joinery.processed_events where id = $1', [id])).toEqual(['0']);
  });

  test('becomes dead at a retry', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(500).end());
    const retry_conf = { num_retries: 3, retry_interval_seconds: 3_600, tolerance_seconds: 60 };
    const id = await schedule({ webhook: sink.origin, retry_conf });
    const waiting = 'select id from joinery.scheduled_events where id = $1 and next_retry_at is not null';
    await until('the event waits for its retry', async () => (await column(db.database, waiting, [id])).length === 1);
    const age = `update joinery.scheduled_events
      set schedule_at = now() - interval '1 hour', next_retry_at = now(), lease = null where id = $1`;
    await column(db.database, age, [id]);
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('dead');
    expect((await logOf(id)).map((entry) => entry.status)).toEqual([500, null]);
  });
});

describe('the log of a call', () => {
  const hanging: Respond = () => undefined;
  const drip: Respond = (_call, response) => {
    const timer = setInterval(() => response.write('x'), 50);
    response.once('close', () => clearInterval(timer));
  };
  const endless: Respond = (_call, response) => {
    const write = (): void => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', write);
    };
    write();
  };

  async function messageOf(webhook: string): Promise<Record<string, unknown>> {
    const [id = ''] = await column(
      db.database,
      `insert into joinery.scheduled_events (webhook, schedule_at, timeout_seconds) values ($1, now(), 1) returning id`,
      [webhook],
    );
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('error');
    const [entry] = await logOf(id);
    expect(entry).toMatchObject({ status: null, response: { type: 'client_error' } });
    return JSON.parse(String(entry?.response.data.message)) as Record<string, unknown>;
  }

  test('names a timeout and the parts of the request', async () => {
    const sink = await sinkFor(hanging);
    const message = await messageOf(`${sink.origin}/slow?key={{KEY}}`);
    expect(message).toMatchObject({ type: 'http_exception', message: expect.stringContaining('timeout') });
    expect(message.request).toMatchObject({
      host: '127.0.0.1',
      port: Number(new URL(sink.origin).port),
      secure: false,
      path: '/slow',
      queryString: '?key={{KEY}}',
      method: 'POST',
    });
  });

  test('names a timeout if the response is sent slower than the timeout allows', async () => {
    const sink = await sinkFor(drip);
    expect(await messageOf(sink.origin)).toMatchObject({ message: expect.stringContaining('timeout') });
  });

  test('names a connection that no server accepts', async () => {
    const sink = await startSink();
    await sink.close();
    expect(await messageOf(sink.origin)).toMatchObject({ message: expect.stringContaining('refused') });
  });

  test('names a connection reset', async () => {
    const sink = await sinkFor((_call, response) => response.destroy());
    expect(await messageOf(sink.origin)).toMatchObject({ message: expect.stringContaining('reset') });
  });

  test('names a failed TLS handshake', async () => {
    const sink = await sinkFor();
    const message = await messageOf(sink.origin.replace('http:', 'https:'));
    expect(message).toMatchObject({ message: expect.stringContaining('tls'), request: { secure: true } });
  });

  test('names a failed DNS lookup', async () => {
    expect(await messageOf('http://nowhere.invalid/')).toMatchObject({ message: expect.stringContaining('dns') });
  });

  test('names an invalid URL', async () => {
    expect(await messageOf('example')).toMatchObject({ message: expect.stringContaining('invalid-url') });
  });

  test('names an environment variable that is not set', async () => {
    expect(await messageOf('{{GONE}}/hook')).toMatchObject({ message: expect.stringContaining('"GONE" is not set') });
  });

  test('has a truncated body if the response does not end, which counts as delivered', async () => {
    const sink = await sinkFor(endless);
    const id = await schedule({ webhook: sink.origin });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('delivered');
    expect((await logOf(id))[0]?.response.data.truncated).toBe(true);
  });
});
