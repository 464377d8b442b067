/** The command `test_webhook_transform`: a dry run of transforms without a request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true });
  node = await startServiceCore(database, { environment: { SECRET: 'of the service' } });
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

const webhook_url = 'http://localhost:1234';
const body = { hello: 'world' };
const dryRun = (args: object) => node.run('test_webhook_transform', { webhook_url, body, ...args });
const failure = async (args: object) => {
  const error: unknown = await dryRun(args).catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw new Error(`no error: ${JSON.stringify(error)}`);
  return error;
};

describe('a dry run of a request transform', () => {
  test('returns the URL, method, headers and body of the request', async () => {
    const request_transform = {
      url: 'http://www.example.com',
      template_engine: 'Kriti',
      body: '"hello_{{ $body.hello }}"',
      method: 'POST',
      query_params: { foo: 'bar' },
      request_headers: { add_headers: { foo: 'bar', 'content-type': 'application/json' } },
    };
    const expected = {
      webhook_url: 'http://www.example.com?foo=bar',
      method: 'POST',
      headers: [
        ['foo', 'bar'],
        ['content-type', 'application/json'],
      ],
      body: 'hello_world',
    };
    expect(await dryRun({ request_transform })).toEqual(expected);
    const env = { MY_WEBHOOK: 'http://www.example.net' };
    expect(await dryRun({ request_transform, env, webhook_url: { from_env: 'MY_WEBHOOK' } })).toEqual(expected);
  });

  test('returns a form as a string and a removed body as null', async () => {
    const form = {
      version: 2,
      body: { action: 'x_www_form_urlencoded', form_template: { foo: 'bar', baz: '{{$body.hello}}' } },
    };
    expect(await dryRun({ request_transform: form })).toMatchObject({ body: 'foo=bar&baz=world' });
    const none = { version: 2, body: { action: 'remove' } };
    expect(await dryRun({ request_transform: none })).toEqual({
      webhook_url: 'http://localhost:1234/',
      method: 'GET',
      headers: [],
      body: null,
    });
  });

  test('omits fields of a form and parameters that are null', async () => {
    const request_transform = {
      version: 2,
      query_params: { a: '{{ $body?.none }}', b: '1', '{{ $body?.none }}': '2' },
      body: {
        action: 'x_www_form_urlencoded',
        form_template: { a: '{{ $body?.none }}', 'b c': 'ä&{{ $body.hello }}' },
      },
    };
    expect(await dryRun({ request_transform })).toMatchObject({
      webhook_url: 'http://localhost:1234/?b=1',
      body: 'b%20c=%C3%A4%26world',
    });
  });

  test('returns the given body where the transform does not change it', async () => {
    expect(await dryRun({ request_transform: {} })).toMatchObject({ method: 'GET', body });
    expect(await dryRun({ request_transform: { method: 'GET' } })).toMatchObject({ method: 'GET', body: null });
  });

  test('uses the given session variables, whose names are case-insensitive', async () => {
    const request_transform = { body: '{{ getSessionVariable("myVariable") }}' };
    const session_variables = { MyVariable: 'some value' };
    expect(await dryRun({ request_transform, session_variables })).toMatchObject({ body: 'some value' });
    const missing = { body: '{{ getSessionVariable("this_variable_doesnt_exist") }}' };
    expect((await failure({ request_transform: missing, session_variables })).internal).toEqual([
      {
        path: '$.args.request_transform.body',
        error_code: 'Function Error',
        source_position: { start_line: 0, start_column: 23, end_line: 0, end_column: 51 },
        message: 'Session variable "this_variable_doesnt_exist" not found',
      },
    ]);
  });

  test('uses the given environment only, not that of the service', async () => {
    const request_transform = { url: '{{$base_url}}' };
    const args = {
      request_transform,
      webhook_url: '{{HOST}}/a',
      env: { HOST: 'http://h', K: '$&' },
      request_headers: [['X-K', 'k={{K}}']],
    };
    expect(await dryRun(args)).toMatchObject({ webhook_url: 'http://h/a', headers: [['x-k', 'k=$&']] });
    expect(await failure({ ...args, webhook_url: 'http://{{SECRET}}' })).toMatchObject({
      code: 'not-found',
      status: 400,
      path: '$.args',
      message: expect.stringContaining('Missing Env Var: SECRET'),
    });
  });

  test.each([
    ['$body.hello }}', 'Parse Error', "Unexpected token '}'.", 'parse-failed'],
    ['{"a": ;}', 'Lex Error', "Invalid Lexeme: ';}'", 'parse-failed'],
    ['{{ $body.world }}', 'Attribute Error', "'Object' has no attribute 'world'.", 'validation-failed'],
    ['{{ fooFunction("myVariable") }}', 'Name Error', "Variable 'fooFunction' not in scope", 'validation-failed'],
  ])('reports the error in the template %s', async (template, error_code, message, code) => {
    const request_transform = { version: 2, body: { action: 'transform', template } };
    expect(await failure({ request_transform })).toMatchObject({
      code,
      status: 400,
      path: '$.args',
      message: 'request transform validation failed',
      internal: [{ error_code, message }],
    });
  });

  test.each([
    [{ request_transform: { version: 3 } }, '$.args.request_transform.version'],
    [{ request_transform: { version: 2, body: 'text' } }, '$.args.request_transform.body'],
    [{ request_transform: { version: 2, body: { action: 'drop' } } }, '$.args.request_transform.body.action'],
    [{ request_transform: { method: 'BREW' } }, '$.args.request_transform.method'],
    [{ request_transform: { template_engine: 'Other' } }, '$.args.request_transform.template_engine'],
    [{ request_transform: { nonsense: 1 } }, '$.args.request_transform.nonsense'],
    [{}, '$.args.request_transform'],
  ])('rejects %j with its path', async (args, path) => {
    expect(await failure(args)).toMatchObject({ code: 'parse-failed', path });
  });

  test('rejects an invalid URL', async () => {
    expect(await failure({ webhook_url: 'nowhere', request_transform: {} })).toMatchObject({
      code: 'validation-failed',
      internal: [{ error_code: 'Request Initialization Error' }],
    });
  });
});

describe('a dry run of a response transform', () => {
  const response_transform = {
    body: '{ "is": {{$body.a}}, "sent": {{$request.body.hello}} }',
    errors: [{ status: '4xx', body: { action: 'transform', template: '{ "message": {{$body.why}} }' } }],
  };

  test('parses the transform, and applies it to a response if one is given', async () => {
    const args = { request_transform: {}, response_transform };
    expect(await dryRun(args)).not.toHaveProperty('response');
    expect(await dryRun({ ...args, response: { body: { a: 1 } } })).toMatchObject({
      response: { status: 200, body: { is: 1, sent: 'world' } },
    });
    expect(await dryRun({ ...args, response: { status: 404, body: { why: 'missing' } } })).toMatchObject({
      response: { status: 404, body: { message: 'missing' } },
    });
  });

  test('reports the error in its template', async () => {
    const bad = { version: 2, body: { action: 'transform', template: '$body.hello }}' } };
    expect(await failure({ request_transform: {}, response_transform: bad })).toMatchObject({
      code: 'parse-failed',
      message: 'response transform validation failed',
      internal: [{ path: '$.args.response_transform.body.template', error_code: 'Parse Error' }],
    });
  });
});

describe('the size of a dry run', () => {
  test.each([
    ['body', { body: { text: 'x'.repeat(1_000_000) }, request_transform: {} }],
    ['response.body', { request_transform: {}, response_transform: {}, response: { body: 'x'.repeat(1_000_001) } }],
  ])('is limited: %s', async (member, args) => {
    expect(await failure(args)).toMatchObject({ code: 'input-limit-exceeded', path: `$.args.${member}` });
  });

  test('permits a URL with 100,000 variables', async () => {
    const webhook_url = `http://127.0.0.1/${'{{A}}'.repeat(100_000)}`;
    const result = (await dryRun({ webhook_url, env: { A: 'a' }, request_transform: {} })) as { webhook_url: string };
    expect(result.webhook_url).toBe(`http://127.0.0.1/${'a'.repeat(100_000)}`);
  });
});
