import { describe, expect, test } from 'vitest';
import {
  readRequestTransform,
  readResponseTransform,
  TemplateError,
  type WrittenRequestTransform,
  type WrittenResponseTransform,
} from './transform.ts';
import { type PlainRequest, transformRequest } from './transform-request.ts';
import { transformResponse } from './transform-response.ts';

const request: PlainRequest = {
  method: 'POST',
  url: 'https://api.example/v1?key=1&b=x%20y',
  headers: [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'joinery/1'],
  ],
  body: { input: { id: 7, name: 'a b&c', none: null }, list: [1, 2] },
};
const session = { 'x-service-role': 'user', 'x-service-user-id': '42' };

const apply = (written: WrittenRequestTransform, plain = request) =>
  transformRequest(readRequestTransform(written), plain, session);

function issuesOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof TemplateError) return error.issues.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a request transform', () => {
  test('without members does not change the request', () => {
    expect(apply({})).toEqual({ ...request, body: JSON.stringify(request.body) });
  });

  test.each([
    ['{{$base_url}}', 'https://api.example/v1?key=1&b=x%20y'],
    ['https://other.example/users/{{$body.input.id}}?a=1', 'https://other.example/users/7?a=1'],
    ['https://o.example/{{escapeUri($body.input.name)}}', 'https://o.example/a%20b%26c'],
    ["https://o.example/{{$session_variables['x-service-user-id']}}", 'https://o.example/42'],
    ['https://o.example/{{getSessionVariable("X-Service-User-Id")}}', 'https://o.example/42'],
    ['https://o.example/{{head($query_params)[1]}}', 'https://o.example/1'],
  ])('replaces the URL: %s', (url, expected) => {
    expect(apply({ url }).url).toBe(expected);
  });

  test.each(['x-service-none', 'constructor', '__proto__'])(
    'fails for the session variable "%s", which the session does not have',
    (name) => {
      const url = `https://o.example/{{getSessionVariable("${name}")}}`;
      expect(() => apply({ url })).toThrow(`Session variable "${name}" not found`);
    },
  );

  test.each([
    [{ id: '{{$body.input.id}}', 'q&': '{{$body.input.name}}' }, 'https://api.example/v1?id=7&q%26=a%20b%26c'],
    [{ gone: '{{$body.input.none}}', alone: null, '{{$body.input.id}}': 'x' }, 'https://api.example/v1?alone&7=x'],
    [{}, 'https://api.example/v1'],
    ['id={{$body.input.id}}&x=a+b%26&alone', 'https://api.example/v1?id=7&x=a%20b%26&alone'],
    ['?bad=%zz', 'https://api.example/v1?bad=%25zz'],
  ])('replaces the query: %j', (query_params, expected) => {
    expect(apply({ query_params }).url).toBe(expected);
  });

  test('preserves the query of the URL, unless it has one of its own', () => {
    const url = 'https://o.example/p?a=1#top';
    expect(apply({ url }).url).toBe(url);
    expect(apply({ url, query_params: { b: '2' } }).url).toBe('https://o.example/p?b=2');
  });

  test('adds, replaces and removes headers regardless of case', () => {
    const request_headers = {
      add_headers: { 'user-agent': 'me', 'X-Id': '{{$body.input.id}}' },
      remove_headers: ['CONTENT-TYPE'],
    };
    expect(apply({ request_headers }).headers).toEqual([
      ['user-agent', 'me'],
      ['X-Id', '7'],
    ]);
  });

  test('replaces the body in both versions', () => {
    const template = '{ "user": {{ $body.input.id }}, "all": {{ $body.list }} }';
    const body = '{"user":7,"all":[1,2]}';
    expect(apply({ body: template }).body).toBe(body);
    expect(apply({ body: { action: 'transform', template } }).body).toBe(body);
  });

  test('sends a form with its content type', () => {
    const form_template = { name: '{{$body.input.name}}', 'a b': 'x', list: '{{$body.list}}' };
    const sent = apply({ body: { action: 'x_www_form_urlencoded', form_template } });
    expect(sent.body).toBe('name=a%20b%26c&a%20b=x&list=%5B1%2C2%5D');
    expect(sent.headers).toContainEqual(['Content-Type', 'application/x-www-form-urlencoded']);
    const typed = apply({ content_type: 'application/x-www-form-urlencoded', body: '{"a": {{$body.input.name}}}' });
    expect(typed).toMatchObject({ body: 'a=a%20b%26c', headers: sent.headers });
  });

  test('removes the body and its content type', () => {
    const sent = apply({ body: { action: 'remove' } });
    expect(sent).toMatchObject({ body: undefined, headers: [['User-Agent', 'joinery/1']] });
  });

  test('with GET has no body unless it sets one', () => {
    expect(apply({ method: 'get' })).toMatchObject({
      method: 'GET',
      body: undefined,
      headers: [['User-Agent', 'joinery/1']],
    });
    expect(apply({ method: 'GET', body: '{"a":1}' })).toMatchObject({ body: '{"a":1}' });
  });

  test('reports all parse errors with their paths', () => {
    const written: WrittenRequestTransform = {
      url: '{{ $body.',
      query_params: { a: 'ok', 'b c': '{{ }}' },
      request_headers: { add_headers: { 'X-A': '{{ 1' } },
      body: { action: 'transform', template: '{\n "a": }' },
    };
    expect(issuesOf(() => readRequestTransform(written))).toEqual([
      '.url line 1, column 10: Unexpected end of the template.',
      `.query_params["b c"] line 1, column 4: Unexpected token '}'.`,
      '.request_headers.add_headers["X-A"] line 1, column 5: Unexpected end of the template.',
      ".body.template line 2, column 7: Unexpected token '}'.",
    ]);
  });

  test('reports all evaluation errors with their paths', () => {
    const written: WrittenRequestTransform = {
      url: 'ftp://{{ $body.input.id }}',
      request_headers: { add_headers: { 'X-A': 'line{{ "\\n" }}break', 'X-B': '{{ $body.no }}' } },
      body: { action: 'x_www_form_urlencoded', form_template: { a: '{{ $no }}' } },
    };
    expect(issuesOf(() => apply(written))).toEqual([
      ".body.form_template.a line 1, column 4: Variable '$no' not in scope",
      '.url the result is not an http or https URL',
      '.request_headers.add_headers["X-A"] the result has characters that a header cannot contain',
      `.request_headers.add_headers["X-B"] line 1, column 4: 'Object' has no attribute 'no'.`,
    ]);
  });
});

