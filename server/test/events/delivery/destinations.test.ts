/** Settings of destinations apply to all nodes: concurrency, rate and pause; circuit breakers. */
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

async function configure(sink: Sink, set: string): Promise<void> {
  const [name, value] = set.split(' = ');
  await column(
    scene.db.database,
    `insert into joinery.event_destinations (destination, ${name}) values ($1, ${value})
     on conflict (destination) do update set ${set}`,
    [sink.origin],
  );
}

/** Responses that the test sends with `release`. `most` returns the largest number of simultaneous calls. */
function delayedResponses(): { respond: Respond; release: () => void; most: () => number } {
  const open = new Set<ServerResponse>();
  let most = 0;
  return {
    respond: (_call, response) => {
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

test('a paused destination gets no calls from any node until it is resumed', async () => {
  const paused = await scene.sinkFor();
  const other = await scene.sinkFor();
  await configure(paused, 'paused = true');
  await scene.nodeFor();
  await scene.nodeFor();
  await schedule(paused.origin, 50);
  await schedule(other.origin, 50);
  await until('the events of the other destination are processed', async () => (await processed()) === 50);
  const claimed = 'select count(*) from joinery.scheduled_events where lease is not null';
  await until('no paused event is claimed', async () => (await column(scene.db.database, claimed))[0] === '0');
  expect(paused.calls).toEqual([]);
  await configure(paused, 'paused = false');
  await until('all events are processed', async () => (await processed()) === 100);
  expect(paused.calls).toHaveLength(50);
});

test('a pause stops waiting events and lets running calls end', async () => {
  const { respond, release } = delayedResponses();
  const sink = await scene.sinkFor(respond);
  await scene.nodeFor({ settings: { perDestination: 3 } });
  await schedule(sink.origin, 40);
  await until('three calls are running', () => sink.calls.length === 3);
  await configure(sink, 'paused = true');
  const claimed = 'select count(*) from joinery.scheduled_events where lease is not null';
  await until('the waiting events are released', async () => (await column(scene.db.database, claimed))[0] === '3');
  release();
  await until('the outcomes are stored', async () => (await processed()) === 3);
  expect(sink.calls).toHaveLength(3);
});

test('a concurrency limit applies to all nodes together', async () => {
  const { respond, release, most } = delayedResponses();
  const sink = await scene.sinkFor(respond);
  await configure(sink, 'concurrency = 5');
  await configure(sink, 'paused = true');
  const nodes = [await scene.nodeFor({ agent: 'a' }), await scene.nodeFor({ agent: 'b' })];
  const ids = await schedule(sink.origin, 60);
  // A node reads the end of the pause after the number of nodes, so that a node that calls has counted the other.
  await configure(sink, 'paused = false');
  await until('five calls are running', () => sink.open() === 5);
  await until('all events are processed', async () => {
    release();
    return (await processed()) === ids.length;
  });
  expect(most()).toBe(5);
  expect(nodes.every((node) => node.stats().delivered > 0)).toBe(true);
});

test('a rate limits the calls of all nodes together', async () => {
  const sink = await scene.sinkFor();
  await configure(sink, 'rate_per_second = 20');
  await configure(sink, 'paused = true');
  await scene.nodeFor();
  await scene.nodeFor();
  await schedule(sink.origin, 40);
  const resumedAt = Date.now();
  await configure(sink, 'paused = false');
  await until('all events are processed', async () => (await processed()) === 40);
  // Each node makes half of the calls at half of the rate; the first call of each is immediate.
  expect((sink.calls.at(-1)?.at ?? 0) - resumedAt).toBeGreaterThanOrEqual(1_700);
});

test('repeated failures of a destination open its circuit, and a successful probe closes it', async () => {
  let failing = true;
  const sink = await scene.sinkFor((_call, response) => response.writeHead(failing ? 503 : 200).end());
  const other = await scene.sinkFor();
  await scene.nodeFor({ settings: { circuitFailures: 10, perDestination: 5 } });
  await scene.nodeFor({ settings: { circuitFailures: 10, perDestination: 5 } });
  const ids = await schedule(sink.origin, 100);
  const open = `select circuit_reason from joinery.event_destinations where circuit_opened_at is not null`;
  await until('the circuit is open', async () => (await column(scene.db.database, open))[0] === 'status 503');
  await schedule(other.origin, 20);
  await until('the other destination is called', () => other.calls.length === 20);
  await until('a probe has failed', async () => {
    const probed = 'select destination from joinery.event_destinations where probes >= 1';
    return (await column(scene.db.database, probed))[0] === sink.origin;
  });
  const failed = sink.calls.length;
  // The ten failures, the calls in flight on two nodes, and probes. Without a circuit it would be a hundred.
  expect(failed).toBeLessThanOrEqual(50);
  failing = false;
  await until('all events are processed', async () => (await processed()) === ids.length + 20);
  const statuses = `select count(*) from joinery.processed_events where status = 'delivered' and tries = 1`;
  expect(Number((await column(scene.db.database, statuses))[0])).toBeGreaterThanOrEqual(70);
  await until('the state of the circuit is removed', async () => {
    return (await column(scene.db.database, 'select destination from joinery.event_destinations')).length === 0;
  });
});

test('status 500 does not open a circuit', async () => {
  const sink = await scene.sinkFor((_call, response) => response.writeHead(500).end());
  await scene.nodeFor({ settings: { circuitFailures: 3 } });
  await schedule(sink.origin, 50);
  await until('all events are processed', async () => (await processed()) === 50);
  expect(sink.calls).toHaveLength(50);
  expect(await column(scene.db.database, 'select destination from joinery.event_destinations')).toEqual([]);
});
