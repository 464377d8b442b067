/** A PostgreSQL database whose time is virtual: its functions and defaults read `simulation.clock()` in place of the system's clock. */
import { Client } from 'pg';
import type { QueryResult, QueryRun } from '../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';

export interface VirtualDatabase {
  /** Executes a statement at a time of the database, milliseconds since 1970. Results are text. */
  run(run: QueryRun, at: DatabaseTime): Promise<QueryResult>;
  /** Removes all events, leases and settings. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseTime {
  readonly nowMs: number;
  /** When the server started. */
  readonly startedMs: number;
}

/** Replaces the functions that read the time in all functions and defaults of the schema. */
const virtualClock = `
create schema simulation;
create function simulation.clock() returns timestamptz language sql stable
  as $$ select current_setting('simulation.now')::timestamptz $$;
create function simulation.started() returns timestamptz language sql stable
  as $$ select current_setting('simulation.started')::timestamptz $$;
create function simulation.rewritten(source text) returns text language sql
  as $$ select regexp_replace(regexp_replace(source,
    '(pg_catalog\\.)?\\m(clock_timestamp|statement_timestamp|transaction_timestamp|now)\\(\\)', 'simulation.clock()', 'g'),
    '(pg_catalog\\.)?\\mpg_postmaster_start_time\\(\\)', 'simulation.started()', 'g') $$;
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
end $$;`;

const clockFunctions = /\b(?:clock_timestamp|statement_timestamp|transaction_timestamp|now)\(\)/g;

export async function createVirtualDatabase(): Promise<VirtualDatabase> {
  const database = await testDatabase({ migrated: true, sql: virtualClock });
  const client = await connectTo(database);
  /** Names of prepared statements by their text. */
  const names = new Map<string, string>();

  function nameOf(text: string): string {
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return name;
  }

  async function run({ text, values }: QueryRun, { nowMs, startedMs }: DatabaseTime): Promise<QueryResult> {
    const times = [iso(nowMs), iso(startedMs)];
    const clocks = `select set_config('simulation.now', $1, false), set_config('simulation.started', $2, false)`;
    const setting = client.query({ name: nameOf(clocks), text: clocks, values: times });
    const statement = text.replace(clockFunctions, 'simulation.clock()');
    const running = client.query<(string | null)[]>({
      name: nameOf(statement),
      text: statement,
      values: values as unknown[],
      rowMode: 'array',
    });
    const [, result] = await Promise.all([setting, running]);
    const fields = result.fields.map(({ name, dataTypeID }) => ({ name, typeOid: dataTypeID }));
    return { rows: result.rows, fields, rowCount: result.rowCount ?? 0, command: result.command };
  }

  return {
    run,
    async reset() {
      await client.query(`truncate joinery.scheduled_events, joinery.processed_events, joinery.event_invocations,
        joinery.event_leases, joinery.event_destinations restart identity`);
    },
    async close() {
      await client.end();
      await database.drop();
    },
  };
}

async function connectTo({ url }: TestDatabase): Promise<Client> {
  const client = new Client({ connectionString: url, types: { getTypeParser: () => (text: string | null) => text } });
  await client.connect();
  await client.query("set timezone = 'UTC'");
  return client;
}

/** Prints a time with microseconds, rounded down. */
function iso(ms: number): string {
  const whole = Math.floor(ms);
  const micros = Math.floor((ms - whole) * 1_000);
  return new Date(whole).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}
