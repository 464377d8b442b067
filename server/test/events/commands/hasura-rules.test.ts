/** The rules of Hasura v2 for the commands of scheduled events and cron triggers: one row for each. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startService, type TestService } from '../../support/service/test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ JOINERY_HEADER_PREFIX: 'X-Hasura-', JOINERY_COMPONENTS: 'api' });
});

afterAll(() => service.stop());

afterEach(async () => {
  await run('delete_cron_trigger', { name: cron.name });
  await service.database.database.query({ text: 'truncate joinery.scheduled_events', values: [] });
});

async function run(type: string, args: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  return service.post('/v1/metadata', { type, args });
}

const webhook = 'https://example.com/remind';
const schedule_at = '2099-01-02T03:04:05Z';
const cron = {
  name: 'nightly',
  webhook: 'https://example.com/nightly',
  schedule: '0 2 * * *',
  include_in_metadata: true,
};
const conf = { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21600 };
const created = { message: 'success', event_id: expect.any(String), scheduled_time: expect.any(String) };

interface Rule {
  readonly rule: string;
  /** Commands that run before. */
  readonly before?: readonly (readonly [string, unknown])[];
  readonly command: readonly [string, unknown];
  readonly status?: number;
  readonly body: unknown;
}

const event = (more: object = {}) =>
  ['create_scheduled_event', { webhook, schedule_at, payload: null, ...more }] as const;
const trigger = (more: object = {}) => ['create_cron_trigger', { ...cron, ...more }] as const;

