/** Triggers whose headers, retries, transforms or conditions are invalid: code, path and message, and nothing changed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RejectionService, smallest, startRejectionService } from '../../../support/events/trigger-rejections.ts';

let s: RejectionService;

beforeAll(async () => {
  s = await startRejectionService();
});
afterAll(() => s.stop());

const transform = (member: object): object => ({
  request_transform: { version: 2, template_engine: 'Kriti', ...member },
});

type Rejection = readonly [rule: string, members: object, code: string, path: string, message: string];

const rejections: readonly Rejection[] = [
  ['with a header without a value', { headers: [{ name: 'A' }] }, 'parse-failed', '$.args.headers[0]', ''],
  [
    'with a header whose name is invalid',
    { headers: [{ name: 'a b', value: 'c' }] },
    'parse-failed',
    '$.args.headers[0].name',
    'header name',
  ],
  [
    'with a header that has a line break',
    { headers: [{ name: 'A', value: 'b\r\nC: d' }] },
    'parse-failed',
    '$.args.headers[0].value',
    'line break',
  ],
  [
    'with a header whose variable has a line break',
    { headers: [{ name: 'A', value_from_env: 'LINES' }] },
    'parse-failed',
    '$.args.headers[0].value_from_env',
    'line break',
  ],
  [
    'with a header whose variable is not set',
    { headers: [{ name: 'A', value_from_env: 'NONE' }] },
    'invalid-configuration',
    '$.args.headers[0].value_from_env',
    '"NONE" is not set',
  ],
  [
    'with a header from a variable of Hasura v2',
    { headers: [{ name: 'A', value_from_env: 'HASURA_GRAPHQL_ADMIN_SECRET' }] },
    'parse-failed',
    '$.args.headers[0].value_from_env',
    '',
  ],
  [
    'with a header from a variable of the service',
    { headers: [{ name: 'A', value_from_env: 'JOINERY_ADMIN_SECRET' }] },
    'parse-failed',
    '$.args.headers[0].value_from_env',
    '',
  ],
  [
    'with the header Content-Length',
    { headers: [{ name: 'Content-Length', value: '1' }] },
    'parse-failed',
    '$.args.headers[0].name',
    'sets itself',
  ],
  [
    'with retry_conf without interval_sec',
    { retry_conf: { num_retries: 1 } },
    'parse-failed',
    '$.args.retry_conf.interval_sec',
    '',
  ],
  [
    'with retry_conf without num_retries',
    { retry_conf: { interval_sec: 1 } },
    'parse-failed',
    '$.args.retry_conf.num_retries',
    '',
  ],
  [
    'with negative num_retries',
    { retry_conf: { num_retries: -1, interval_sec: 1 } },
    'parse-failed',
    '$.args.retry_conf.num_retries',
    'at least 0',
  ],
  [
    'with a negative interval',
    { retry_conf: { num_retries: 1, interval_sec: -1 } },
    'parse-failed',
    '$.args.retry_conf.interval_sec',
    'at least 0',
  ],
  [
    'with a timeout of 0',
    { retry_conf: { num_retries: 1, interval_sec: 1, timeout_sec: 0 } },
    'parse-failed',
    '$.args.retry_conf.timeout_sec',
    'at least 1',
  ],
  [
    'with a fraction of a retry',
    { retry_conf: { num_retries: 1.5, interval_sec: 1 } },
    'parse-failed',
    '$.args.retry_conf.num_retries',
    '',
  ],
  [
    'with an invalid schedule of cleanups',
    { cleanup_config: { schedule: 'often', clear_older_than: 1 } },
    'parse-failed',
    '$.args.cleanup_config.schedule',
    'schedule',
  ],
  [
    'with cleanups without a schedule',
    { cleanup_config: { clear_older_than: 1 } },
    'parse-failed',
    '$.args.cleanup_config.schedule',
    '',
  ],
  [
    'with an invalid template of the body',
    transform({ body: { action: 'transform', template: '{{' } }),
    'validation-failed',
    '$.args.request_transform.body.template',
    'line 1',
  ],
  [
    'with an invalid template of the url',
    transform({ url: '{{$base_url' }),
    'validation-failed',
    '$.args.request_transform.url',
    'line 1',
  ],
  [
    'with an invalid template of a parameter',
    transform({ query_params: { a: '{{' } }),
    'validation-failed',
    '$.args.request_transform.query_params.a',
    'line 1',
  ],
  [
    'with an invalid template of a header',
    transform({ request_headers: { add_headers: { a: '{{' } } }),
    'validation-failed',
    '$.args.request_transform.request_headers.add_headers.a',
    'line 1',
  ],
  [
    'with an unknown template engine',
    transform({ template_engine: 'Other' }),
    'parse-failed',
    '$.args.request_transform.template_engine',
    '',
  ],
  [
    'with an unknown version of a transform',
    transform({ version: 3 }),
    'parse-failed',
    '$.args.request_transform.version',
    '',
  ],
  [
    'with an invalid template of the response',
    { response_transform: { version: 2, body: { action: 'transform', template: '{{' } } },
    'validation-failed',
    '$.args.response_transform.body.template',
    'line 1',
  ],
  [
    'with a condition on an unknown column',
    { when: { new: { none: { _eq: 1 } } } },
    'validation-failed',
    '$.args.when.new.none',
    'column "none" does not exist',
  ],
  [
    'with a value of another type in a condition',
    { when: { new: { id: { _eq: 'seven' } } } },
    'data-exception',
    '$.args.when.new.id._eq',
    'integer',
  ],
  [
    'with an operator that the type does not have',
    { when: { new: { id: { _like: 'a' } } } },
    'validation-failed',
    '$.args.when.new.id._like',
    '_like',
  ],
  [
    'with a condition on the old row of an insert',
    { when: { old: { id: { _eq: 1 } } } },
    'validation-failed',
    '$.args.when.old',
    'an insert has no row "old"',
  ],
  [
    'with a condition on a relationship',
    { when: { new: { owner: { id: { _eq: 1 } } } } },
    'validation-failed',
    '$.args.when.new.owner',
    'is no column',
  ],
  [
    'with a condition on session variables',
    { when: { new: { name: { _eq: 'x-hasura-user-id' } } } },
    'not-supported',
    '$.args.when.new.name._eq',
    'session variables',
  ],
  [
    'with an invalid regular expression in a condition',
    { when: { new: { name: { _regex: '(' } } } },
    'invalid-configuration',
    '$.args.when.new.name._regex',
    'in event trigger "absent": invalid regular expression',
  ],
  [
    'with an invalid regular expression below _or',
    { when: { _or: [{ new: { id: { _eq: 1 } } }, { new: { name: { _nsimilar: '(' } } }] } },
    'invalid-configuration',
    '$.args.when._or[1].new.name._nsimilar',
    'invalid regular expression',
  ],
  [
    'with a pattern that ends with the escape character',
    { when: { new: { name: { _like: 'a\\%b\\' } } } },
    'invalid-configuration',
    '$.args.when.new.name._like',
    'LIKE pattern must not end with escape character',
  ],
  [
    'with an invalid JSON path',
    { when: { new: { data: { _jsonb_path_match: '$.a[' } } } },
    'invalid-configuration',
    '$.args.when.new.data._jsonb_path_match',
    'syntax error',
  ],
  [
    'with an invalid regular expression for jsonb as a string',
    { when: { new: { data: { _cast: { String: { _iregex: '*' } } } } } },
    'invalid-configuration',
    '$.args.when.new.data._cast.String._iregex',
    'invalid regular expression',
  ],
  ['with an unknown member', { color: 1 }, 'parse-failed', '$.args.color', ''],
  ['with null as a required member', { name: null }, 'parse-failed', '$.args.name', ''],
  [
    'that replaces an unknown trigger',
    { replace: true },
    'not-exists',
    '$.args.name',
    'event trigger "absent" does not exist',
  ],
  [
    'that moves a trigger to another table',
    { name: 'present', table: 'note', replace: true },
    'not-supported',
    '$.args.table',
    'cannot replace table or schema for trigger',
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
