/** The log of the calls of asynchronous actions: what was sent, without secrets, in bounded size. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { settleEntry } from '../../src/execute/action/action-log.ts';
import { type HandlerCall, type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

interface Run {
  readonly id: string;
  readonly status: string;
  readonly tries: number;
  readonly calls: readonly Call[];
}
interface Call {
  readonly attempt: number;
  readonly sent: Sent | null;
  readonly response: { readonly status: number; readonly body: string; readonly truncated?: true } | null;
  readonly error: string | null;
}
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string | null;
  readonly truncated?: true;
}

let handlers: HandlerServer;
let service: TestService;
let failures = 0;

const definitions = {
  plain: { arguments: [{ name: 'text', type: 'String' }] },
  secret: {
    handler: '{{HANDLERS}}/plain?key={{KEY}}',
    forward_client_headers: true,
    headers: [
      { name: 'X-Key', value_from_env: 'KEY' },
      { name: 'X-Plain', value: 'plain' },
    ],
  },
  changed: {
    handler: '{{HANDLERS}}/plain?key={{KEY}}',
    forward_client_headers: true,
    request_transform: {
      version: 2,
      method: 'PUT',
      url: '{{$base_url}}',
      body: { action: 'transform', template: '{ "from": {{$base_url}} }' },
    },
  },
  flaky: { retry_conf: { num_retries: 1, retry_interval_seconds: 0 } },
  lost: { handler: 'http://127.0.0.1:1' },
  untransformed: {
    request_transform: { version: 2, body: { action: 'transform', template: '{{ $body.input.none }}' } },
  },
};

beforeAll(async () => {
  handlers = await startHandlerServer({
    '/plain': (_call, out) => void out.writeHead(200, { 'set-cookie': 'session=1' }).end('7'),
    '/flaky': (_call, out) => {
      failures += 1;
      return failures > 1 ? 7 : void out.writeHead(503).end('{"message":"overloaded"}');
    },
  });
  service = await startService({
    JOINERY_ASYNC_ACTIONS_FETCH_INTERVAL: '30',
    HANDLERS: handlers.url,
    KEY: 'secret-key',
  });
  for (const [name, definition] of Object.entries(definitions)) {
    const usual = { kind: 'asynchronous', handler: `{{HANDLERS}}/${name}`, output_type: 'Int' };
    await service.command('create_action', { name, definition: { ...usual, ...definition } });
  }
}, 60_000);

beforeEach(() => handlers.reset());

afterAll(async () => {
  await service?.stop();
  await handlers?.close();
});

/** Calls the action and returns its finished run. */
async function runOf(name: string, args = '', headers: Readonly<Record<string, string>> = {}): Promise<Run> {
  const { data } = (await service.graphql(`mutation { ${name}${args} }`, headers)) as { data: Record<string, string> };
  const read = () => service.command('get_action_run', { id: data[name] }) as Promise<Run>;
  await expect.poll(async () => (await read()).status, { timeout: 15_000 }).toMatch(/completed|error/);
  return read();
}

/** The headers as the server received them, with values for those that the log does not show. */
function received({ headers }: HandlerCall, hidden: Readonly<Record<string, string>>) {
  return Object.entries({ ...headers, ...hidden }).toSorted(byName);
}

function logged({ headers }: Sent) {
  return headers.map(({ name, value }) => [name.toLowerCase(), value]).toSorted(byName);
}

function byName([one = '']: readonly unknown[], [other = '']: readonly unknown[]): number {
  return String(one).localeCompare(String(other));
}

it('logs method, URL, all headers and body of a call as the handler received them', async () => {
  const { calls } = await runOf('plain', '(text: "é")');
  const [call] = handlers.calls;
  const sent = calls[0]?.sent;
  if (call === undefined || !sent) throw new Error('there was no call');
  expect({ ...sent, headers: logged(sent) }).toEqual({
    method: call.method,
    url: '{{HANDLERS}}/plain',
    headers: received(call, { host: '{{HANDLERS}}' }),
    body: call.text,
  });
});

