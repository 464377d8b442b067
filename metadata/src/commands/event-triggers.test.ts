/** Tests of the commands that create, replace, delete and pause event triggers. */
import { describe, expect, test } from 'vitest';
import { exportMetadata } from '../document/export.ts';
import { Metadata } from '../metadata.ts';
import { runEdit } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';
import { commands } from './registry.ts';

const tables = [{ table: 'author' }, { table: 'book' }];
const metadata = Metadata.parse({
  version: 3,
  sources: [
    { name: 'default', tables },
    { name: 'other', tables },
  ],
});

const run = (name: string, args: unknown, before = metadata): Metadata => {
  const command = commands.get(name);
  if (command === undefined) throw new Error(`no command ${name}`);
  return runEdit(command, args, before);
};
const triggersOf = (after: Metadata, source = 0) =>
  (exportMetadata(after).sources[source]?.tables ?? []).flatMap((entry) => entry.event_triggers ?? []);
const rejection = (name: string, args: unknown, before = metadata): readonly string[] => {
  try {
    run(name, args, before);
  } catch (error) {
    if (error instanceof EditError) return [error.code, error.path, error.message];
    throw error;
  }
  throw new Error('not rejected');
};

const create = { name: 'placed', table: 'author', insert: { columns: '*' }, webhook: 'http://a' };
const stored = {
  name: 'placed',
  definition: { enable_manual: false, insert: { columns: '*' } },
  retry_conf: { interval_sec: 10, num_retries: 0, timeout_sec: 60 },
  webhook: 'http://a',
};
const created = run('pg_create_event_trigger', create);

describe('create_event_trigger', () => {
  test.each(['create_event_trigger', 'pg_create_event_trigger'])('%s adds the trigger with its defaults', (name) => {
    expect(triggersOf(run(name, create))).toEqual([stored]);
  });

  test('omits members that are null', () => {
    const nulls = { update: null, delete: null, webhook_from_env: null, headers: null, retry_conf: null, when: null };
    expect(triggersOf(run('create_event_trigger', { ...create, ...nulls }))).toEqual([stored]);
    expect(run('create_event_trigger', { ...create, ...nulls })).toEqual(created);
  });

  test('stores every member', () => {
    const settings = {
      retry_conf: { interval_sec: 1, num_retries: 2, timeout_sec: 3 },
      headers: [{ name: 'X-A', value: 'a' }],
      when: { new: { id: { _gt: 1 } } },
      ordering_key: ['id'],
      batch: { max_events: 5, max_wait_ms: 10 },
      debounce: { key: ['id'], window_ms: 100 },
      trigger_on_replication: true,
    };
    expect(triggersOf(run('create_event_trigger', { ...create, ...settings }))).toEqual([{ ...stored, ...settings }]);
  });

  test.each([
    [{ ...create, name: '' }, 'parse-failed', '$.name', 'empty string not allowed'],
    [{ ...create, insert: { columns: [] } }, 'parse-failed', '$.insert.columns', 'found empty column specification'],
    [
      { ...create, insert: null },
      'parse-failed',
      '$',
      'at least one of insert, update, delete and enable_manual must be given',
    ],
    [{ ...create, webhook: null }, 'parse-failed', '$', 'must provide webhook or webhook_from_env'],
    [{ ...create, insrt: {} }, 'parse-failed', '$.insrt', 'unknown argument "insrt"; did you mean "insert"?'],
    [{ ...create, insert: { columns: true } }, 'parse-failed', '$.insert.columns', expect.any(String)],
    [{ ...create, table: 'none' }, 'not-exists', '$.table', expect.stringContaining('"none" is not tracked')],
    [{ ...create, source: 'none' }, 'not-exists', '$.source', 'source with name "none" does not exist'],
    [{ ...create, replace: true }, 'not-exists', '$.name', 'event trigger "placed" does not exist'],
  ])('rejects %j with %s at %s', (args, ...error) => {
    expect(rejection('create_event_trigger', args)).toEqual(error);
  });

  test('rejects a name that a trigger of any table of the source has', () => {
    const taken = ['already-exists', '$.name', 'Event trigger with name "placed" already exists'];
    expect(rejection('create_event_trigger', create, created)).toEqual(taken);
    expect(rejection('create_event_trigger', { ...create, table: 'book' }, created)).toEqual(taken);
    expect(triggersOf(run('create_event_trigger', { ...create, source: 'other' }, created), 1)).toEqual([stored]);
  });

  test('replaces the whole definition, and a paused trigger stays paused', () => {
    const before = run('pause_event_trigger', { name: 'placed' }, created);
    const args = { ...create, insert: null, delete: { columns: '*' }, webhook: 'http://b', replace: true };
    const definition = { delete: { columns: '*' }, enable_manual: false };
    const replaced = { ...stored, definition, webhook: 'http://b' };
    expect(triggersOf(run('create_event_trigger', args, created))).toEqual([replaced]);
    expect(triggersOf(run('create_event_trigger', args, before))).toEqual([{ ...replaced, paused: true }]);
    expect(triggersOf(run('create_event_trigger', { ...args, paused: false }, before))).toEqual([replaced]);
  });

  test('does not move a trigger to another table', () => {
    expect(rejection('create_event_trigger', { ...create, table: 'book', replace: true }, created)).toEqual([
      'not-supported',
      '$.table',
      'cannot replace table or schema for trigger',
    ]);
  });
});

