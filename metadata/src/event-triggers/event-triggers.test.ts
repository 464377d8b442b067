/** Tests of event triggers in the metadata: their rules, documents and exports. */
import { describe, expect, test } from 'vitest';
import { readDocument } from '../document/document.ts';
import { exportMetadata } from '../document/export.ts';
import { jsonPath } from '../json.ts';
import { emptyMetadata, Metadata } from '../metadata.ts';
import { strayMembers } from '../schema/members.ts';
import { rulesOf } from './rules.ts';
import { EventTrigger } from './schema.ts';
import { withReadableTriggers } from './stored.ts';

const smallest = { name: 't', definition: { insert: { columns: '*' } }, webhook: 'http://a' };
const documentWith = (...triggers: readonly unknown[]) => ({
  version: 3,
  sources: [{ name: 'default', kind: 'postgres', tables: [{ table: 'author', event_triggers: triggers }] }],
});
const exportOf = (...triggers: readonly unknown[]) =>
  exportMetadata(readDocument(documentWith(...triggers), emptyMetadata)).sources[0]?.tables?.[0]?.event_triggers;
const errorsOf = (more: object) =>
  rulesOf(EventTrigger.parse({ ...smallest, ...more })).map(({ path, message }) => `${jsonPath(path)}: ${message}`);
const operation = { columns: '*' };

describe('the rules of a trigger', () => {
  const illegal = 'only alphanumeric and underscore and hyphens allowed for name; its first character must be a letter';
  test.each([
    [{ name: '' }, '$.name: empty string not allowed'],
    [{ name: '1st' }, `$.name: ${illegal}`],
    [{ name: 'a b' }, `$.name: ${illegal}`],
    [{ name: 'a\\b' }, `$.name: ${illegal}`],
    [{ name: 'a\n"; drop table author' }, `$.name: ${illegal}`],
    [{ name: 'ä' }, `$.name: ${illegal}`],
    [{ name: 'a'.repeat(64) }, '$.name: event trigger name can be at most 63 characters'],
    [{ definition: {} }, '$.definition: at least one of insert, update, delete and enable_manual must be given'],
    [
      { definition: { enable_manual: false } },
      '$.definition: at least one of insert, update, delete and enable_manual must be given',
    ],
    [{ definition: { update: { columns: [] } } }, '$.definition.update.columns: found empty column specification'],
    [
      { definition: { update: { columns: ['id'], payload: [] } } },
      '$.definition.update.payload: found empty payload specification',
    ],
    [{ webhook: null }, '$: must provide webhook or webhook_from_env'],
    [{ webhook_from_env: 'URL' }, '$: only one of webhook or webhook_from_env should be given'],
    [{ webhook: '' }, '$.webhook: must not be empty'],
    [{ retry_conf: { num_retries: -1, interval_sec: 1 } }, '$.retry_conf.num_retries: must be at least 0'],
    [{ retry_conf: { num_retries: 1, interval_sec: -1 } }, '$.retry_conf.interval_sec: must be at least 0'],
    [
      { retry_conf: { num_retries: 1, interval_sec: 1, timeout_sec: 0 } },
      '$.retry_conf.timeout_sec: must be at least 1',
    ],
    [
      { cleanup_config: { schedule: '* * * * *', clear_older_than: -1 } },
      '$.cleanup_config.clear_older_than: must be at least 0',
    ],
    [{ ordering_key: [] }, '$.ordering_key: must have at least one column'],
    [{ debounce: { key: [], window_ms: 5 } }, '$.debounce.key: must have at least one column'],
    [{ debounce: { key: ['id'], window_ms: 0 } }, '$.debounce.window_ms: must be at least 1'],
    [
      { debounce: { key: ['id'], window_ms: 5 }, ordering_key: ['status'] },
      '$.ordering_key: must have the columns of debounce.key, whose events are delivered in order, or be left out',
    ],
    [{ batch: { max_events: 0 } }, '$.batch.max_events: must be at least 1'],
    [{ batch: { max_events: 1_001 } }, '$.batch.max_events: must be at most 1000'],
    [{ batch: { max_events: 5, max_wait_ms: 60_001 } }, '$.batch.max_wait_ms: must be at most 60000'],
    ...(['when', 'ordering_key', 'debounce'] as const).map((member): [object, string] => [
      {
        definition: { enable_manual: true },
        [member]: { when: { new: {} }, ordering_key: ['id'], debounce: { key: ['id'], window_ms: 5 } }[member],
      },
      `$.${member}: has no effect on events that are created manually; leave it out, or add insert, update or delete`,
    ]),
  ])('%j: %s', (more, error) => {
    expect(errorsOf(more)).toEqual([error]);
  });

  test.each([
    [{ name: 'A-b_1' }],
    [{ name: 'a'.repeat(63) }],
    [{ definition: { enable_manual: true } }],
    [{ definition: { delete: { columns: ['id'], payload: ['id'] } } }],
    [{ webhook: null, webhook_from_env: 'URL' }],
    [{ batch: { max_events: 1_000, max_wait_ms: 0 }, ordering_key: ['id'], debounce: { key: ['id'], window_ms: 1 } }],
  ])('accept %j', (more) => {
    expect(errorsOf(more)).toEqual([]);
  });
});