it('logs values of environment variables as templates, and neither credentials nor cookies', async () => {
  const { calls } = await runOf('secret', '', { authorization: 'Bearer token', 'x-trace': 'a' });
  const [call] = handlers.calls;
  const sent = calls[0]?.sent;
  if (call === undefined || !sent) throw new Error('there was no call');
  expect(call.headers).toMatchObject({ authorization: 'Bearer token', 'x-key': 'secret-key' });
  expect(logged(sent)).toEqual(received(call, { host: '{{HANDLERS}}', authorization: '***', 'x-key': '{{KEY}}' }));
  expect(JSON.stringify(calls)).not.toMatch(/secret-key|token|session=1/);
});

it('logs the transformed request without the values of the variables of its URL', async () => {
  const { calls } = await runOf('changed');
  const [call] = handlers.calls;
  expect(call).toMatchObject({
    method: 'PUT',
    search: '?key=secret-key',
    body: { from: `${handlers.url}/plain?key=secret-key` },
  });
  expect(calls[0]?.sent).toMatchObject({
    method: 'PUT',
    url: '{{HANDLERS}}/plain?key={{KEY}}',
    body: '{"from":"{{HANDLERS}}/plain?key={{KEY}}"}',
  });
});

it('logs every call of a run that is repeated, with its response', async () => {
  const { calls } = await runOf('flaky');
  const shown = calls.map(({ attempt, response }) => [attempt, response?.status, response?.body]);
  expect(shown).toEqual([
    [1, 503, '{"message":"overloaded"}'],
    [2, 200, '7'],
  ]);
});

it('logs the reason of a call without a response', async () => {
  const { calls } = await runOf('lost');
  expect(calls).toMatchObject([{ sent: { method: 'POST' }, response: null, error: expect.stringMatching(/connect/i) }]);
});

it('logs a request that could not be built as not sent', async () => {
  const { calls } = await runOf('untransformed');
  expect(calls).toMatchObject([{ sent: null, response: null, error: 'Request Transformation Failed' }]);
});

it('logs the beginning of a large body', async () => {
  const { calls } = await runOf('plain', `(text: "${'x'.repeat(40_000)}")`);
  expect(calls[0]?.sent).toMatchObject({ truncated: true, body: handlers.calls[0]?.text.slice(0, 16_000) });
});

it('keeps the last twenty calls of a run', async () => {
  const { query } = service.database.database;
  const text = `insert into joinery.action_log (action_name, input_payload, session_variables, due_at)
    values ('plain', '{}', '{}', 'infinity') returning id`;
  const id = String((await query({ text, values: [] })).rows[0]?.[0]);
  for (let attempt = 1; attempt <= 22; attempt += 1) {
    await query({ text: 'update joinery.action_log set lease = 1 where id = $1', values: [id] });
    const outcome = { kind: 'retry', inMs: 100_000_000, call: JSON.stringify({ attempt }) } as const;
    await settleEntry(query, '1', { id, tries: attempt - 1 }, outcome);
  }
  const { calls } = (await service.command('get_action_run', { id })) as Run;
  expect(calls.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, index) => index + 3));
});

it('lists the runs of an action in pages, the latest first', async () => {
  const first = await runOf('secret');
  const second = await runOf('secret');
  const page = (await service.command('get_action_runs', { name: 'secret', limit: 1 })) as Page;
  const next = (await service.command('get_action_runs', { name: 'secret', limit: 1, before: page.next })) as Page;
  expect([...page.runs, ...next.runs].map(({ id }) => id)).toEqual([second.id, first.id]);
});

interface Page {
  readonly runs: readonly Run[];
  readonly next?: string;
}

it('lists the runs of some statuses', async () => {
  await runOf('lost');
  const { runs } = (await service.command('get_action_runs', { name: 'lost', status: ['completed'] })) as Page;
  expect(runs).toEqual([]);
});

it('rejects an id without a run', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  await expect(service.command('get_action_run', { id })).rejects.toThrow('there is no run with the id');
});
