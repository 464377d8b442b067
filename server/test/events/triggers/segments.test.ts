/** Segments: capture moves to a new one while transactions write, and old ones are dropped when they have been delivered. */
import { afterEach, describe, expect, test } from 'vitest';
import { removeTrigger } from '../../../src/events/capture/capture.ts';
import { advanceSegments, dropSegments } from '../../../src/events/triggers/segments.ts';
import { runStatement } from '../../../src/postgres/sql/rows.ts';
import { type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';
import { until } from '../../support/until.ts';

const scenes: TriggerScene[] = [];

afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.drop();
});

async function scene(): Promise<TriggerScene> {
  const created = await triggerScene('create table t (id int, k text)');
  scenes.push(created);
  return created;
}

const rotate = (s: TriggerScene, number: number): Promise<unknown> =>
  s.column('select joinery.open_trigger_segment($1)', [number]);
const seal = (s: TriggerScene): Promise<unknown> => s.run('select joinery.seal_trigger_segments()');
const dropSegment = (s: TriggerScene, number: number, segment: number): Promise<(string | null)[]> =>
  s.column('select joinery.drop_trigger_segment($1, $2)', [number, segment]);
const rows = (s: TriggerScene, table: string): Promise<(string | null)[]> =>
  s.column(`select new ->> 'id' from joinery.${table}`);

/** Runs a transaction that pauses between its statements. */
async function paused(s: TriggerScene): Promise<{ run(text: string): Promise<void>; end(): Promise<void> }> {
  const connection = s.connect();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return new Promise((resolve) => {
    const done = connection.transaction(async (query) => {
      await query({ text: 'select 1', values: [] });
      resolve({
        run: async (text) => {
          await query({ text, values: [] });
        },
        end: async () => {
          finish();
          await done;
        },
      });
      await finished;
    });
  });
}

for (const orderingKey of [undefined, ['k']]) {
  describe(orderingKey === undefined ? 'a segment' : 'a segment of an ordered trigger', () => {
    test('is replaced without waiting for writers, which may write to either until they end', async () => {
      const s = await scene();
      const number = await s.capture({ table: 't', orderingKey });
      const writer = await paused(s);
      await writer.run(`insert into t values (1, 'a')`);
      await rotate(s, number);
      await s.run(`insert into t values (2, 'b')`);
      await writer.run(`insert into t values (3, 'c')`);
      expect(await rows(s, `trigger_${number}_s2`)).toContain('2');
      const before = await s.claimAll();
      expect(before.map((event) => JSON.parse(event.new ?? '').id)).toEqual([2]);
      await s.settle(before);
      await seal(s);
      await seal(s);
      expect(await dropSegment(s, number, 1)).toEqual(['f']);
      await writer.run(`insert into t values (4, 'd')`);
      await writer.end();
      const after = await s.claimAll();
      expect(after.map((event) => JSON.parse(event.new ?? '').id).sort()).toEqual([1, 3, 4]);
      await s.settle(after);
      const drained = async (): Promise<boolean> => {
        await seal(s);
        await s.claim();
        return (await dropSegment(s, number, 1))[0] === 't';
      };
      await expect.poll(drained).toBe(true);
      expect(
        await s.column(
          `select to_regclass('joinery.trigger_${number}_s1'), to_regclass('joinery.trigger_${number}_log_s1')`,
        ),
      ).toEqual([null]);
      await s.run(`insert into t values (5, 'e')`);
      expect((await s.claimAll()).map((event) => JSON.parse(event.new ?? '').id)).toEqual([5]);
    });

    test('is not dropped while a transaction that began before its end has not written yet', async () => {
      const s = await scene();
      const number = await s.capture({ table: 't', orderingKey });
      const writer = await paused(s);
      // The locks and the cached plan of an earlier statement.
      await writer.run('update t set id = id');
      await rotate(s, number);
      for (let round = 0; round < 3; round += 1) {
        await s.claim();
        await seal(s);
        expect(await dropSegment(s, number, 1)).toEqual(['f']);
      }
      await writer.run(`insert into t values (1, 'a')`);
      await writer.end();
      expect((await s.claimAll()).map((event) => JSON.parse(event.new ?? '').id)).toEqual([1]);
    });

    test('is not dropped while one of its events waits for a retry or is claimed', async () => {
      const s = await scene();
      const number = await s.capture({ table: 't', orderingKey });
      await s.run(`insert into t values (1, 'a')`);
      await rotate(s, number);
      const events = await s.claimAll();
      const drained = async (): Promise<string | null | undefined> => {
        await s.claim();
        await seal(s);
        return (await s.column('select drained_at is not null from joinery.trigger_segments where segment = 1'))[0];
      };
      await expect.poll(drained).toBe('t');
      expect(await dropSegment(s, number, 1)).toEqual(['f']);
      await s.settle(events, { status: null, retry_ms: 0 });
      expect(await dropSegment(s, number, 1)).toEqual(['f']);
      const again = await s.claim();
      expect(again).toHaveLength(1);
      await s.settle(again);
      expect(await dropSegment(s, number, 1)).toEqual(['t']);
    });

    test('can be replaced again and again while sessions write', async () => {
      const s = await scene();
      const number = await s.capture({ table: 't', orderingKey });
      const sessions = 4;
      const each = 50;
      let writing = sessions;
      const writers = Array.from({ length: sessions }, async (_, session) => {
        const connection = s.connect();
        for (let n = 0; n < each; n += 1) {
          await connection.query({
            text: 'insert into t values ($1, $2)',
            values: [session * each + n, String(n % 5)],
          });
        }
        writing -= 1;
      });
      const seen: number[] = [];
      const maintaining = (async () => {
        for (;;) {
          const last = writing === 0;
          await rotate(s, number);
          const events = await s.claim({ most: 30 });
          seen.push(...events.map((event) => JSON.parse(event.new ?? '').id));
          expect(await s.settle(events)).toEqual([]);
          await seal(s);
          const segments = await s.column('select segment from joinery.trigger_segments where drained_at is not null');
          for (const segment of segments) await dropSegment(s, number, Number(segment));
          if (last && events.length === 0) return;
        }
      })();
      await Promise.all([...writers, maintaining]);
      expect(seen.sort((one, other) => one - other)).toEqual(Array.from({ length: sessions * each }, (_, n) => n));
      await until('the first segment is dropped', async () => {
        await s.claim();
        await seal(s);
        await dropSegment(s, number, 1);
        const [first] = await s.column('select min(segment) from joinery.trigger_segments');
        return Number(first) > 1;
      });
    });
  });
}

