/** Claims of captured events: nothing is lost, nothing is claimed twice, and nothing is read again. */
import { afterEach, describe, expect, test } from 'vitest';
import { invokeTrigger, redeliverTriggerEvent } from '../../../src/events/triggers/store.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type ClaimedRow, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

const scenes: TriggerScene[] = [];

afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.drop();
});

async function scene(text = 'create table t (id int primary key, v int)'): Promise<TriggerScene> {
  const created = await triggerScene(text);
  scenes.push(created);
  return created;
}

const idOf = ({ new: row, old }: ClaimedRow): number => JSON.parse(row ?? old ?? '').id;
const ids = (events: readonly ClaimedRow[]): number[] => events.map(idOf);
const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((one, other) => one - other);
const upTo = (most: number): number[] => Array.from({ length: most }, (_, index) => index + 1);

/** A transaction that runs statements until it is ended. */
async function open(
  scene: TriggerScene,
): Promise<{ run(text: string): Promise<void>; commit(): Promise<void>; rollback(): Promise<void> }> {
  const connection = scene.connect();
  let end: (how: 'commit' | 'rollback') => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  let given: (query: Query) => void = () => undefined;
  const started = new Promise<Query>((resolve) => {
    given = resolve;
  });
  const done = connection
    .transaction(async (query) => {
      given(query);
      if ((await ended) === 'rollback') throw new Error('rolled back');
    })
    .catch((error: Error) => {
      if (error.message !== 'rolled back') throw error;
    });
  const query = await started;
  const finish = (how: 'commit' | 'rollback') => async (): Promise<void> => {
    end(how);
    await done;
  };
  return {
    run: async (text) => {
      await query({ text, values: [] });
    },
    commit: finish('commit'),
    rollback: finish('rollback'),
  };
}

describe('a claim', () => {
  test('returns the events of a transaction after its commit, also when later ones were claimed before', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    const early = await open(s);
    const late = await open(s);
    await early.run('insert into t values (1)');
    await late.run('insert into t values (2)');
    expect(await s.claimAll()).toEqual([]);
    await late.commit();
    expect(ids(await s.claimAll())).toEqual([2]);
    await s.run('insert into t values (3)');
    expect(ids(await s.claimAll())).toEqual([3]);
    await early.run('insert into t values (4)');
    await early.commit();
    expect(ids(await s.claimAll())).toEqual([1, 4]);
    expect(await s.claimAll()).toEqual([]);
  });

  test.each([
    ['', undefined],
    [' of an ordered trigger', ['id']],
  ])(
    'returns the events%s of the newest transaction, which ran during one claim or several',
    async (_of, orderingKey) => {
      const s = await scene();
      await s.capture({ table: 't', orderingKey });
      for (let claims = 1; claims <= 4; claims += 1) {
        const newest = await open(s);
        await newest.run(`insert into t values (${claims})`);
        for (let n = 1; n <= claims; n += 1) expect(await s.claim()).toEqual([]);
        await newest.commit();
        const events = await s.claimAll();
        expect(ids(events)).toEqual([claims]);
        await s.settle(events);
      }
    },
  );

  test('returns nothing of a transaction that is rolled back', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    const transaction = await open(s);
    await transaction.run('insert into t values (1)');
    expect(await s.claimAll()).toEqual([]);
    await transaction.rollback();
    expect(await s.claimAll()).toEqual([]);
  });

  test('divides a window into batches, and continues with events that were committed meanwhile', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    const transaction = await open(s);
    await transaction.run('insert into t select n from generate_series(1, 25) n');
    await s.run('insert into t select n from generate_series(26, 50) n');
    const claimed = await s.claim({ most: 10 });
    await transaction.commit();
    for (;;) {
      const events = await s.claim({ most: 10 });
      if (events.length === 0) break;
      expect(events.length).toBeLessThanOrEqual(10);
      claimed.push(...events);
    }
    expect(sorted(ids(claimed))).toEqual(upTo(50));
  });

  test('limits the events of each trigger, and leaves out triggers', async () => {
    const s = await scene('create table t (id int); create table u (id int); create table v (id int)');
    const [t, u, v] = [
      await s.capture({ table: 't' }),
      await s.capture({ table: 'u' }),
      await s.capture({ table: 'v' }),
    ];
    await s.run(`insert into t select generate_series(1, 20); insert into u select generate_series(1, 20);
      insert into v select generate_series(1, 20)`);
    const count = (events: readonly ClaimedRow[], number: number): number =>
      events.filter((event) => event.number === String(number)).length;
    const events = await s.claim({ mostEach: 5, limits: { [u]: 7 }, except: [v] });
    expect([t, u, v].map((number) => count(events, number))).toEqual([5, 7, 0]);
    expect(await s.claim({ most: 3 })).toHaveLength(3);
    await s.run(`update joinery.triggers set paused = number <> ${v}`);
    expect((await s.claimAll()).every((event) => event.number === String(v))).toBe(true);
  });

  test('returns nothing under a lease that is not valid', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    await s.run('insert into t values (1)');
    const lease = await s.lease();
    await s.run(`update joinery.source_leases set draining = true where id = ${lease}`);
    expect(await s.claim({ lease })).toEqual([]);
    await s.run(
      `update joinery.source_leases set draining = false, expires_at = now() - interval '1 s' where id = ${lease}`,
    );
    expect(await s.claim({ lease })).toEqual([]);
    expect(ids(await s.claim())).toEqual([1]);
  });

  test('leaves rows over the limit to a function of their own', async () => {
    const s = await scene('create table t (id int, v text)');
    await s.capture({ table: 't' });
    await s.run(`insert into t values (1, repeat('x', 100))`);
    const [event] = await s.claim({ inline: 50 });
    expect([event?.large, event?.new]).toEqual(['t', null]);
    const rows = 'select new from joinery.trigger_event_rows($1, $2, $3)';
    const [row] = await s.column(rows, [event?.number, event?.segment, event?.seq]);
    expect(JSON.parse(row ?? '')).toEqual({ id: 1, v: 'x'.repeat(100) });
  });
});

