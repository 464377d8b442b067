/** Triggers whose name, table, operations, columns or webhook are invalid: code, path and message, and nothing changed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RejectionService, smallest, startRejectionService } from '../../../support/events/trigger-rejections.ts';

let s: RejectionService;

beforeAll(async () => {
  s = await startRejectionService();
});
afterAll(() => s.stop());

const illegal = 'only alphanumeric and underscore and hyphens allowed for name';

type Rejection = readonly [rule: string, members: object, code: string, path: string, message: string];

const rejections: readonly Rejection[] = [
  ['without a name', { name: undefined }, 'parse-failed', '$.args.name', ''],
  ['with an empty name', { name: '' }, 'parse-failed', '$.args.name', 'empty string'],
  ['with a name of 64 characters', { name: 'a'.repeat(64) }, 'parse-failed', '$.args.name', 'at most 63'],
  ['with a name that starts with a digit', { name: '1a' }, 'parse-failed', '$.args.name', illegal],
  ['with a backslash in its name', { name: 'a\\b' }, 'parse-failed', '$.args.name', illegal],
  ['with a line break in its name', { name: 'a\nb' }, 'parse-failed', '$.args.name', illegal],
  ['with a line break at the end of its name', { name: 'a\n' }, 'parse-failed', '$.args.name', illegal],
  ['with a quote in its name', { name: `a"'` }, 'parse-failed', '$.args.name', illegal],
  ['with a NUL in its name', { name: 'a\0' }, 'parse-failed', '$.args.name', illegal],
  ['with a letter beyond ASCII in its name', { name: 'ä' }, 'parse-failed', '$.args.name', illegal],
  [
    'with a name in use',
    { name: 'present' },
    'already-exists',
    '$.args.name',
    'Event trigger with name "present" already exists',
  ],
  [
    'with a name in use on another table',
    { name: 'present', table: 'note' },
    'already-exists',
    '$.args.name',
    'already exists',
  ],
  ['with the name of a manual trigger', { name: 'manual_only' }, 'already-exists', '$.args.name', 'already exists'],
  ['without a table', { table: undefined }, 'parse-failed', '$.args.table', ''],
  ['on an unknown table', { table: 'none' }, 'not-exists', '$.args.table', 'none'],
  ['on a table that is not tracked', { table: 'untracked' }, 'not-exists', '$.args.table', 'untracked'],
  ['in an unknown source', { source: 'none' }, 'not-exists', '$.args.source', 'none'],
  [
    'without an operation',
    { insert: undefined },
    'parse-failed',
    '$.args',
    'at least one of insert, update, delete and enable_manual',
  ],
  [
    'with manual events off and no operation',
    { insert: undefined, enable_manual: false },
    'parse-failed',
    '$.args',
    'at least one',
  ],
  ['with an operation without columns', { insert: {} }, 'parse-failed', '$.args.insert.columns', ''],
  ['with an unknown operation', { truncate: { columns: '*' } }, 'parse-failed', '$.args.truncate', ''],
  [
    'with columns that are neither a list nor *',
    { update: { columns: 'name' } },
    'parse-failed',
    '$.args.update.columns',
    '',
  ],
  ['with an empty list of columns', { update: { columns: [] } }, 'parse-failed', '$.args.update.columns', 'empty'],
  [
    'with an empty payload',
    { insert: { columns: '*', payload: [] } },
    'parse-failed',
    '$.args.insert.payload',
    'empty',
  ],
  [
    'with an empty payload beside a list of columns',
    { update: { columns: ['id'], payload: [] } },
    'parse-failed',
    '$.args.update.payload',
    'empty',
  ],
  ['with an unknown column', { update: { columns: ['id', 'none'] } }, 'not-exists', '$.args.update.columns[1]', 'none'],
  [
    'with an unknown column of an insert',
    { insert: { columns: ['none'] } },
    'not-exists',
    '$.args.insert.columns[0]',
    'none',
  ],
  [
    'with an unknown column in the payload',
    { delete: { columns: '*', payload: ['none'] } },
    'not-exists',
    '$.args.delete.payload[0]',
    'none',
  ],
  [
    'with a relationship in place of a column',
    { update: { columns: ['owner'] } },
    'unexpected-payload',
    '$.args.update.columns[0]',
    'owner',
  ],
  [
    'with a computed field in place of a column',
    { update: { columns: ['label'] } },
    'unexpected-payload',
    '$.args.update.columns[0]',
    'label',
  ],
  ['on a view', { table: 'items' }, 'not-supported', '$.args', 'a view has no events'],
  ['without a webhook', { webhook: undefined }, 'parse-failed', '$.args', 'must provide webhook or webhook_from_env'],
  [
    'with both forms of the webhook',
    { webhook_from_env: 'HOOKS' },
    'parse-failed',
    '$.args',
    'only one of webhook or webhook_from_env',
  ],
  ['with a webhook that is no URL', { webhook: 'no url' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
  ['with an empty webhook', { webhook: '' }, 'parse-failed', '$.args.webhook', 'empty'],
  ['with a webhook of another scheme', { webhook: 'ftp://a' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
  [
    'with a webhook whose variable is not set',
    { webhook: '{{NONE}}/x' },
    'invalid-configuration',
    '$.args.webhook',
    'environment variable "NONE" is not set',
  ],
  [
    'with a webhook whose variable is no URL',
    { webhook: '{{NO_URL}}' },
    'parse-failed',
    '$.args.webhook',
    'http or https URL',
  ],
  [
    'with a webhook from a variable that is not set',
    { webhook: undefined, webhook_from_env: 'NONE' },
    'invalid-configuration',
    '$.args.webhook_from_env',
    '"NONE" is not set',
  ],
  [
    'with a webhook from a variable that is no URL',
    { webhook: undefined, webhook_from_env: 'NO_URL' },
    'parse-failed',
    '$.args.webhook_from_env',
    'http or https URL',
  ],
  [
    'with a webhook from a setting of the service',
    { webhook: undefined, webhook_from_env: 'JOINERY_DATABASE_URL' },
    'invalid-configuration',
    '$.args.webhook_from_env',
    'JOINERY_DATABASE_URL',
  ],
];

describe('create_event_trigger rejects a trigger', () => {
  test.each(rejections)('%s', async (_rule, members, code, path, message) => {
    const before = await s.everything();
    const { status, body } = await s.post('pg_create_event_trigger', { ...smallest, ...members });
    expect({ status, ...body }).toMatchObject({ status: 400, code, path, error: expect.stringContaining(message) });
    expect(await s.everything()).toEqual(before);
  });
});
