/** Responses of webhooks that PostgreSQL cannot store: the event ends, and the log has the response escaped or none. */
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { column } from '../../support/events/delivery-node.ts';
import { deliveryScene } from '../../support/events/delivery-scene.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 60_000 });

const scene = deliveryScene();

interface WebhookResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** Delivers one event to a webhook with that response. Returns the status of the event and the logged response. */
async function deliver({ status, headers = {}, body }: WebhookResponse): Promise<{ ended: string; data: unknown }> {
  const sink = await scene.sinkFor((_call, response) => response.writeHead(status, headers).end(body));
  await scene.nodeFor();
  await column(scene.db.database, 'insert into joinery.scheduled_events (webhook, schedule_at) values ($1, now())', [
    sink.origin,
  ]);
  const statuses = (): Promise<string[]> => column(scene.db.database, 'select status from joinery.processed_events');
  await until('the event is processed', async () => (await statuses()).length === 1);
  expect(sink.calls).toHaveLength(1);
  const [ended = ''] = await statuses();
  // The cast to jsonb, which searches use, does not fail.
  const [logged = 'null'] = await column(scene.db.database, 'select response::jsonb from joinery.event_invocations');
  return { ended, data: JSON.parse(logged).data };
}

const bytes = (...parts: (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));

test.each<[string, Buffer, { readonly text: string; readonly escaped?: true }]>([
  ['NUL', bytes('a', 0, 'b\\'), { text: 'a\\x00b\\\\', escaped: true }],
  ['bytes that are not UTF-8', bytes('é', 0xff, 0xc3), { text: 'é\\xff\\xc3', escaped: true }],
  ['halves of surrogate pairs', bytes(0xed, 0xa0, 0x80), { text: '\\xed\\xa0\\x80', escaped: true }],
  ['JSON escapes of such characters', bytes('["\\u0000\\ud800"]'), { text: '["\\u0000\\ud800"]' }],
  ['compressed bytes without Content-Encoding', gzipSync('x').subarray(0, 3), { text: '\u001f\\x8b\b', escaped: true }],
])(
  'a successful response with %s ends the event as delivered and is logged escaped',
  async (_what, body, { text, ...mark }) => {
    expect(await deliver({ status: 200, body })).toMatchObject({ ended: 'delivered', data: { body: text, ...mark } });
  },
);

test('a failed response with NUL ends the event as an error and is logged escaped', async () => {
  const { ended, data } = await deliver({ status: 500, body: bytes(0) });
  expect({ ended, data }).toMatchObject({ ended: 'error', data: { message: '\\x00', escaped: true, status: 500 } });
});

test('a compressed response is logged decompressed', async () => {
  const headers = { 'content-encoding': 'gzip' };
  const { data } = await deliver({ status: 200, headers, body: gzipSync('fine') });
  expect(data).toMatchObject({ body: 'fine' });
  expect(data).not.toHaveProperty('escaped');
});

test('a response with an invalid content coding is logged unchanged, and its status counts', async () => {
  const headers = { 'content-encoding': 'gzip' };
  expect(await deliver({ status: 201, headers, body: 'not gzip' })).toMatchObject({
    ended: 'delivered',
    data: { body: 'not gzip', status: 201 },
  });
});

test('a response of ten megabytes is logged up to 64 KiB, at a character boundary', async () => {
  const { ended, data } = await deliver({ status: 200, body: `x${'é'.repeat(5_000_000)}` });
  expect(ended).toBe('delivered');
  expect(data).toMatchObject({ body: `x${'é'.repeat(32_767)}`, truncated: true });
  expect(data).not.toHaveProperty('escaped');
});

test('response headers are logged without loss', async () => {
  const headers = { 'X-Latin': 'caf\u00e9', 'x_odd.name!': '' };
  const { data } = await deliver({ status: 200, headers, body: '' });
  expect(data).toMatchObject({
    headers: expect.arrayContaining([
      { name: 'X-Latin', value: 'caf\u00e9' },
      { name: 'x_odd.name!', value: '' },
    ]),
  });
});

/** Makes PostgreSQL reject rows of the log that contain the word. */
async function rejectLogs(word: string, state: string): Promise<void> {
  await column(
    scene.db.database,
    `create function reject() returns trigger language plpgsql as $$
      begin
        if new.response::text like '%${word}%' then raise exception 'rejected' using errcode = '${state}'; end if;
        return new;
      end $$;
     create trigger reject before insert on joinery.event_invocations for each row execute function reject()`,
  );
}

/** Delivers 20 events, one of which gets the response "unstorable". Returns the logged responses. */
async function deliverTwenty(): Promise<readonly string[]> {
  const sink = await scene.sinkFor((call, response) => response.end(call.body.payload === 3 ? 'unstorable' : 'fine'));
  await scene.nodeFor();
  await column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, payload)
     select $1, now(), to_json(n) from generate_series(1, 20) n`,
    [sink.origin],
  );
  const count = 'select count(*) from joinery.processed_events';
  await until('all events are processed', async () => (await column(scene.db.database, count))[0] === '20');
  expect(sink.calls).toHaveLength(20);
  return column(
    scene.db.database,
    "select coalesce(response->'data'->>'body', response->'data'->>'message') from joinery.event_invocations order by 1",
  );
}

test.each([['22P05'], ['22021'], ['22P02'], ['54000'], ['54001'], ['23514'], ['XX000'], ['P0001'], ['0A000']])(
  'a response that PostgreSQL rejects with %s is not logged, and all outcomes of its batch are stored',
  async (state) => {
    await rejectLogs('unstorable', state);
    expect(await deliverTwenty()).toEqual([...Array(19).fill('fine'), 'not stored: PostgreSQL rejected the response']);
  },
);

test('an outcome is stored without a log entry if no entry can be written', async () => {
  await rejectLogs('', '22000');
  expect(await deliverTwenty()).toEqual([]);
});
