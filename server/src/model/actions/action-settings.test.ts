import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import { resolveActions } from './actions.ts';
import { resolveCustomTypes } from './custom-types.ts';

const custom_types = {
  scalars: [{ name: 'Stamp' }],
  input_objects: [{ name: 'Filter', fields: [{ name: 'id', type: 'Int' }] }],
  objects: [{ name: 'Item', fields: [{ name: 'id', type: 'Int' }] }],
};

function resolve(change: object, name = 'run') {
  const definition = { output_type: 'Int', handler: 'http://127.0.0.1/', ...change };
  const { draft, reports } = draftOf({
    custom_types,
    actions: [{ name, definition }],
    tables: { orders: { id: 'Int' } },
  });
  const [action] = runAtOnce(resolveActions(draft, runAtOnce(resolveCustomTypes(draft)))).values();
  return { action, problems: reports.map(({ code, reason }) => `${code}: ${reason}`) };
}

describe('an asynchronous action', () => {
  const kind = 'asynchronous';

  test.each([
    ['no retries, after 10 seconds', {}, { retries: 0, intervalMs: 10_000 }],
    [
      'those of its definition',
      { retry_conf: { num_retries: 3, retry_interval_seconds: 2 } },
      { retries: 3, intervalMs: 2_000 },
    ],
    ['no retries, without settings', { retry_conf: null }, { retries: 0, intervalMs: 10_000 }],
  ])('has %s', (_what, change, asynchronous) => {
    expect(resolve({ kind, ...change }).action?.asynchronous).toEqual(asynchronous);
  });

  test.each([
    ['a synchronous action', {}],
    ['a query, which is synchronous', { kind, type: 'query' }],
    ['an action whose retries are null', { retry_conf: null }],
  ])('is not %s', (_what, change) => {
    const { action, problems } = resolve(change);
    expect(problems).toEqual([]);
    expect(action).not.toHaveProperty('asynchronous');
  });

  test.each([
    [
      'a query field of a table',
      'orders_by_pk',
      'its result is a field "orders_by_pk" of the query root, which table "public.orders" of source "default" already has; rename the action or give the table a custom root field',
    ],
    ...['Item', 'Filter'].map((name) => [
      'a custom type',
      name,
      `its result has a type "${name}", and the name belongs to another type of that name; rename the action or the type`,
    ]),
    [
      'a type of a table',
      'orders_bool_exp',
      'its result has a type "orders_bool_exp", and the name belongs to table "public.orders" of source "default"; rename the action or the type',
    ],
  ])('cannot have the name of %s: %s', (_what, name, reason) => {
    expect(resolve({ kind }, name)).toEqual({
      action: undefined,
      problems: [`unexpected: in action "${name}": ${reason}`],
    });
  });

  test.each(['Item', 'orders_bool_exp'])('that is synchronous may have the name of a type: %s', (name) => {
    expect(resolve({}, name).problems).toEqual([]);
  });
});

test.each([{ type: 'mutation' }, { type: 'query', kind: 'asynchronous' }])('retries of %j are rejected', (change) => {
  expect(resolve({ ...change, retry_conf: { num_retries: 1 } }).problems).toEqual([
    'not-supported: in action "run": retry_conf: only asynchronous mutations are retried; leave it out, or write "kind": "asynchronous"',
  ]);
});

describe('the arguments of an action', () => {
  test('have defaults and deprecations', () => {
    const list = [
      { name: 'a', type: 'Int', default_value: null, deprecation_reason: 'old' },
      { name: 'b', type: 'Stamp' },
    ];
    expect(resolve({ arguments: list }).action?.arguments).toEqual([
      {
        name: 'a',
        type: { kind: 'named', type: expect.objectContaining({ name: 'Int' }) },
        description: undefined,
        defaultValue: null,
        deprecated: 'old',
      },
      { name: 'b', type: expect.anything(), description: undefined },
    ]);
  });

  test('are rejected with an invalid default', () => {
    expect(resolve({ arguments: [{ name: 'a', type: 'Int', default_value: 'x' }] }).problems).toEqual([
      'invalid-configuration: in action "run": argument "a": default_value: Int cannot represent non-integer value: "x"',
    ]);
  });
});

