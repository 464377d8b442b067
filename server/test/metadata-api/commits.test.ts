/** A node uses a change of the metadata only once it is committed. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { type TestDatabase, testDatabase, withDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { until } from '../support/until.ts';

const advisoryKey = 7_001;

let database: TestDatabase;
let node: TestServiceCore;

beforeEach(async () => {
  database = await testDatabase({
    migrated: true,
    sql: `create table known (id int primary key); create table added (id int primary key)`,
  });
  node = await startServiceCore(database, { sync: 'none' });
  await node.run('track_table', 'known');
});

afterEach(async () => {
  await node.stop();
  await database.drop();
});

/** Lets `statement` run in the commit of each transaction that changes the metadata. */
async function atCommit(statement: string): Promise<void> {
  const text = `
    create function at_commit() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$;
    create constraint trigger at_commit after update on joinery.metadata deferrable initially deferred
      for each row execute function at_commit()`;
  await database.database.query({ text, values: [] });
}

/** The tables of the model with their columns. */
function tables(): Record<string, readonly string[]> {
  const [source] = node.model().sources.values();
  const found = ['known', 'added'].flatMap((name) => {
    const table = source?.tables.get(relationKey('public', name));
    return table === undefined ? [] : [[name, [...table.columns.keys()]] as const];
  });
  return Object.fromEntries(found);
}

const before = { known: ['id'] };

/** Commands, their arguments (for `replace_metadata` the tables of the source), and the tables that they leave. */
const changes: readonly (readonly [string, unknown, ReturnType<typeof tables>])[] = [
  ['track_table', 'added', { known: ['id'], added: ['id'] }],
  ['untrack_table', { table: 'known' }, {}],
  ['bulk', [{ type: 'track_table', args: 'added' }], { known: ['id'], added: ['id'] }],
  ['replace_metadata', [{ table: { schema: 'public', name: 'added' } }], { added: ['id'] }],
  ['clear_metadata', {}, {}],
  ['run_sql', { sql: 'drop table added; alter table known rename to added' }, { added: ['id'] }],
  ['run_sql', { sql: 'alter table known add note text' }, { known: ['id', 'note'] }],
  ['run_sql', { sql: 'drop table known', cascade: true }, {}],
];

describe.each(changes)('%s %j', (type, args, after) => {
  async function run(): Promise<unknown> {
    if (type !== 'replace_metadata') return node.run(type, args);
    const { sources } = (await node.run('export_metadata')) as { readonly sources: readonly object[] };
    return node.run(type, { version: 3, sources: [{ ...sources[0], tables: args }] });
  }

  test('is not used during its commit', async () => {
    await atCommit(`perform pg_advisory_xact_lock(${advisoryKey})`);
    await withDatabase(database, {}, async ({ query }) => {
      await query({ text: `select pg_advisory_lock(${advisoryKey})`, values: [] });
      const done = run();
      // Awaited below, unless the test fails before.
      done.catch(() => undefined);
      const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted and database = (
        select oid from pg_database where datname = current_database())`;
      await until('the change waits in its commit', async () => {
        const { rows } = await database.database.query({ text: waiting, values: [] });
        return rows.length > 0;
      });
      expect(tables()).toEqual(before);
      await query({ text: `select pg_advisory_unlock(${advisoryKey})`, values: [] });
      await done;
    });
  });

  test('is used by the time of its response', async () => {
    await run();
    expect(tables()).toEqual(after);
  });

  test('is not used if its commit fails', async () => {
    await atCommit(`raise exception 'no space left on device' using errcode = '53100'`);
    await expect(run()).rejects.toThrow();
    expect(tables()).toEqual(before);
  });
});
