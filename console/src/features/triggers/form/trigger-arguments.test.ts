import { CreateEventTrigger } from '@joinery/metadata/api/events/triggers';
import { expect, test } from 'vitest';
import { targetDraftOf } from '../../../shared/targets/target-draft.ts';
import type { TriggerEntry } from '../triggers-api.ts';
import { triggerErrors, triggerFieldAt, writeTrigger } from './trigger-arguments.ts';
import { changedRows, emptyTriggerDraft, type TriggerDraft, triggerDraftOf } from './trigger-draft.ts';

const table = { schema: 'shop', name: 'orders' };
const trigger: TriggerEntry = {
  name: 'order_paid',
  definition: {
    enable_manual: true,
    insert: { columns: ['id'] },
    update: { columns: ['status'], payload: ['id', 'status'] },
    delete: { columns: '*', payload: '*' },
  },
  retry_conf: { num_retries: 3, interval_sec: 15, timeout_sec: 30, backoff: 'exponential', jitter: 0.5 },
  webhook_from_env: 'ORDER_HOOK',
  headers: [{ name: 'X-Key', value_from_env: 'HOOK_KEY' }],
  request_transform: { version: 1, body: '{{$body}}' },
  response_transform: { version: 2, body: { action: 'remove' } },
  when: { _and: [{ $or: [{ new: { total: { $gt: 5 } } }] }] },
  ordering_key: ['customer'],
  batch: { max_events: 10, max_wait_ms: 0 },
  debounce: { key: ['id'], window_ms: 500 },
  signing: { key_from_env: 'SIGNING_KEY' },
  trigger_on_replication: true,
  paused: true,
  cleanup_config: { schedule: '0 1 * * *', clear_older_than: 24, batch_size: 10_000, paused: true },
};

const valid: TriggerDraft = {
  ...emptyTriggerDraft,
  name: 'welcome',
  source: 'default',
  table: '["public","users"]',
  webhook: 'https://example.com/hook',
};

function written(draft: TriggerDraft, before?: TriggerEntry): Record<string, unknown> {
  return JSON.parse(writeTrigger(draft, before)) as Record<string, unknown>;
}

test('an unchanged form preserves a trigger, also members without an input', () => {
  const { definition, ...settings } = trigger;
  const later = { ...trigger, later: { more: 1 }, retry_conf: { ...trigger.retry_conf, later: 2 } } as TriggerEntry;
  const { retry_conf, cleanup_config, ...rest } = written(triggerDraftOf(later, 'default', table), later);
  const { retry_conf: retries, cleanup_config: cleanup, ...others } = settings;
  expect(rest).toEqual({ ...definition, ...others, source: 'default', table, later: { more: 1 }, replace: true });
  expect(retry_conf).toEqual({ ...retries, later: 2 });
  expect(cleanup_config).toEqual({ ...cleanup, clean_invocation_logs: false });
});

test('a new trigger has the members that were chosen only', () => {
  expect(written(valid)).toEqual({
    name: 'welcome',
    source: 'default',
    table: { schema: 'public', name: 'users' },
    insert: { columns: '*' },
    webhook: 'https://example.com/hook',
    retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
    paused: false,
    replace: false,
  });
  expect(CreateEventTrigger.safeParse(written(valid)).success).toBe(true);
  expect(triggerErrors(valid)).toEqual({});
});

const {
  webhook_from_env: _hook,
  headers: _headers,
  signing: _signing,
  request_transform: _request,
  response_transform: _response,
  ...unsent
} = trigger;
const operation = { collection: 'shop', name: 'add_invoice', role: 'clerk', variables: { order: '{{$body.id}}' } };
const withTarget = { ...unsent, target: { operation } } as TriggerEntry;

test('an unchanged form preserves the target', () => {
  const draft = triggerDraftOf(withTarget, 'default', table);
  expect(triggerErrors(draft, withTarget)).not.toHaveProperty('target');
  expect(triggerErrors(draft, withTarget)).not.toHaveProperty('webhook');
  expect(written(draft, withTarget)).toMatchObject({ target: { operation } });
  expect(written(draft, withTarget)).not.toHaveProperty('webhook');
});

test('a webhook replaces a target', () => {
  const draft = { ...triggerDraftOf(withTarget, 'default', table), target: undefined, webhook: 'https://a' };
  expect(written(draft, withTarget)).toMatchObject({ webhook: 'https://a' });
  expect(written(draft, withTarget)).not.toHaveProperty('target');
});