test('many sessions and claims at the same time lose nothing and claim nothing twice', async () => {
  const s = await scene();
  await s.capture({ table: 't' });
  const long = await open(s);
  await long.run('insert into t values (0)');
  const sessions = 6;
  const each = 40;
  let writing = sessions;
  const writers = Array.from({ length: sessions }, async (_, session) => {
    const connection = s.connect();
    for (let n = 0; n < each; n += 1) {
      const id = session * each + n + 1;
      await connection.transaction(async (query) => {
        await query({ text: 'insert into t values ($1)', values: [id] });
        if (n % 3 === 0) await query({ text: 'select pg_sleep(0.002)', values: [] });
        await query({ text: 'update t set v = 1 where id = $1', values: [id] });
      });
    }
    writing -= 1;
  });
  const claimed: ClaimedRow[] = [];
  const claimers = Array.from({ length: 3 }, async () => {
    const connection = s.connect();
    const lease = await s.lease();
    for (;;) {
      const last = writing === 0;
      const events = await s.claim({ most: 7, query: connection.query, lease });
      claimed.push(...events);
      if (last && events.length === 0) return;
    }
  });
  await Promise.all([...writers, ...claimers]);
  await long.commit();
  claimed.push(...(await s.claimAll()));
  const seqs = claimed.map(({ seq }) => seq);
  expect(new Set(seqs).size).toBe(seqs.length);
  const expected = upTo(sessions * each).flatMap((id) => [id, id]);
  expect(sorted(ids(claimed))).toEqual([0, ...expected]);
});

describe('with a transaction that stays open', () => {
  test('a claim reads the events that it returns, not those that were claimed before', async () => {
    const s = await scene();
    const number = await s.capture({ table: 't' });
    const long = await open(s);
    await long.run('insert into t select -n from generate_series(1, 2000) n');
    await s.run('insert into t select n from generate_series(1, 5000) n');
    await s.claimAll({ most: 500 });
    const counters = `select
      sum(pg_stat_get_xact_tuples_returned(i.indexrelid) + pg_stat_get_xact_tuples_fetched(i.indexrelid)),
      pg_stat_get_xact_numscans('joinery.trigger_${number}_s1'::regclass)
      from pg_index i where i.indrelid = 'joinery.trigger_${number}_s1'::regclass`;
    for (const from of [10_000, 20_000]) {
      await s.run(`insert into t select n from generate_series(${from}, ${from} + 99) n`);
      const read = await s.database.transaction(async (query) => {
        const before = (await query({ text: counters, values: [] })).rows[0]?.map(Number) ?? [];
        expect(await s.claim({ query })).toHaveLength(100);
        const after = (await query({ text: counters, values: [] })).rows[0]?.map(Number) ?? [];
        return [0, 1].map((at) => (after[at] ?? 0) - (before[at] ?? 0));
      });
      // The index returns each event once; the table is not scanned.
      expect(read[0]).toBeLessThan(450);
      expect(read[1]).toBe(0);
    }
    await long.commit();
    expect(await s.claimAll({ most: 500 })).toHaveLength(2000);
  });
});

