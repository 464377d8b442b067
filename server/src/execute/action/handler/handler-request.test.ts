import { RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../../test/support/model/draft.ts';
import { parseJson } from '../../../base/json-value.ts';
import { runAtOnce } from '../../../base/steps.ts';
import { resolveActions } from '../../../model/actions/actions.ts';
import { resolveCustomTypes } from '../../../model/actions/custom-types.ts';
import type { Action } from '../../../model/types/action.ts';
import type { CallPlan } from '../../../plan/plan/action.ts';
import type { InputPlan } from '../../../plan/plan/input.ts';
import { handlerInput } from './handler-input.ts';
import { type HandlerCall, handlerRequest } from './handler-request.ts';

const environment = { HOST: 'http://handler.example', TOKEN: 'very-secret' };
const settings = { sessionPrefix: 'x-service-', configuredHeaderPrecedence: false, version: '1.2.3' };

function actionOf(definition: object = {}): Action {
  const { draft, reports } = draftOf({
    environment,
    custom_types: {
      input_objects: [
        {
          name: 'In',
          fields: [
            { name: 'at', type: 'timestamptz' },
            { name: 'ids', type: '[uuid!]' },
          ],
        },
      ],
    },
    actions: [{ name: 'act', definition: { output_type: 'Int', handler: '{{HOST}}/act', ...definition } }],
  });
  const [action] = [...runAtOnce(resolveActions(draft, runAtOnce(resolveCustomTypes(draft)))).values()];
  if (action === undefined) throw new Error(reports.map(({ reason }) => reason).join());
  return action;
}

function callOf(action: Action, input: Readonly<Record<string, InputPlan>> = {}): CallPlan {
  const members = Object.entries(input).map(([name, value]) => ({ name, value }));
  return { action, input: members, output: { type: action.output, fields: undefined } };
}

const caller: Omit<HandlerCall, 'action' | 'input'> = {
  session: {
    role: RoleName.parse('user'),
    variables: new Map([
      ['x-service-role', 'user'],
      ['x-service-user-id', '7'],
      ['x-service-admin-secret', 'never'],
    ]),
  },
  headers: {},
  query: 'mutation { act }',
};

function request(definition: object, from: Partial<HandlerCall> = {}, more: Partial<typeof settings> = {}) {
  const call = { action: actionOf(definition), input: {}, ...caller, ...from };
  return handlerRequest(call, { ...settings, ...more }, environment);
}

const headersOf = (...given: Parameters<typeof request>) => {
  return Object.fromEntries(request(...given).headers.map(([name, value]) => [name.toLowerCase(), value]));
};

describe('the body for a handler', () => {
  test('contains the action, the input, the session variables without the secret, and the document', () => {
    const { body, url } = request({});
    expect(url).toBe('http://handler.example/act');
    expect(JSON.parse(body ?? '')).toEqual({
      action: { name: 'act' },
      input: {},
      session_variables: { 'x-service-role': 'user', 'x-service-user-id': '7' },
      request_query: 'mutation { act }',
    });
  });

  test('always contains the role', () => {
    const session = { role: RoleName.parse('clerk'), variables: new Map<string, string>() };
    expect(JSON.parse(request({}, { session }).body ?? '').session_variables).toEqual({ 'x-service-role': 'clerk' });
  });

  test('contains the role of the session in place of the variable', () => {
    const variables = new Map([
      ['x-service-role', 'user'],
      ['x-service-name', 'a "name"\n'],
    ]);
    const { body } = request({}, { session: { role: RoleName.parse('clerk'), variables } });
    expect(body).toContain('"session_variables":{"x-service-role":"clerk","x-service-name":"a \\"name\\"\\n"},');
  });

  test('contains nulls and exact numbers, but no members that were not given', () => {
    const variables = { given: parseJson('12345678901234567890.123'), nothing: null };
    const call = callOf(actionOf(), {
      constant: { kind: 'constant', value: { a: [1, null], big: parseJson('9007199254740993') } },
      given: { kind: 'variable', name: 'given' },
      nothing: { kind: 'variable', name: 'nothing' },
      absent: { kind: 'variable', name: 'absent' },
      object: {
        kind: 'object',
        members: [
          { name: 'given', value: { kind: 'variable', name: 'given' } },
          { name: 'absent', value: { kind: 'variable', name: 'absent' } },
          { name: 'nothing', value: { kind: 'variable', name: 'nothing' } },
        ],
      },
      list: {
        kind: 'list',
        items: [
          { kind: 'variable', name: 'absent' },
          { kind: 'constant', value: 1 },
        ],
      },
    });
    const { action } = call;
    const { body } = handlerRequest({ action, ...caller, input: handlerInput(call, variables) }, settings, environment);
    const input = /"input":(.*),"session_variables"/.exec(body ?? '')?.[1];
    expect(input).toBe(
      '{"constant":{"a":[1,null],"big":9007199254740993},"given":12345678901234567890.123,"nothing":null,' +
        '"object":{"given":12345678901234567890.123,"nothing":null},"list":[null,1]}',
    );
  });

  const inputs = {
    arguments: [
      { name: 'id', type: 'uuid!' },
      { name: 'in', type: 'In' },
      { name: 'big', type: 'bigint' },
      { name: 'sums', type: '[numeric]' },
    ],
  };
  const id = '8d6a4ed0-5a70-4f36-9d6f-3d0c9e0d1b11';

  test.each([
    [{ id: 'no-uuid' }, '$.selectionSet.act.args.id', 'expected a value of type uuid, found "no-uuid"'],
    [{ id, in: { at: 5 } }, '$.selectionSet.act.args.in.at', 'expected a value of type timestamptz, found 5'],
    [{ id, in: { ids: [id, 'x'] } }, '$.selectionSet.act.args.in.ids[1]', 'expected a value of type uuid, found "x"'],
    [{ id, big: 'x' }, '$.selectionSet.act.args.big', 'expected a value of type bigint, found "x"'],
    [{ id, big: 1.5 }, '$.selectionSet.act.args.big', 'expected a value of type bigint, found 1.5'],
    [{ id, sums: ['1.10', true] }, '$.selectionSet.act.args.sums[1]', 'expected a value of type numeric, found true'],
  ])('is rejected with an invalid Postgres scalar: %j', (values, path, message) => {
    const input = Object.entries(values).map(([name, value]) => [name, { kind: 'constant', value }] as const);
    const call = callOf(actionOf(inputs), Object.fromEntries(input));
    expect(() => handlerInput(call, {})).toThrow(expect.objectContaining({ code: 'parse-failed', path, message }));
  });

  test('is built of valid Postgres scalars', () => {
    const values = {
      id,
      in: { at: '2026-01-01T00:00:00Z', ids: [id] },
      big: '9007199254740993',
      sums: [1.5, '12345678901234567890.10', null],
    };
    const input = Object.entries(values).map(([name, value]) => [name, { kind: 'constant', value }] as const);
    expect(handlerInput(callOf(actionOf(inputs), Object.fromEntries(input)), {})).toEqual(values);
  });
});

describe('the headers for a handler', () => {
  const headers = {
    host: 'api.example',
    origin: 'https://app.example',
    'user-agent': 'browser',
    authorization: 'Bearer t',
    cookie: 'a=b',
    'x-request-id': '1',
    'x-service-role': 'user',
    'x-service-anything': 'x',
    'content-type': 'text/plain',
    'content-length': '5',
    'accept-encoding': 'gzip',
    connection: 'keep-alive',
    'transfer-encoding': 'chunked',
    'sec-websocket-key': 'k',
    'sec-websocket-protocol': 'graphql-ws',
    'x-list': ['1', '2'],
  };

  test('are the defaults without configuration, and none of the client', () => {
    expect(headersOf({}, { headers })).toEqual({ 'content-type': 'application/json', 'user-agent': 'joinery/1.2.3' });
  });

  test('contain configured headers, with environment variables expanded', () => {
    const configured = [
      { name: 'X-Plain', value: 'a' },
      { name: 'X-Template', value: 'Bearer {{TOKEN}}' },
      { name: 'X-Env', value_from_env: 'TOKEN' },
    ];
    expect(headersOf({ headers: configured })).toMatchObject({
      'x-plain': 'a',
      'x-template': 'Bearer very-secret',
      'x-env': 'very-secret',
    });
  });

  test('of the client are forwarded if configured, without session, default and connection headers', () => {
    expect(headersOf({ forward_client_headers: true }, { headers })).toEqual({
      authorization: 'Bearer t',
      cookie: 'a=b',
      'x-request-id': '1',
      'x-list': '1, 2',
      'x-forwarded-host': 'api.example',
      'x-forwarded-user-agent': 'browser',
      'x-forwarded-origin': 'https://app.example',
      'content-type': 'application/json',
      'user-agent': 'joinery/1.2.3',
    });
  });

  test('of the client are ignored by the list of the action in place of the default list', () => {
    const definition = { forward_client_headers: true, ignored_client_headers: ['Cookie', 'X-LIST'] };
    expect(headersOf(definition, { headers })).toEqual({
      authorization: 'Bearer t',
      'x-request-id': '1',
      origin: 'https://app.example',
      'user-agent': 'browser',
      'x-forwarded-host': 'api.example',
      'x-forwarded-user-agent': 'browser',
      'x-forwarded-origin': 'https://app.example',
      'content-type': 'application/json',
    });
  });

  test('of the client override defaults, which override configured ones, whatever the case', () => {
    const definition = {
      forward_client_headers: true,
      ignored_client_headers: [],
      headers: [
        { name: 'AUTHORIZATION', value: 'configured' },
        { name: 'User-Agent', value: 'configured' },
        { name: 'Content-Type', value: 'configured' },
      ],
    };
    const given = { headers: { authorization: 'client' } };
    const usual = { authorization: 'client', 'user-agent': 'joinery/1.2.3', 'content-type': 'application/json' };
    expect(headersOf(definition, given)).toEqual(usual);
    const reversed = { authorization: 'configured', 'user-agent': 'configured', 'content-type': 'configured' };
    expect(headersOf(definition, given, { configuredHeaderPrecedence: true })).toEqual(reversed);
  });

  test('of the connection cannot be configured', () => {
    const configured = [
      { name: 'Content-Length', value: '1' },
      { name: 'Transfer-Encoding', value: 'chunked' },
    ];
    expect(Object.keys(headersOf({ headers: configured }))).toEqual(['content-type', 'user-agent']);
  });

  test('are shown to admins without environment variables and credentials', () => {
    const definition = {
      forward_client_headers: true,
      handler: '{{HOST}}/act?key={{TOKEN}}',
      headers: [
        { name: 'X-Env', value_from_env: 'TOKEN' },
        { name: 'X-Template', value: 'Bearer {{TOKEN}}' },
        { name: 'X-Plain', value: 'plain' },
      ],
    };
    const { shown } = request(definition, { headers });
    const text = JSON.stringify(shown);
    expect(text).not.toMatch(/very-secret|Bearer t|a=b|never/);
    expect(shown).toMatchObject({ url: '{{HOST}}/act?key={{TOKEN}}', action: { name: 'act' }, input: {} });
    expect(text).toContain('{"name":"X-Plain","value":"plain"}');
  });

  test('fail if an environment variable is missing at the time of the call', () => {
    const call = { action: actionOf({ headers: [{ name: 'X-Env', value_from_env: 'TOKEN' }] }), input: {}, ...caller };
    expect(() => handlerRequest(call, settings, { HOST: 'http://h' })).toThrow(
      expect.objectContaining({ code: 'invalid-configuration', message: expect.stringContaining('"TOKEN"') }),
    );
  });
});

describe('the parts of requests that are always the same', () => {
  const twice = (definition: object) => {
    const call = { action: actionOf(definition), input: {}, ...caller };
    return [handlerRequest(call, settings, environment), handlerRequest(call, settings, environment)] as const;
  };

  test('include headers without variables of the environment', () => {
    const [one, other] = twice({ headers: [{ name: 'X-Fixed', value: '1' }] });
    expect(other.headers).toBe(one.headers);
  });

  test.each([
    { headers: [{ name: 'X-Token', value_from_env: 'TOKEN' }] },
    { headers: [{ name: 'X-Token', value: 'Bearer {{TOKEN}}' }] },
    { forward_client_headers: true },
  ])('exclude the headers of %j, which only the calls of a request share', (definition) => {
    const [one, other] = twice(definition);
    expect(other.headers).toBe(one.headers);
    const call = { action: actionOf(definition), input: {}, ...caller };
    const next = handlerRequest({ ...call, headers: {} }, settings, environment);
    expect(next.headers).not.toBe(one.headers);
    expect(next.headers).toEqual(one.headers);
  });

  test('exclude values of environment variables and headers of the client', () => {
    const definition = { forward_client_headers: true, headers: [{ name: 'X-Token', value_from_env: 'TOKEN' }] };
    const call = { action: actionOf(definition), input: {}, ...caller, headers: { cookie: 'a=1' } };
    const valuesOf = (headers: HandlerCall['headers'], token: string) => {
      const sent = handlerRequest({ ...call, headers }, settings, { ...environment, TOKEN: token }).headers;
      return sent.filter(([name]) => name === 'X-Token' || name === 'cookie').map(([, value]) => value);
    };
    expect(valuesOf(call.headers, 't1')).toEqual(['a=1', 't1']);
    expect(valuesOf(call.headers, 't2')).toEqual(['a=1', 't2']);
    expect(valuesOf({ cookie: 'a=2' }, 't2')).toEqual(['a=2', 't2']);
  });

  test('include the session and the document of a request, and no others', () => {
    const call = { action: actionOf(), input: {}, ...caller };
    const { body } = handlerRequest(call, settings, environment);
    const bodyOf = (from: Partial<HandlerCall>, prefix = settings.sessionPrefix) => {
      return handlerRequest({ ...call, ...from }, { ...settings, sessionPrefix: prefix }, environment).body;
    };
    expect(bodyOf({})).toBe(body);
    expect(bodyOf({ query: 'query { act }' })).toBe(body?.replace('mutation { act }', 'query { act }'));
    const variables = new Map([['x-service-role', 'user']]);
    expect(bodyOf({ session: { ...caller.session, variables } })).toBe(body?.replace(',"x-service-user-id":"7"', ''));
    expect(bodyOf({}, 'x-other-')).toContain('"x-service-admin-secret":"never","x-other-role":"user"');
    expect(bodyOf({})).toBe(body);
  });

  test('are the same text as the payload that transforms receive', () => {
    const { body, plain } = request({}, { input: { text: 'a "quoted" word', id: 1.5 } });
    expect(body).toBe(JSON.stringify(plain.body));
  });
});
