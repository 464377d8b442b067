/** The metadata commands of event triggers: their responses and errors, and changes of the tables by SQL. */
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { queryRows } from '../../src/postgres/sql/rows.ts';
import { compile, sql, value, withConstants } from '../../src/postgres/sql/sql.ts';
import { eventCondition } from '../../src/print/predicate.ts';
import { startPrinting } from '../../src/print/printing.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

const tables = `
  create table account (id int primary key, status text, total numeric, owner int);
  create view open_account as select id, status from account where status = 'open';
  create table parts (id int) partition by range (id);
`;

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true });
  node = await startServiceCore(database, { environment: { HOOKS: 'http://127.0.0.1:1' } });
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

beforeEach(async () => {
  await node.run('clear_metadata');
  await database.database.query({ text: 'drop schema public cascade; create schema public', values: [] });
  await database.database.query({ text: tables, values: [] });
  await node.run('bulk', [
    { type: 'track_table', args: 'account' },
    { type: 'track_table', args: 'open_account' },
    { type: 'track_table', args: 'parts' },
  ]);
});

const webhook = '{{HOOKS}}/changed';
const columns = '*';
const trigger = {
  name: 'changed',
  table: 'account',
  update: { columns: ['status'], payload: ['id', 'status'] },
  webhook,
};
const stored = {
  name: 'changed',
  definition: { enable_manual: false, update: trigger.update },
  retry_conf: { interval_sec: 10, num_retries: 0, timeout_sec: 60 },
  webhook,
};
const success = { message: 'success' };

interface Exported {
  readonly sources: readonly {
    readonly tables: readonly { readonly table: { readonly name: string }; readonly event_triggers?: unknown }[];
  }[];
}

async function triggersOf(table: string): Promise<unknown> {
  const { sources } = (await node.run('export_metadata')) as Exported;
  return sources[0]?.tables.find((entry) => entry.table.name === table)?.event_triggers;
}

describe('the commands', () => {
  test.each(['v1', 'metadata'] as const)('create, replace, pause and delete a trigger on the API %s', async (api) => {
    const prefix = api === 'v1' ? '' : 'pg_';
    const run = (name: string, args: unknown) => node.run(`${prefix}${name}`, args, { api });
    expect(await run('create_event_trigger', trigger)).toEqual(success);
    expect(await triggersOf('account')).toEqual([stored]);
    const deleted = { ...trigger, update: null, delete: { columns }, replace: true };
    expect(await run('create_event_trigger', deleted)).toEqual(success);
    const replaced = { ...stored, definition: { delete: { columns }, enable_manual: false } };
    expect(await triggersOf('account')).toEqual([replaced]);
    expect(await run('pause_event_trigger', { name: 'changed' })).toEqual(success);
    expect(await triggersOf('account')).toEqual([{ ...replaced, paused: true }]);
    expect(await run('resume_event_trigger', { name: 'changed' })).toEqual(success);
    expect(await run('delete_event_trigger', { name: 'changed' })).toEqual(success);
    expect(await triggersOf('account')).toBeUndefined();
  });

  test('pause and resume the cleanups of triggers', async () => {
    await node.run('pg_create_event_trigger', {
      ...trigger,
      cleanup_config: { schedule: '0 0 * * *', clear_older_than: 24 },
    });
    const which = { event_triggers: { sources: '*' } };
    expect(await node.run('pause_event_trigger_cleanups', which, { api: 'metadata' })).toEqual(success);
    expect(await triggersOf('account')).toMatchObject([{ cleanup_config: { paused: true, timeout: 60 } }]);
    expect(await node.run('resume_event_trigger_cleanups', which, { api: 'metadata' })).toEqual(success);
    expect(await triggersOf('account')).toMatchObject([{ cleanup_config: { paused: false } }]);
  });

  test.each<[object, string, string, string]>([
    [{ name: 'a b' }, 'parse-failed', '$.args.name', 'only alphanumeric and underscore and hyphens allowed for name'],
    [{ update: { columns: [] } }, 'parse-failed', '$.args.update.columns', 'found empty column specification'],
    [{ table: 'none' }, 'not-exists', '$.args.table', 'table "none" is not tracked'],
    [{ source: 'none' }, 'not-exists', '$.args.source', 'source with name "none" does not exist'],
    [
      { update: { columns: ['status', 'none'] } },
      'not-exists',
      '$.args.update.columns[1]',
      'in table "account": in event trigger "changed": column "none" does not exist',
    ],
    [{ webhook: '{{NONE}}' }, 'invalid-configuration', '$.args.webhook', 'environment variable "NONE" is not set'],
    [{ table: 'open_account' }, 'not-supported', '$.args', 'a view has no events for changes of its rows'],
    [{ when: { new: { none: { _eq: 1 } } } }, 'validation-failed', '$.args.when.new.none', 'column "none"'],
    [{ ordering_key: ['none'] }, 'not-exists', '$.args.ordering_key[0]', 'column "none" does not exist'],
  ])('reject %j with %s at %s, and the metadata stay', async (more, code, path, message) => {
    const before = await node.run('export_metadata');
    const rejection = await node.rejection('pg_create_event_trigger', { ...trigger, ...more }, { api: 'metadata' });
    expect(rejection).toMatchObject({ code, path, status: 400, message: expect.stringContaining(message) });
    expect(await node.run('export_metadata')).toEqual(before);
  });

  test('accept partitioned tables, and views for manual events', async () => {
    await node.run('pg_create_event_trigger', { ...trigger, table: 'parts', update: null, insert: { columns } });
    const manual = { name: 'manual', table: 'open_account', enable_manual: true, webhook };
    await node.run('pg_create_event_trigger', manual);
    const triggers = node.model().sources.get(DEFAULT_SOURCE)?.eventTriggers;
    expect(triggers?.get('changed')?.tableKind).toBe('partitioned table');
    expect(triggers?.get('manual')).toMatchObject({ tableKind: 'view', isManual: true });
  });
});

