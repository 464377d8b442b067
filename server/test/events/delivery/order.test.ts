/** Ordering keys: events of one key are delivered one after the other, in the order of their times, by however many nodes. */
import { expect, test, vi } from 'vitest';
import { column, type Sink } from '../../support/events/delivery-node.ts';
import { deliveryScene } from '../../support/events/delivery-scene.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

const scene = deliveryScene();

/** Events of so many keys, a millisecond apart, the last first into the table; the payload is the place in its key. */
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

test('three nodes deliver each key in order, one call at a time, and keys beside each other', async () => {
  const open = new Map<string, number>();
  let mostOfAKey = 0;
  let mostInAll = 0;
  const sink = await scene.sinkFor((call, response) => {
    const count = (open.get(call.path) ?? 0) + 1;
    open.set(call.path, count);
    mostOfAKey = Math.max(mostOfAKey, count);
    mostInAll = Math.max(
      mostInAll,
      [...open.values()].reduce((sum, one) => sum + one, 0),
    );
    setTimeout(() => {
      open.set(call.path, (open.get(call.path) ?? 0) - 1);
      response.end();
    }, 5);
  });
  for (const agent of ['a', 'b', 'c']) await scene.nodeFor({ agent });
  const ids = await schedule(sink.origin, 20, 15);
  await until('all are processed', async () => (await processed()) === ids.length);
  expect(sink.calls).toHaveLength(300);
  for (let key = 1; key <= 20; key += 1) {
    expect(payloadsOf(sink, `/${key}`)).toEqual(Array.from({ length: 15 }, (_unused, index) => index + 1));
  }
  expect(mostOfAKey).toBe(1);
  expect(mostInAll).toBeGreaterThan(1);
});

test('one that waits for its retry holds back the later ones of its key, and no other key', async () => {
  let failures = 1;
  const sink = await scene.sinkFor((call, response) => {
    const fails = call.path === '/1' && failures > 0;
    if (fails) failures -= 1;
    response.writeHead(fails ? 500 : 200).end();
  });
  await scene.nodeFor();
  const ids = await schedule(sink.origin, 2, 3, "'{}'::json, 1, 2");
  await until('the other key is through', async () => (await processed()) === 3);
  await until('all are processed', async () => (await processed()) === ids.length);
  expect(payloadsOf(sink, '/1')).toEqual([1, 1, 2, 3]);
  expect(payloadsOf(sink, '/2')).toEqual([1, 2, 3]);
  const order = sink.calls.map((call) => call.path);
  expect(order.lastIndexOf('/2')).toBeLessThan(order.lastIndexOf('/1'));
});

test('one that fails for good, dies, or is deleted lets the later ones go on', async () => {
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
  const held = `select count(*) from joinery.scheduled_events where lease = 0`;
  await until('the rest of the third waits', async () => (await column(scene.db.database, held))[0] === '2');
  await until('the others are through', async () => (await processed()) === ids.length - 3);
  await column(
    scene.db.database,
    "delete from joinery.scheduled_events where next_retry_at > now() + interval '1 hour'",
  );
  await until('all are processed', async () => (await processed()) === ids.length - 1);
  expect(payloadsOf(sink, '/1')).toEqual([1, 2, 3]);
  expect(payloadsOf(sink, '/2')).toEqual([2, 3]);
  expect(payloadsOf(sink, '/3')).toEqual([2, 3]);
});

test('one that is moved behind the others lets them go first', async () => {
  const sink = await scene.sinkFor();
  await column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, next_retry_at, payload, ordering_key)
     select $1, now() - n * interval '1 minute', case when n = 3 then now() + interval '1 day' end, to_json(n), 'key'
     from generate_series(1, 3) n`,
    [sink.origin],
  );
  await scene.nodeFor();
  const held = `select count(*) from joinery.scheduled_events where lease = 0`;
  await until('two wait', async () => (await column(scene.db.database, held))[0] === '2');
  await column(
    scene.db.database,
    `update joinery.scheduled_events set schedule_at = now(), next_retry_at = null, lease = null where payload::text = '3'`,
  );
  await until('all are processed', async () => (await processed()) === 3);
  expect(sink.calls.map((call) => call.body.payload)).toEqual([2, 1, 3]);
});

test('what is held back though nothing stands before it is set free by the mending', async () => {
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

test('of two events of a key that two nodes claimed at the same moment neither is called beside the other', async () => {
  const sink = await scene.sinkFor((_call, response) => setTimeout(() => response.end(), 300));
  // As after two claims that did not see each other: both are under leases of nodes that live.
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
  await until('both are processed', async () => (await processed()) === 3);
  expect(sink.calls.map((call) => call.body.payload)).toEqual([null, 1, 2]);
});
