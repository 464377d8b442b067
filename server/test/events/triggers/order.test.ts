/** Ordered triggers: the events of a key are claimed in commit order, one after the other. */
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaimedRow, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

const scenes: TriggerScene[] = [];

afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.drop();
});

async function ordered(): Promise<TriggerScene & { readonly number: number }> {
  const created = await triggerScene('create table t (id int generated always as identity primary key, k text, v int)');
  scenes.push(created);
  return { ...created, number: await created.capture({ table: 't', orderingKey: ['k'] }) };
}

const value = ({ new: row, old }: ClaimedRow): number => JSON.parse(row ?? old ?? '').v;
const key = ({ ordering_key }: ClaimedRow): string => JSON.parse(ordering_key ?? '[null]')[0];

/** Claims and settles until nothing is left. Returns the values of each key in the order of their claims. */
async function deliverAll(s: TriggerScene, most = 1000): Promise<Map<string, number[]>> {
  const delivered = new Map<string, number[]>();
  for (;;) {
    const events = await s.claim({ most });
    if (events.length === 0) return delivered;
    const keys = events.map(key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const event of events) {
      const values = delivered.get(key(event)) ?? [];
      delivered.set(key(event), [...values, value(event)]);
    }
    expect(await s.settle(events)).toEqual([]);
  }
}

describe('events of one key', () => {
  test('are claimed one after the other, and those of other keys at the same time', async () => {
    const s = await ordered();
    await s.run(
      `insert into t (k, v) values ('a', 1), ('b', 1), ('a', 2); insert into t (k, v) values ('a', 3), ('b', 2)`,
    );
    const first = await s.claim();
    expect(first.map((event) => [key(event), value(event)]).sort()).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(await s.claim()).toEqual([]);
    await s.settle(first.filter((event) => key(event) === 'b'));
    const second = await s.claim();
    expect(second.map((event) => [key(event), value(event)])).toEqual([['b', 2]]);
    await s.settle(
      first.filter((event) => key(event) === 'a'),
      { status: 'error' },
    );
    expect((await s.claim()).map((event) => [key(event), value(event)])).toEqual([['a', 2]]);
  });

  test('wait for the retry of the first', async () => {
    const s = await ordered();
    await s.run(`insert into t (k, v) values ('a', 1), ('a', 2)`);
    await s.settle(await s.claim(), { status: null, retry_ms: Date.now() + 3_600_000 });
    expect(await s.claim()).toEqual([]);
    await s.run(`insert into t (k, v) values ('a', 3)`);
    expect(await s.claim()).toEqual([]);
    await s.run('update joinery.trigger_work set due_at = now() where lease is null');
    expect(await deliverAll(s)).toEqual(new Map([['a', [1, 2, 3]]]));
  });

  test('of which the first was redelivered are delivered after it', async () => {
    const s = await ordered();
    await s.run(`insert into t (k, v) values ('a', 1), ('a', 2), ('a', 3)`);
    const first = await s.claim();
    await s.settle(first, { status: 'error' });
    const second = await s.claim();
    expect(second.map(value)).toEqual([2]);
    expect(await s.column('select joinery.redeliver_trigger_event($1)', [first[0]?.id])).toEqual(['ok']);
    expect(await s.claim()).toEqual([]);
    await s.settle(second);
    expect(await deliverAll(s)).toEqual(new Map([['a', [1, 3]]]));
  });

  test('are in commit order where transactions commit in another order than they wrote', async () => {
    const s = await ordered();
    const [one, two] = [s.connect(), s.connect()];
    let written: () => void = () => undefined;
    const wrote = new Promise<void>((resolve) => {
      written = resolve;
    });
    let commit: () => void = () => undefined;
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const early = one.transaction(async (query) => {
      await query({ text: `insert into t (k, v) values ('a', 2)`, values: [] });
      written();
      await mayCommit;
    });
    await wrote;
    await two.query({ text: `insert into t (k, v) values ('a', 1)`, values: [] });
    commit();
    await early;
    expect(await deliverAll(s, 1)).toEqual(new Map([['a', [1, 2]]]));
  });

  test('are in the order of the statements of a transaction', async () => {
    const s = await ordered();
    await s.run(`begin; insert into t (k, v) values ('a', 1), ('b', 1); update t set v = 2 where k = 'a'; savepoint x;
      update t set v = 99; rollback to x; update t set v = v + 1; delete from t where k = 'b'; commit`);
    expect(await deliverAll(s)).toEqual(
      new Map([
        ['a', [1, 2, 3]],
        ['b', [1, 2, 2]],
      ]),
    );
  });

  test('are in commit order also where constraints are immediate, and for events of deferred triggers', async () => {
    const s = await ordered();
    await s.run(`create function again() returns trigger language plpgsql as $$
      begin insert into t (k, v) values (new.k, new.v + 1); return null; end $$;
      create constraint trigger again after insert on t deferrable initially deferred for each row when (new.v = 1)
      execute function again()`);
    await s.run(`insert into t (k, v) values ('a', 1)`);
    await s.run(
      `begin; set constraints all immediate; insert into t (k, v) values ('b', 1); insert into t (k, v) values ('c', 5); commit`,
    );
    // With immediate constraints, the trigger of the user runs before the capture of its statement.
    expect(await deliverAll(s)).toEqual(
      new Map([
        ['a', [1, 2]],
        ['b', [2, 1]],
        ['c', [5]],
      ]),
    );
  });
});

