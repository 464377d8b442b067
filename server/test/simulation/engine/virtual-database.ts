/**
 * A PostgreSQL database whose time is virtual: its functions and defaults read `simulation.clock()` in place of the system's clock. It has a
 * server of its own, because snapshots contain the transactions of all databases of a server, which would change what is claimed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Database } from '../../../src/postgres/client/pool.ts';
import type { QueryResult, QueryRun } from '../../../src/postgres/client/statement-run.ts';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';
import { migrateSource } from '../../../src/postgres/migrations/sources.ts';
import { connect } from '../../support/database/test-database.ts';
import { savedState } from './saved-state.ts';

export interface VirtualDatabase {
  /** Executes a statement of a node at a time of the database. Results are text. */
  run(run: QueryRun, at: DatabaseTime): Promise<QueryResult>;
  /** Executes a statement on the connection of a client, which may have a transaction open. */
  runAs(client: number, run: QueryRun, at: DatabaseTime): Promise<QueryResult>;
  /** Receives what the statements of all connections have notified, when they have been executed. */
  onNotify(listener: (channel: string, payload: string) => void): void;
  /** Saves the committed state for `restore`. */
  save(): Promise<void>;
  /** Ends all transactions, and restores the saved state. */
  restore(): Promise<void>;
  /** Ends all transactions, and removes all events, leases and settings. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Connections for clients. */
export const CLIENTS = 3;

/** Dead rows make statements slow, and so does a truncation, after which all plans are made again. */
const RESETS_PER_TRUNCATION = 25;

/** Settings without durability, and without transactions of the server's own. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };

export interface DatabaseTime {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** When the server started. */
  readonly startedMs: number;
  /** Changes with a failover. */
  readonly timeline: number;
}

/**
 * Replaces the functions that read the time, the state of the server and random numbers in all functions and defaults of the schema.
 * Numbers that PostgreSQL chooses follow from a sequence.
 */
const virtualClock = `
create schema simulation;
create sequence simulation.ids;
create function simulation.clock() returns timestamptz language sql stable
  as $$ select coalesce(nullif(current_setting('simulation.now', true), '')::timestamptz, '2030-01-01') $$;
create function simulation.started() returns timestamptz language sql stable
  as $$ select current_setting('simulation.started')::timestamptz $$;
create function simulation.uuid() returns uuid language sql volatile
  as $$ select overlay(overlay(md5('id ' || nextval('simulation.ids')) placing '4' from 13) placing '8' from 17)::uuid $$;
create function simulation.random() returns double precision language sql volatile
  as $$ select ('x' || left(md5('random ' || nextval('simulation.ids')), 7))::bit(28)::integer / 268435456.0 $$;
create or replace function joinery.cluster_id(out cluster bigint, out timeline text) language sql
  as $$ select 1::bigint, current_setting('simulation.timeline') $$;
create function simulation.rewritten(source text) returns text language sql
  as $$ select regexp_replace(regexp_replace(regexp_replace(regexp_replace(source,
    '(pg_catalog\\.)?\\m(clock_timestamp|statement_timestamp|transaction_timestamp|now)\\(\\)', 'simulation.clock()', 'g'),
    '(pg_catalog\\.)?\\mpg_postmaster_start_time\\(\\)', 'simulation.started()', 'g'),
    '(pg_catalog\\.)?\\mgen_random_uuid\\(\\)', 'simulation.uuid()', 'g'),
    '(pg_catalog\\.)?\\mrandom\\(\\)', 'simulation.random()', 'g') $$;
do $$
declare
  one record;
begin
  for one in
    select pg_get_functiondef(p.oid) as source from pg_proc p
    where p.pronamespace = 'joinery'::regnamespace and p.prokind = 'f'
  loop
    if simulation.rewritten(one.source) <> one.source then execute simulation.rewritten(one.source); end if;
  end loop;
  for one in
    select d.adrelid::regclass as relation, a.attname as name, pg_get_expr(d.adbin, d.adrelid) as source
    from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      join pg_class c on c.oid = d.adrelid
    where c.relnamespace = 'joinery'::regnamespace and a.attgenerated = '' and not c.relispartition
  loop
    if simulation.rewritten(one.source) <> one.source then
      execute format('alter table %s alter column %I set default %s', one.relation, one.name, simulation.rewritten(one.source));
    end if;
  end loop;
end $$;
update joinery.source_identity set salt = '00000000-0000-4000-8000-000000000000', cluster = 1, timeline = null, server_started = null;
insert into joinery.metadata (id, resource_version, metadata) values (1, 1, '{}') on conflict do nothing;
${savedState}`;

