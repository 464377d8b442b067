/** Several nodes on one database: they share the work, leave each other's alone, and take over what a dead one held. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { column, type Sink } from '../../support/events/delivery-node.ts';
import { deliveryScene } from '../../support/events/delivery-scene.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 180_000 });

const scene = deliveryScene();

/** So many events, due evenly over the time from now on. */
async function schedule(webhook: string, count: number, overMs = 0): Promise<string[]> {
  return column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, payload, num_retries)
     select $1, clock_timestamp() + n * $3::float8 / $2 * interval '1 ms', to_json(n), 1 from generate_series(1, $2::int) n
     returning id`,
    [webhook, count, overMs],
  );
}

async function processed(): Promise<number> {
  const [count] = await column(scene.db.database, 'select count(*) from joinery.processed_events');
  return Number(count);
}

function agentsOf(sink: Sink): Map<string, number> {
  const agents = new Map<string, number>();
  for (const call of sink.calls) {
    const agent = String(call.headers['user-agent']);
    agents.set(agent, (agents.get(agent) ?? 0) + 1);
  }
  return agents;
}

test('two nodes share the work, and each event is called once', async () => {
  const sink = await scene.sinkFor((_call, response) => setTimeout(() => response.end(), 20));
  const settings = { perDestination: 10 };
  await scene.nodeFor({ agent: 'a', settings });
  await scene.nodeFor({ agent: 'b', settings });
  const ids = await schedule(sink.origin, 1_000);
  await until('all are processed', async () => (await processed()) === ids.length);
  expect(new Set(sink.calls.map((call) => call.body.id)).size).toBe(1_000);
  expect(sink.calls).toHaveLength(1_000);
  expect([...agentsOf(sink).values()].every((count) => count >= 100)).toBe(true);
  expect(agentsOf(sink).size).toBe(2);
});

test('events under the lease of a node that lives are left alone, those of a dead one are not', async () => {
  const sink = await scene.sinkFor();
  const insert = `with lease as (
      insert into joinery.event_leases (node, expires_at) values ('other', now() + $1::interval) returning id
    ) insert into joinery.scheduled_events (webhook, schedule_at, lease) select $2, now(), id from lease returning id`;
  const [ofTheLiving] = await column(scene.db.database, insert, ['1 hour', sink.origin]);
  const [ofTheDead] = await column(scene.db.database, insert, ['-1 s', sink.origin]);
  const [ofNobody] = await column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, lease) values ($1, now(), 1000) returning id`,
    [sink.origin],
  );
  await scene.nodeFor();
  await until('two are processed', async () => (await processed()) === 2);
  const [fence = ''] = await schedule(sink.origin, 1);
  await until('the fence is processed', async () => (await processed()) === 3);
  expect(sink.calls.map((call) => call.body.id).sort()).toEqual([ofTheDead, ofNobody, fence].sort());
  expect(await column(scene.db.database, 'select id from joinery.scheduled_events')).toEqual([ofTheLiving]);
});

test('a node that lost its lease does not write over what others do, and goes on under a new lease', async () => {
  const answers: (() => void)[] = [];
  const sink = await scene.sinkFor((_call, response) => {
    answers.push(() => response.end());
  });
  const node = await scene.nodeFor();
  await schedule(sink.origin, 1);
  await until('the call has come', () => answers.length === 1);
  await column(scene.db.database, 'delete from joinery.event_leases');
  await column(scene.db.database, 'select joinery.sweep_events()');
  await until('the event is called again under a new lease', () => {
    answers[0]?.();
    return answers.length === 2;
  });
  expect(node.stats()).toMatchObject({ lost: 1, delivered: 0 });
  answers[1]?.();
  await until('it is processed', async () => (await processed()) === 1);
  expect(await column(scene.db.database, 'select count(*) from joinery.event_invocations')).toEqual(['1']);
  expect(node.observed).toContainEqual(expect.objectContaining({ kind: 'note', level: 'warn' }));
});

test('a destination that hangs delays nobody but its own, and gets no more calls than its limit', async () => {
  const stuck = await scene.sinkFor(() => undefined);
  const quick = await scene.sinkFor();
  await scene.nodeFor({ settings: { perDestination: 5 } });
  await schedule(stuck.origin, 3_000);
  await until('the hanging destination is at its limit', () => stuck.calls.length === 5);
  await schedule(quick.origin, 200, 500);
  await until('the others are processed', async () => (await processed()) === 200);
  expect(quick.calls).toHaveLength(200);
  expect(stuck.calls).toHaveLength(5);
  const [held] = await column(
    scene.db.database,
    'select count(*) from joinery.scheduled_events where lease is not null',
  );
  expect(Number(held)).toBeLessThan(1_000);
});

