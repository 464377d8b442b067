/** The log of a call has the request as the webhook received it, without secrets. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { printJson } from '../../../src/base/json-value.ts';
import { readSigner } from '../../../src/events/webhook/signature.ts';
import { type Call, column, fromNow } from '../../support/events/delivery-node.ts';
import { deliveryScene } from '../../support/events/delivery-scene.ts';
import { createScheduledEvent, getScheduledEventInvocations } from '../../support/events/event-commands.ts';
import { until } from '../../support/until.ts';

const scene = deliveryScene();
const environment: Record<string, string> = { TOKEN: 'secret-token' };

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string | null;
}

async function processed(id: string): Promise<void> {
  const text = 'select id from joinery.processed_events where id = $1';
  await until('the event is processed', async () => (await column(scene.db.database, text, [id])).length === 1);
}

/** Schedules an event and returns its id when it has been delivered. */
async function delivered(args: Record<string, unknown>): Promise<string> {
  const all = { schedule_at: fromNow(0), payload: { n: 1 }, ...args };
  const id = String((await createScheduledEvent(scene.db.database.query, all, environment)).event_id);
  await processed(id);
  return id;
}

/** Returns the requests of the calls of an event as they are logged, the latest first. */
async function sentFor(id: string): Promise<readonly Sent[]> {
  const args = { type: 'one_off', event_id: id };
  const { invocations } = await getScheduledEventInvocations(scene.db.database.query, args);
  const logs = JSON.parse(printJson(invocations)) as { readonly request: { readonly sent: Sent } }[];
  return logs.map(({ request }) => request.sent);
}

/** Delivers an event. Returns its only call, and the request of its log. */
async function sentBy(args: Record<string, unknown>): Promise<{ call: Call; origin: string; sent: Sent }> {
  const sink = await scene.sinkFor();
  const id = await delivered({ ...args, webhook: `${sink.origin}/hook${args.webhook ?? ''}` });
  const [sent] = await sentFor(id);
  const [call] = sink.calls;
  if (sent === undefined || call === undefined) throw new Error('the webhook was not called');
  return { call, origin: sink.origin, sent };
}

/** The headers that were received, as the log has them. */
function received({ headers }: Call, masked: Readonly<Record<string, string>> = {}): Record<string, unknown> {
  return { ...headers, ...masked };
}

const listed = ({ headers }: Sent): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));

test('the log of a call has the method, URL, headers and body as they were received', async () => {
  await scene.nodeFor({ environment });
  const { call, origin, sent } = await sentBy({});
  expect(sent).toMatchObject({ method: 'POST', url: `${origin}/hook`, body: call.text });
  expect(listed(sent)).toEqual(received(call));
});

test('the log of a call has templates for values of variables, and no signature', async () => {
  await scene.nodeFor({ environment, sign: readSigner(`whsec_${randomBytes(32).toString('base64')}`) });
  const { call, origin, sent } = await sentBy({
    webhook: '?token={{TOKEN}}',
    headers: [
      { name: 'Authorization', value_from_env: 'TOKEN' },
      { name: 'X-Bearer', value: 'Bearer {{TOKEN}}' },
      { name: 'X-Plain', value: 'plain' },
    ],
  });
  expect(call.path).toBe('/hook?token=secret-token');
  expect(sent).toMatchObject({ url: `${origin}/hook?token={{TOKEN}}`, body: call.text });
  const masked = { authorization: '{{TOKEN}}', 'x-bearer': 'Bearer {{TOKEN}}', 'webhook-signature': '***' };
  expect(listed(sent)).toEqual(received(call, masked));
  expect(JSON.stringify(sent)).not.toContain('secret-token');
});

test('the log of a call has the method, URL, query parameters, headers and body that a transform made', async () => {
  await scene.nodeFor({ environment });
  const { call, origin, sent } = await sentBy({
    webhook: '?token={{TOKEN}}',
    headers: [{ name: 'Authorization', value_from_env: 'TOKEN' }],
    request_transform: {
      version: 2,
      method: 'PUT',
      url: '{{$base_url}}',
      query_params: { token: 'secret-token', n: '{{$body.payload.n}}' },
      request_headers: { add_headers: { 'X-N': '{{$body.payload.n}}' }, remove_headers: ['User-Agent'] },
      body: { action: 'transform', template: '{"text": "{{$body.payload.n}} of {{$base_url}}"}' },
    },
  });
  expect(call.method).toBe('PUT');
  expect(sent.method).toBe('PUT');
  const hidden = (text: string): string => text.replaceAll('secret-token', '{{TOKEN}}');
  expect(sent.url).toBe(hidden(`${origin}${call.path}`));
  expect(sent.body).toBe(hidden(call.text));
  expect(listed(sent)).toEqual(received(call, { authorization: '{{TOKEN}}' }));
});

test('the log of a call has each attempt of a retried event', async () => {
  await scene.nodeFor({ environment });
  const sink = await scene.sinkFor((call, response) => {
    response.writeHead(call.headers['webhook-attempt'] === '1' ? 503 : 200).end();
  });
  const retry_conf = { num_retries: 1, retry_interval_seconds: 0 };
  const id = await delivered({ webhook: `${sink.origin}/hook`, retry_conf });
  expect((await sentFor(id)).map(listed)).toEqual(sink.calls.map((call) => received(call)).reverse());
});

test('the log of a call before a change of the event has the body that was sent', async () => {
  await scene.nodeFor({ environment });
  const sink = await scene.sinkFor((call, response) => {
    response.writeHead(call.headers['webhook-attempt'] === '1' ? 503 : 200).end();
  });
  const { query } = scene.db.database;
  const retry_conf = { num_retries: 1, retry_interval_seconds: 3_600 };
  const all = {
    schedule_at: fromNow(0),
    payload: { big: 1 },
    comment: 'first',
    webhook: `${sink.origin}/hook`,
    retry_conf,
  };
  const id = String((await createScheduledEvent(query, all, environment)).event_id);
  const waiting = 'select id from joinery.scheduled_events where tries = 1 and id = $1';
  await until('the first call has failed', async () => (await column(scene.db.database, waiting, [id])).length === 1);
  const changed = `select joinery.change_event($1, null, null, '{"n":12345678901234567890}', null, null, null, null, null, 'second',
    false, null, '{"body":"payload"}')`;
  expect(await column(scene.db.database, changed, [id])).toEqual(['t']);
  await query({ text: 'select joinery.run_event_now($1)', values: [id] });
  await processed(id);
  expect((await sentFor(id)).map(({ body }) => body)).toEqual(sink.calls.map(({ text }) => text).reverse());
  expect(sink.calls[0]?.text).toContain('"comment":"first"');
  expect(sink.calls[1]?.text).toBe('{"n":12345678901234567890}');
});

test('the log of a call has the time for which a node had claimed the event', async () => {
  await scene.nodeFor({ environment });
  const sink = await scene.sinkFor();
  const id = await delivered({ webhook: `${sink.origin}/hook`, schedule_at: fromNow(1_000) });
  const args = { type: 'one_off', event_id: id };
  const { invocations } = await getScheduledEventInvocations(scene.db.database.query, args);
  expect(invocations[0]?.waited_ms).toBeGreaterThanOrEqual(0);
});