test('events with a null key have no order', async () => {
  const s = await ordered();
  await s.run('insert into t (k, v) values (null, 1), (null, 2)');
  expect(await s.claim()).toHaveLength(2);
});

test('a transaction with more keys than locks is stamped under the lock of the trigger', async () => {
  const s = await ordered();
  const locks = await s.database.transaction(async (query) => {
    await query({ text: `insert into t (k, v) select 'k' || n, 1 from generate_series(1, 1000) n`, values: [] });
    await query({ text: 'set constraints all immediate', values: [] });
    return (
      await query({
        text: `select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
        values: [],
      })
    ).rows;
  });
  expect(locks).toEqual([['1']]);
  expect((await deliverAll(s, 300)).size).toBe(1000);
});

test('sessions that commit changes of the same keys at once do not block each other, and lose no event', async () => {
  const s = await ordered();
  const sessions = 6;
  const each = 25;
  let writing = sessions;
  const writers = Array.from({ length: sessions }, async (_, session) => {
    const connection = s.connect();
    for (let n = 0; n < each; n += 1) {
      const keys = ['a', 'b', 'c'].filter((_key, at) => (session + n) % 3 !== at);
      if (n % 2 === 0) keys.reverse();
      await connection.transaction(async (query) => {
        for (const name of keys) await query({ text: `insert into t (k, v) values ($1, 0)`, values: [name] });
      });
    }
    writing -= 1;
  });
  const delivered: ClaimedRow[] = [];
  const deliverers = Array.from({ length: 2 }, async () => {
    const connection = s.connect();
    const lease = await s.lease();
    for (;;) {
      const last = writing === 0;
      const events = await s.claim({ most: 5, query: connection.query, lease });
      delivered.push(...events);
      expect(await s.settle(events)).toEqual([]);
      if (last && events.length === 0) return;
    }
  });
  await Promise.all([...writers, ...deliverers]);
  expect(delivered).toHaveLength(sessions * each * 2);
  expect(new Set(delivered.map(({ id }) => id)).size).toBe(delivered.length);
});

test('stamps of a key are in the order in which transactions become visible', async () => {
  const s = await ordered();
  const observer = s.connect();
  const seen: string[] = [];
  let writing = 5;
  const writers = Array.from({ length: writing }, async () => {
    const connection = s.connect();
    for (let n = 0; n < 30; n += 1) {
      await connection.transaction(async (query) => {
        await query({ text: `insert into t (k, v) values ('a', 0), ($1, 0)`, values: [`other ${n % 3}`] });
      });
    }
    writing -= 1;
  });
  // Each look adds the transactions that have become visible since the last one.
  const looks: string[][] = [];
  const observing = (async () => {
    for (;;) {
      const last = writing === 0;
      const visible = (
        await observer.query({ text: 'select xid::text from joinery.trigger_stamps', values: [] })
      ).rows.map(([xid]) => xid ?? '');
      const fresh = visible.filter((xid) => !seen.includes(xid));
      seen.push(...fresh);
      if (fresh.length > 0) looks.push(fresh);
      if (last) return;
    }
  })();
  await Promise.all([...writers, observing]);
  const stamps = new Map(
    (await s.database.query({ text: 'select xid::text, stamp from joinery.trigger_stamps', values: [] })).rows.map(
      ([xid, stamp]) => [xid, Number(stamp)],
    ),
  );
  expect(looks.length).toBeGreaterThan(10);
  const ranges = looks.map((look) => look.map((xid) => stamps.get(xid) ?? 0));
  for (const [at, range] of ranges.entries()) {
    const next = ranges[at + 1];
    if (next !== undefined) expect(Math.max(...range)).toBeLessThan(Math.min(...next));
  }
});

test('a trigger that becomes ordered, or no longer is, loses no event', async () => {
  const created = await triggerScene('create table t (id int primary key, k text, v int)');
  scenes.push(created);
  const number = await created.capture({ table: 't' });
  await created.run(`insert into t values (1, 'a', 1), (2, 'a', 2)`);
  await created.capture({ table: 't', number, orderingKey: ['k'] });
  await created.run(`insert into t values (3, 'a', 3), (4, 'a', 4)`);
  await created.capture({ table: 't', number });
  await created.run(`insert into t values (5, 'a', 5)`);
  const values: number[] = [];
  for (;;) {
    const events = await created.claim();
    if (events.length === 0) break;
    values.push(...events.map(value));
    await created.settle(events);
  }
  expect(values.sort()).toEqual([1, 2, 3, 4, 5]);
});
