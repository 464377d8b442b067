/** The export of traces as the metadata configures it, received by a collector on loopback. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { startOtlpCollector } from '../support/telemetry/otlp-collector.ts';
import { until } from '../support/until.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly { readonly attributes: readonly Attribute[] }[] }[];
  }[];
}

/** The collector reads JSON, and spans only. */
const json = {
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
};

let collector: HandlerServer;
let service: TestService;
let environment: Readonly<Record<string, string>>;

const settings = {
  status: 'enabled',
  data_types: ['traces'],
  exporter_otlp: {
    otlp_traces_endpoint: '{{COLLECTOR}}/own/path',
    protocol: 'http/protobuf',
    headers: [
      { name: 'x-tenant', value: 'shop' },
      { name: 'x-key', value_from_env: 'COLLECTOR_KEY' },
    ],
    resource_attributes: [{ name: 'stage', value: '{{STAGE}}' }],
  },
  batch_span_processor: { max_export_batch_size: 2 },
};

beforeAll(async () => {
  collector = await startHandlerServer({ '/own/path': () => ({}), '/other': () => ({}), '/v1/traces': () => ({}) });
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20');
  environment = { ...json, COLLECTOR: collector.url, COLLECTOR_KEY: 'key', STAGE: 'test', TRACES: 'enabled' };
  service = await startService(environment);
});

beforeEach(async () => {
  await configure({ status: 'disabled' });
  collector.reset();
});

afterAll(async () => {
  await service?.stop();
  vi.unstubAllEnvs();
  await collector?.close();
});

function configure(config: object): Promise<unknown> {
  return service.command('set_opentelemetry_config', config);
}

let requests = 0;

/** Sends requests until the collector has received the span of one at `path`. Returns the call and its batch. */
async function received(path: string, target: TestService = service) {
  const first = requests;
  return until(`a span arrives at ${path}`, async () => {
    requests += 1;
    const id = `request-${requests}.`;
    await target.post('/v1/graphql', { query: '{ __typename }' }, { 'x-request-id': id });
    const ids = Array.from({ length: requests - first }, (_, index) => `"request-${first + index + 1}."`);
    const call = collector.calls.find((one) => one.path === path && ids.some((sent) => one.text.includes(sent)));
    return call && { call, batch: call.body as unknown as Batch };
  });
}

it('sends spans to the endpoint as it is written, with headers and attributes of the resource', async () => {
  await configure(settings);
  const { call, batch } = await received('/own/path');
  expect(call.headers).toMatchObject({ 'x-tenant': 'shop', 'x-key': 'key' });
  const attributes = batch.resourceSpans[0]?.resource.attributes ?? [];
  expect(attributes).toContainEqual({ key: 'stage', value: { stringValue: 'test' } });
  expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'joinery' } });
});

it('sends spans as protobuf unless the environment sets http/json', async () => {
  const otlp = await startOtlpCollector();
  const other = await startService({ COLLECTOR: otlp.url });
  try {
    const exporter_otlp = { otlp_traces_endpoint: '{{COLLECTOR}}/v1/traces', protocol: 'http/protobuf' };
    await other.command('set_opentelemetry_config', { ...settings, exporter_otlp });
    const types = await until('spans arrive', async () => {
      await other.post('/v1/graphql', { query: '{ __typename }' });
      return otlp.spans().some(({ name }) => name === 'POST /v1/graphql') && otlp.requests.map(({ type }) => type);
    });
    expect(new Set(types)).toEqual(new Set(['application/x-protobuf']));
  } finally {
    await other.stop();
    await otlp.close();
  }
});

it('has at most as many spans in a request as the size of a batch', async () => {
  await configure(settings);
  await received('/own/path');
  const sizes = collector.calls.map(({ body }) =>
    (body as unknown as Batch).resourceSpans
      .flatMap(({ scopeSpans }) => scopeSpans)
      .reduce((sum, { spans }) => sum + spans.length, 0),
  );
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2);
});

it('applies each change without a restart', async () => {
  await configure(settings);
  await received('/own/path');
  const exporter_otlp = { otlp_traces_endpoint: '{{COLLECTOR}}/other' };
  await configure({ ...settings, exporter_otlp });
  const { call } = await received('/other');
  expect(call.headers).not.toHaveProperty('x-tenant');
});

it('takes the status from a variable of the environment', async () => {
  await configure({ ...settings, status: '{{TRACES}}' });
  await received('/own/path');
});

