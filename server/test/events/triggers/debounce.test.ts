/** Debounced triggers: the last change of a key within a window is delivered, at the end of the window that the first one began. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { redeliverTriggerEvent } from '../../../src/events/triggers/store.ts';
import { type ClaimedRow, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

const HOUR_MS = 3_600_000;
let s: TriggerScene;
let number: number;

beforeEach(async () => {
  s = await triggerScene('create table t (id int primary key, k int, v int)');
  number = await s.capture({ table: 't', orderingKey: ['k'], debounceMs: HOUR_MS });
});
afterEach(() => s.drop());

const insert = (id: number, key: number | null, v = id): Promise<void> =>
  s.run(`insert into t values (${id}, ${key}, ${v})`);
const idsOf = (events: readonly ClaimedRow[]): number[] => events.map(({ new: row }) => JSON.parse(row ?? '').id);
/** Ends all windows. */
const endWindows = (): Promise<void> =>
  s.run(`update joinery.trigger_work set due_at = now() where lease is null or lease = 0`);
const superseded = async (): Promise<number[]> => {
  const ended = await s.column(
    `select e.new ->> 'id' from joinery.trigger_${number}_log_s1 l join joinery.trigger_${number}_s1 e using (seq)
    where l.outcome = 'superseded' and l.attempt = 0 order by 1`,
  );
  return ended.map(Number).sort((one, other) => one - other);
};

describe('of the changes of a key within a window', () => {
  test('the last is claimed at its end, and the others end as superseded, without a call', async () => {
    for (let id = 1; id <= 5; id += 1) await insert(id, 1);
    expect(await s.claimAll()).toEqual([]);
    await s.run('insert into t select n, 1 from generate_series(6, 9) n');
    expect(await s.claimAll()).toEqual([]);
    await endWindows();
    const events = await s.claimAll();
    expect(idsOf(events)).toEqual([9]);
    await s.settle(events);
    expect(await superseded()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await s.column('select seq from joinery.trigger_work')).toEqual([]);
  });

  test('the first begins the window, which later ones do not extend', async () => {
    const ends = (): Promise<(string | null)[]> => s.column('select due_at from joinery.trigger_work');
    await insert(1, 1);
    await s.claimAll();
    const end = await ends();
    expect(end).toHaveLength(1);
    await insert(2, 1);
    await s.claimAll();
    expect(await ends()).toEqual(end);
    expect(await superseded()).toEqual([1]);
  });

  test('the last of the commit order is claimed', async () => {
    const early = s.connect();
    await early.transaction(async (query) => {
      await query({ text: 'insert into t values (1, 1)', values: [] });
      await insert(2, 1);
      await s.claimAll();
    });
    await s.claimAll();
    await endWindows();
    expect(idsOf(await s.claimAll())).toEqual([1]);
    expect(await superseded()).toEqual([2]);
  });

  test('all but the last are superseded also where they are claimed in parts', async () => {
    await s.run('insert into t select n, n % 3 from generate_series(1, 100) n');
    for (let part = 0; part < 20; part += 1) expect(await s.claim({ most: 7 })).toEqual([]);
    await endWindows();
    expect(idsOf(await s.claimAll()).sort()).toEqual([100, 98, 99].sort());
    expect(await superseded()).toHaveLength(97);
  });
});

test('a claim returns the time until the next window ends', async () => {
  await insert(1, 1);
  const lease = await s.lease();
  const claim = `select c.due_ms from joinery.claim_trigger_events($1, '0', 10, 10, null, '{}', 100) c where c.number is null`;
  const [ms] = await s.column(claim, [lease]);
  expect(Number(ms)).toBeGreaterThan(HOUR_MS - 60_000);
  expect(Number(ms)).toBeLessThanOrEqual(HOUR_MS);
});

test('a change whose key is null is claimed at once', async () => {
  await insert(1, null);
  await insert(2, null);
  expect(idsOf(await s.claim())).toEqual([1, 2]);
});

test('keys are independent, and a node does not claim windows ahead of time', async () => {
  await insert(1, 1);
  await insert(2, 2);
  await s.claimAll();
  await s.run(`update joinery.trigger_work set due_at = now() where ordering_key like '%1]'`);
  expect(idsOf(await s.claimAll())).toEqual([1]);
  await s.run(`update joinery.trigger_work set due_at = clock_timestamp() + interval '1 minute' where lease is null`);
  const ahead = `select c.seq from joinery.claim_trigger_events($1, '1 hour', 10, 10, null, '{}', 100) c where c.number is not null`;
  expect(await s.column(ahead, [await s.lease()])).toEqual([]);
});

