/** Several nodes on one database: they share events, respect the leases of others, and take over those of a dead node. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { column, type Sink } from '../../support/events/delivery-node.ts';
import { deliveryScene } from '../../support/events/delivery-scene.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 180_000 });

const scene = deliveryScene();

/** Inserts `count` events that are due at equal intervals within `overMs` from now. */
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

test('two nodes share the events and call each webhook once', async () => {
  const sink = await scene.sinkFor((_call, response) => setTimeout(() => response.end(), 20));
  const settings = { perDestination: 10 };
  await scene.nodeFor({ agent: 'a', settings });
  await scene.nodeFor({ agent: 'b', settings });
  const ids = await schedule(sink.origin, 1_000);
  await until('all events are processed', async () => (await processed()) === ids.length);
  expect(new Set(sink.calls.map((call) => call.body.id)).size).toBe(1_000);
  expect(sink.calls).toHaveLength(1_000);
  expect([...agentsOf(sink).values()].every((count) => count >= 100)).toBe(true);
  expect(agentsOf(sink).size).toBe(2);
});

test('a node claims events whose lease has expired or does not exist, and no event under a valid lease', async () => {
  const sink = await scene.sinkFor();
  const insert = `with lease as (
      insert into joinery.event_leases (node, expires_at) values ('other', now() + $1::interval) returning id
    ) insert into joinery.scheduled_events (webhook, schedule_at, lease) select $2, now(), id from lease returning id`;
  const [underValidLease] = await column(scene.db.database, insert, ['1 hour', sink.origin]);
  const [underExpiredLease] = await column(scene.db.database, insert, ['-1 s', sink.origin]);
  const [underMissingLease] = await column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, lease) values ($1, now(), 1000) returning id`,
    [sink.origin],
  );
  await scene.nodeFor();
  await until('two events are processed', async () => (await processed()) === 2);
  const [fence = ''] = await schedule(sink.origin, 1);
  await until('the fence is processed', async () => (await processed()) === 3);
  expect(sink.calls.map((call) => call.body.id).sort()).toEqual([underExpiredLease, underMissingLease, fence].sort());
  expect(await column(scene.db.database, 'select id from joinery.scheduled_events')).toEqual([underValidLease]);
});

test('a node that lost its lease writes no outcome under it and continues under a new lease', async () => {
  const pendingResponses: (() => void)[] = [];
  const sink = await scene.sinkFor((_call, response) => {
    pendingResponses.push(() => response.end());
  });
  const node = await scene.nodeFor();
  await schedule(sink.origin, 1);
  await until('the webhook is called', () => pendingResponses.length === 1);
  await column(scene.db.database, 'delete from joinery.event_leases');
  await column(scene.db.database, 'select joinery.sweep_events()');
  await until('the event is called again under a new lease', () => {
    pendingResponses[0]?.();
    return pendingResponses.length === 2;
  });
  expect(node.stats()).toMatchObject({ lost: 1, delivered: 0 });
  pendingResponses[1]?.();
  await until('the event is processed', async () => (await processed()) === 1);
  expect(await column(scene.db.database, 'select count(*) from joinery.event_invocations')).toEqual(['1']);
  expect(node.observed).toContainEqual(expect.objectContaining({ kind: 'note', level: 'warn' }));
});

test('a destination that does not respond delays only its own events and gets no more calls than its limit', async () => {
  const hanging = await scene.sinkFor(() => undefined);
  const responsive = await scene.sinkFor();
  await scene.nodeFor({ settings: { perDestination: 5 } });
  await schedule(hanging.origin, 3_000);
  await until('the hanging destination has reached its limit', () => hanging.calls.length === 5);
  await schedule(responsive.origin, 200, 500);
  await until('the other events are processed', async () => (await processed()) === 200);
  expect(responsive.calls).toHaveLength(200);
  expect(hanging.calls).toHaveLength(5);
  const [claimed] = await column(
    scene.db.database,
    'select count(*) from joinery.scheduled_events where lease is not null',
  );
  expect(Number(claimed)).toBeLessThan(1_000);
});

test('all events are delivered, none early, if there are more than one claim takes', async () => {
  const sink = await scene.sinkFor();
  await scene.nodeFor();
  const ids = await schedule(sink.origin, 3_000, 3_000);
  await until('all events are processed', async () => (await processed()) === ids.length);
  expect(sink.calls).toHaveLength(3_000);
  expect(sink.calls.filter((call) => call.at < Math.floor(Date.parse(call.body.scheduled_time)))).toEqual([]);
});

test('no event is lost if connections to the database break', async () => {
  const sink = await scene.sinkFor((_call, response) => setTimeout(() => response.end(), 10));
  await scene.nodeFor();
  const ids = await schedule(sink.origin, 1_500, 3_000);
  for (const count of [200, 500, 800]) {
    await until('more calls are made', () => sink.calls.length >= count);
    await column(
      scene.db.database,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name in ('joinery events test', 'joinery listen')`,
    );
  }
  await until('all events are processed', async () => (await processed()) === ids.length);
  expect(new Set(sink.calls.map((call) => call.body.id)).size).toBe(1_500);
});