test('a target replaces a webhook and all that describes its request', () => {
  const archive = { function: { function: { schema: 'public', name: 'archive_order' } } };
  const target = targetDraftOf(archive);
  const draft = { ...triggerDraftOf(trigger, 'default', table), target, conditional: false, debounced: false };
  expect(triggerErrors(draft, trigger)).toEqual({});
  const args = written(draft, trigger);
  expect(args).toMatchObject({ target: archive, ordering_key: ['customer'] });
  for (const member of ['webhook', 'webhook_from_env', 'headers', 'signing', 'request_transform', 'response_transform'])
    expect(args).not.toHaveProperty(member);
  expect(CreateEventTrigger.safeParse(args).success).toBe(true);
});

test.each([
  ['$.args.target.operation.variables.order', 'target.inputs'],
  ['$.args.target.function.function', 'target.called'],
  ['$.args.target', 'target'],
])('the error at %s belongs to the field %s', (path, field) => {
  expect(triggerFieldAt(path, triggerDraftOf(withTarget, 'default', table))).toBe(field);
});

test('a chosen option without value is absent where it was removed', () => {
  const draft = { ...triggerDraftOf(trigger, 'default', table), batched: false, conditional: false, cleans: false };
  const args = written({ ...draft, headers: [], orderingKey: [], signing: 'settings', replication: false }, trigger);
  for (const member of ['batch', 'when', 'cleanup_config', 'headers', 'ordering_key', 'signing']) {
    expect(args).not.toHaveProperty(member);
  }
});

const on = { enabled: true, columns: [], payload: [] };
const off = { ...on, enabled: false };

test.each([
  [{ insert: on, update: off, delete: off }, ['new']],
  [{ insert: off, update: on, delete: off }, ['old', 'new']],
  [{ insert: off, update: off, delete: on }, ['old']],
  [{ insert: on, update: on, delete: off }, ['new']],
  [{ insert: on, update: off, delete: on }, []],
  [{ insert: off, update: off, delete: off }, []],
])('a condition can name the rows that all operations have: %j', (operations, rows) => {
  expect(changedRows({ ...valid, ...operations })).toEqual(rows);
});

test.each<[string, Partial<TriggerDraft>, string]>([
  ['name', { name: '1st' }, 'Must begin with a letter'],
  ['table', { table: '' }, 'Choose a table.'],
  ['operations', { insert: off }, 'Choose at least one operation.'],
  ['webhook', { webhook: 'ftp://a' }, 'Must be an http or https URL'],
  ['webhook', { webhook: '' }, 'Must not be empty'],
  ['webhook', { webhookFrom: 'environment', webhook: '' }, 'Must be the name of a variable.'],
  ['target.inputs', { target: { ...targetDraftOf({ operation }), inputs: '{' } }, 'JSON'],
  ['target.name', { target: { ...targetDraftOf({ operation }), name: '' } }, 'Must not be empty'],
  ['target.collection', { target: { ...targetDraftOf({ operation }), collection: '' } }, 'Must not be empty'],
  ['retries', { retries: '-1' }, 'Must be a whole number.'],
  ['interval', { interval: 'often' }, 'Must be a whole number.'],
  ['timeout', { timeout: '0' }, 'Must be a whole number of at least 1.'],
  ['condition', { conditional: true, condition: '{}' }, 'Add a condition'],
  ['condition', { conditional: true, condition: '{"_or":[{"old":{"id":1}}]}' }, 'An insert has no old row'],
  ['maxEvents', { batched: true, maxEvents: '1001' }, 'Must be a whole number from 1 to 1000.'],
  ['window', { debounced: true, debounceKey: ['id'], window: '0' }, 'Must be a whole number from 1'],
  ['debounceKey', { debounced: true, debounceKey: [] }, 'Must have at least one column.'],
  ['signing', { signing: 'own' }, 'Must be the name of a variable.'],
  ['olderThan', { cleans: true, olderThan: 'x' }, 'Must be a whole number.'],
  ['schedule', { cleans: true, schedule: ' ' }, 'Must have five fields'],
])('reports an error at %s for %j', (field, part, message) => {
  expect(triggerErrors({ ...valid, ...part })[field]).toContain(message);
});

test.each([
  ['$.args.webhook', 'webhook'],
  ['$.args.update.columns[0]', 'update.columns'],
  ['$.args.when.new.total', 'condition'],
  ['$.args.headers[0].value_from_env', 'headers.4.value'],
  ['$.sources[0].tables[2].event_triggers[1].definition.update.payload[0]', 'update.payload'],
  ['$.sources[0].tables[2].event_triggers[1].when', 'condition'],
  ['$.args.replace', undefined],
])('an error at %s belongs to %s', (path, field) => {
  const headers = [{ key: 4, name: 'X-Key', from: 'environment', text: 'NOT_SET' }] as const;
  expect(triggerFieldAt(path, { ...valid, headers })).toBe(field);
});