const rules: readonly Rule[] = [
  { rule: 'an event is created', command: event(), body: created },
  {
    rule: 'a webhook of an unset variable is rejected, unlike in Hasura v2',
    command: event({ webhook: '{{UNSET_URL}}/remind' }),
    status: 400,
    body: expect.objectContaining({ code: 'invalid-configuration', path: '$.args.webhook' }),
  },
  {
    rule: 'an event without a payload is rejected, unlike in Hasura v2',
    command: ['create_scheduled_event', { webhook, schedule_at }],
    status: 400,
    body: expect.objectContaining({ code: 'parse-failed', path: '$.args.payload' }),
  },
  { rule: 'a past time is accepted', command: event({ schedule_at: '2001-01-01T00:00:00Z' }), body: created },
  {
    rule: 'a time with an offset is accepted',
    command: event({ schedule_at: '2099-01-02T03:04:05+02:00' }),
    body: created,
  },
  {
    rule: 'an event without a time is rejected',
    command: ['create_scheduled_event', { webhook, payload: null }],
    status: 400,
    body: { code: 'parse-failed', path: '$.args.schedule_at', error: expect.any(String) },
  },
  {
    rule: 'a negative number of retries is rejected',
    command: event({ retry_conf: { num_retries: -1 } }),
    status: 400,
    body: { code: 'parse-failed', path: '$.args.retry_conf.num_retries', error: expect.any(String) },
  },
  {
    rule: 'members of retry_conf have their own defaults',
    before: [event({ retry_conf: { num_retries: 2 } })],
    command: ['get_scheduled_events', { type: 'one_off' }],
    body: { events: [expect.objectContaining({ retry_conf: { ...conf, num_retries: 2 } })] },
  },
  {
    rule: 'an event is listed with its members and without a count',
    before: [event({ payload: { a: 1 }, comment: 'renewal', headers: [{ name: 'X-Key', value: 'abc' }] })],
    command: ['get_scheduled_events', { type: 'one_off' }],
    body: {
      events: [
        expect.objectContaining({
          id: expect.any(String),
          webhook_conf: webhook,
          scheduled_time: schedule_at,
          retry_conf: conf,
          payload: { a: 1 },
          header_conf: [{ name: 'X-Key', value: 'abc' }],
          status: 'scheduled',
          tries: 0,
          created_at: expect.any(String),
          next_retry_at: null,
          comment: 'renewal',
        }),
      ],
    },
  },
  {
    rule: 'a count is returned on request, of all pages',
    before: [event(), event()],
    command: ['get_scheduled_events', { type: 'one_off', limit: 1, get_rows_count: true }],
    body: expect.objectContaining({ count: 2, events: [expect.anything()] }),
  },
  {
    rule: 'events are in the order of their time',
    before: [event({ comment: 'later' }), event({ schedule_at: '2098-01-01T00:00:00Z', comment: 'earlier' })],
    command: ['get_scheduled_events', { type: 'one_off', offset: 0 }],
    body: { events: [expect.objectContaining({ comment: 'earlier' }), expect.objectContaining({ comment: 'later' })] },
  },
  {
    rule: 'events are listed by status',
    before: [event()],
    command: ['get_scheduled_events', { type: 'one_off', status: ['delivered', 'error', 'dead', 'locked'] }],
    body: { events: [] },
  },
  {
    rule: 'an order by another column than those of events is rejected',
    command: ['get_scheduled_events', { type: 'one_off', order_by: [{ column: 'id; drop table', type: 'asc' }] }],
    status: 400,
    body: expect.objectContaining({ code: 'parse-failed' }),
  },
  {
    rule: 'the deletion of an event that does not exist succeeds',
    command: ['delete_scheduled_event', { type: 'one_off', event_id: 'absent' }],
    body: { message: 'success' },
  },
  {
    rule: 'the list of calls needs a type',
    command: ['get_scheduled_event_invocations', { event_id: 'absent' }],
    status: 400,
    body: expect.objectContaining({ code: 'parse-failed' }),
  },
  {
    rule: 'an event without calls has an empty list of them',
    before: [event()],
    command: ['get_scheduled_event_invocations', { type: 'one_off', limit: 10, offset: 0 }],
    body: { invocations: [] },
  },
  {
    rule: 'a cron trigger needs include_in_metadata',
    command: ['create_cron_trigger', { name: 'nightly', webhook, schedule: '0 2 * * *' }],
    status: 400,
    body: { code: 'parse-failed', path: '$.args.include_in_metadata', error: expect.any(String) },
  },
  {
    rule: 'a cron trigger whose name exists is rejected',
    before: [trigger()],
    command: trigger(),
    status: 400,
    body: { path: '$.args', code: 'already-exists', error: 'cron trigger with name: nightly already exists' },
  },
  {
    rule: 'a cron trigger with replace: true must exist',
    command: trigger({ replace: true }),
    status: 400,
    body: expect.objectContaining({ code: 'not-exists' }),
  },
  {
    rule: 'a cron trigger is replaced',
    before: [trigger()],
    command: trigger({ replace: true, schedule: '0 3 * * *' }),
    body: { message: 'success' },
  },
  {
    rule: 'a schedule that is not one is rejected',
    command: trigger({ schedule: 'every day' }),
    status: 400,
    body: expect.objectContaining({ path: '$.args.schedule' }),
  },
  {
    rule: 'cron triggers outside of the metadata are listed, with their defaults',
    before: [trigger({ include_in_metadata: false, payload: { scope: 'all' } })],
    command: ['get_cron_triggers', {}],
    body: {
      cron_triggers: [
        expect.objectContaining({
          ...cron,
          include_in_metadata: false,
          payload: { scope: 'all' },
          retry_conf: conf,
          headers: [],
        }),
      ],
    },
  },
  {
    rule: 'cron triggers outside of the metadata are not exported',
    before: [trigger({ include_in_metadata: false })],
    command: ['export_metadata', {}],
    body: expect.not.objectContaining({ cron_triggers: expect.anything() }),
  },
  {
    rule: 'the deletion of a cron trigger that does not exist is rejected',
    command: ['delete_cron_trigger', { name: 'absent' }],
    status: 400,
    body: expect.objectContaining({ code: 'not-exists' }),
  },
];

it.each(rules)('$rule', async ({ before = [], command: [type, args], status = 200, body }) => {
  for (const [earlier, given] of before)
    expect(await run(earlier, given)).toMatchObject({ status: 200, body: { message: 'success' } });
  const response = await run(type, args);
  expect(response.body).toEqual(body);
  expect(response.status).toBe(status);
});
