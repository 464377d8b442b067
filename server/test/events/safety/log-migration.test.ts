/** The migration of the log of calls of an earlier version, which becomes a partition. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropLogPartition, openLogDays, readLogPartitions } from '../../../src/events/scheduled/log-days.ts';
import { hasuraCatalogScripts } from '../../../src/postgres/migrations/hasura-catalog.ts';
import { migrate, readMigrations } from '../../../src/postgres/migrations/migrate.ts';
import { connect, type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { until } from '../../support/until.ts';

/** The last version whose log is one table, and the version of its lock and limit. */
const EARLIER = 13;
const LIMITED = 15;

const { numbered, functions } = readMigrations();
let db: TestDatabase;

beforeEach(async () => {
  db = await testDatabase();
  await migrateTo(EARLIER);
});
afterEach(() => db.drop());

const migrateTo = (version: number): Promise<unknown> =>
  migrate(db.database, { numbered: numbered.slice(0, version), functions: version < numbered.length ? [] : functions });
const upgrade = (): Promise<unknown> => migrateTo(numbered.length);

/** Logs a call of a processed event, as an outcome of an earlier version does. */
const logCall = (query = db.database): Promise<string[]> =>
  column(
    query,
    `with event as (
       insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
         timeout_seconds, tolerance_seconds, created_at, tries, status)
       values (gen_random_uuid(), 'http://done/', now(), 'null', '[]', 0, 0, 1, 1, now(), 1, 'delivered') returning id
     )
     insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response)
     select id, 1, 'joinery/0.1.0', now(), 3, 200, '{}' from event returning id`,
  );

const calls = (): Promise<string[]> => column(db.database, 'select id from joinery.event_invocations order by id');
const fileOf = (table: string): Promise<string[]> =>
  column(db.database, `select pg_relation_filenode('joinery.${table}')`);

test('a log with rows becomes the partition of the past and the next seven days, without a rewrite', async () => {
  const logged = [...(await logCall()), ...(await logCall())].sort();
  const file = await fileOf('event_invocations');
  await upgrade();
  expect(await fileOf('event_invocations_before')).toEqual(file);
  expect(await calls()).toEqual(logged);
  const limits = `select name || ' ' || coalesce(starts_at::text, '') || ' ' || coalesce(ends_at::date - current_date, 0)
    from joinery.log_partitions() order by name`;
  expect(await column(db.database, limits)).toEqual([
    'event_invocations_before -infinity 7',
    'event_invocations_default  0',
  ]);
  const constraints = `select conname from pg_constraint where conrelid = 'joinery.event_invocations_before'::regclass and contype = 'c'`;
  expect(await column(db.database, constraints)).toEqual([]);
  await openLogDays(db.database.query);
  expect(await column(db.database, 'select count(*) from joinery.log_partitions()')).toEqual(['2']);
});

test('an empty log is replaced by partitions of days', async () => {
  await upgrade();
  const names = `select regexp_replace(name, '\\d+', 'day') from joinery.log_partitions() order by name`;
  expect(await column(db.database, names)).toEqual([
    'event_invocations_day',
    'event_invocations_day',
    'event_invocations_default',
  ]);
});

test('outcomes of an earlier version are logged between the migrations and after them', async () => {
  // A connection that has prepared its statement.
  const older = connect(db.url, 1);
  for (let version = EARLIER; version <= numbered.length; version += 1) {
    await migrateTo(version);
    await logCall(older);
  }
  await older.close();
  expect(await calls()).toHaveLength(numbered.length - EARLIER + 1);
});

test('the retention of an earlier version deletes calls of the new log', async () => {
  await logCall();
  await upgrade();
  await column(
    db.database,
    `with old as materialized (
       select event_id, id from joinery.event_invocations where created_at < $1::timestamptz
       order by created_at limit 1000 for update skip locked
     ),
     deleted as (
       delete from joinery.event_invocations
       where event_id = any (array(select event_id from old)) and id = any (array(select id from old)) returning id
     )
     select count(*) as count from deleted`,
    ['infinity'],
  );
  expect(await calls()).toEqual([]);
});

