/** Request and response transforms of actions. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHttpClient, type HttpClient } from '../../src/base/http-client/http-client.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { actionAt, callOf, contextWith, errorOf, runCall, sessionOf } from './action-run.ts';

let handler: HandlerServer;
let httpClient: HttpClient;

beforeAll(async () => {
  httpClient = createHttpClient({ connections: 4 });
  handler = await startHandlerServer({
    '/item': () => ({ id: 1 }),
    '/users/7': () => ({ id: 7 }),
    '/rows': () => ({ data: { rows: [{ key: 5, label: 'five' }] } }),
    '/error': (call, out) => {
      const { status, text } = call.body.input as { status: number; text: string };
      out.writeHead(status).end(text);
    },
  });
});

afterAll(async () => {
  await handler.close();
  await httpClient.close();
});

beforeEach(() => handler.reset());

const session = sessionOf('42');

function run(path: string, definition: object, input: Readonly<Record<string, unknown>> = {}) {
  const action = actionAt(handler.url + path, definition);
  return runCall(callOf(action, input), contextWith(httpClient, { session }));
}

describe('the request to a handler', () => {
  test('has method, URL, query, headers and body of its transform; no body with GET', async () => {
    const request_transform = {
      version: 2,
      template_engine: 'Kriti',
      method: 'GET',
      url: '{{$base_url}}/users/{{$body.input.id}}',
      query_params: { by: "{{$session_variables['x-service-user-id']}}", q: '{{$body.input.q}}' },
      request_headers: {
        add_headers: { 'X-Action': '{{$body.action.name}}' },
        remove_headers: ['User-Agent'],
      },
    };
    const { value } = await run('', { request_transform }, { id: 7, q: 'a b&c' });
    expect(value).toMatchObject({ id: 7 });
    const [call] = handler.calls;
    expect(call).toMatchObject({
      method: 'GET',
      path: '/users/7',
      search: '?by=42&q=a%20b%26c',
      text: '',
      headers: { 'x-action': 'act' },
    });
    expect(call?.headers).not.toHaveProperty('user-agent');
    expect(call?.headers).not.toHaveProperty('content-type');
  });

  test('has the body of its template, as JSON or as a form', async () => {
    await run('/item', { request_transform: { body: '{ "only": {{$body.input.id}} }' } }, { id: 7 });
    const form_template = { id: '{{$body.input.id}}', name: 'x y' };
    await run(
      '/item',
      { request_transform: { version: 2, body: { action: 'x_www_form_urlencoded', form_template } } },
      { id: 7 },
    );
    expect(handler.calls.map(({ text, headers }) => [text, headers['content-type']])).toEqual([
      ['{"only":7}', 'application/json'],
      ['id=7&name=x%20y', 'application/x-www-form-urlencoded'],
    ]);
  });

  test('is not sent if a template fails; admins see template and position', async () => {
    const template = '{\n  "x": {{ $body.input.nothing }}\n}';
    const request_transform = { version: 2, body: { action: 'transform', template } };
    const error = await errorOf(run('/item', { request_transform }, { id: 7 }));
    expect(error).toMatchObject({
      code: 'unexpected',
      path: '$.selectionSet.act',
      message: 'Request Transformation Failed',
      internal: {
        error: [
          {
            path: '$.definition.request_transform.body',
            error_code: 'Attribute Error',
            message: "'Object' has no attribute 'nothing'.",
            source_position: { start_line: 1, start_column: 11, end_line: 1, end_column: 30 },
          },
        ],
        response: null,
      },
    });
    expect(handler.calls).toHaveLength(0);
  });

  test('is shown to admins after the transform, without values of the environment', async () => {
    const definition = {
      handler: `${handler.url}/error?key={{TOKEN}}`,
      headers: [{ name: 'X-Token', value_from_env: 'TOKEN' }],
      request_transform: {
        version: 2,
        url: '{{$base_url}}&more=1',
        request_headers: { add_headers: { 'X-Base': '{{$base_url}}' } },
        body: { action: 'transform', template: '{ "input": {{$body.input}}, "at": {{$base_url}} }' },
      },
    };
    const { internal } = await errorOf(run('/error', definition, { status: 500, text: '{}' }));
    expect(handler.calls[0]).toMatchObject({ search: '?key=very-secret&more=1' });
    expect(JSON.stringify(internal)).not.toContain('very-secret');
    expect(internal).toMatchObject({
      request: { transformed_request: { method: 'POST', url: '{{$base_url}}&more=1', body: '***' } },
    });
  });
});

describe('the response of a handler', () => {
  const response_transform = {
    version: 2,
    template_engine: 'Kriti',
    body: {
      action: 'transform',
      template: '{ "id": {{$body.data.rows[0].key}}, "name": {{$body.data.rows[0].label}} }',
    },
  };

  test('is transformed before it is checked', async () => {
    expect((await run('/rows', { response_transform })).value).toMatchObject({ id: 5, name: 'five' });
    const list = {
      version: 2,
      body: { action: 'transform', template: '{{ range _, row := $body.data.rows }} { "id": {{row.key}} } {{ end }}' },
    };
    expect((await run('/rows', { output_type: '[Item!]!', response_transform: list })).value).toMatchObject([
      { id: 5 },
    ]);
    const wrong = { body: '{ "id": {{$body.data.rows[0].label}} }' };
    expect((await errorOf(run('/rows', { response_transform: wrong }))).message).toContain(
      'response.id: expected Int!, found "five"',
    );
  });

  test('can be transformed if it is not JSON', async () => {
    const transform = { body: '{ "id": {{$response.status}}, "name": {{$response.text}} }' };
    const { value } = await run('/error', { response_transform: transform }, { status: 200, text: '<b>ok</b>' });
    expect(value).toMatchObject({ id: 200, name: '<b>ok</b>' });
  });

  test('results in an error with the position if a template fails', async () => {
    const error = await errorOf(run('/item', { response_transform }));
    expect(error).toMatchObject({
      code: 'unexpected',
      message: 'Response Transformation Failed',
      internal: {
        error: [{ path: '$.definition.response_transform.body', error_code: 'Attribute Error' }],
        response: { status: 200, body: { id: 1 } },
      },
    });
  });

  const errors = [
    { status: 404, body: { action: 'transform', template: '{ "message": "no such thing", "code": "absent" }' } },
    {
      status: ['4xx', '5xx'],
      body: {
        action: 'transform',
        template: '{ "message": {{$body.detail}}, "extensions": { "status": {{$response.status}} } }',
      },
    },
  ];
  const handlerError = (status: number, body: unknown, transform: object = { ...response_transform, errors }) =>
    errorOf(run('/error', { response_transform: transform }, { status, text: JSON.stringify(body) }));

  test('with an error status is transformed by the template for the status and returned as an error', async () => {
    expect(await handlerError(404, {})).toMatchObject({ message: 'no such thing', foreignCode: 'absent', path: '$' });
    expect(await handlerError(422, { detail: 'bad' })).toMatchObject({ message: 'bad', extensions: { status: 422 } });
    expect(await handlerError(502, { detail: 'down' })).toMatchObject({ message: 'down', extensions: { status: 502 } });
  });

  test('with an error status without a template is returned unchanged', async () => {
    const [first] = errors;
    const transform = { ...response_transform, errors: [first] };
    expect(await handlerError(422, { message: 'handler message' }, transform)).toMatchObject({
      message: 'handler message',
    });
    expect(await handlerError(500, { message: 'handler message' }, transform)).toMatchObject({
      message: 'internal error',
    });
  });

  test('with an error status is transformed by the body template if there are no error templates', async () => {
    const transform = { body: '{ "message": "all: {{$response.status}}" }' };
    expect(await handlerError(422, {}, transform)).toMatchObject({ message: 'all: 422' });
  });
});

describe('an invalid transform', () => {
  test('is rejected with the position of each error', () => {
    const request_transform = { version: 2, url: '{{ $body', body: { action: 'transform', template: '{ "a": }' } };
    const response_transform = { version: 2, errors: [{ status: 400, body: { action: 'transform', template: '}' } }] };
    expect(() => actionAt('http://h/', { request_transform, response_transform })).toThrow(
      'request_transform.url: line 1, column 9: Unexpected end of the template.; ' +
        "request_transform.body.template: line 1, column 8: Unexpected token '}'.; " +
        "response_transform.errors[0].body.template: line 1, column 1: Unexpected token '}'.",
    );
  });
});