describe('the export of triggers', () => {
  test('has the order and defaults of Hasura v2, then the members that it does not have', () => {
    const whole = {
      paused: true,
      signing: false,
      debounce: { key: ['id'], window_ms: 100 },
      batch: { max_events: 10 },
      ordering_key: ['id'],
      when: { new: { id: { _gt: 1 } } },
      trigger_on_replication: true,
      cleanup_config: { schedule: '0 0 * * *', clear_older_than: 24 },
      response_transform: {
        version: 2,
        body: { action: 'transform', template: '{{$body}}' },
        template_engine: 'Kriti',
      },
      request_transform: { version: 1, url: '{{$base_url}}/x' },
      headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
      webhook: 'http://a',
      retry_conf: { num_retries: 3, interval_sec: 5, jitter: 0.5 },
      definition: {
        update: { payload: ['id'], columns: ['id', 'name'] },
        insert: operation,
        enable_manual: true,
        delete: operation,
      },
      name: 'whole',
    };
    expect(JSON.stringify(exportOf(whole))).toBe(
      JSON.stringify([
        {
          name: 'whole',
          definition: {
            delete: operation,
            enable_manual: true,
            insert: operation,
            update: { columns: ['id', 'name'], payload: ['id'] },
          },
          retry_conf: { interval_sec: 5, num_retries: 3, timeout_sec: 60, jitter: 0.5 },
          webhook: 'http://a',
          headers: whole.headers,
          request_transform: whole.request_transform,
          response_transform: whole.response_transform,
          cleanup_config: {
            batch_size: 10_000,
            clean_invocation_logs: false,
            clear_older_than: 24,
            paused: false,
            schedule: '0 0 * * *',
            timeout: 60,
          },
          trigger_on_replication: true,
          when: whole.when,
          ordering_key: ['id'],
          batch: { max_events: 10 },
          debounce: whole.debounce,
          signing: false,
          paused: true,
        },
      ]),
    );
  });

  test('is sorted by name, always has a retry_conf, and omits empty headers, nulls and defaults', () => {
    const empty = {
      headers: [],
      webhook_from_env: null,
      request_transform: null,
      cleanup_config: null,
      when: null,
      trigger_on_replication: false,
      paused: false,
    };
    expect(JSON.stringify(exportOf({ ...smallest, name: 'b' }, { ...smallest, ...empty, name: 'a' }))).toBe(
      JSON.stringify(
        ['a', 'b'].map((name) => ({
          name,
          definition: { insert: operation },
          retry_conf: { interval_sec: 10, num_retries: 0, timeout_sec: 60 },
          webhook: 'http://a',
        })),
      ),
    );
  });

  test('is read as the same metadata', () => {
    const exported = exportMetadata(readDocument(documentWith(smallest), emptyMetadata));
    expect(exportMetadata(readDocument(exported, emptyMetadata))).toEqual(exported);
  });
});

