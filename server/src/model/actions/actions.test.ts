import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import { resolveActions } from './actions.ts';
import { resolveCustomTypes } from './custom-types.ts';

const definition = { output_type: 'Item', handler: 'http://127.0.0.1/handle' };
const custom_types = {
  enums: [{ name: 'size', values: [{ value: 'S' }] }],
  input_objects: [{ name: 'In', fields: [{ name: 'id', type: 'Int' }] }],
  objects: [
    { name: 'Item', fields: [{ name: 'id', type: 'Int!' }] },
    { name: 'Bad', fields: [{ name: 'x', type: 'Nothing' }] },
  ],
};

function resolve(...actions: readonly object[]) {
  const environment = {
    HANDLER: 'https://handler.example',
    NOT_HTTP: 'ftp://secret-host',
    SECRET: 's',
    JOINERY_X: 'y',
  };
  const tables = { orders: { id: 'Int' } };
  const { draft, reports } = draftOf({ custom_types, actions, environment, tables });
  const resolved = runAtOnce(resolveActions(draft, runAtOnce(resolveCustomTypes(draft))));
  return { actions: resolved, reports: reports.filter(({ type }) => type === 'action') };
}

describe('an action', () => {
  test('has the members of its definition and defaults', () => {
    const { actions, reports } = resolve({ name: 'plain', definition });
    expect(reports).toEqual([]);
    expect([...actions.values()]).toEqual([
      {
        name: 'plain',
        type: 'mutation',
        arguments: [],
        output: { kind: 'named', type: expect.objectContaining({ kind: 'object', name: 'Item' }) },
        handler: 'http://127.0.0.1/handle',
        headers: [],
        forwardClientHeaders: false,
        ignoredClientHeaders: undefined,
        timeoutMs: 30_000,
        roles: new Set(),
        comment: undefined,
      },
    ]);
  });

  test('preserves its templates, and accepts lists, scalars and inputs as its types', () => {
    const { actions, reports } = resolve({
      name: 'full',
      comment: 'All settings',
      permissions: [{ role: 'user' }, { role: 'clerk' }],
      definition: {
        type: 'query',
        kind: 'asynchronous',
        arguments: [
          { name: 'filter', type: '[In!]!', description: 'what' },
          { name: 'size', type: 'size' },
          { name: 'at', type: 'timestamptz' },
        ],
        output_type: '[Item!]!',
        handler: '{{HANDLER}}/full?key={{SECRET}}',
        headers: [
          { name: 'X-One', value: 'a {{SECRET}}' },
          { name: 'X-Two', value_from_env: 'SECRET' },
        ],
        forward_client_headers: true,
        ignored_client_headers: ['Cookie'],
        timeout: 5,
      },
    });
    expect(reports).toEqual([]);
    const [action] = [...actions.values()];
    expect(action).toMatchObject({
      type: 'query',
      handler: '{{HANDLER}}/full?key={{SECRET}}',
      headers: [
        { name: 'X-One', value: 'a {{SECRET}}' },
        { name: 'X-Two', value_from_env: 'SECRET' },
      ],
      forwardClientHeaders: true,
      ignoredClientHeaders: ['cookie'],
      timeoutMs: 5_000,
      roles: new Set(['user', 'clerk']),
      comment: 'All settings',
    });
    expect(action?.arguments.map(({ name, description }) => [name, description])).toEqual([
      ['filter', 'what'],
      ['size', undefined],
      ['at', undefined],
    ]);
  });

  test.each([
    [
      'an unknown output type',
      { output_type: 'Nothing' },
      'invalid-configuration',
      /output_type: type "Nothing" is not known/,
    ],
    [
      'a dropped output type',
      { output_type: '[Bad]' },
      'invalid-configuration',
      /output_type: type "Bad" was dropped; fix it first \(\$\.custom_types\.objects\[1\]\)/,
    ],
    ['an enum as output', { output_type: 'size' }, 'invalid-configuration', /output_type: "size" is an enum type/],
    ['an input as output', { output_type: 'In' }, 'invalid-configuration', /output_type: "In" is an input object type/],
    [
      'an object as argument',
      { arguments: [{ name: 'a', type: 'Item' }] },
      'invalid-configuration',
      /argument "a": "Item" is an object type/,
    ],
    [
      'an unknown argument type',
      { arguments: [{ name: 'a', type: 'Nope!' }] },
      'invalid-configuration',
      /argument "a": type "Nope" is not known/,
    ],
    [
      'an argument twice',
      {
        arguments: [
          { name: 'a', type: 'Int' },
          { name: 'a', type: 'Int' },
        ],
      },
      'invalid-configuration',
      /argument "a" is defined more than once/,
    ],
    [
      'an unset variable in its handler',
      { handler: '{{NOWHERE}}/x' },
      'invalid-configuration',
      /handler: environment variable "NOWHERE" is not set/,
    ],
    [
      'a setting of the service in its handler',
      { handler: '{{JOINERY_X}}/x' },
      'invalid-configuration',
      /handler: .*"JOINERY_X"/,
    ],
    [
      'a handler that is not a URL',
      { handler: 'handler/x' },
      'invalid-configuration',
      /handler: "handler\/x" is not an http or https URL/,
    ],
    [
      'a handler with a template that does not end',
      { handler: 'http://h/{{PATH' },
      'invalid-configuration',
      /handler: "http:\/\/h\/\{\{PATH" contains "\{\{" that does not begin a template/,
    ],
    [
      'a handler of another protocol',
      { handler: '{{NOT_HTTP}}/x' },
      'invalid-configuration',
      /handler: "\{\{NOT_HTTP\}\}\/x" is not an http or https URL/,
    ],
    [
      'an unset variable in a header',
      { headers: [{ name: 'X', value_from_env: 'NO' }] },
      'invalid-configuration',
      /headers\[0\] \(X\): environment variable "NO" is not set/,
    ],
    [
      'an unset variable in the value of a header',
      { headers: [{ name: 'X', value: '{{NO}}' }] },
      'invalid-configuration',
      /headers\[0\] \(X\): .*"NO"/,
    ],
    ['a timeout of 0', { timeout: 0 }, 'invalid-configuration', /timeout: .* set at least 1/],
    ['retries of a synchronous call', { retry_conf: {} }, 'not-supported', /retry_conf: only asynchronous/],
    [
      'a request transform that cannot be parsed',
      { request_transform: { version: 1, body: '{ "a": }' } },
      'invalid-configuration',
      /request_transform\.body: line 1, column 8: Unexpected token '}'/,
    ],
    [
      'a cache for a mutation',
      { cache: { ttl_seconds: 5 } },
      'invalid-configuration',
      /cache: only query actions are cached/,
    ],
    [
      'the name of a query field of a table',
      { type: 'query' },
      'unexpected',
      /the query root has a field "orders" already, from table "public\.orders"/,
    ],
    [
      'the name of a mutation field of a table',
      { type: 'mutation' },
      'unexpected',
      /the mutation root has a field "insert_orders" already, from table "public\.orders"/,
    ],
  ])('with %s is dropped with path and reason', (_what, change, code, reason) => {
    const taken = { query: 'orders', mutation: 'insert_orders' };
    const name = 'type' in change ? taken[change.type as keyof typeof taken] : 'bad';
    const { actions, reports } = resolve(
      { name: 'good', definition },
      { name, definition: { ...definition, ...change } },
    );
    expect(reports).toEqual([
      {
        type: 'action',
        name: `action ${name}`,
        path: '$.actions[1]',
        code,
        reason: expect.stringMatching(reason),
        definition: expect.objectContaining({ name }),
      },
    ]);
    expect([...actions.keys()]).toEqual(['good']);
  });

  test('has no values of environment variables in its errors', () => {
    const { reports } = resolve({ name: 'bad', definition: { ...definition, handler: '{{NOT_HTTP}}/x' } });
    expect(JSON.stringify(reports)).not.toContain('secret-host');
  });

  test('with the name of an earlier one is dropped', () => {
    const { actions, reports } = resolve({ name: 'one', definition }, { name: 'one', definition });
    expect([...actions.keys()]).toEqual(['one']);
    expect(reports).toEqual([expect.objectContaining({ path: '$.actions[1]', code: 'already-exists' })]);
  });

  test('that is a mutation can have the name of a query field', () => {
    expect(resolve({ name: 'orders', definition }).reports).toEqual([]);
  });
});