const clockFunctions = /\b(?:clock_timestamp|statement_timestamp|transaction_timestamp|now)\(\)/g;
const clocks = `select set_config('simulation.now', $1, false), set_config('simulation.started', $2, false),
  set_config('simulation.timeline', $3, false)`;

/** @param install adds what all simulations of the database share, such as tables with triggers */
export async function createVirtualDatabase(install: (database: Database) => Promise<void>): Promise<VirtualDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'joinery-simulation-'));
  const server = await startEmbedded({ directory, settings });
  const database = connect(server.url, 1);
  await migrate(database);
  await migrateSource(database);
  await database.query({ text: virtualClock, values: [] });
  await install(database);
  await database.query({ text: 'select simulation.prepare()', values: [] });
  await database.close();
  const client = await connectTo(server.url);
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connectTo(server.url)));
  let resets = 0;
  let onNotify: (channel: string, payload: string) => void = () => undefined;
  for (const one of [client, ...clients]) {
    one.on('notification', ({ processId, channel, payload }) => {
      if (processId === processOf(one)) onNotify(channel, payload ?? '');
    });
  }
  /** Names of prepared statements by their text. */
  const names = new Map<string, string>();

  function nameOf(text: string): string {
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return name;
  }

  async function runOn(on: Client, { text, values }: QueryRun, at: DatabaseTime): Promise<QueryResult> {
    const times = [iso(at.nowMs), iso(at.startedMs), String(at.timeline)];
    const setting = on.query({ name: nameOf(clocks), text: clocks, values: times });
    const statement = text
      .replace(clockFunctions, 'simulation.clock()')
      .replace('pg_postmaster_start_time()', 'simulation.started()');
    const running = on.query<(string | null)[]>({
      name: nameOf(statement),
      text: statement,
      values: values as unknown[],
      rowMode: 'array',
    });
    const [, result] = await Promise.all([setting, running]);
    const fields = result.fields.map(({ name, dataTypeID }) => ({ name, typeOid: dataTypeID }));
    return { rows: result.rows, fields, rowCount: result.rowCount ?? 0, command: result.command };
  }

  async function restore(slot: 'initial' | 'failover'): Promise<void> {
    await Promise.all([client, ...clients].map((one) => one.query('rollback')));
    await client.query(`select simulation.restore('${slot}')`);
  }

  return {
    run: (run, at) => runOn(client, run, at),
    runAs(number, run, at) {
      const one = clients[number];
      if (one === undefined) throw new Error(`there is no client ${number}`);
      return runOn(one, run, at);
    },
    onNotify(listener) {
      onNotify = listener;
    },
    async save() {
      await client.query(`select simulation.save('failover')`);
    },
    restore: () => restore('failover'),
    async reset() {
      resets += 1;
      await Promise.all([client, ...clients].map((one) => one.query('rollback')));
      if (resets % RESETS_PER_TRUNCATION === 0) await client.query('select simulation.truncate()');
      await restore('initial');
      await client.query('alter sequence simulation.ids restart');
    },
    async close() {
      await Promise.all([client, ...clients].map((one) => one.end()));
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Connects, and listens on the channels of delivery: the server sends notifications of a statement before its end. */
async function connectTo(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, types: { getTypeParser: () => (text: string | null) => text } });
  await client.connect();
  await client.query("set timezone = 'UTC'");
  await client.query('listen joinery_events; listen joinery_triggers; listen joinery_actions');
  return client;
}

/** The id of the server process of a connection, which the types of `pg` do not have. */
function processOf(client: Client): number {
  return (client as Client & { readonly processID: number }).processID;
}

/** Prints a time with microseconds, rounded down. */
function iso(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.floor((ms - whole) * 1_000);
  return new Date(whole).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}
