/** The switch of event triggers from Hasura v2 in its database: each change is captured once, and no pending event is lost. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { printJson } from '../../../src/base/json-value.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { hasuraEventTables, hasuraTrigger } from '../../support/events/hasura-events.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let core: TestServiceCore;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  await sql('create table item (id int primary key, name text)');
  await sql(hasuraEventTables);
  await sql(hasuraTrigger('item_changed', 'item', ['INSERT', 'UPDATE']));
  core = await startServiceCore(db);
  await core.run('pg_track_table', { table: 'item' });
});
afterEach(async () => {
  await core.stop();
  await db.drop();
});

async function sql(text: string): Promise<(string | null)[][]> {
  return (await db.database.query({ text, values: [] })).rows.map((row) => [...row]);
}

const definition = {
  name: 'item_changed',
  table: 'item',
  insert: { columns: '*' },
  update: { columns: '*' },
  webhook: 'http://127.0.0.1:9',
};
const create = (more: object = {}): Promise<unknown> => core.run('pg_create_event_trigger', { ...definition, ...more });
const takeOver = (args: object = {}): Promise<unknown> => core.run('take_over_hasura_events', args);

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly tries: number;
  readonly payload: { readonly op: string; readonly data: { readonly new: { readonly id: number } } };
}

const listed = async (): Promise<readonly Listed[]> =>
  JSON.parse(printJson(await core.run('pg_get_event_logs', { name: 'item_changed', limit: 100_000 })));
const pendingInHasura = () =>
  sql(
    'select id from hdb_catalog.event_log where not delivered and not error and not archived order by created_at, id',
  );

describe('a trigger of the name of one of Hasura v2', () => {
  test('captures no change that Hasura v2 captures', async () => {
    await create();
    await sql(`insert into item values (1, 'a')`);
    expect(await listed()).toEqual([]);
    expect(await pendingInHasura()).toHaveLength(1);
  });

  test('captures the operations that Hasura v2 does not capture', async () => {
    await create({ delete: { columns: '*' } });
    await sql(`insert into item values (1, 'a'); delete from item`);
    expect((await listed()).map(({ payload }) => payload.op)).toEqual(['DELETE']);
  });

  test('captures changes where Hasura v2 left functions without triggers', async () => {
    await sql('drop table item; create table item (id int primary key, name text)');
    await core.run('reload_metadata');
    await create();
    await sql(`insert into item values (1, 'a')`);
    expect(await listed()).toHaveLength(1);
  });

  test('captures from the change that drops the functions, at the isolation level repeatable read', async () => {
    await create();
    const writer = db.database.transaction(
      async (query) => {
        await query({ text: 'select count(*) from hdb_catalog.event_log', values: [] });
        await takeOver();
        await query({ text: `insert into item values (1, 'a')`, values: [] });
      },
      { isolation: 'repeatable read' },
    );
    await writer;
    expect(await listed()).toHaveLength(1);
    expect(await pendingInHasura()).toEqual([]);
  });

  test('yields again when Hasura v2 creates its functions again', async () => {
    await create();
    await takeOver();
    await sql(hasuraTrigger('item_changed', 'item', ['INSERT', 'UPDATE']));
    await sql(`insert into item values (1, 'a')`);
    expect(await listed()).toEqual([]);
    expect(await pendingInHasura()).toHaveLength(1);
  });
});

describe('take_over_hasura_events', () => {
  test('moves pending events once, with their ids, calls and retry times, and leaves finished ones', async () => {
    await create();
    await sql(
      `select set_config('hasura.user', '{"x-hasura-role":"user"}', true); insert into item select n, 'a' from generate_series(1, 6) n`,
    );
    await sql(`update hdb_catalog.event_log set delivered = true where payload #>> '{data,new,id}' = '1';
      update hdb_catalog.event_log set error = true where payload #>> '{data,new,id}' = '2';
      update hdb_catalog.event_log set archived = true where payload #>> '{data,new,id}' = '3';
      update hdb_catalog.event_log set tries = 2, next_retry_at = '2099-01-01' where payload #>> '{data,new,id}' = '4';
      update hdb_catalog.event_log set locked = now() where payload #>> '{data,new,id}' = '5'`);
    const ids = (await pendingInHasura()).map(([id]) => id);
    expect(ids).toHaveLength(3);
    const result = {
      name: 'item_changed',
      functions: ['notify_hasura_item_changed_INSERT', 'notify_hasura_item_changed_UPDATE'],
    };
    const whole = { has_hasura_events: true, others: [] };
    expect(await takeOver({ dry_run: true })).toEqual({
      ...whole,
      dry_run: true,
      triggers: [{ ...result, taken: 2, claimed: 1 }],
    });
    expect(await listed()).toEqual([]);
    expect(await takeOver()).toEqual({ ...whole, dry_run: false, triggers: [{ ...result, taken: 2, claimed: 1 }] });
    expect(await takeOver()).toMatchObject({ triggers: [{ functions: [], taken: 0, claimed: 1 }] });
    expect(await takeOver({ include_claimed: true })).toMatchObject({ triggers: [{ taken: 1, claimed: 0 }] });
    const moved = await listed();
    expect(moved.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(moved.find(({ payload }) => payload.data.new.id === 4)).toMatchObject({
      status: 'pending',
      tries: 2,
      next_retry_at: expect.stringMatching(/^2099-01-01/),
      payload: {
        op: 'INSERT',
        data: { old: null, new: { id: 4, name: 'a' } },
        session_variables: { 'x-hasura-role': 'user' },
      },
    });
    for (const id of ids) {
      expect(JSON.parse(printJson(await core.run('pg_get_event_by_id', { event_id: id })))).toMatchObject({
        event: { id },
      });
    }
    expect(await pendingInHasura()).toEqual([]);
    expect(await sql('select count(*) from hdb_catalog.event_log')).toEqual([['6']]);
  });

  test('claims moved events with their ids and retry times, in their order within a key', async () => {
    await create({ ordering_key: ['id'] });
    await sql(`insert into item values (1, 'a'), (2, 'b'); update item set name = 'c' where id = 1`);
    const ids = (await pendingInHasura()).map(([id]) => id);
    await takeOver();
    await sql(`update item set name = 'd' where id = 1`);
    const lease = `insert into joinery.source_leases (node, expires_at) values ('test', now() + interval '1 hour') returning id`;
    const [[holder] = []] = await sql(lease);
    const claim = `select id, op, new::text, batch is null, ordering_key, seq, segment from joinery.claim_trigger_events(
      ${holder}, '0', 100, 100, null, '{}', 16384)`;
    const first: (readonly (string | null)[])[] = [];
    // No event is claimed while the service changes triggers.
    await until('two events are claimed', async () => {
      first.push(...(await sql(claim)));
      return first.length >= 2;
    });
    expect(first.map(([id, op, , , key]) => [op, key, ids.includes(id ?? '')]).sort()).toEqual([
      ['INSERT', '[1]', true],
      ['INSERT', '[2]', true],
    ]);
    for (const [id, , , , , seq, segment] of first) {
      const outcome = {
        ...{
          id,
          number: 1,
          seq: Number(seq),
          segment: Number(segment),
          batch: null,
          lease: Number(holder),
          attempt: 1,
        },
        ...{ started_ms: Date.now(), duration_ms: 1, code: 200, request: {}, response: {}, status: 'delivered' },
      };
      await sql(`select joinery.settle_trigger_events('${JSON.stringify([outcome])}', 'test')`);
    }
    const second = await sql(claim);
    expect(second.map(([id, op, row]) => [op, JSON.parse(row ?? '').name, ids.includes(id ?? '')])).toEqual([
      ['UPDATE', 'c', true],
    ]);
    expect(
      (await listed())
        .filter(({ status }) => status === 'delivered')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(first.map(([id]) => id).sort());
  });

  test('loses and doubles no change while other sessions write', async () => {
    await create();
    let next = 0;
    let isWriting = true;
    const write = async (): Promise<void> => {
      while (isWriting) {
        next += 1;
        await sql(`insert into item values (${next}, 'a')`);
      }
    };
    const writers = [write(), write(), write()];
    while (next < 50) await new Promise((resolve) => setImmediate(resolve));
    await takeOver();
    const before = next;
    while (next < before + 50) await new Promise((resolve) => setImmediate(resolve));
    isWriting = false;
    await Promise.all(writers);
    const numbers = (await listed()).map(({ payload }) => payload.data.new.id).sort((one, other) => one - other);
    expect(numbers).toEqual(Array.from({ length: next }, (_, index) => index + 1));
    expect(await pendingInHasura()).toEqual([]);
  });

  test('reports pending events of triggers that the source does not have', async () => {
    await create();
    await sql(`${hasuraTrigger('other', 'item', ['INSERT'])}; insert into item values (1, 'a')`);
    expect(await takeOver()).toMatchObject({ triggers: [{ taken: 1 }], others: [{ name: 'other', pending: 1 }] });
  });

  test('does nothing in a database without Hasura v2', async () => {
    await sql('drop schema hdb_catalog cascade');
    await create();
    expect(await takeOver()).toEqual({ dry_run: false, has_hasura_events: false, triggers: [], others: [] });
  });

  test('rejects an unknown name, and a trigger that Hasura v2 has on another table', async () => {
    expect(await core.rejection('take_over_hasura_events', { names: ['none'] })).toMatchObject({
      code: 'not-exists',
      path: '$.args.names[0]',
    });
    await sql('create table other (id int)');
    await core.run('pg_track_table', { table: 'other' });
    await create({ table: 'other' });
    expect(await core.rejection('take_over_hasura_events')).toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('table "public.item"'),
    });
  });
});