describe('a trigger without new events', () => {
  test('is not read: its segments and its cursor stay as they are', async () => {
    const s = await scene();
    const number = await s.capture({ table: 't' });
    await s.run('insert into t values (1)');
    const quiet = async (): Promise<string | null | undefined> => {
      await s.claimAll();
      return (await s.column(`select quiet from joinery.trigger_cursors where number = ${number}`))[0];
    };
    // Transactions in other databases of the server may have begun before.
    await expect.poll(quiet).toBe('1');
    const scans = `select sum(pg_stat_get_xact_numscans(indexrelid)) from pg_index where indrelid = 'joinery.trigger_${number}_s1'::regclass`;
    const read = await s.database.transaction(async (query) => {
      const before = (await query({ text: scans, values: [] })).rows[0]?.[0];
      await s.claim({ query });
      return [before, (await query({ text: scans, values: [] })).rows[0]?.[0]];
    });
    expect(read[1]).toBe(read[0]);
    await s.run('insert into t values (2)');
    expect(ids(await s.claim())).toEqual([2]);
  });
});

describe('an outcome', () => {
  test('that is final ends the event and is logged', async () => {
    const s = await scene();
    const number = await s.capture({ table: 't' });
    await s.run('insert into t values (1), (2), (3)');
    const events = await s.claim();
    expect(await s.settle(events.slice(0, 2))).toEqual([]);
    expect(await s.column('select cardinality(seqs) from joinery.trigger_batches')).toEqual(['1']);
    expect(await s.settle(events.slice(2), { status: 'error', code: 500 })).toEqual([]);
    expect(await s.column('select seqs from joinery.trigger_batches')).toEqual([]);
    expect(
      await s.column(`select outcome || ' ' || status from joinery.trigger_${number}_log_s1 order by seq`),
    ).toEqual(['delivered 200', 'delivered 200', 'error 500']);
  });

  test('that is a retry makes the event free at its time, with its calls counted', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    await s.run('insert into t values (1), (2)');
    const events = await s.claim();
    const far = Date.now() + 3_600_000;
    await s.settle(events.slice(0, 1), { status: null, retry_ms: far });
    await s.settle(events.slice(1), { status: null, retry_ms: Date.now() - 1000 });
    const again = await s.claim();
    expect(again.map((event) => [idOf(event), event.tries, event.batch])).toEqual([[2, '1', null]]);
    expect(again[0]?.id).toBe(events[1]?.id);
    await s.settle(again);
    await s.run('update joinery.trigger_work set due_at = now()');
    expect((await s.claim()).map((event) => [idOf(event), event.tries])).toEqual([[1, '1']]);
  });

  test('that is written twice, or under another lease, is returned and changes nothing', async () => {
    const s = await scene();
    const number = await s.capture({ table: 't' });
    await s.run('insert into t values (1), (2)');
    const events = await s.claim();
    const foreign = events.map((event) => ({ ...event, lease: '999' }));
    expect(await s.settle(foreign)).toEqual(events.map(({ id }) => id));
    expect(await s.settle(events, { status: null, retry_ms: 0, keep: true })).toEqual([]);
    expect(await s.settle(events, { status: null, retry_ms: 0, keep: true })).toEqual(events.map(({ id }) => id));
    expect(await s.column(`select count(*) from joinery.trigger_${number}_log_s1`)).toEqual(['2']);
    // Kept events are not free.
    expect(await s.claim()).toEqual([]);
    const kept = events.map((event) => ({ ...event, batch: null, tries: '1' }));
    expect(await s.settle(kept)).toEqual([]);
    expect(await s.column('select seq from joinery.trigger_work')).toEqual([]);
  });
});