describe('replace_metadata', () => {
  const metadataWith = (...triggers: readonly object[]) => ({
    version: 3,
    sources: [{ name: 'default', kind: 'postgres', tables: [{ table: 'account', event_triggers: triggers }] }],
  });

  test('accepts triggers, which have an effect', async () => {
    const metadata = metadataWith(stored);
    expect(await node.run('replace_metadata', { metadata })).toEqual({ is_consistent: true, inconsistent_objects: [] });
    expect(await triggersOf('account')).toEqual([stored]);
  });

  test('lists only the inconsistent trigger, which drop_inconsistent_metadata removes', async () => {
    const broken = { ...stored, name: 'broken', ordering_key: ['none'] };
    const metadata = metadataWith(broken, stored);
    expect(await node.run('replace_metadata', { metadata, allow_inconsistent_metadata: true })).toMatchObject({
      inconsistent_objects: [
        {
          type: 'event_trigger',
          name: 'event_trigger broken in table account in source default',
          path: '$.sources[0].tables[0].event_triggers[0].ordering_key[0]',
          definition: { table: { schema: 'public', name: 'account' } },
        },
      ],
    });
    expect([...(node.model().sources.get(DEFAULT_SOURCE)?.eventTriggers?.keys() ?? [])]).toEqual(['changed']);
    await node.run('drop_inconsistent_metadata');
    expect(await triggersOf('account')).toEqual([stored]);
  });

  test('rejects two triggers of one name', async () => {
    const metadata = metadataWith(stored, stored);
    expect(await node.rejection('replace_metadata', { metadata })).toMatchObject({
      code: 'not-supported',
      path: '$.args.metadata.sources[0].tables[0].event_triggers[1]',
    });
  });
});

describe('run_sql', () => {
  const run = (text: string, more: object = {}) => node.run('run_sql', { sql: text, ...more });
  const every = { ...trigger, name: 'every', update: { columns }, when: { new: { status: { _neq: 'closed' } } } };

  test.each([
    ['listed', { update: { columns: ['total'] } }],
    ['delivered', { insert: { columns, payload: ['total'] } }],
    ['in the condition', { when: { old: { total: { _gt: 1 } } } }],
    ['in the ordering key', { ordering_key: ['total'] }],
    ['in the key of debounce', { debounce: { key: ['total'], window_ms: 5 } }],
  ])('does not drop a column that is %s, unless with cascade, which drops the trigger', async (_where, more) => {
    await node.run('pg_create_event_trigger', { ...trigger, ...more });
    await node.run('pg_create_event_trigger', every);
    const drop = 'alter table account drop column total';
    expect(await node.rejection('run_sql', { sql: drop })).toMatchObject({
      code: 'dependency-error',
      message: 'cannot drop due to the following dependent objects: event-trigger account.changed in source "default"',
    });
    expect(await run(drop, { cascade: true })).toMatchObject({
      dropped: [
        {
          type: 'event_trigger',
          name: 'event_trigger changed in table account in source default',
          definition: { name: 'changed' },
        },
      ],
    });
    expect(await triggersOf('account')).toMatchObject([{ name: 'every' }]);
  });

  test('drops a column that a trigger has by "*"', async () => {
    await node.run('pg_create_event_trigger', every);
    expect(await run('alter table account drop column total')).toMatchObject({ result_type: 'CommandOk' });
    expect(await triggersOf('account')).toMatchObject([{ name: 'every' }]);
  });

  test('renames columns and the table in triggers', async () => {
    await node.run('pg_create_event_trigger', {
      ...trigger,
      when: { new: { status: { _cne: ['$', 'old', 'status'] } } },
      ordering_key: ['owner'],
    });
    await run('alter table account rename status to state; alter table account rename owner to owner_id');
    await run('alter table account rename to ledger');
    expect(await triggersOf('ledger')).toEqual([
      {
        ...stored,
        definition: { enable_manual: false, update: { columns: ['state'], payload: ['id', 'state'] } },
        when: { new: { state: { _cne: ['$', 'old', 'state'] } } },
        ordering_key: ['owner_id'],
      },
    ]);
    expect(node.model().sources.get(DEFAULT_SOURCE)?.eventTriggers?.get('changed')?.table.name).toBe('ledger');
  });

  test('drops the triggers of a dropped table, also after pg_untrack_table', async () => {
    await node.run('pg_create_event_trigger', trigger);
    await run('drop table account cascade');
    expect(await triggersOf('account')).toBeUndefined();
    await node.run('pg_create_event_trigger', { ...trigger, table: 'parts', update: { columns } });
    await node.run('pg_untrack_table', { table: 'parts' });
    expect(node.model().sources.get(DEFAULT_SOURCE)?.eventTriggers?.size).toBe(0);
    expect(await node.run('get_inconsistent_metadata')).toMatchObject({ is_consistent: true });
  });
});