describe('a response transform', () => {
  const run = (written: WrittenResponseTransform, body: unknown, status = 200) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return transformResponse(readResponseTransform(written), { status, body: text, request, session });
  };

  test('can use the response, its status, the request and the session', () => {
    const body = `{
      "id": {{ $body.id }},
      "status": {{ $response.status }},
      "wanted": {{ $request.body.input.id }},
      "also": {{ $request.body.body.input.id }},
      "from": {{ $request.url.base_url }},
      "who": {{ $request.method.session_variables['x-service-user-id'] }},
      "me": {{ $session_variables['x-service-user-id'] }},
      "again": {{ getSessionVariable("x-service-user-id") }}
    }`;
    expect(run({ body }, { id: 1 })).toEqual({
      isError: false,
      value: { id: 1, status: 200, wanted: 7, also: 7, from: request.url, who: '42', me: '42', again: '42' },
    });
  });

  test('has null for a body that is not JSON, and its text', () => {
    expect(run({ body: '[{{ $body }}, {{ $response.text }}]' }, '<p>')?.value).toEqual([null, '<p>']);
  });

  test('applies to every status if it has no templates for errors', () => {
    expect(run({ body: '{{ $body.message }}' }, { message: 'no' }, 422)).toEqual({ value: 'no', isError: false });
  });

  test('applies the first template for errors that matches the status', () => {
    const written: WrittenResponseTransform = {
      body: '{{ $body.data }}',
      errors: [
        { status: [404, 410], body: { action: 'transform', template: '{"message": "gone"}' } },
        { status: '4xx', body: { action: 'transform', template: '{"message": {{ $body.detail }}}' } },
        { status: 503, body: { action: 'transform', template: '{"message": "later"}' } },
      ],
    };
    const respond = (status: number) => run(written, { data: 1, detail: 'bad' }, status);
    expect(respond(200)).toEqual({ value: 1, isError: false });
    expect(respond(410)).toEqual({ value: { message: 'gone' }, isError: true });
    expect(respond(422)).toEqual({ value: { message: 'bad' }, isError: true });
    expect(respond(503)).toEqual({ value: { message: 'later' }, isError: true });
    expect(respond(500)).toBeUndefined();
  });

  test('can remove the body, or encode it as a form', () => {
    expect(run({ body: { action: 'remove' } }, {})?.value).toBeNull();
    const form_template = { a: '{{ $body.a }}' };
    expect(run({ body: { action: 'x_www_form_urlencoded', form_template } }, { a: 'x y' })?.value).toBe('a=x%20y');
  });

  test('reports parse errors and evaluation errors with their paths', () => {
    const errors: WrittenResponseTransform['errors'] = [
      { status: '5xx', body: { action: 'transform', template: '{{' } },
    ];
    expect(issuesOf(() => readResponseTransform({ errors }))).toEqual([
      '.errors[0].body.template line 1, column 3: Unexpected end of the template.',
    ]);
    expect(issuesOf(() => run({ body: '{{ $body.x }}' }, {}))).toEqual([
      ".body line 1, column 4: 'Object' has no attribute 'x'.",
    ]);
  });
});