test('more events than a claim takes are all delivered, none before its time', async () => {
  const sink = await scene.sinkFor();
  await scene.nodeFor();
  const ids = await schedule(sink.origin, 3_000, 3_000);
  await until('all are processed', async () => (await processed()) === ids.length);
  expect(sink.calls).toHaveLength(3_000);
  expect(sink.calls.filter((call) => call.at < Math.floor(Date.parse(call.body.scheduled_time)))).toEqual([]);
});

test('connections that break lose nothing', async () => {
  const sink = await scene.sinkFor((_call, response) => setTimeout(() => response.end(), 10));
  await scene.nodeFor();
  const ids = await schedule(sink.origin, 1_500, 3_000);
  for (const enough of [200, 500, 800]) {
    await until('some are delivered', () => sink.calls.length >= enough);
    await column(
      scene.db.database,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name in ('joinery events test', 'joinery listen')`,
    );
  }
  await until('all are processed', async () => (await processed()) === ids.length);
  expect(new Set(sink.calls.map((call) => call.body.id)).size).toBe(1_500);
});

test('a node that stops finishes its calls, lets go of the rest, and calls nothing more', async () => {
  const answers: (() => void)[] = [];
  const sink = await scene.sinkFor((_call, response) => {
    answers.push(() => response.end());
  });
  const node = await scene.nodeFor({ settings: { perDestination: 2 } });
  await column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at)
     select $1, now() + case when n > 100 then $2::interval else '0' end from generate_series(1, 101) n`,
    [sink.origin, '1500 ms'],
  );
  const leased = 'select count(*) from joinery.scheduled_events where lease is not null';
  await until('all are leased', async () => (await column(scene.db.database, leased))[0] === '101');
  await until('two are called', () => answers.length === 2);
  const stopped = node.stop({ drainMs: 60_000 });
  await until('the rest is free', async () => (await column(scene.db.database, leased))[0] === '2');
  for (const answer of answers) answer();
  await stopped;
  expect(await processed()).toBe(2);
  expect(sink.calls).toHaveLength(2);
  expect(await column(scene.db.database, leased)).toEqual(['0']);
  expect(await column(scene.db.database, 'select id from joinery.event_leases')).toEqual([]);
});

test('a call that does not end in time is cut off when its node stops, and the event is free', async () => {
  const sink = await scene.sinkFor(() => undefined);
  const node = await scene.nodeFor();
  await schedule(sink.origin, 1);
  await until('it is called', () => sink.calls.length === 1);
  await node.stop({ drainMs: 50 });
  expect(await column(scene.db.database, 'select tries, lease is null from joinery.scheduled_events')).toEqual(['0']);
  expect(await column(scene.db.database, 'select id from joinery.event_invocations')).toEqual([]);
});

test('a node killed amid 2,000 events: all are delivered, twice only what it was calling', {
  timeout: 120_000,
}, async () => {
  const perDestination = 50;
  const sink = await scene.sinkFor((_call, response) => setTimeout(() => response.end(), 20));
  const victim = await childFor('victim', perDestination);
  await childFor('survivor', perDestination);
  const ids = await schedule(sink.origin, 2_000, 4_000);
  await until('the victim is in the middle of it', () => (agentsOf(sink).get('victim') ?? 0) >= 100);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  const recorded = new Set(await column(scene.db.database, 'select event_id from joinery.event_invocations'));
  const inFlight = sink.calls
    .filter((call) => call.headers['user-agent'] === 'victim' && !recorded.has(call.body.id))
    .map((call) => call.body.id);
  // So many calls, and twice as many that have ended and are being written down.
  expect(inFlight.length).toBeLessThanOrEqual(3 * perDestination);
  await until('all are processed', async () => (await processed()) === ids.length);
  expect(new Set(sink.calls.map((call) => call.body.id))).toEqual(new Set(ids));
  const repeated = ids.filter((id) => sink.callsOf(id).length > 1);
  expect(inFlight).toEqual(expect.arrayContaining(repeated));
  expect(sink.calls.length - ids.length).toBe(repeated.length);
  const logged = await column(scene.db.database, 'select event_id from joinery.event_invocations');
  expect([...logged].sort()).toEqual([...ids].sort());
});

/** A process of its own that delivers. */
async function childFor(agent: string, perDestination: number): Promise<ChildProcess> {
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(
    process.execPath,
    [file('../../support/service/run-typescript.mjs'), file('../../support/events/delivery-process-main.ts')],
    {
      env: {
        ...process.env,
        EVENTS_URL: scene.db.url,
        EVENTS_AGENT: agent,
        EVENTS_PER_DESTINATION: String(perDestination),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  scene.onCleanup(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stdout, 'data');
  return child;
}
