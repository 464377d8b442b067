/** Statistics, redelivery of many events and clean-up of the history of triggers. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { printJson } from '../../../src/base/json-value.ts';
import { deliveredTrigger } from '../../../src/events/triggers/trigger.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Sink, startSink } from '../../support/events/delivery-node.ts';
import { triggerDefinition } from '../../support/events/trigger-definitions.ts';
import { startTriggerNode, type TriggerNode } from '../../support/events/trigger-node.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let core: TestServiceCore;
let sink: Sink;
let node: TriggerNode;
let status = 200;

const all = { columns: '*' };
const metadataTriggers = {
  changed: { name: 'changed', table: 'item', insert: all, enable_manual: true },
  ordered: { name: 'ordered', table: 'item', insert: all, ordering_key: ['name'] },
};

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  await run('create table item (id int primary key, name text)');
  core = await startServiceCore(db);
  sink = await startSink((_call, response) => response.writeHead(status).end('ok'));
  await core.run('pg_track_table', { table: 'item' });
});
afterAll(async () => {
  await sink.close();
  await core.stop();
  await db.drop();
});
beforeEach(async () => {
  status = 200;
});

const run = (text: string): Promise<unknown> => db.database.query({ text, values: [] });
const column = async (text: string): Promise<(string | null)[]> =>
  (await db.database.query({ text, values: [] })).rows.map(([cell]) => cell ?? null);

/** Runs a command whose result may contain JSON text. */
async function result<T>(type: string, args: unknown): Promise<T> {
  return JSON.parse(printJson(await core.run(type, args)));
}

interface Stats {
  readonly pending: number;
  readonly last_day: Readonly<Record<string, number | null>>;
}

async function statsOf(name: string): Promise<Stats> {
  const { triggers } = await result<{ triggers: Stats[] }>('get_event_trigger_stats', { source: 'default', name });
  const [stats] = triggers;
  if (stats === undefined) throw new Error(`no statistics of ${name}`);
  return stats;
}

