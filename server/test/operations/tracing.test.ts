/** Traces of requests and deliveries, received as OTLP over HTTP. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code?: number };
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** The receiver reads JSON, and spans only. */
const json = {
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
};

let receiver: HandlerServer;
let handler: HandlerServer;
let service: TestService;

beforeAll(async () => {
  receiver = await startHandlerServer({ '/v1/traces': () => ({}) });
  handler = await startHandlerServer({
    '/greet': () => ({ text: 'hello', by: 1 }),
    '/hook': () => ({}),
    '/auth': () => ({ 'x-service-role': 'user' }),
  });
  // The libraries of OpenTelemetry read the environment of the process.
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url);
  vi.stubEnv('OTEL_SERVICE_NAME', 'shop');
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50');
  service = await startService(
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...json, HANDLER: handler.url },
    { sql: 'create table author (id int primary key); insert into author values (1)' },
  );
  await service.command('track_table', { schema: 'public', name: 'author' });
  await service.command('set_custom_types', {
    objects: [
      {
        name: 'Greeting',
        fields: [
          { name: 'text', type: 'String!' },
          { name: 'by', type: 'Int!' },
        ],
        relationships: [{ name: 'author', type: 'object', remote_table: 'author', field_mapping: { by: 'id' } }],
      },
    ],
  });
  await service.command('create_action', {
    name: 'greet',
    definition: { handler: '{{HANDLER}}/greet', type: 'query', output_type: 'Greeting!', arguments: [] },
  });
});

afterAll(async () => {
  await service?.stop();
  vi.unstubAllEnvs();
  await Promise.all([receiver?.close(), handler?.close()]);
});

function spans(): Span[] {
  return receiver.calls.flatMap(({ body }) =>
    (body as unknown as Batch).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
}

async function spanThat(matches: (span: Span) => boolean): Promise<Span> {
  return until('a span matches', () => spans().find(matches));
}

function attribute({ attributes }: Pick<Span, 'attributes'>, key: string): unknown {
  const value = attributes.find((one) => one.key === key)?.value;
  return value && Object.values(value)[0];
}

describe('a request', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';

  it('continues the trace of its caller in plan, statement and action, and in the call of the handler', async () => {
    await service.post(
      '/v1/graphql',
      { query: 'query Both { author { id } greet { text } }' },
      {
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        'x-request-id': 'traced-1',
      },
    );
    const inTrace = (name: string) => spanThat((span) => span.traceId === traceId && span.name === name);
    const root = await inTrace('POST /v1/graphql');
    expect(root.parentSpanId).toBe('b7ad6b7169203331');
    expect(attribute(root, 'joinery.request_id')).toBe('traced-1');
    const operation = await inTrace('GraphQL');
    expect(operation.parentSpanId).toBe(root.spanId);
    expect(attribute(operation, 'graphql.operation.name')).toBe('Both');
    const below = await Promise.all(['plan', 'SELECT default', 'action greet'].map(inTrace));
    expect(below.map(({ parentSpanId }) => parentSpanId)).toEqual(below.map(() => operation.spanId));
    const call = handler.calls.find(({ path }) => path === '/greet');
    expect(call?.headers.traceparent).toBe(`00-${traceId}-${below[2]?.spanId}-01`);
  });

  it('starts a new trace without a valid traceparent', async () => {
    const send = (id: string, traceparent: string) =>
      service.post('/v1/graphql', { query: '{ author { id } }' }, { traceparent, 'x-request-id': id });
    await send('alone-1', 'nonsense');
    await send('alone-2', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`);
    for (const id of ['alone-1', 'alone-2']) {
      const span = await spanThat((one) => attribute(one, 'joinery.request_id') === id);
      expect(span.parentSpanId ?? '').toBe('');
      expect(span.traceId).not.toMatch(/^0+$/);
    }
  });

  it('has no span at the endpoints for monitoring', async () => {
    const headers = { traceparent: `00-${'5'.repeat(32)}-b7ad6b7169203331-01` };
    for (const path of ['/healthz', '/hasura/healthz', '/readyz', '/metrics', '/v1/version']) {
      for (const method of ['GET', 'HEAD']) await fetch(service.url + path, { method, headers });
    }
    await service.post('/v1/graphql', { query: '{ author { id } }' }, { 'x-request-id': 'after-probes' });
    await spanThat((one) => attribute(one, 'joinery.request_id') === 'after-probes');
    const ofProbes = spans().filter(
      ({ name, traceId }) => traceId === '5'.repeat(32) || /healthz|readyz|metrics|version/.test(name),
    );
    expect(ofProbes).toEqual([]);
  });

  it('has the error code as an attribute', async () => {
    await service.post('/v1/graphql', { query: 'query Wrong { nothing }' });
    const span = await spanThat((one) => one.name === 'GraphQL' && attribute(one, 'error.type') !== undefined);
    expect(attribute(span, 'error.type')).toBe('validation-failed');
  });

  it('is exported with the name of the service', () => {
    const [batch] = receiver.calls.map(({ body }) => body as unknown as Batch);
    const resource = batch?.resourceSpans[0]?.resource;
    expect(resource && attribute(resource, 'service.name')).toBe('shop');
    expect(resource && attribute(resource, 'service.version')).toMatch(/^\d+\.\d+/);
  });
});

it('the call of the authentication webhook is part of the trace of the request', async () => {
  const withHook = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    ...json,
    JOINERY_ADMIN_SECRET: 'a secret of sixteen',
    JOINERY_AUTH_HOOK: `${handler.url}/auth`,
  });
  const traceId = '3af7651916cd43dd8448eb211c80319f';
  await withHook.post('/v1/graphql', { query: '{ __typename }' }, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  await withHook.stop();
  const hookSpan = await spanThat((one) => one.traceId === traceId && one.name === 'auth-hook');
  const request = await spanThat((one) => one.spanId === hookSpan.parentSpanId);
  expect(request.name).toBe('POST /v1/graphql');
  const call = handler.calls.find(({ path }) => path === '/auth');
  expect(call?.headers.traceparent).toBe(`00-${traceId}-${hookSpan.spanId}-01`);
});

it('the statements of run_sql and data commands are part of the trace of their request', async () => {
  const traceId = '2af7651916cd43dd8448eb211c80319e';
  const send = (body: unknown) => service.post('/v1/query', body, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  await send({ type: 'run_sql', args: { sql: 'update author set id = id' } });
  await send({ type: 'select', args: { table: 'author', columns: ['id'] } });
  for (const statement of ['UPDATE default', 'SELECT default']) {
    const span = await spanThat((one) => one.traceId === traceId && one.name === statement);
    let parent = await spanThat((one) => one.spanId === span.parentSpanId);
    if (statement === 'SELECT default') {
      expect(parent.name).toBe('GraphQL');
      const operation = parent;
      parent = await spanThat((one) => one.spanId === operation.parentSpanId);
    }
    expect(parent.name).toBe('POST /v1/query');
  }
});

it('calls and statements of joins are part of the operation, and statements of the service itself are not traced', async () => {
  await service.command('create_scheduled_event', {
    webhook: '{{HANDLER}}/hook',
    schedule_at: '2999-01-01T00:00:00Z',
    payload: {},
  });
  await service.graphql('query Joined { greet { text author { id } } }');
  const operation = await spanThat((one) => attribute(one, 'graphql.operation.name') === 'Joined');
  const call = await spanThat((one) => one.parentSpanId === operation.spanId && one.name === 'action greet');
  const statement = await spanThat((one) => one.parentSpanId === operation.spanId && one.name === 'SELECT default');
  expect(call.traceId).toBe(statement.traceId);
  const statements = spans().filter((one) => attribute(one, 'db.system.name') !== undefined);
  expect(statements.filter(({ parentSpanId }) => (parentSpanId ?? '') === '')).toEqual([]);
});

it('a delivery is a trace, which is passed to its webhook', async () => {
  await service.command('create_scheduled_event', {
    webhook: '{{HANDLER}}/hook',
    schedule_at: new Date().toISOString(),
    payload: { n: 1 },
  });
  const span = await spanThat(({ name }) => name === 'event');
  const call = await until('the webhook is called', () => handler.calls.find(({ path }) => path === '/hook'));
  expect(call.headers.traceparent).toBe(`00-${span.traceId}-${span.spanId}-01`);
});

/** Opens a websocket with an acknowledged connection. `received` waits for the next message of a type. */
async function openSocket(): Promise<{ socket: WebSocket; received(type: string): Promise<void> }> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/graphql`, 'graphql-transport-ws');
  const received = (type: string) =>
    new Promise<void>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        if (JSON.parse(String(data)).type === type) resolve();
      });
    });
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const acknowledged = received('connection_ack');
  socket.send(JSON.stringify({ type: 'connection_init' }));
  await acknowledged;
  return { socket, received };
}

