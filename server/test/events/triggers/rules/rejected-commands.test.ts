/** Rejected commands on event triggers: code, path and message, and nothing changed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RejectionService, smallest, startRejectionService } from '../../../support/events/trigger-rejections.ts';

let s: RejectionService;

beforeAll(async () => {
  s = await startRejectionService();
});
afterAll(() => s.stop());

const absent = '00000000-0000-4000-8000-000000000000';

type Other = readonly [rule: string, type: string, args: object, code: string, path: string, message: string];

const others: readonly Other[] = [
  [
    'an unknown trigger',
    'pg_delete_event_trigger',
    { name: 'none' },
    'not-exists',
    '$.args.name',
    'event trigger "none" does not exist',
  ],
  ['no name', 'pg_delete_event_trigger', {}, 'parse-failed', '$.args.name', ''],
  [
    'a trigger in an unknown source',
    'pg_delete_event_trigger',
    { name: 'present', source: 'none' },
    'not-exists',
    '$.args.source',
    'none',
  ],
  [
    'an unknown trigger',
    'pg_invoke_event_trigger',
    { name: 'none', payload: 1 },
    'not-exists',
    '$.args.name',
    'event trigger "none" does not exist',
  ],
  [
    'a trigger without manual events',
    'pg_invoke_event_trigger',
    { name: 'present', payload: 1 },
    'not-supported',
    '$.args.name',
    'manual mode is not enabled for event trigger',
  ],
  ['no payload', 'pg_invoke_event_trigger', { name: 'manual_only' }, 'parse-failed', '$.args.payload', 'is required'],
  [
    'a payload with NUL',
    'pg_invoke_event_trigger',
    { name: 'manual_only', payload: 'a\0' },
    'parse-failed',
    '$.args.payload',
    'NUL',
  ],
  [
    'an unknown source',
    'pg_invoke_event_trigger',
    { name: 'manual_only', payload: 1, source: 'none' },
    'not-exists',
    '$.args.source',
    'none',
  ],
  ['an unknown event', 'pg_redeliver_event', { event_id: absent }, 'not-exists', '$.args.event_id', 'event not found'],
  [
    'an id that is no UUID',
    'pg_redeliver_event',
    { event_id: 'none' },
    'not-exists',
    '$.args.event_id',
    'event not found',
  ],
  ['no id', 'pg_redeliver_event', {}, 'parse-failed', '$.args.event_id', ''],
  [
    'an unknown event',
    'pg_get_event_by_id',
    { event_id: absent },
    'not-exists',
    '$.args.event_id',
    `event id ${absent} does not exist`,
  ],
  [
    'a negative limit',
    'pg_get_event_by_id',
    { event_id: absent, invocation_log_limit: -1 },
    'parse-failed',
    '$.args.invocation_log_limit',
    '',
  ],
  [
    'an unknown trigger',
    'pg_get_event_logs',
    { name: 'none' },
    'not-exists',
    '$.args.name',
    'event trigger "none" does not exist',
  ],
  ['a negative limit', 'pg_get_event_logs', { name: 'present', limit: -1 }, 'parse-failed', '$.args.limit', ''],
  ['a negative offset', 'pg_get_event_logs', { name: 'present', offset: -1 }, 'parse-failed', '$.args.offset', ''],
  ['a limit with a fraction', 'pg_get_event_logs', { name: 'present', limit: 1.5 }, 'parse-failed', '$.args.limit', ''],
  ['an unknown status', 'pg_get_event_logs', { name: 'present', status: 'lost' }, 'parse-failed', '$.args.status', ''],
  [
    'an unknown trigger',
    'pg_get_event_invocation_logs',
    { name: 'none' },
    'not-exists',
    '$.args.name',
    'event trigger "none" does not exist',
  ],
  [
    'a limit beyond integers',
    'pg_get_event_invocation_logs',
    { name: 'present', limit: 1e10 },
    'parse-failed',
    '$.args.limit',
    '',
  ],
  [
    'an unknown source',
    'pg_get_event_invocation_logs',
    { name: 'present', source: 'none' },
    'not-exists',
    '$.args.source',
    'none',
  ],
  [
    'an empty list',
    'pause_event_trigger_cleanups',
    { event_triggers: [] },
    'parse-failed',
    '$.args.event_triggers',
    '',
  ],
  [
    'an empty list of sources',
    'pause_event_trigger_cleanups',
    { event_triggers: { sources: [] } },
    'parse-failed',
    '$.args.event_triggers.sources',
    '',
  ],
  [
    'an unknown source',
    'resume_event_trigger_cleanups',
    { event_triggers: { sources: ['none'] } },
    'not-exists',
    '$.args.event_triggers.sources[0]',
    'none',
  ],
  [
    'an unknown trigger',
    'pause_event_trigger_cleanups',
    { event_triggers: [{ source_name: 'default', event_triggers: ['none'] }] },
    'not-exists',
    '$.args.event_triggers[0].event_triggers[0]',
    'none',
  ],
  [
    'a trigger without cleanups',
    'pause_event_trigger_cleanups',
    { event_triggers: [{ source_name: 'default', event_triggers: ['present'] }] },
    'not-exists',
    '$.args.event_triggers[0].event_triggers[0]',
    'cleanup config does not exist',
  ],
];

describe('other commands reject', () => {
  test.each(others)('%s: %s', async (_rule, type, args, code, path, message) => {
    const before = await s.everything();
    for (const [name, endpoint] of [
      [type, '/v1/metadata'],
      [type.replace(/^pg_/, ''), '/v1/query'],
    ] as const) {
      const { status, body } = await s.post(name, args, endpoint);
      expect({ status, ...body }).toMatchObject({ status: 400, code, path, error: expect.stringContaining(message) });
    }
    expect(await s.everything()).toEqual(before);
  });
});

describe('a rejected trigger changes nothing', () => {
  const create = (more: object): object => ({ type: 'pg_create_event_trigger', args: { ...smallest, ...more } });
  const wrong = create({ name: 'wrong', when: { new: { id: { _eq: 'seven' } } } });

  test.each([
    ['bulk', [create({}), wrong], '$.args[1].args.when.new.id._eq'],
    ['bulk_atomic', [create({}), wrong], '$.args'],
    ['bulk', [create({}), create({})], '$.args[1].args.name'],
    [
      'bulk_atomic',
      [{ type: 'pg_delete_event_trigger', args: { name: 'present' } }, create({ table: 'none' })],
      '$.args[1].args.table',
    ],
  ])('with the other commands of a %s: %j', async (type, args, path) => {
    const before = await s.everything();
    const { status, body } = await s.post(type, args);
    expect({ status, path: body.path }).toEqual({ status: 400, path });
    expect(await s.everything()).toEqual(before);
  });

  test('in a bulk_keep_going, whose other commands take effect', async () => {
    const before = await s.everything();
    const { status, body } = await s.post('bulk_keep_going', [
      wrong,
      create({ name: 'right' }),
      { type: 'pg_delete_event_trigger', args: { name: 'right' } },
    ]);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: [{ code: 'data-exception' }, { message: 'success' }, { message: 'success' }],
    });
    expect(await s.everything()).toEqual(before);
  });

  test('in replace_metadata with two triggers of one name', async () => {
    const before = await s.everything();
    const { metadata } = before as { readonly metadata: { sources: { tables: { event_triggers?: unknown[] }[] }[] } };
    const copy = structuredClone(metadata);
    for (const table of copy.sources[0]?.tables ?? []) table.event_triggers = [stored('twice')];
    const { status, body } = await s.post('replace_metadata', copy);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'not-supported' });
    expect(await s.everything()).toEqual(before);
  });

  const stored = (name: string): object => ({
    name,
    definition: { enable_manual: true },
    retry_conf: { num_retries: 0, interval_sec: 10 },
    webhook: 'http://127.0.0.1:9',
  });
});