/** Creates the trigger, runs the work and removes the trigger. */
async function withTrigger(
  name: keyof typeof metadataTriggers,
  work: (deliver: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const webhook = `${sink.origin}/${name}`;
  await core.run('pg_create_event_trigger', { ...metadataTriggers[name], webhook });
  const [number] = await column(`select number from joinery.triggers where name = '${name}'`);
  const definition = triggerDefinition({
    name,
    table: { schema: 'public', name: 'item' },
    url: { template: webhook },
  });
  const delivered = new Map([[Number(number), deliveredTrigger(Number(number), definition)]]);
  let started = false;
  try {
    await work(async () => {
      if (!started) node = await startTriggerNode({ url: db.url, store: db, triggers: () => delivered });
      started = true;
      await until('all events are finished', async () => (await statsOf(name)).pending === 0);
    });
  } finally {
    if (started) await node.close();
    await core.run('pg_delete_event_trigger', { name });
    await run('delete from item');
  }
}

describe.each(['changed', 'ordered'] as const)('get_event_trigger_stats of the trigger "%s"', (name) => {
  test('counts pending and waiting events, and the calls of the last day', async () => {
    await withTrigger(name, async (deliver) => {
      await run(`insert into item select n, 'key ' || n % 2 from generate_series(1, 10) n`);
      expect(await statsOf(name)).toMatchObject({
        ...{ name, source: 'default', table: { schema: 'public', name: 'item' }, paused: false, cleanup_paused: null },
        ...{ consistent: true, reason: null, outdated_at: null, pending: 10, pending_is_capped: false, retrying: 0 },
        ...{ oldest_pending_at: expect.stringMatching(/Z$/), last_call_at: null, last_day: { calls: 0, p50_ms: null } },
        operations: name === 'changed' ? ['insert', 'manual'] : ['insert'],
      });
      await deliver();
      expect(await statsOf(name)).toMatchObject({
        ...{ pending: 0, oldest_pending_at: null, last_call_at: expect.stringMatching(/Z$/) },
        last_day: { calls: 10, delivered: 10, error: 0, dead: 0, p50_ms: expect.any(Number) },
      });
      status = 500;
      await run(`insert into item values (11, 'key')`);
      await deliver();
      await until('the failure is counted', async () => (await statsOf(name)).last_day.error === 1);
    });
  });

  test('counts at most 10,000 pending events', async () => {
    await withTrigger(name, async () => {
      await run(`insert into item select n, 'key ' || n % 2 from generate_series(1, 10000) n`);
      expect(await statsOf(name)).toMatchObject({ pending: 10_000, pending_is_capped: false });
      await run(`insert into item values (0, 'key')`);
      expect(await statsOf(name)).toMatchObject({ pending: 10_000, pending_is_capped: true });
    });
  });
});

describe('redeliver_events', () => {
  test.each(['changed', 'ordered'] as const)('redelivers failed events of "%s", at most the limit', async (name) => {
    await withTrigger(name, async (deliver) => {
      status = 500;
      await run(`insert into item select n, 'key ' || n % 2 from generate_series(1, 5) n`);
      await deliver();
      status = 200;
      await run(`insert into item values (6, 'key')`);
      await deliver();
      const calls = async (): Promise<number | null | undefined> => (await statsOf(name)).last_day.calls;
      expect(await calls()).toBe(6);
      const first = await core.run('redeliver_events', { name, limit: 2 });
      expect(first).toEqual({ message: 'success', redelivered: 2, more: true });
      await deliver();
      const rest = await core.run('pg_redeliver_events', { name });
      expect(rest).toEqual({ message: 'success', redelivered: 3, more: false });
      await deliver();
      expect(await core.run('redeliver_events', { name })).toMatchObject({ redelivered: 0, more: false });
      expect(await calls()).toBe(11);
      const matching = { name, status: ['delivered'], data_contains: { new: { id: 6 } } };
      expect(await core.run('redeliver_events', { ...matching, until: '2000-01-01T00:00:00Z' })).toMatchObject({
        redelivered: 0,
      });
      expect(await core.run('redeliver_events', matching)).toMatchObject({ redelivered: 1, more: false });
      await deliver();
      expect(await calls()).toBe(12);
    });
  });
});

describe('cleanup_event_trigger_logs', () => {
  const tables = (): Promise<(string | null)[]> =>
    column(
      `select relname::text from pg_class where relkind = 'r' and relname ~ '^trigger_\\d+_(log_)?s\\d+$' order by 1`,
    );

  async function withHistory(work: (number: string) => Promise<void>): Promise<void> {
    await withTrigger('changed', async (deliver) => {
      await run(`insert into item values (1, 'a'), (2, 'b')`);
      await deliver();
      const [number] = await column(`select number from joinery.triggers where name = 'changed'`);
      await work(number ?? '');
    });
  }

  /** Repeats the clean-up: other sessions of the database server delay it. */
  async function cleanUntil(args: Record<string, unknown>, expected: readonly string[]): Promise<void> {
    await until('the tables are dropped', async () => {
      const given = { event_trigger_name: 'changed', clear_older_than: 0, ...args };
      expect(await core.run('cleanup_event_trigger_logs', given)).toEqual({ message: 'success' });
      return (await tables()).join() === expected.join();
    });
  }

  test('drops the tables of finished events, and of their log with clean_invocation_logs', async () => {
    await withHistory(async (number) => {
      await cleanUntil({ clean_invocation_logs: true }, [`trigger_${number}_log_s2`, `trigger_${number}_s2`]);
      expect(await result('pg_get_event_logs', { name: 'changed' })).toEqual([]);
      expect(await result('pg_get_event_invocation_logs', { name: 'changed' })).toEqual([]);
    });
  });

  test('keeps the log of calls, without their bodies, by default', async () => {
    await withHistory(async (number) => {
      const [event] = await result<{ id: string }[]>('pg_get_event_logs', { name: 'changed' });
      const kept = ['log_s1', 'log_s2', 's2'].map((table) => `trigger_${number}_${table}`);
      await cleanUntil({}, kept);
      expect(await result('pg_get_event_logs', { name: 'changed' })).toEqual([]);
      const calls = await result<Record<string, unknown>[]>('pg_get_event_invocation_logs', { name: 'changed' });
      expect(calls).toHaveLength(2);
      expect(calls.find(({ event_id }) => event_id === event?.id)).toMatchObject({
        http_status: 200,
        request: { payload: null },
        response: { type: 'webhook_response' },
      });
      expect(await core.rejection('pg_redeliver_event', { event_id: event?.id })).toMatchObject({ code: 'not-exists' });
      expect(await core.run('redeliver_events', { name: 'changed', status: ['delivered'] })).toMatchObject({
        redelivered: 0,
      });
      await cleanUntil({ clean_invocation_logs: true }, kept.slice(1));
    });
  });

  test('keeps events that are younger, and pending ones', async () => {
    await withTrigger('changed', async () => {
      await run(`insert into item values (1, 'a')`);
      const before = await tables();
      const args = { event_trigger_name: 'changed', clean_invocation_logs: true };
      for (const clear_older_than of [1, 2_147_483_647]) {
        await core.run('pg_cleanup_event_trigger_logs', { ...args, clear_older_than });
        expect(await tables()).toEqual(before);
      }
      await core.run('pg_cleanup_event_trigger_logs', { ...args, clear_older_than: 0 });
      expect((await tables()).filter((table) => before.includes(table))).toEqual(before);
      expect(await result('pg_get_event_logs', { name: 'changed' })).toHaveLength(1);
    });
  });

  test('of an unknown trigger is rejected', async () => {
    const args = { event_trigger_name: 'absent', clear_older_than: 1 };
    expect(await core.rejection('cleanup_event_trigger_logs', args)).toMatchObject({
      code: 'not-exists',
      path: '$.args.event_trigger_name',
    });
  });
});
