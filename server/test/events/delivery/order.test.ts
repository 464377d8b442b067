/** Ordering keys: events with the same key are delivered one at a time in the order of their times, by any number of nodes. */
import { expect, test, vi } from 'vitest';
import { column, type Sink } from '../../support/events/delivery-node.ts';
import { deliveryScene } from '../../support/events/delivery-scene.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

const scene = deliveryScene();

/** Inserts events with `keys` keys in reverse order, one millisecond apart. The payload is the position within the key. */
function schedule(webhook: string, keys: number, each: number, more = "'{}'::json, 0, 0"): Promise<string[]> {
  return column(
    scene.db.database,
    `insert into joinery.scheduled_events (
       webhook, schedule_at, payload, ordering_key, retry_policy, num_retries, retry_interval_seconds
     )
     select $1 || '/' || k, now() + n * interval '1 ms', to_json(n), 'key ' || k, ${more}
     from generate_series(1, $3::int) k, generate_series($2::int, 1, -1) n returning id`,
    [webhook, each, keys],
  );
}

const processed = async (): Promise<number> =>
  Number((await column(scene.db.database, 'select count(*) from joinery.processed_events'))[0]);

function payloadsOf(sink: Sink, path: string): unknown[] {
  return sink.calls.filter((call) => call.path === path).map((call) => call.body.payload);
}

test('three nodes deliver each key in order, one call at a time, and different keys concurrently', async () => {
  const open = new Map<string, number>();
  let mostOfKey = 0;
  let mostInTotal = 0;
  const sink = await scene.sinkFor((call, response) => {
    const count = (open.get(call.path) ?? 0) + 1;
    open.set(call.path, count);
    mostOfKey = Math.max(mostOfKey, count);
    mostInTotal = Math.max(
      mostInTotal,
      [...open.values()].reduce((sum, one) => sum + one, 0),
    );
    setTimeout(() => {
      open.set(call.path, (open.get(call.path) ?? 0) - 1);
      response.end();
    }, 5);
  });
  for (const agent of ['a', 'b', 'c']) await scene.nodeFor({ agent });
  const ids = await schedule(sink.origin, 20, 15);
  await until('all events are processed', async () => (await processed()) === ids.length);
  expect(sink.calls).toHaveLength(300);
  for (let key = 1; key <= 20; key += 1) {
    expect(payloadsOf(sink, `/${key}`)).toEqual(Array.from({ length: 15 }, (_unused, index) => index + 1));
  }
  expect(mostOfKey).toBe(1);
  expect(mostInTotal).toBeGreaterThan(1);
});

test('the log of an event with an ordering key has its request and response', async () => {
  const sink = await scene.sinkFor((_call, response) => response.end('done'));
  await scene.nodeFor();
  await schedule(sink.origin, 1, 1);
  await until('the event is processed', async () => (await processed()) === 1);
  const logged =
    "select response -> 'data' ->> 'body', request ->> 'waited_ms' ~ '^[0-9]+$' from joinery.event_invocations";
  const { rows } = await scene.db.database.query({ text: logged, values: [] });
  expect(rows).toEqual([['done', 't']]);
});

test('an event that waits for its retry delays the later events of its key and no other key', async () => {
  let failures = 1;
  const sink = await scene.sinkFor((call, response) => {
    const fails = call.path === '/1' && failures > 0;
    if (fails) failures -= 1;
    response.writeHead(fails ? 500 : 200).end();
  });
  await scene.nodeFor();
  const ids = await schedule(sink.origin, 2, 3, "'{}'::json, 1, 2");
  await until('the events of the other key are processed', async () => (await processed()) === 3);
  await until('all events are processed', async () => (await processed()) === ids.length);
  expect(payloadsOf(sink, '/1')).toEqual([1, 1, 2, 3]);
  expect(payloadsOf(sink, '/2')).toEqual([1, 2, 3]);
  const order = sink.calls.map((call) => call.path);
  expect(order.lastIndexOf('/2')).toBeLessThan(order.lastIndexOf('/1'));
});