describe('the settings of calls', () => {
  test('are absent by default', () => {
    const { action } = resolve({});
    for (const member of ['returnedHeaders', 'maxCalls', 'cache', 'requestTransform', 'responseTransform']) {
      expect(action).not.toHaveProperty(member);
    }
  });

  test('have names in lower case and times in milliseconds', () => {
    const cache = { ttl_seconds: 1.5, session_variables: ['X-Service-User-Id'] };
    expect(
      resolve({ type: 'query', forward_response_headers: ['X-Trace'], max_concurrent_calls: 4, cache }).action,
    ).toMatchObject({
      returnedHeaders: new Set(['x-trace']),
      maxCalls: 4,
      cache: { ttlMs: 1_500, sessionVariables: ['x-service-user-id'] },
    });
    expect(resolve({ type: 'query', cache: { ttl_seconds: 2 } }).action?.cache).toEqual({
      ttlMs: 2_000,
      sessionVariables: undefined,
    });
  });

  test('have transforms', () => {
    const { action, problems } = resolve({
      request_transform: { version: 2, method: 'PUT' },
      response_transform: { version: 2, body: { action: 'transform', template: '{{$body}}' } },
    });
    expect(problems).toEqual([]);
    expect([action?.requestTransform, action?.responseTransform].map((one) => typeof one)).toEqual([
      'object',
      'object',
    ]);
  });

  test.each([
    [
      'a header of the response of the handler',
      { forward_response_headers: ['X-Good', 'ETag'] },
      `forward_response_headers: "ETag" describes the handler's response only and cannot be forwarded; leave it out`,
    ],
    [
      'a cache of cookies',
      { type: 'query', cache: { ttl_seconds: 1 }, forward_response_headers: ['X-A', 'Set-Cookie'] },
      'cache: a response that sets cookies is for one client; leave out "cache" or "Set-Cookie"',
    ],
    [
      'a cache of a mutation',
      { cache: { ttl_seconds: 1 } },
      'cache: only query actions are cached; leave it out, or write "type": "query"',
    ],
    ['a timeout of 0 seconds', { timeout: 0 }, 'timeout: no handler responds within 0 seconds; set at least 1'],
    [
      'a header of an unset variable',
      {
        headers: [
          { name: 'A', value: 'x' },
          { name: 'B', value: '{{NONE}}' },
        ],
      },
      'headers[1] (B): environment variable "NONE" is not set',
    ],
    [
      'a handler of a longer protocol',
      { handler: 'httpx://127.0.0.1/' },
      'handler: "httpx://127.0.0.1/" is not an http or https URL',
    ],
  ])('are rejected with %s', (_what, change, reason) => {
    expect(resolve(change)).toEqual({
      action: undefined,
      problems: [`invalid-configuration: in action "run": ${reason}`],
    });
  });

  test.each([
    ['request_transform', { version: 2, body: { action: 'transform', template: '{{' } }],
    ['response_transform', { version: 2, body: { action: 'transform', template: '{{' } }],
  ])('are rejected with a template in %s that cannot be parsed', (member, transform) => {
    const { action, problems } = resolve({ [member]: transform });
    expect(action).toBeUndefined();
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^invalid-configuration: in action "run": ${member}\\.body`)),
    ]);
  });

  test('permit cookies without a cache', () => {
    expect(resolve({ forward_response_headers: ['Set-Cookie'] }).problems).toEqual([]);
  });
});

test('all errors of an action are reported together, with the code of the first', () => {
  expect(resolve({ timeout: 0, output_type: 'None', retry_conf: {} }).problems).toEqual([
    expect.stringMatching(
      /^invalid-configuration: in action "run": timeout: [^;]*; [^;]*; retry_conf: .*; output_type: type "None" is not known/,
    ),
  ]);
});