describe('claimed events', () => {
  test('are free again when their lease has expired', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    await s.run('insert into t values (1), (2), (3)');
    const lease = await s.lease();
    const events = await s.claim({ lease });
    await s.settle(events.slice(0, 1));
    await s.settle(events.slice(1, 2), { status: null, retry_ms: 0, keep: true });
    await s.run(`update joinery.source_leases set expires_at = now() - interval '1 s' where id = ${lease}`);
    expect(await s.column('select joinery.sweep_trigger_events()')).toEqual(['2']);
    // The dead node writes an outcome.
    expect(await s.settle(events.slice(2))).toEqual([events[2]?.id]);
    const again = await s.claim();
    expect(again.map((event) => [idOf(event), event.tries]).sort()).toEqual([
      [2, '1'],
      [3, '0'],
    ]);
    expect(await s.settle(again)).toEqual([]);
    expect(await s.column('select joinery.sweep_trigger_events()')).toEqual(['0']);
  });

  test('are released one by one, or all but some', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    await s.run('insert into t select generate_series(1, 5)');
    const events = await s.claim();
    const refs = (list: readonly ClaimedRow[]) => [list.map(({ number }) => number), list.map(({ seq }) => seq)];
    const release = 'select joinery.release_trigger_events($1, $2, $3, $4)';
    expect(await s.column(release, [events[0]?.lease, ...refs(events.slice(0, 2)), true])).toEqual(['2']);
    const claimed = `select count(*) from joinery.confirm_trigger_events($1, $2, $3, $4)`;
    expect(await s.column(claimed, [events[0]?.lease, ...refs(events), events.map(({ batch }) => batch)])).toEqual([
      '3',
    ]);
    expect(await s.column(release, [events[0]?.lease, ...refs(events.slice(4)), false])).toEqual(['2']);
    expect(await s.column(claimed, [events[0]?.lease, ...refs(events), events.map(({ batch }) => batch)])).toEqual([
      '1',
    ]);
    expect(sorted(ids(await s.claimAll()))).toEqual([1, 2, 3, 4]);
    expect(await s.column(claimed, [events[0]?.lease, ...refs(events), events.map(({ batch }) => batch)])).toEqual([
      '5',
    ]);
  });
});

describe('a manual event', () => {
  test.each([[false], [true]])('is claimed like others, with its payload, ordered: %s', async (ordered) => {
    const s = await scene();
    const number = await s.capture({ table: 't', ...(ordered && { orderingKey: ['id'] }) });
    const id = await invokeTrigger(s.database.query, number, { payload: '{"a":  1}', session: '{"x":1}' });
    const events = await s.claim();
    expect(events.map((event) => [event.id, event.op, event.old, event.new, event.session])).toEqual([
      [id, 'MANUAL', null, '{"a":  1}', '{"x":1}'],
    ]);
    expect(await s.settle(events)).toEqual([]);
  });
});

describe('redelivery', () => {
  test('makes a finished event free with a new budget, and rejects events that are claimed or unknown', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    await s.run('insert into t values (1)');
    const [event] = await s.claim();
    expect(await redeliverTriggerEvent(s.database.query, event?.id ?? '')).toBe('busy');
    await s.settle(event === undefined ? [] : [event], { status: 'error' });
    expect(await redeliverTriggerEvent(s.database.query, event?.id ?? '')).toBe('ok');
    const [again] = await s.claim();
    expect([again?.id, again?.tries, again?.requeued_tries]).toEqual([event?.id, '1', '1']);
    expect(again?.requeued_ms).not.toBeNull();
    expect(await redeliverTriggerEvent(s.database.query, event?.id ?? '')).toBe('busy');
    expect(await redeliverTriggerEvent(s.database.query, '5b0c0000-0000-4000-8000-000000000000')).toBe('not-exists');
  });

  test('makes a waiting event free at once', async () => {
    const s = await scene();
    await s.capture({ table: 't' });
    await s.run('insert into t values (1)');
    const events = await s.claim();
    await s.settle(events, { status: null, retry_ms: Date.now() + 3_600_000 });
    expect(await s.claim()).toEqual([]);
    expect(await redeliverTriggerEvent(s.database.query, events[0]?.id ?? '')).toBe('ok');
    expect(ids(await s.claim())).toEqual([1]);
  });
});
