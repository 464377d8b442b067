import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveSources } from '../../../test/support/model/catalog.ts';
import { type Catalog, type CatalogRelation, relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { Model } from '../model.ts';
import { columnsOfCondition } from './condition.ts';

const tables = catalogOf({
  account: { columns: { id: 'int4!', status: 'text', total: 'numeric', owner_id: 'int4', data: 'jsonb' }, key: ['id'] },
  owner: { columns: { id: 'int4!', name: 'text' }, key: ['id'] },
});

const withKind = (kind: CatalogRelation['kind']): Catalog => ({
  ...tables,
  relations: new Map([...tables.relations].map(([key, relation]) => [key, { ...relation, kind }])),
});

const entry = { name: 'changed', definition: { update: { columns: '*' } }, webhook: 'http://127.0.0.1:1/' };
const account = {
  table: 'account',
  object_relationships: [
    { name: 'owner', using: { manual_configuration: { remote_table: 'owner', column_mapping: { owner_id: 'id' } } } },
  ],
};

interface Options {
  readonly catalog?: Catalog;
  readonly kind?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

function resolved(
  triggers: readonly unknown[],
  { catalog = tables, kind = 'postgres', environment = {} }: Options = {},
) {
  const source = { name: 'default', kind, tables: [{ table: 'owner' }, { ...account, event_triggers: triggers }] };
  return resolveSources([source], new Map([[DEFAULT_SOURCE, catalog]]), { environment });
}

const triggerIn = (model: Model, name = 'changed') => {
  const trigger = model.sources.get(DEFAULT_SOURCE)?.eventTriggers?.get(name);
  if (trigger === undefined) throw new Error(JSON.stringify(model.inconsistencies));
  return trigger;
};
const list = '$.sources[0].tables[1].event_triggers';
/** The errors of a trigger: code, path in the trigger, reason without its prefix. */
const errorsOf = (more: object, options?: Options) =>
  resolved([{ ...entry, ...more }], options).inconsistencies.map(({ code, path, reason }) => [
    code,
    path.replace(`${list}[0]`, ''),
    reason.replace(/^in table "account": in event trigger "[^"]*": /, ''),
  ]);

describe('a valid trigger', () => {
  test('has its table and defaults', () => {
    const model = resolved([entry]);
    expect(model.inconsistencies).toEqual([]);
    expect(triggerIn(model)).toEqual({
      name: 'changed',
      source: DEFAULT_SOURCE,
      table: model.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey('public', 'account')),
      tableKind: 'table',
      operations: new Map([['update', { listened: 'all', payload: 'all' }]]),
      isManual: false,
      condition: undefined,
      orderingKey: undefined,
      batch: undefined,
      debounce: undefined,
      onReplication: false,
      isPaused: false,
      webhook: {
        url: { template: 'http://127.0.0.1:1/' },
        headers: [],
        retry: { interval_sec: 10, num_retries: 0, timeout_sec: 60 },
        requestTransform: undefined,
        responseTransform: undefined,
        signing: undefined,
      },
      cleanup: undefined,
    });
  });

  test('has the columns and settings of its members', () => {
    const trigger = triggerIn(
      resolved(
        [
          {
            name: 'changed',
            definition: {
              insert: { columns: '*', payload: '*' },
              update: { columns: ['status', 'total', 'status'], payload: ['id'] },
              enable_manual: true,
            },
            webhook_from_env: 'HOOK',
            headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
            retry_conf: { num_retries: 3, interval_sec: 1, backoff: 'exponential' },
            request_transform: { version: 2, body: { action: 'transform', template: '{{$body.event}}' } },
            response_transform: { version: 2, body: { action: 'transform', template: '{{$body}}' } },
            cleanup_config: { schedule: '0 3 * * *', clear_older_than: 24, clean_invocation_logs: true },
            trigger_on_replication: true,
            ordering_key: ['owner_id', 'id'],
            batch: { max_events: 100, max_wait_ms: 50 },
            debounce: { key: ['id', 'owner_id'], window_ms: 500 },
            signing: false,
            paused: true,
          },
        ],
        { environment: { HOOK: 'https://example.com/', KEY: 'k' } },
      ),
    );
    const names = (columns: 'all' | readonly { readonly name: string }[] | undefined) =>
      columns === 'all' ? columns : columns?.map(({ name }) => name);
    expect(
      [...trigger.operations].map(([name, { listened, payload }]) => [name, names(listened), names(payload)]),
    ).toEqual([
      ['insert', 'all', 'all'],
      ['update', ['status', 'total'], ['id']],
    ]);
    expect(names(trigger.orderingKey)).toEqual(['owner_id', 'id']);
    expect(names(trigger.debounce?.key)).toEqual(['id', 'owner_id']);
    expect(trigger).toMatchObject({
      isManual: true,
      batch: { maxEvents: 100, maxWaitMs: 50 },
      debounce: { windowMs: 500 },
      onReplication: true,
      isPaused: true,
      webhook: {
        url: { fromEnv: 'HOOK' },
        headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
        retry: { num_retries: 3, interval_sec: 1, timeout_sec: 60, backoff: 'exponential' },
        requestTransform: { body: { kind: 'template' } },
        responseTransform: { body: { kind: 'template' } },
        signing: false,
      },
      cleanup: { schedule: '0 3 * * *', olderThanHours: 24, includesInvocations: true, isPaused: false },
    });
  });

  test.each(['table', 'partitioned table', 'foreign table'] as const)('may be on a %s', (kind) => {
    expect(triggerIn(resolved([entry], { catalog: withKind(kind) })).tableKind).toBe(kind);
  });

  test.each(['view', 'materialized view'] as const)('on a %s has manual events only', (kind) => {
    const catalog = withKind(kind);
    const manual = { ...entry, definition: { enable_manual: true } };
    expect(triggerIn(resolved([manual], { catalog })).operations.size).toBe(0);
    expect(errorsOf({}, { catalog })).toEqual([
      ['not-supported', '.definition', expect.stringContaining(`a ${kind} has no events for changes of its rows`)],
    ]);
  });
});

describe('an inconsistent trigger is reported with its code and path', () => {
  const template = { version: 2, body: { action: 'transform', template: '{{' } };
  test.each<[object, string, string, RegExp]>([
    [{ name: 'a b' }, 'parse-failed', '.name', /^only alphanumeric/],
    [{ definition: {} }, 'parse-failed', '.definition', /^at least one of insert/],
    [{ webhook: null }, 'parse-failed', '', /^must provide webhook/],
    [
      { definition: { update: { columns: ['id', 'none'] } } },
      'not-exists',
      '.definition.update.columns[1]',
      /^column "none" does not exist$/,
    ],
    [
      { definition: { delete: { columns: '*', payload: ['none'] } } },
      'not-exists',
      '.definition.delete.payload[0]',
      /^column "none" does not exist$/,
    ],
    [
      { definition: { insert: { columns: ['owner'] } } },
      'unexpected-payload',
      '.definition.insert.columns[0]',
      /^"owner" is no column/,
    ],
    [{ ordering_key: ['none'] }, 'not-exists', '.ordering_key[0]', /^column "none" does not exist$/],
    [{ debounce: { key: ['none'], window_ms: 5 } }, 'not-exists', '.debounce.key[0]', /^column "none" does not exist$/],
    [{ webhook: 'ftp://a' }, 'parse-failed', '.webhook', /^its webhook must be an http or https URL$/],
    [{ webhook: 'http://a/{{b' }, 'parse-failed', '.webhook', /^its webhook contains "\{\{" that does not begin/],
    [{ webhook: '{{NONE}}/a' }, 'invalid-configuration', '.webhook', /^environment variable "NONE" is not set$/],
    [{ webhook: '{{TEXT}}' }, 'parse-failed', '.webhook', /must be an http or https URL after its variables/],
    [
      { webhook: null, webhook_from_env: 'NONE' },
      'invalid-configuration',
      '.webhook_from_env',
      /^environment variable "NONE" is not set$/,
    ],
    [{ webhook: null, webhook_from_env: 'TEXT' }, 'parse-failed', '.webhook_from_env', /must be an http or https URL/],
    [
      { headers: [{ name: 'A', value_from_env: 'NONE' }] },
      'invalid-configuration',
      '.headers[0].value_from_env',
      /"NONE" is not set/,
    ],
    [{ signing: { key_from_env: 'NONE' } }, 'invalid-configuration', '.signing.key_from_env', /"NONE" is not set/],
    [{ request_transform: template }, 'validation-failed', '.request_transform.body.template', /^line 1, column/],
    [{ response_transform: template }, 'validation-failed', '.response_transform.body.template', /^line 1, column/],
    [
      { cleanup_config: { schedule: 'daily', clear_older_than: 1 } },
      'parse-failed',
      '.cleanup_config.schedule',
      /^the schedule must have five fields/,
    ],
  ])('%j: %s at %s', (more, code, path, reason) => {
    expect(errorsOf(more, { environment: { TEXT: 'text' } })).toEqual([[code, path, expect.stringMatching(reason)]]);
  });

  test('and the other triggers of the table stay', () => {
    const model = resolved([
      { ...entry, ordering_key: ['none'] },
      { ...entry, name: 'other' },
    ]);
    expect(model.inconsistencies).toEqual([
      {
        type: 'event_trigger',
        name: 'event_trigger changed in table account in source default',
        path: `${list}[0].ordering_key[0]`,
        code: 'not-exists',
        reason: 'in table "account": in event trigger "changed": column "none" does not exist',
        definition: {
          table: { schema: 'public', name: 'account' },
          configuration: { ...entry, ordering_key: ['none'] },
        },
      },
    ]);
    expect([...(model.sources.get(DEFAULT_SOURCE)?.eventTriggers?.keys() ?? [])]).toEqual(['other']);
  });

  test('where another table of the source has a trigger of its name', () => {
    const source = {
      name: 'default',
      tables: ['owner', 'account'].map((table) => ({ table, event_triggers: [entry] })),
    };
    const model = resolveSources([source], new Map([[DEFAULT_SOURCE, tables]]));
    expect(model.inconsistencies).toMatchObject([{ code: 'already-exists', path: `${list}[0].name` }]);
    expect(triggerIn(model).table.name).toBe('owner');
  });

  test('where its table is dropped, with the cause', () => {
    const source = { name: 'default', tables: [{ table: 'none', event_triggers: [entry] }] };
    const model = resolveSources([source], new Map([[DEFAULT_SOURCE, tables]]));
    expect(model.inconsistencies).toMatchObject([
      { type: 'table' },
      { type: 'event_trigger', code: 'invalid-configuration', reason: expect.stringContaining('no such table') },
    ]);
  });

  test.each(['citus', 'cockroach'])('in a database of kind %s, unless it has manual events only', (kind) => {
    expect(errorsOf({}, { kind })).toEqual([['not-supported', '.definition', expect.stringContaining(kind)]]);
    expect(errorsOf({ definition: { enable_manual: true } }, { kind })).toEqual([]);
  });
});

describe('a condition', () => {
  const conditionOf = (when: object, definition: object = entry.definition) =>
    triggerIn(resolved([{ ...entry, definition, when }])).condition;

  test('has predicates on the columns of one row each', () => {
    const when = {
      new: { status: { _eq: 'paid' } },
      _or: [{ old: { total: { _gt: 10 } } }, { _not: { old: {} } }],
    };
    expect(conditionOf(when)).toMatchObject({
      kind: 'and',
      of: [
        {
          kind: 'row',
          row: 'new',
          where: { kind: 'compare', left: { column: { name: 'status' } }, right: { kind: 'constant', value: 'paid' } },
        },
        {
          kind: 'or',
          of: [
            { kind: 'row', row: 'old', where: { kind: 'compare', left: { column: { name: 'total' } } } },
            { kind: 'not', of: { kind: 'row', row: 'old', where: { kind: 'and', of: [] } } },
          ],
        },
      ],
    });
  });

  test('compares columns of one row and of both rows', () => {
    const when = {
      new: { total: { _cgt: ['$', 'old', 'total'], _cne: ['$', 'new', 'id'] }, id: { _ceq: 'owner_id' } },
    };
    const right = (of: string, name: string) => ({ right: { kind: 'column', of, path: [], column: { name } } });
    const condition = conditionOf(when);
    expect([...(condition ? columnsOfCondition(condition) : [])].map(({ name }) => name)).toEqual([
      'total',
      'id',
      'owner_id',
    ]);
    expect(condition).toMatchObject({
      kind: 'row',
      row: 'new',
      where: { kind: 'and', of: [right('root', 'total'), right('row', 'id'), right('row', 'owner_id')] },
    });
  });

  const insert = { insert: { columns: '*' } };
  const both = { update: { columns: '*' }, delete: { columns: '*' } };
  test('names the columns in lists and in members of operands', () => {
    const condition = conditionOf({ new: { id: { _ceq: 'owner_id' } } });
    if (condition?.kind !== 'row' || condition.where.kind !== 'compare') throw new Error('no comparison');
    const { where } = condition;
    const { left, right } = where;
    const within = (operand: typeof right) =>
      [...columnsOfCondition({ ...condition, where: { ...where, right: operand } })].map(({ name }) => name);
    const { type } = left.column;
    expect(within({ kind: 'list', items: [right], element: type })).toEqual(['id', 'owner_id']);
    expect(within({ kind: 'members', of: [{ operand: right, type }] })).toEqual(['id', 'owner_id']);
  });

  test.each<[object, object, string, string, RegExp]>([
    [{ new: { none: { _eq: 1 } } }, {}, 'validation-failed', '.new.none', /^column "none" does not exist/],
    [{ new: { id: { _eq: null } } }, {}, 'validation-failed', '.new.id._eq', /use _is_null/],
    [{ new: { id: { _like: 'a' } } }, {}, 'validation-failed', '.new.id._like', /no operator "_like"/],
    [
      { status: { _eq: 'a' } },
      {},
      'validation-failed',
      '.status',
      /^unknown member "status"; a condition has the rows/,
    ],
    [{ new: [] }, {}, 'validation-failed', '.new', /expected a boolean expression/],
    [{ new: { owner: { id: { _eq: 1 } } } }, {}, 'validation-failed', '.new.owner', /^"owner" is no column/],
    [
      { _and: [{ old: {} }] },
      { definition: insert },
      'validation-failed',
      '._and[0].old',
      /^an insert has no row "old"/,
    ],
    [{ new: {} }, { definition: both }, 'validation-failed', '.new', /^a delete has no row "new"/],
    [
      { new: { id: { _ceq: ['$', 'old', 'id'] } } },
      { definition: insert },
      'validation-failed',
      '.new.id._ceq',
      /has no object relationship "old"/,
    ],
    [
      { new: { status: { _eq: 'X-Hasura-Role' } } },
      {},
      'not-supported',
      '.new.status._eq',
      /cannot use session variables/,
    ],
    [{ new: { _exists: { _table: 'owner', _where: {} } } }, {}, 'not-supported', '', /cannot use "_exists"/],
  ])('%j of %j is rejected with %s at %s', (when, more, code, path, reason) => {
    expect(errorsOf({ ...more, when })).toEqual([[code, `.when${path}`, expect.stringMatching(reason)]]);
  });

  test('with more than 10,000 members and items is rejected', () => {
    const when = { new: { id: { _in: Array.from({ length: 10_000 }, (_none, index) => index) } } };
    expect(errorsOf({ when })).toEqual([['not-supported', '.when', 'the condition has more than 10000 members']]);
  });
});
