/** Events on their way to a webhook: one node, a real database, a real HTTP server. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseJson, printJson } from '../../../src/base/json-value.ts';
import { deleteScheduledEvent } from '../../../src/events/commands/change.ts';
import { createScheduledEvent } from '../../../src/events/commands/create.ts';
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

async function sinkFor(answer?: Respond): Promise<Sink> {
  const sink = await startSink(answer);
  sinks.push(sink);
  return sink;
}

async function schedule(args: Record<string, unknown>): Promise<string> {
  const all = { schedule_at: fromNow(0), payload: {}, ...args };
  const answer = await createScheduledEvent(db.database.query, all, environment);
  return String(answer.event_id);
}

const statusOf = (id: string) => eventReader(db).statusOf(id);
const untilProcessed = (id: string) => eventReader(db).untilProcessed(id);
const logOf = (id: string) => eventReader(db).logOf(id);

describe('a call', () => {
  test('carries the envelope and the headers, comes at its time and not before, and is logged', async () => {
    const sink = await sinkFor((_call, response) => {
      response.writeHead(201, { 'X-Answer': 'yes' }).end('{"taken":true}');
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
    expect(entry?.response).toMatchObject({ type: 'webhook_response', data: { body: '{"taken":true}', status: 201 } });
    expect(entry?.response.data.headers).toContainEqual({ name: 'X-Answer', value: 'yes' });
    expect(printJson(entry?.request.payload)).toBe(printJson(call?.body));
    expect(JSON.stringify(entry)).not.toContain('secret-value');
  });

  test('of an event of the past comes at once', async () => {
    const sink = await sinkFor();
    const id = await schedule({ webhook: sink.origin, schedule_at: fromNow(-3_600_000) });
    await untilProcessed(id);
    expect(sink.callsOf(id)).toHaveLength(1);
  });

  test('with a payload that is large brings it whole', async () => {
    const sink = await sinkFor();
    const payload = Array.from({ length: 20_000 }, (_unused, index) => `item ${index}`);
    const id = await schedule({ webhook: sink.origin, payload });
    await untilProcessed(id);
    expect(sink.callsOf(id)[0]?.body.payload).toEqual(payload);
  });

  test('comes for what a transaction inserted once it commits, and not for what was rolled back', async () => {
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

  test('keeps of a long answer what the log has room for', async () => {
    const sink = await sinkFor((_call, response) => response.end('x'.repeat(1_000_000)));
    const id = await schedule({ webhook: sink.origin });
    await untilProcessed(id);
    const [entry] = await logOf(id);
    expect(entry?.status).toBe(200);
    expect(entry?.response.data.truncated).toBe(true);
    expect(String(entry?.response.data.body)).toHaveLength(65_536);
  });
});

describe('a deleted event', () => {
  /** Whether it was deleted in good time, which a machine under load may fail to do. */
  async function deletedInTime(sink: Sink): Promise<boolean> {
    const due = Date.now() + 1_500;
    const id = await schedule({ webhook: `${sink.origin}/deleted`, schedule_at: new Date(due).toISOString() });
    const leased = `select id from joinery.scheduled_events where id = $1 and lease is not null`;
    await until('the event is leased', async () => (await column(db.database, leased, [id])).length === 1);
    await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: id });
    return Date.now() < due - 200;
  }

  test('is not called, also when a node has already leased it', async () => {
    let sink = await sinkFor();
    while (!(await deletedInTime(sink))) sink = await sinkFor();
    const fence = await schedule({ webhook: `${sink.origin}/fence`, schedule_at: fromNow(1_600) });
    await untilProcessed(fence);
    expect(sink.calls.map((call) => call.path)).toEqual(['/fence']);
  });

  test('leaves no trace of a call that was under way', async () => {
    let release: () => void = () => undefined;
    const sink = await sinkFor((call, response) => {
      if (call.path === '/slow') release = () => response.end();
      else response.end();
    });
    const id = await schedule({ webhook: `${sink.origin}/slow` });
    await until('the call has come', () => sink.calls.length === 1);
    await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: id });
    const lost = node.stats().lost;
    release();
    await until('the outcome is refused', () => node.stats().lost === lost + 1);
    expect(await logOf(id)).toEqual([]);
    expect(await statusOf(id)).toBe('pending');
    expect(await column(db.database, 'select id from joinery.event_invocations where event_id = $1', [id])).toEqual([]);
  });
});