test('the later events of a key continue after one has failed finally, is dead, or is deleted', async () => {
  const sink = await scene.sinkFor((call, response) => response.writeHead(call.body.payload === 1 ? 500 : 200).end());
  const ids = await schedule(sink.origin, 3, 3);
  await column(
    scene.db.database,
    `update joinery.scheduled_events set schedule_at = now() - interval '1 hour', tolerance_seconds = 1
     where ordering_key = 'key 2' and payload::text = '1'`,
  );
  await column(
    scene.db.database,
    `update joinery.scheduled_events set schedule_at = now() - interval '1 hour', next_retry_at = now() + interval '1 day'
     where ordering_key = 'key 3' and payload::text = '1'`,
  );
  await scene.nodeFor();
  const blocked = `select count(*) from joinery.scheduled_events where lease = 0`;
  await until(
    'the later events of the third key are blocked',
    async () => (await column(scene.db.database, blocked))[0] === '2',
  );
  await until('the events of the other keys are processed', async () => (await processed()) === ids.length - 3);
  await column(
    scene.db.database,
    "delete from joinery.scheduled_events where next_retry_at > now() + interval '1 hour'",
  );
  await until('all events are processed', async () => (await processed()) === ids.length - 1);
  expect(payloadsOf(sink, '/1')).toEqual([1, 2, 3]);
  expect(payloadsOf(sink, '/2')).toEqual([2, 3]);
  expect(payloadsOf(sink, '/3')).toEqual([2, 3]);
});

test('an event that is rescheduled after others of its key is delivered after them', async () => {
  const sink = await scene.sinkFor();
  await column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, next_retry_at, payload, ordering_key)
     select $1, now() - n * interval '1 minute', case when n = 3 then now() + interval '1 day' end, to_json(n), 'key'
     from generate_series(1, 3) n`,
    [sink.origin],
  );
  await scene.nodeFor();
  const blocked = `select count(*) from joinery.scheduled_events where lease = 0`;
  await until('two events are blocked', async () => (await column(scene.db.database, blocked))[0] === '2');
  await column(
    scene.db.database,
    `update joinery.scheduled_events set schedule_at = now(), next_retry_at = null, lease = null where payload::text = '3'`,
  );
  await until('all events are processed', async () => (await processed()) === 3);
  expect(sink.calls.map((call) => call.body.payload)).toEqual([2, 1, 3]);
});

test('joinery.mend_event_order frees the first event of each key whose events are all blocked', async () => {
  await column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, ordering_key, lease)
     select 'http://example/', now() + n * interval '1 s', 'key ' || k, 0
     from generate_series(1, 3) n, generate_series(1, 2) k`,
  );
  expect(await column(scene.db.database, 'select joinery.mend_event_order()')).toEqual(['2']);
  const free = `select extract(epoch from schedule_at - min(schedule_at) over ())::int from joinery.scheduled_events
    where lease is null`;
  expect(await column(scene.db.database, free)).toEqual(['0', '0']);
});

test('two events of a key that two nodes claimed simultaneously are called one after the other', async () => {
  const sink = await scene.sinkFor((_call, response) => setTimeout(() => response.end(), 300));
  // The state after two concurrent claims: each event is under the valid lease of another node.
  const [other = ''] = await column(
    scene.db.database,
    "insert into joinery.event_leases (node, expires_at) values ('other', now() + interval '1 hour') returning id",
  );
  const insert = `insert into joinery.scheduled_events (webhook, schedule_at, payload, ordering_key, lease)
    values ($1, now() + $2::int * interval '1 ms', to_json($2::int), 'key', $3) returning id`;
  await column(scene.db.database, insert, [sink.origin, 1, null]);
  const [late = ''] = await column(scene.db.database, insert, [sink.origin, 2, other]);
  await scene.nodeFor();
  const [fence] = await column(
    scene.db.database,
    'insert into joinery.scheduled_events (webhook, schedule_at) values ($1, now()) returning id',
    [`${sink.origin}/fence`],
  );
  await until('the fence is processed', async () => (await processed()) === 1);
  expect(sink.calls.map((call) => call.body.id)).toEqual([fence]);
  await column(scene.db.database, 'update joinery.scheduled_events set lease = null where id = $1', [late]);
  await until('both events are processed', async () => (await processed()) === 3);
  expect(sink.calls.map((call) => call.body.payload)).toEqual([null, 1, 2]);
});