describe('delete_event_trigger', () => {
  test.each(['delete_event_trigger', 'pg_delete_event_trigger'])('%s removes the trigger', (name) => {
    expect(run(name, { name: 'placed' }, created)).toEqual(metadata);
  });

  test('rejects a trigger of another source', () => {
    const error = ['not-exists', '$.name', 'event trigger "placed" does not exist'];
    expect(rejection('delete_event_trigger', { name: 'placed', source: 'other' }, created)).toEqual(error);
  });
});

test('pause_event_trigger and resume_event_trigger set whether the events of a trigger are delivered', () => {
  const paused = run('pg_pause_event_trigger', { name: 'placed' }, created);
  expect(triggersOf(paused)).toEqual([{ ...stored, paused: true }]);
  expect(run('resume_event_trigger', { name: 'placed' }, paused)).toEqual(created);
  expect(rejection('pause_event_trigger', { name: 'none' }, created)).toEqual([
    'not-exists',
    '$.name',
    'event trigger "none" does not exist',
  ]);
});

describe('pause_event_trigger_cleanups', () => {
  const cleanup_config = { schedule: '0 0 * * *', clear_older_than: 1 };
  const cleaned = (name: string, source = 'default') => ({ ...create, name, source, cleanup_config });
  const before = [cleaned('a'), cleaned('b'), create, cleaned('a', 'other')].reduce(
    (current, args) => run('create_event_trigger', args, current),
    metadata,
  );
  const pausedIn = (after: Metadata) =>
    [0, 1].flatMap((source) =>
      triggersOf(after, source).flatMap(({ name, cleanup_config: config }) => (config?.paused === true ? [name] : [])),
    );

  test.each([
    [{ sources: '*' }, ['a', 'b', 'a']],
    [{ sources: ['default'] }, ['a', 'b']],
    [[{ source_name: 'default', event_triggers: ['b'] }], ['b']],
    [
      [
        { source_name: 'default', event_triggers: ['a', 'b'] },
        { source_name: 'other', event_triggers: ['a'] },
      ],
      ['a', 'b', 'a'],
    ],
  ])('pauses the cleanups of %j, and resume_event_trigger_cleanups resumes them', (which, names) => {
    const after = run('pause_event_trigger_cleanups', { event_triggers: which }, before);
    expect(pausedIn(after)).toEqual(names);
    const resumed = run('pg_resume_event_trigger_cleanups', { event_triggers: which }, after);
    expect(exportMetadata(resumed)).toEqual(exportMetadata(before));
  });

  test.each([
    [{ sources: [] }, 'parse-failed', '$.event_triggers.sources'],
    [[], 'parse-failed', '$.event_triggers'],
    [[{ source_name: 'default', event_triggers: [] }], 'parse-failed', '$.event_triggers[0].event_triggers'],
    [{ sources: ['none'] }, 'not-exists', '$.event_triggers.sources[0]'],
    [[{ source_name: 'none', event_triggers: ['a'] }], 'not-exists', '$.event_triggers[0].source_name'],
    [[{ source_name: 'other', event_triggers: ['a', 'b'] }], 'not-exists', '$.event_triggers[0].event_triggers[1]'],
    [[{ source_name: 'default', event_triggers: ['placed'] }], 'not-exists', '$.event_triggers[0].event_triggers[0]'],
  ])('rejects %j with %s at %s', (which, ...error) => {
    expect(rejection('pause_event_trigger_cleanups', { event_triggers: which }, before).slice(0, 2)).toEqual(error);
  });
});
