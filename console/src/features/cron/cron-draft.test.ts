import { expect, test } from 'vitest';
import { cronDraftOf, cronFieldAt, emptyCronDraft, readCronDraft } from './cron-draft.ts';

const trigger = {
  name: 'nightly',
  webhook: '{{JOBS_URL}}/close',
  schedule: '0 2 * * *',
  timezone: 'Europe/Berlin',
  payload: { scope: 'all' },
  headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
  retry_conf: {
    num_retries: 3,
    retry_interval_seconds: 10,
    timeout_seconds: 60,
    tolerance_seconds: 21_600,
    jitter: 0.5,
  },
  comment: 'closes the day',
  include_in_metadata: false,
  catch_up: false,
};

test('an unchanged form preserves a trigger', () => {
  const read = readCronDraft(cronDraftOf(trigger), true);
  expect('args' in read && JSON.parse(read.args)).toEqual({ ...trigger, replace: true });
});

test('preserves members of a trigger without an input', () => {
  const read = readCronDraft(cronDraftOf({ ...trigger, later: true } as typeof trigger), true);
  expect('args' in read && JSON.parse(read.args)).toMatchObject({ later: true, name: 'nightly' });
});

test('preserves the request options', () => {
  const delivery = { body: 'payload', signing: { key_from_env: 'KEY' }, request_transform: { version: 2 } } as const;
  const read = readCronDraft(cronDraftOf({ ...trigger, ...delivery }), true);
  expect('args' in read && JSON.parse(read.args)).toMatchObject(delivery);
});

test('reports missing values by field', () => {
  const read = readCronDraft(emptyCronDraft(), false);
  expect('problems' in read && [...read.problems.keys()].sort()).toEqual(['name', 'schedule', 'webhook']);
});

test.each([
  ['$.args.schedule', 'schedule'],
  ['$.args.cron_triggers[0].timezone', 'timezone'],
  ['$.args.headers[0].value_from_env', 'headers.0.value'],
  ['$.args.replace', undefined],
])('an error at %s belongs to %s', (path, field) => {
  expect(cronFieldAt(path, cronDraftOf(trigger))).toBe(field);
});