it('an operation of a websocket is a trace of its own', async () => {
  const { socket, received } = await openSocket();
  const completed = received('complete');
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'query Socket { author { id } }' } }));
  await completed;
  socket.close();
  const operation = await spanThat((one) => attribute(one, 'graphql.operation.name') === 'Socket');
  expect(operation.parentSpanId ?? '').toBe('');
  await spanThat((one) => one.parentSpanId === operation.spanId && one.name === 'SELECT default');
});

it('a poll of a subscription is a trace of its own, with its statement', async () => {
  const { socket, received } = await openSocket();
  const firstResult = received('next');
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: 'subscription { author { id } }' } }));
  await firstResult;
  socket.close();
  const poll = await spanThat((one) => one.name === 'poll');
  expect(poll.parentSpanId ?? '').toBe('');
  expect(attribute(poll, 'joinery.poll')).toBe('live');
  expect(attribute(poll, 'joinery.path')).toBe('$.selectionSet.author');
  expect(Number(attribute(poll, 'joinery.subscribers'))).toBe(1);
  await spanThat((one) => one.parentSpanId === poll.spanId && one.name === 'SELECT default');
});

it('a request of a trace that is not sampled exports no spans, and passes the flag to the handler', async () => {
  const dropped = '1af7651916cd43dd8448eb211c80319d';
  const traceparent = `00-${dropped}-b7ad6b7169203331-00`;
  await service.post('/v1/graphql', { query: 'query Dropped { author { id } greet { text } }' }, { traceparent });
  expect(handler.calls.at(-1)?.headers.traceparent).toMatch(new RegExp(`^00-${dropped}-[0-9a-f]{16}-00$`));
  // The spans of a later request have arrived, so that those of this request would have arrived too.
  await service.graphql('query Later { author { id } }');
  await spanThat((one) => attribute(one, 'graphql.operation.name') === 'Later');
  expect(spans().filter((one) => one.traceId === dropped)).toEqual([]);
});