describe('a document', () => {
  const path = '$.sources[0].tables[0].event_triggers[0]';
  test.each([
    [{ ...smallest, definition: undefined }, `${path}.definition`],
    [{ ...smallest, definition: { insert: {} } }, `${path}.definition.insert.columns`],
    [{ ...smallest, definition: { insert: { columns: 'id' } } }, `${path}.definition.insert.columns`],
    [{ ...smallest, definition: { updat: operation } }, `${path}.definition.updat`],
    [{ ...smallest, retry_conf: { num_retries: 1 } }, `${path}.retry_conf.interval_sec`],
    [{ ...smallest, webhok: 'http://a' }, `${path}.webhok`],
    [
      { ...smallest, headers: [{ name: 'A', value_from_env: 'HASURA_GRAPHQL_ADMIN_SECRET' }] },
      `${path}.headers[0].value_from_env`,
    ],
  ])('is rejected with the path of the error: %j', (trigger, at) => {
    const read = () => readDocument(documentWith(trigger), emptyMetadata);
    expect(read).toThrow(expect.objectContaining({ code: 'parse-failed', path: at }));
  });

  test('is rejected where two tables of a source have a trigger of one name', () => {
    const [source] = documentWith(smallest).sources;
    const tables = ['author', 'book'].map((table) => ({ table, event_triggers: [smallest] }));
    expect(() => readDocument({ version: 3, sources: [{ ...source, tables }] }, emptyMetadata)).toThrow(
      expect.objectContaining({
        code: 'not-supported',
        path: '$.sources[0].tables[1].event_triggers[0]',
        message: 'Event trigger with duplicate names not allowed: "t"',
      }),
    );
    const other = { ...source, name: 'other' };
    expect(readDocument({ version: 3, sources: [source, other] }, emptyMetadata).sources).toHaveLength(2);
  });

  test('that cannot be read has no unknown members: it is reported once', () => {
    const stray = strayMembers(Metadata, documentWith({ name: 'a', definition: {}, unread: { anything: 1 } }));
    expect(stray.map((one) => jsonPath(one.path))).toEqual([]);
  });

  test('with batches or a time limit of cleanups has members without effect, unless they are the defaults', () => {
    const stray = (cleanup: object) => {
      const cleanup_config = { schedule: '* * * * *', clear_older_than: 1, ...cleanup };
      const members = strayMembers(
        Metadata,
        readDocument(documentWith({ ...smallest, cleanup_config }), emptyMetadata),
      );
      return members.map((one) => [one.kind, jsonPath(one.path)]);
    };
    expect(stray({ batch_size: 10_000, timeout: 60 })).toEqual([]);
    expect(stray({ batch_size: 5, timeout: 10 })).toEqual([
      ['unsupported', `${path}.cleanup_config.batch_size`],
      ['unsupported', `${path}.cleanup_config.timeout`],
    ]);
  });
});

describe('stored metadata of an earlier version', () => {
  const readStored = (triggers: unknown) => {
    const [source] = documentWith().sources;
    const tables = [{ table: 'author', event_triggers: triggers }, { table: 'book' }];
    return Metadata.parse(withReadableTriggers({ version: 3, sources: [{ ...source, tables }] })).sources[0]?.tables[0]
      ?.event_triggers;
  };

  test('keeps triggers that it can read', () => {
    expect(readStored([smallest])).toEqual([smallest]);
    expect(readStored([])).toEqual([]);
    expect(readStored(null)).toBeUndefined();
  });

  test.each([
    [[{ name: 't', webhook: 'http://a' }], 't'],
    [[{ ...smallest, retry_conf: 'often' }], 't'],
    [['t'], ''],
    [{ anything: 1 }, ''],
  ])('keeps %j in a trigger that is inconsistent', (triggers, name) => {
    const [unread] = Array.isArray(triggers) ? triggers : [triggers];
    const [read] = readStored(triggers) ?? [];
    expect(read).toEqual({ name, definition: {}, unread });
    if (read === undefined) throw new Error('the trigger is missing');
    expect(rulesOf(read).map(({ path }) => path)).toEqual([['unread']]);
  });
});