describe('sends nothing', () => {
  it.each([
    ['while the status is disabled', { ...settings, status: 'disabled' }],
    ['for other types of data', { ...settings, data_types: [] }],
  ])('%s', async (_rule, config) => {
    await configure(settings);
    await received('/own/path');
    await configure(config);
    await service.post('/v1/graphql', { query: '{ __typename }' }, { 'x-request-id': 'not-traced' });
    // The spans of later requests have arrived, so that those of this request would have arrived too.
    await configure({ ...settings, exporter_otlp: { otlp_traces_endpoint: '{{COLLECTOR}}/other' } });
    await received('/other');
    expect(JSON.stringify(collector.calls.map(({ body }) => body))).not.toContain('not-traced');
  });
});

it('applies on other nodes', async () => {
  const other = await startService(environment, service.database);
  try {
    await configure(settings);
    await received('/own/path', other);
    await configure({ ...settings, exporter_otlp: { otlp_traces_endpoint: '{{COLLECTOR}}/other' } });
    await received('/other', other);
  } finally {
    await other.stop();
  }
});

it('set_opentelemetry_status starts and stops the export', async () => {
  await configure({ ...settings, status: 'disabled' });
  await service.command('set_opentelemetry_status', { status: 'enabled' });
  await received('/own/path');
});

it.each([
  ['$.exporter_otlp.otlp_traces_endpoint', { otlp_traces_endpoint: '{{NOWHERE}}/v1/traces' }],
  ['$.exporter_otlp.otlp_traces_endpoint', { otlp_traces_endpoint: 'http://c/{{PATH' }],
  ['$.exporter_otlp.otlp_traces_endpoint', { otlp_traces_endpoint: 'ftp://collector/traces' }],
  ['$.exporter_otlp.otlp_traces_endpoint', { otlp_traces_endpoint: 'http://169.254.169.254/v1/traces' }],
  [
    '$.exporter_otlp.headers',
    { otlp_traces_endpoint: 'http://c/v1/traces', headers: [{ name: 'k', value_from_env: 'NOWHERE' }] },
  ],
])('rejects settings that cannot be used, at %s: %j', async (path, exporter_otlp) => {
  const response = await service.post('/v1/metadata', {
    type: 'set_opentelemetry_config',
    args: { ...settings, exporter_otlp },
  });
  expect(response.status).toBe(400);
  expect(JSON.stringify(response.body)).toContain(path.slice(1));
});

it('reports the exporters of metrics and logs as without effect', async () => {
  const more = { otlp_metrics_endpoint: 'http://c/v1/metrics', otlp_logs_endpoint: 'http://c/v1/logs' };
  await configure({ ...settings, exporter_otlp: { ...settings.exporter_otlp, ...more } });
  const { inconsistent_objects: listed } = (await service.command('get_inconsistent_metadata', {})) as {
    readonly inconsistent_objects: readonly { readonly type: string; readonly name: string }[];
  };
  expect(listed.filter(({ type }) => type === 'unsupported').map(({ name }) => name)).toEqual([
    expect.stringContaining('otlp_metrics_endpoint'),
    expect.stringContaining('otlp_logs_endpoint'),
  ]);
});

describe('variables of the environment take precedence', () => {
  it('over the endpoint', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    const other = await startService({ ...json, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, COLLECTOR: collector.url });
    try {
      const exporter_otlp = { otlp_traces_endpoint: '{{COLLECTOR}}/own/path' };
      await other.command('set_opentelemetry_config', { ...settings, exporter_otlp });
      const first = requests;
      await received('/v1/traces', other);
      const sent = Array.from({ length: requests - first }, (_, index) => `"request-${first + index + 1}."`);
      const elsewhere = collector.calls.filter(({ path }) => path !== '/v1/traces').map(({ text }) => text);
      expect(sent.filter((id) => elsewhere.join().includes(id))).toEqual([]);
    } finally {
      await other.stop();
      vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', undefined);
    }
  });

  it('over headers of the same name', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=environment');
    const given = { ...json, OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=environment', COLLECTOR: collector.url };
    const other = await startService({ ...given, COLLECTOR_KEY: 'key', STAGE: 'test' });
    try {
      await other.command('set_opentelemetry_config', settings);
      const { call } = await received('/own/path', other);
      expect(call.headers).toMatchObject({ 'x-tenant': 'environment', 'x-key': 'key' });
    } finally {
      await other.stop();
      vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', undefined);
    }
  });
});