test('a stopping node finishes its calls, releases the other events, and makes no more calls', async () => {
  const pendingResponses: (() => void)[] = [];
  const sink = await scene.sinkFor((_call, response) => {
    pendingResponses.push(() => response.end());
  });
  const node = await scene.nodeFor({ settings: { perDestination: 2 } });
  await column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at)
     select $1, now() + case when n > 100 then $2::interval else '0' end from generate_series(1, 101) n`,
    [sink.origin, '1500 ms'],
  );
  const claimed = 'select count(*) from joinery.scheduled_events where lease is not null';
  await until('all events are claimed', async () => (await column(scene.db.database, claimed))[0] === '101');
  await until('two calls are running', () => pendingResponses.length === 2);
  const stopped = node.stop({ drainMs: 60_000 });
  await until('the other events are released', async () => (await column(scene.db.database, claimed))[0] === '2');
  for (const respond of pendingResponses) respond();
  await stopped;
  expect(await processed()).toBe(2);
  expect(sink.calls).toHaveLength(2);
  expect(await column(scene.db.database, claimed)).toEqual(['0']);
  expect(await column(scene.db.database, 'select id from joinery.event_leases')).toEqual([]);
});

test('a stopping node aborts a call that exceeds the drain time and releases its event', async () => {
  const sink = await scene.sinkFor(() => undefined);
  const node = await scene.nodeFor();
  await schedule(sink.origin, 1);
  await until('the webhook is called', () => sink.calls.length === 1);
  await node.stop({ drainMs: 50 });
  expect(await column(scene.db.database, 'select tries, lease is null from joinery.scheduled_events')).toEqual(['0']);
  expect(await column(scene.db.database, 'select id from joinery.event_invocations')).toEqual([]);
});

test('all events are delivered after a node is killed, twice only those that it was calling', {
  timeout: 120_000,
}, async () => {
  const perDestination = 50;
  const sink = await scene.sinkFor((_call, response) => setTimeout(() => response.end(), 20));
  const victim = await childFor('victim', perDestination);
  const ids = await schedule(sink.origin, 800, 2_000);
  await until('the victim has made 100 calls', () => (agentsOf(sink).get('victim') ?? 0) >= 100);
  // It starts now, because two running nodes may divide the events so that one of them makes fewer than 100 calls.
  const survivor = childFor('survivor', perDestination);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  const recorded = new Set(await column(scene.db.database, 'select event_id from joinery.event_invocations'));
  const inFlight = sink.calls
    .filter((call) => call.headers['user-agent'] === 'victim' && !recorded.has(call.body.id))
    .map((call) => call.body.id);
  // Running calls, and ended calls whose outcomes are not written yet.
  expect(inFlight.length).toBeLessThanOrEqual(3 * perDestination);
  await survivor;
  await until('all events are processed', async () => (await processed()) === ids.length);
  expect(new Set(sink.calls.map((call) => call.body.id))).toEqual(new Set(ids));
  const repeated = ids.filter((id) => sink.callsOf(id).length > 1);
  expect(inFlight).toEqual(expect.arrayContaining(repeated));
  expect(sink.calls.length - ids.length).toBe(repeated.length);
  const logged = await column(scene.db.database, 'select event_id from joinery.event_invocations');
  expect([...logged].sort()).toEqual([...ids].sort());
});

/** Starts a process that delivers events. */
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
