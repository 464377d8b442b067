/** Sources whose role may not create event triggers: an inconsistency with the SQL that an administrator would run. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let other: TestDatabase;
let core: TestServiceCore;
let role: string;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  other = await testDatabase({ sql: 'create table item (id int primary key, name text)' });
  role = `writer of ${new URL(other.url).pathname.slice(-8)}`;
  await run(`create role "${role}"; grant select, insert on item to "${role}"`);
  const environment = {
    LIMITED_URL: withOption(`role=${role.replaceAll(' ', '\\ ')}`),
    READ_ONLY_URL: withOption('default_transaction_read_only=on'),
  };
  core = await startServiceCore(db, { environment, reconcileMs: 50 });
});
afterEach(async () => {
  await core.stop();
  await run(`drop owned by "${role}" cascade`);
  await other.drop();
  await run(`drop role "${role}"`, db);
  await db.drop();
});

function withOption(setting: string): string {
  const url = new URL(other.url);
  url.searchParams.set('options', `-c ${setting}`);
  return url.href;
}

async function run(text: string, { database }: TestDatabase = other): Promise<(string | null)[]> {
  return (await database.query({ text, values: [] })).rows.map(([cell]) => cell ?? null);
}

const webhook = 'http://127.0.0.1/hook';
const trigger = { name: 'item_changed', definition: { insert: { columns: '*' }, enable_manual: false }, webhook };
const retry_conf = { num_retries: 0, interval_sec: 10 };

/** Metadata with a source that has a trigger. */
const document = (variable: string) => ({
  version: 3,
  sources: [
    {
      name: 'limited',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: variable } } },
      tables: [{ table: { schema: 'public', name: 'item' }, event_triggers: [{ ...trigger, retry_conf }] }],
    },
  ],
});

interface Consistency {
  readonly is_consistent: boolean;
  readonly inconsistent_objects?: readonly { readonly type: string; readonly reason: string; readonly path: string }[];
}

const replace = async (variable: string): Promise<Consistency> =>
  (await core.run('replace_metadata', {
    allow_inconsistent_metadata: true,
    metadata: document(variable),
  })) as Consistency;
const consistency = async (): Promise<Consistency> => (await core.run('get_inconsistent_metadata')) as Consistency;

/** Returns the SQL of the only inconsistency. */
function adviceOf({ inconsistent_objects: objects = [] }: Consistency): string {
  expect(objects).toHaveLength(1);
  const [object] = objects;
  expect(object).toMatchObject({
    type: 'event_trigger',
    path: '$.sources[0].tables[0].event_triggers[0]',
  });
  return object?.reason.split('an administrator can run: ')[1] ?? '';
}

describe('a role that may not create the schema or triggers', () => {
  test('makes the trigger inconsistent until an administrator has run the SQL of the messages', async () => {
    const first = adviceOf(await replace('LIMITED_URL'));
    expect(first).toBe(`create schema joinery authorization "${role}";`);
    await run(`insert into item values (1, 'a')`);
    await run(first);
    const second = adviceOf((await core.run('reload_metadata', { reload_sources: true })) as Consistency);
    expect(second).toBe(`grant select, trigger on table "public"."item" to "${role}";`);
    await run(second);
    await until('the trigger is created', async () => (await consistency()).is_consistent);
    await run(`insert into item values (2, 'b')`);
    const [number] = await run('select number from joinery.triggers');
    expect(await run(`select new ->> 'id' from joinery.trigger_${number}_s1`)).toEqual(['2']);
  });

  test('rejects the metadata without allow_inconsistent_metadata, and the command', async () => {
    const rejected = await core.rejection('replace_metadata', { metadata: document('LIMITED_URL') });
    expect(rejected).toMatchObject({ code: 'invalid-configuration' });
    const { sources } = document('LIMITED_URL');
    await core.run('replace_metadata', {
      metadata: { version: 3, sources: sources.map((one) => ({ ...one, tables: [{ table: 'item' }] })) },
    });
    const { definition, name } = trigger;
    const args = { source: 'limited', table: 'item', name, webhook, ...definition };
    const error = await core.rejection('pg_create_event_trigger', args);
    expect(error).toMatchObject({ code: 'invalid-configuration' });
    expect(error.message).toContain('create schema joinery authorization');
    expect((await consistency()).is_consistent).toBe(true);
  });

  test('does not prevent the removal of the trigger, other changes and a start', async () => {
    await replace('LIMITED_URL');
    await core
      .run('pg_track_table', { source: 'limited', table: { schema: 'public', name: 'item' } })
      .catch(() => undefined);
    const second = await startServiceCore(db, {
      environment: { LIMITED_URL: withOption(`role=${role.replaceAll(' ', '\\ ')}`) },
      reconcileMs: 50,
    });
    await until('the other node reports it', async () => {
      return !((await second.run('get_inconsistent_metadata')) as Consistency).is_consistent;
    });
    await second.stop();
    await core.run('reload_metadata', {});
    await core.run('pg_delete_event_trigger', { source: 'limited', name: 'item_changed' });
    expect((await consistency()).is_consistent).toBe(true);
  });

  test('has the SQL to take over tables of another role', async () => {
    await run(`create schema joinery`);
    const advice = adviceOf(await replace('LIMITED_URL'));
    expect(advice).toContain(`grant usage, create on schema joinery to "${role}";`);
    await run(advice);
    await run(`grant select, trigger on table item to "${role}"`);
    await until('the trigger is created', async () => {
      await core.run('reload_metadata', { reload_sources: true });
      return (await consistency()).is_consistent;
    });
  });
});

test('a read-only source makes the trigger inconsistent', async () => {
  const { is_consistent, inconsistent_objects: objects = [] } = await replace('READ_ONLY_URL');
  expect(is_consistent).toBe(false);
  expect(objects).toMatchObject([{ type: 'event_trigger', path: '$.sources[0].tables[0].event_triggers[0]' }]);
  expect(objects[0]?.reason).toContain('which is read-only');
});