test('privileges and views of the log apply to the new one, with their options and triggers', async () => {
  const suffix = db.url.slice(-8);
  const role = `reader_${suffix}`;
  await column(db.database, `create role ${role}`);
  try {
    await column(
      db.database,
      `grant usage on schema joinery to ${role}; grant select on joinery.event_invocations to ${role}`,
    );
    // The views call functions of the schema.
    await migrate(db.database, { numbered: numbered.slice(0, EARLIER), functions });
    await db.database.query({ text: hasuraCatalogScripts().create, values: [] });
    await column(
      db.database,
      `create view public.failures with (security_barrier = true) as
         select e.webhook, i.status from joinery.event_invocations i join joinery.processed_events e on e.id = i.event_id;
       grant select on public.failures to ${role}`,
    );
    await logCall();
    await upgrade();
    await logCall();
    await column(
      db.database,
      `update joinery.event_invocations set created_at = created_at + interval '30 days' where attempt = 1`,
    );
    const seen = await db.database.transaction(async (query) => {
      await query({ text: `set local role ${role}`, values: [] });
      return [
        (await query({ text: 'select count(*) from joinery.event_invocations', values: [] })).rows,
        (await query({ text: 'select count(*) from public.failures', values: [] })).rows,
      ];
    });
    expect(seen).toEqual([[['2']], [['2']]]);
    expect(
      await column(db.database, `select reloptions from pg_class where oid = 'public.failures'::regclass`),
    ).toEqual(['{security_barrier=true}']);
    const view = 'hdb_catalog.hdb_scheduled_event_invocation_logs';
    expect(await column(db.database, `select count(*) from ${view}`)).toEqual(['2']);
    await column(db.database, `delete from ${view}`);
    expect(await calls()).toEqual([]);
  } finally {
    await column(db.database, `drop owned by ${role}; drop role ${role}`);
  }
});

test('the limit waits for no reader with a lock that delays outcomes', async () => {
  await logCall();
  const migrating = await db.database.transaction(async (held) => {
    await held({ text: 'select count(*) from joinery.event_invocations', values: [] });
    const done = migrateTo(LIMITED);
    await until('the migration waits', async () => {
      const waits = `select count(*) from pg_stat_activity where datname = current_database() and wait_event in ('relation', 'PgSleep')`;
      return (await column(db.database, waits))[0] !== '0';
    });
    // Each is written while another transaction reads the log: the migration stops waiting for its lock.
    for (let written = 0; written < 10; written += 1) await logCall();
    return { done };
  });
  await migrating.done;
  expect(await calls()).toHaveLength(11);
});

test('after its limit the former log gets no calls, and is dropped when it has expired', async () => {
  await logCall();
  await upgrade();
  // As a month later.
  await column(
    db.database,
    `update joinery.event_invocations set created_at = created_at - interval '30 days';
     alter table joinery.event_invocations detach partition joinery.event_invocations_before`,
  );
  const [limit] = await column(db.database, `select (current_date - 23) || 'Z'`);
  await column(
    db.database,
    `alter table joinery.event_invocations attach partition joinery.event_invocations_before for values from (minvalue) to ('${limit}')`,
  );
  const { query } = db.database;
  await openLogDays(query);
  const sink = await startSink();
  const node = await startNode(db);
  await column(db.database, 'insert into joinery.scheduled_events (webhook, schedule_at) values ($1, now())', [
    sink.origin,
  ]);
  await until('the outcome is written', () => node.stats().delivered === 1);
  await node.close();
  await sink.close();
  const inDays = `select count(*) from joinery.event_invocations where tableoid::regclass::text ~ '_\\d{8}$'`;
  expect(await column(db.database, inDays)).toEqual(['1']);
  const expired = (await readLogPartitions(query, 20)).filter(({ isExpired }) => isExpired);
  expect(expired.map(({ name }) => name)).toEqual(['event_invocations_before']);
  for (const partition of expired) await dropLogPartition(query, partition);
  expect(await calls()).toHaveLength(1);
});

test('the statements of the documentation give the log back to an earlier version', async () => {
  const page = readFileSync(new URL('../../../../docs/production.md', import.meta.url), 'utf8');
  const [, statements] = /```sql\n(begin;\n[^`]*event_invocations[^`]*)```/.exec(page) ?? [];
  await logCall();
  await upgrade();
  const logged = [...(await calls()), ...(await logCall())].sort();
  await db.database.query({ text: statements ?? '', values: [] });
  expect(await calls()).toEqual(logged);
  await migrateTo(EARLIER);
  await logCall();
  // The earlier version deletes by the primary key.
  await column(db.database, 'delete from joinery.event_invocations');
  await upgrade();
  await logCall();
  expect(await calls()).toHaveLength(1);
});
