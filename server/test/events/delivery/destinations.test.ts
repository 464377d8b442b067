/** What is said of destinations holds on all nodes: limits, rates, pauses, and circuits that open and close. */
import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { column, type Respond, type Sink } from '../../support/events/delivery-node.ts';
import { deliveryScene } from '../../support/events/delivery-scene.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

const scene = deliveryScene();

function schedule(webhook: string, count = 1, retries = 0): Promise<string[]> {
  return column(
    scene.db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, num_retries, retry_interval_seconds)
     select $1, now(), $3, 1 from generate_series(1, $2::int) returning id`,
    [webhook, count, retries],
  );
}

const processed = async (): Promise<number> =>
  Number((await column(scene.db.database, 'select count(*) from joinery.processed_events'))[0]);

async function rule(sink: Sink, set: string): Promise<void> {
  const [name, value] = set.split(' = ');
  await column(
    scene.db.database,
    `insert into joinery.event_destinations (destination, ${name}) values ($1, ${value})
     on conflict (destination) do update set ${set}`,
    [sink.origin],
  );
}

/** Answers in the hands of the test. */
function holding(): { answer: Respond; release: () => void; most: () => number } {
  const open = new Set<ServerResponse>();
  let most = 0;
  return {
    answer: (_call, response) => {
      open.add(response);
      most = Math.max(most, open.size);
    },
    release: () => {
      for (const response of open) response.end();
      open.clear();
    },
    most: () => most,
  };
}

test('a paused destination gets no calls from any node until it is resumed, and others do', async () => {
  const paused = await scene.sinkFor();
  const other = await scene.sinkFor();
  await rule(paused, 'paused = true');
  await scene.nodeFor();
  await scene.nodeFor();
  await schedule(paused.origin, 50);
  await schedule(other.origin, 50);
  await until('the others are processed', async () => (await processed()) === 50);
  const held = 'select count(*) from joinery.scheduled_events where lease is not null';
  await until('nobody holds what is paused', async () => (await column(scene.db.database, held))[0] === '0');
  expect(paused.calls).toEqual([]);
  await rule(paused, 'paused = false');
  await until('all are processed', async () => (await processed()) === 100);
  expect(paused.calls).toHaveLength(50);
});

test('a pause stops what is queued, and lets calls under way end', async () => {
  const { answer, release } = holding();
  const sink = await scene.sinkFor(answer);
  await scene.nodeFor({ settings: { perDestination: 3 } });
  await schedule(sink.origin, 40);
  await until('three are called', () => sink.calls.length === 3);
  await rule(sink, 'paused = true');
  const held = 'select count(*) from joinery.scheduled_events where lease is not null';
  await until('the rest is let go', async () => (await column(scene.db.database, held))[0] === '3');
  release();
  await until('they are written down', async () => (await processed()) === 3);
  expect(sink.calls).toHaveLength(3);
});

test('a limit of concurrency holds for all nodes together', async () => {
  const { answer, release, most } = holding();
  const sink = await scene.sinkFor(answer);
  await rule(sink, 'concurrency = 5');
  const nodes = [await scene.nodeFor({ agent: 'a' }), await scene.nodeFor({ agent: 'b' })];
  // From then on each knows of the other.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const ids = await schedule(sink.origin, 60);
  await until('five are called', () => sink.open() === 5);
  await until('all are processed', async () => {
    release();
    return (await processed()) === ids.length;
  });
  expect(most()).toBe(5);
  expect(nodes.every((node) => node.stats().delivered > 0)).toBe(true);
});

test('a rate spreads the calls of all nodes over time', async () => {
  const sink = await scene.sinkFor();
  await rule(sink, 'rate_per_second = 20');
  await scene.nodeFor();
  await scene.nodeFor();
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await schedule(sink.origin, 40);
  await until('all are processed', async () => (await processed()) === 40);
  const times = sink.calls.map((call) => call.at);
  // Of each node half, at half the rate; the first of each may come at once.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_700);
});

test('a destination that fails time after time is left alone, its events wait, and a probe closes the circuit', async () => {
  let broken = true;
  const sink = await scene.sinkFor((_call, response) => response.writeHead(broken ? 503 : 200).end());
  const other = await scene.sinkFor();
  await scene.nodeFor({ settings: { circuitFailures: 10, perDestination: 5 } });
  await scene.nodeFor({ settings: { circuitFailures: 10, perDestination: 5 } });
  const ids = await schedule(sink.origin, 100);
  const open = `select circuit_reason from joinery.event_destinations where circuit_opened_at is not null`;
  await until('the circuit is open', async () => (await column(scene.db.database, open))[0] === 'status 503');
  await schedule(other.origin, 20);
  await until('others are called', () => other.calls.length === 20);
  await until('a probe failed', async () => {
    const probed = 'select destination from joinery.event_destinations where probes >= 1';
    return (await column(scene.db.database, probed))[0] === sink.origin;
  });
  const failed = sink.calls.length;
  // Ten, what was under way by then on two nodes, and a probe or two; without a circuit it would be a hundred.
  expect(failed).toBeLessThanOrEqual(50);
  broken = false;
  await until('all are processed', async () => (await processed()) === ids.length + 20);
  const statuses = `select count(*) from joinery.processed_events where status = 'delivered' and tries = 1`;
  expect(Number((await column(scene.db.database, statuses))[0])).toBeGreaterThanOrEqual(70);
  await until('nothing is left of it', async () => {
    return (await column(scene.db.database, 'select destination from joinery.event_destinations')).length === 0;
  });
});

test('answers that are about the event and not the destination open no circuit', async () => {
  const sink = await scene.sinkFor((_call, response) => response.writeHead(500).end());
  await scene.nodeFor({ settings: { circuitFailures: 3 } });
  await schedule(sink.origin, 50);
  await until('all are processed', async () => (await processed()) === 50);
  expect(sink.calls).toHaveLength(50);
  expect(await column(scene.db.database, 'select destination from joinery.event_destinations')).toEqual([]);
});