test('segments over a limit are replaced, and dropped when their retention is over', async () => {
  const s = await scene();
  const number = await s.capture({ table: 't' });
  const advance = (mostBytes = 1_000_000_000): Promise<void> =>
    advanceSegments(s.database.query, [{ number, segmentSeconds: 3_600 }], mostBytes);
  const segments = (): Promise<(string | null)[]> =>
    s.column('select segment from joinery.trigger_segments order by segment');
  await advance();
  await s.run(`insert into t values (1, 'a')`);
  await advance();
  expect(await segments()).toEqual(['1']);
  await advance(1);
  expect(await segments()).toEqual(['1', '2']);
  await s.settle(await s.claimAll());
  const drained = async (): Promise<string | null | undefined> => {
    await s.claim();
    await advance();
    return (await s.column('select drained_at is not null from joinery.trigger_segments where segment = 1'))[0];
  };
  await expect.poll(drained).toBe('t');
  expect(await dropSegments(s.database.query, { number, eventSeconds: 3_600, logSeconds: 3_600 })).toEqual({
    dropped: 0,
    left: 0,
  });
  await s.run(`update joinery.trigger_segments set closed_at = closed_at - interval '2 hours'`);
  expect(await dropSegments(s.database.query, { number, eventSeconds: 3_600, logSeconds: 3_600 })).toEqual({
    dropped: 1,
    left: 0,
  });
  expect(await segments()).toEqual(['2']);
});

test.each([
  ['', undefined],
  [' of an ordered trigger', ['k']],
] as const)(
  'an update of 100,000 rows%s is stored in few statements, with the old row beside the new one',
  async (_what, orderingKey) => {
    const s = await scene();
    const number = await s.capture({ table: 't', orderingKey });
    await s.run(
      `set session_replication_role = replica; insert into t select n, 'k' from generate_series(1, 100000) n; set session_replication_role = origin`,
    );
    // The plan of the function must not depend on an earlier update of few rows.
    await s.run('update t set id = id + 1 where id <= 2');
    await s.claimAll();
    const events = `select cmin, (old ->> 'id')::int as old, (new ->> 'id')::int as new from joinery.trigger_${number}_s1
    where xid = pg_current_xact_id()`;
    const packed = `select p.cmin, unnest(p.o1) as old, unnest(p.n1) as new from joinery.trigger_${number}_s1_packed p`;
    const stored = await s.database.transaction(async (query) => {
      await query({ text: 'update t set id = id + 1', values: [] });
      const { rows } = await query({
        text: `select count(*), count(distinct e.cmin::text) < 10, bool_and(e.new = e.old + 1)
        from (${orderingKey === undefined ? packed : events}) e`,
        values: [],
      });
      return rows;
    });
    expect(stored).toEqual([['100000', 't', 't']]);
  },
);

test('a removed trigger leaves nothing, and the table can be written', async () => {
  const s = await scene();
  const objects = `select count(*) from pg_class c where relnamespace = 'joinery'::regnamespace`;
  const functions = `select count(*) from pg_proc where pronamespace = 'joinery'::regnamespace`;
  const before = [await s.column(objects), await s.column(functions)];
  const number = await s.capture({ table: 't', orderingKey: ['k'] });
  await s.run(`insert into t values (1, 'a'), (2, 'a')`);
  await rotate(s, number);
  await s.claim();
  await runStatement(s.database.query, removeTrigger(number));
  await s.run(`insert into t values (3, 'c'); update t set id = 0; delete from t`);
  expect([await s.column(objects), await s.column(functions)]).toEqual(before);
  const tables = [
    'triggers',
    'trigger_segments',
    'trigger_cursors',
    'trigger_batches',
    'trigger_work',
    'trigger_stamps',
  ];
  for (const table of tables) expect(await s.column(`select count(*) from joinery.${table}`)).toEqual(['0']);
  expect(await s.column(`select count(*) from pg_trigger where tgrelid = 't'::regclass`)).toEqual(['0']);
});

test('an operation that a trigger no longer has leaves no trigger and no function', async () => {
  const s = await scene();
  const number = await s.capture({ table: 't' });
  await s.capture({ table: 't', number, operations: { insert: { payload: '*' } } });
  expect(await s.column(`select tgname from pg_trigger where tgrelid = 't'::regclass`)).toEqual([
    `joinery_${number}_insert`,
  ]);
  expect(await s.column(`select proname from pg_proc where proname like 'joinery\\_${number}\\_%'`)).toEqual([
    `joinery_${number}_insert`,
  ]);
});