describe('a condition on the rows of a change, in SQL', () => {
  const before = { id: 1, status: 'open', total: 10, owner: null };
  test.each<[object, object, boolean | null]>([
    [{ new: { status: { _eq: 'paid' } } }, { status: 'paid' }, true],
    [{ new: { status: { _eq: 'paid' } } }, {}, false],
    [{ old: { status: { _eq: 'open' } }, new: { status: { _neq: 'open' } } }, { status: 'paid' }, true],
    [{ old: { status: { _eq: 'open' } }, new: { status: { _neq: 'open' } } }, {}, false],
    [{ new: { total: { _cgt: ['$', 'old', 'total'] } } }, { total: 11 }, true],
    [{ new: { total: { _cgt: ['$', 'old', 'total'] } } }, { total: 9 }, false],
    [{ old: { total: { _clt: ['$', 'new', 'total'] } } }, { total: 11 }, true],
    [{ new: { total: { _cgt: 'id' } } }, { total: 1 }, false],
    [{ new: { total: { _cgt: ['$', 'new', 'id'] } } }, { total: 2 }, true],
    [{ _or: [{ new: { total: { _gt: 100 } } }, { _not: { old: { owner: { _is_null: false } } } }] }, {}, true],
    [{ _or: [] }, {}, false],
    [{ _and: [] }, {}, true],
    [{ new: {} }, {}, true],
    [{ new: { status: { _in: ['a', 'b'] }, total: { _gt: 1 } } }, { status: 'b' }, true],
    [{ new: { owner: { _eq: 1 } } }, {}, null],
    [{ new: { status: { _eq: `it's \\ "${'$'}1"` } } }, { status: `it's \\ "${'$'}1"` }, true],
    [{ new: { status: { _in: ['a,b', '{"c"}', "d'"] } } }, { status: '{"c"}' }, true],
  ])('%j after the change %j is %s', async (when, change, expected) => {
    await node.run('pg_create_event_trigger', { ...trigger, when });
    const condition = node.model().sources.get(DEFAULT_SOURCE)?.eventTriggers?.get('changed')?.condition;
    if (condition === undefined) throw new Error('the trigger has no condition');
    const printing = startPrinting({ stringifyNumerics: false });
    const printed = withConstants(eventCondition(condition, { old: 'o', new: 'n' }, printing));
    expect(compile(printed).slots).toEqual([]);
    const row = (json: object) => sql`json_populate_record(null::account, ${value(JSON.stringify(json))}::json)`;
    const [found] = await queryRows(
      database.database.query,
      sql`select (${printed})::text as matches from ${row(before)} as o, ${row({ ...before, ...change })} as n`,
      ['matches'],
    );
    expect(found).toEqual({ matches: expected === null ? null : String(expected) });
  });
});

test('stored metadata with an event trigger that cannot be read is loaded, and the trigger can be deleted', async () => {
  const author = {
    table: { schema: 'public', name: 'account' },
    event_triggers: [{ name: 'old', webhook: 'http://a' }],
  };
  const metadata = { version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [author] }] };
  const text = 'update joinery.metadata set metadata = $1::json, resource_version = resource_version + 1';
  await database.database.query({ text, values: [JSON.stringify(metadata)] });
  const second = await startServiceCore(database);
  try {
    expect(await second.run('get_inconsistent_metadata')).toMatchObject({
      inconsistent_objects: [{ type: 'event_trigger', path: '$.sources[0].tables[0].event_triggers[0].unread' }],
    });
    expect(await second.run('pg_delete_event_trigger', { name: 'old' })).toEqual(success);
    expect(await second.run('get_inconsistent_metadata')).toMatchObject({ is_consistent: true });
  } finally {
    await second.stop();
  }
});