describe('a change that is being delivered', () => {
  test('is not superseded; the last one made meanwhile waits for its end and its own window', async () => {
    await insert(1, 1);
    await s.claimAll();
    await endWindows();
    const first = await s.claimAll();
    expect(idsOf(first)).toEqual([1]);
    await insert(2, 1);
    await insert(3, 1);
    await s.claimAll();
    await endWindows();
    expect(await s.claimAll()).toEqual([]);
    await s.settle(first);
    expect(idsOf(await s.claimAll())).toEqual([3]);
    expect(await superseded()).toEqual([2]);
  });

  test('is retried before the last one made meanwhile', async () => {
    await insert(1, 1);
    await s.claimAll();
    await endWindows();
    await s.settle(await s.claimAll(), { status: null, retry_ms: Date.now() + HOUR_MS });
    await insert(2, 1);
    await insert(3, 1);
    expect(await s.claimAll()).toEqual([]);
    await endWindows();
    const retried = await s.claimAll();
    expect(idsOf(retried)).toEqual([1]);
    await s.settle(retried, { status: 'error' });
    expect(idsOf(await s.claimAll())).toEqual([3]);
    expect(await superseded()).toEqual([2]);
  });
});

test('a superseded change can be redelivered, and is then delivered although later ones follow', async () => {
  await insert(1, 1);
  await insert(2, 1);
  await s.claimAll();
  await endWindows();
  await s.settle(await s.claimAll());
  const [id] = await s.column(`select joinery.event_id(${number}, 1)`);
  expect(await redeliverTriggerEvent(s.database.query, id ?? '')).toBe('ok');
  await insert(3, 1);
  const again = await s.claimAll();
  expect(again.map((event) => [event.id, event.tries])).toEqual([[id, '0']]);
  await s.settle(again);
  await endWindows();
  expect(idsOf(await s.claimAll())).toEqual([3]);
});

test('redelivery of a change that waits ends its window', async () => {
  await insert(1, 1);
  await s.claimAll();
  const [id] = await s.column(`select joinery.event_id(${number}, 1)`);
  expect(await redeliverTriggerEvent(s.database.query, id ?? '')).toBe('ok');
  expect(idsOf(await s.claim())).toEqual([1]);
});

test('with several nodes, of which some die, each change is delivered or superseded, and the last of each key is delivered', async () => {
  await s.run(`update joinery.triggers set debounce_ms = 1`);
  const keys = 5;
  const changes = 60;
  let writing = 3;
  const writers = Array.from({ length: writing }, async (_, writer) => {
    const connection = s.connect();
    for (let n = 0; n < changes; n += 1) {
      const id = writer * changes + n;
      await connection.query({ text: 'insert into t values ($1, $2)', values: [id, id % keys] });
    }
    writing -= 1;
  });
  const called: { id: number; seq: number }[] = [];
  const nodes = Array.from({ length: 3 }, async (_, node) => {
    const { query } = s.connect();
    let lease = await s.lease();
    for (let round = 0; ; round += 1) {
      const done = writing === 0;
      const events = await s.claim({ most: 10, query, lease });
      called.push(...events.map((event) => ({ id: idsOf([event])[0] ?? 0, seq: Number(event.seq) })));
      if ((round + node) % 5 === 4) {
        // The node dies after its calls, and before it stores the outcomes.
        await s.run(`update joinery.source_leases set expires_at = now() - interval '1 s' where id = ${lease};
          select joinery.sweep_trigger_events()`);
        lease = await s.lease();
      } else await s.settle(events);
      const [left] = await s.column('select count(*) from joinery.trigger_work');
      if (done && left === '0' && (await s.claim({ query, lease })).length === 0) return;
    }
  });
  await Promise.all([...writers, ...nodes]);
  const ended = new Set(await superseded());
  const delivered = new Set(called.map(({ id }) => id));
  for (let id = 0; id < 3 * changes; id += 1) expect(ended.has(id) || delivered.has(id)).toBe(true);
  const last = await s.column(
    `select distinct on (e.new ->> 'k') e.new ->> 'id' from joinery.trigger_${number}_s1 e order by e.new ->> 'k', e.seq desc`,
  );
  for (const id of last.map(Number)) expect(ended.has(id)).toBe(false);
});