describe('a failed call', () => {
  test('is made again after the interval until it succeeds', async () => {
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

  test('waits in the table when the retry is far, with its time, and free for any node', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(500).end());
    const id = await schedule({ webhook: sink.origin, retry_conf: { num_retries: 1, retry_interval_seconds: 600 } });
    const waiting = `select extract(epoch from next_retry_at - schedule_at) >= 600 from joinery.scheduled_events
      where id = $1 and tries = 1 and lease is null`;
    await until('it waits', async () => (await column(db.database, waiting, [id])).length === 1);
    expect(await column(db.database, waiting, [id])).toEqual(['t']);
    await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: id });
  });

  test('without retries is an error', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(404).end());
    const id = await schedule({ webhook: sink.origin });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('error');
    expect(sink.calls).toHaveLength(1);
  });

  test('is what a redirect is, for it is not followed', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(302, { Location: '/elsewhere' }).end());
    const id = await schedule({ webhook: `${sink.origin}/hook` });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('error');
    expect(sink.calls.map((call) => call.path)).toEqual(['/hook']);
  });

  test('waits as long as Retry-After says, within the budget of retries', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(429, { 'Retry-After': '1' }).end());
    const retry_conf = { num_retries: 1, retry_interval_seconds: 3_600 };
    const id = await schedule({ webhook: sink.origin, retry_conf });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('error');
    expect(sink.calls).toHaveLength(2);
  });

  test('never waits beyond the tolerance, whatever Retry-After says', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(503, { 'Retry-After': '86400' }).end());
    const retry_conf = { num_retries: 1, retry_interval_seconds: 10, tolerance_seconds: 3_600 };
    const id = await schedule({ webhook: sink.origin, retry_conf });
    const wait = `select extract(epoch from next_retry_at - schedule_at)::int from joinery.scheduled_events
      where id = $1 and tries = 1`;
    await until('it waits', async () => (await column(db.database, wait, [id])).length === 1);
    expect(await column(db.database, wait, [id])).toEqual(['3600']);
    await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: id });
  });
});

describe('by the rules of its retries', () => {
  const rules = { num_retries: 2, retry_interval_seconds: 0 };

  async function statusesOf(answers: readonly number[], retry_conf: Record<string, unknown>): Promise<unknown[]> {
    const left = [...answers];
    const sink = await sinkFor((_call, response) => response.writeHead(left.shift() ?? 200).end());
    const id = await schedule({ webhook: sink.origin, retry_conf });
    await untilProcessed(id);
    return [await statusOf(id), ...(await logOf(id)).map((entry) => entry.status)];
  }

  test('410 is final, and other statuses are not unless asked for', async () => {
    expect(await statusesOf([410], rules)).toEqual(['error', 410]);
    expect(await statusesOf([404], rules)).toEqual(['delivered', 404, 200]);
    expect(await statusesOf([404], { ...rules, final_client_errors: true })).toEqual(['error', 404]);
    expect(await statusesOf([429, 408], { ...rules, final_client_errors: true })).toEqual(['delivered', 429, 408, 200]);
  });

  test('a list of delays makes as many retries', async () => {
    expect(await statusesOf([500, 500, 500], { retry_delays_seconds: [0, 1] })).toEqual(['error', 500, 500, 500]);
  });

  test('an exponential wait grows', async () => {
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
  test('is dead without a call, and the log says why', async () => {
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

  test('is dead at a retry too', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(500).end());
    const retry_conf = { num_retries: 3, retry_interval_seconds: 5, tolerance_seconds: 3 };
    const id = await schedule({ webhook: sink.origin, retry_conf });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('dead');
    expect((await logOf(id)).map((entry) => entry.status)).toEqual([500, null]);
  });
});

describe('what keeps an answer from coming is logged as what it is:', () => {
  const hanging: Respond = () => undefined;
  const drip: Respond = (_call, response) => {
    const timer = setInterval(() => response.write('x'), 50);
    response.once('close', () => clearInterval(timer));
  };
  const endless: Respond = (_call, response) => {
    const pour = (): void => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', pour);
    };
    pour();
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

  test('no answer in time', async () => {
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

  test('one byte after the other', async () => {
    const sink = await sinkFor(drip);
    expect(await messageOf(sink.origin)).toMatchObject({ message: expect.stringContaining('timeout') });
  });

  test('a refused connection', async () => {
    const sink = await startSink();
    await sink.close();
    expect(await messageOf(sink.origin)).toMatchObject({ message: expect.stringContaining('refused') });
  });

  test('a reset', async () => {
    const sink = await sinkFor((_call, response) => response.destroy());
    expect(await messageOf(sink.origin)).toMatchObject({ message: expect.stringContaining('reset') });
  });

  test('a TLS connection to what speaks no TLS', async () => {
    const sink = await sinkFor();
    const message = await messageOf(sink.origin.replace('http:', 'https:'));
    expect(message).toMatchObject({ message: expect.stringContaining('tls'), request: { secure: true } });
  });

  test('a host that is not there', async () => {
    expect(await messageOf('http://nowhere.invalid/')).toMatchObject({ message: expect.stringContaining('dns') });
  });

  test('an address that is none', async () => {
    expect(await messageOf('example')).toMatchObject({ message: expect.stringContaining('invalid-url') });
  });

  test('a variable that is not set, by its name', async () => {
    expect(await messageOf('{{GONE}}/hook')).toMatchObject({ message: expect.stringContaining('"GONE" is not set') });
  });

  test('an endless body is cut and counts as the answer it is', async () => {
    const sink = await sinkFor(endless);
    const id = await schedule({ webhook: sink.origin });
    await untilProcessed(id);
    expect(await statusOf(id)).toBe('delivered');
    expect((await logOf(id))[0]?.response.data.truncated).toBe(true);
  });
});
