/** Traces, metrics and logs of a service in its own process, as a collector receives them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process.ts';
import { type OtlpCollector, startOtlpCollector } from '../support/telemetry/otlp-collector.ts';
import type { ReceivedMetric } from '../support/telemetry/otlp-requests.ts';
import { until } from '../support/until.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
/** A setting that is also the name of an operation. */
const secret = 'secretOfTheMetrics';

const intervals = {
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_BLRP_SCHEDULE_DELAY: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '300',
};

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.drop());

function startProcess(environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const service = { JOINERY_DATABASE_URL: database.url, JOINERY_PORT: '0', JOINERY_QUERY_LOG: 'true' };
  return startServiceProcess({ ...service, JOINERY_METRICS_SECRET: secret, ...intervals, ...environment });
}

/** Sends an operation in the trace and returns the status. */
async function query(url: string, text: string): Promise<number> {
  const response = await fetch(`${url}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    body: JSON.stringify({ query: text }),
  });
  await response.text();
  return response.status;
}

describe.each([
  ['http/protobuf, the default', {}, 'application/x-protobuf'],
  ['http/json', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'application/json'],
  ['grpc', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'grpc'],
  [
    'http/protobuf, where a signal has another protocol than the others',
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', ...protocolOfSignals('http/protobuf') },
    'application/x-protobuf',
  ],
])('over %s', (_protocol, settings, type) => {
  let collector: OtlpCollector;
  let service: ServiceProcess;
  let began: number;

  beforeAll(async () => {
    collector = await startOtlpCollector();
    began = Date.now();
    service = await startProcess({
      OTEL_EXPORTER_OTLP_ENDPOINT: type === 'grpc' ? collector.grpcUrl : collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=shop',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'shop',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      ...settings,
    });
    await query(service.url, `query Traced { __typename }`);
    await query(service.url, `query ${secret} { __typename }`);
  });
  afterAll(async () => {
    await service?.stop();
    await collector?.close();
  });

  /** Waits for a metric with a point that has the attributes. */
  async function metric(name: string, attributes: Readonly<Record<string, unknown>> = {}) {
    return until(`the metric ${name} is received`, () => {
      const found: (readonly [ReceivedMetric, ReceivedMetric['points'][number]])[] = collector
        .metrics()
        .filter((one) => one.name === name)
        .flatMap((one) => one.points.map((point) => [one, point] as const))
        .filter(([, point]) => Object.entries(attributes).every(([key, value]) => point.attributes[key] === value));
      return found.at(-1);
    });
  }

  it('receives each signal by the protocol, with the headers', async () => {
    const signals = await until('all signals are received', () => {
      const found = new Set(collector.requests.map(({ signal }) => signal));
      return found.size === 3 && [...found].sort();
    });
    const others = collector.requests.filter((one) => one.type !== type || one.headers['x-tenant'] !== 'shop');
    expect([signals, others]).toEqual([['logs', 'metrics', 'traces'], []]);
  });

  it('receives spans of the request', async () => {
    const span = await until('the span is received', () =>
      collector.spans().find((one) => one.name === 'POST /v1/graphql' && one.traceId === traceId),
    );
    expect(span.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 200 });
  });

  it('receives a log record with severity, attributes and the ids of the span', async () => {
    const record = await until('the record is received', () =>
      collector.logs().find(({ body }) => body === 'query Traced: ok'),
    );
    const span = await until('its span is received', () =>
      collector.spans().find(({ spanId }) => spanId === record.spanId),
    );
    expect(record).toMatchObject({ severityText: 'INFO', severityNumber: 9, traceId });
    expect(record.attributes).toMatchObject({ kind: 'operation', name: 'Traced' });
    expect(span.name).toBe('GraphQL');
  });

  it('receives a counter as a monotonic, cumulative sum that begins with the process', async () => {
    const labels = { method: 'POST', path: '/v1/graphql', status: '200' };
    const [{ type: kind, isMonotonic, aggregationTemporality, unit }, point] = await metric(
      'joinery_http_requests_total',
      labels,
    );
    expect({ kind, isMonotonic, aggregationTemporality, unit }).toEqual({
      ...{ kind: 'sum', isMonotonic: true, aggregationTemporality: 2, unit: '' },
    });
    expect(point.value).toBeGreaterThanOrEqual(1);
    expect([point.startTime >= began, point.startTime <= point.time]).toEqual([true, true]);
  });

  it('receives a histogram whose buckets are not cumulative', async () => {
    const [{ unit, type: kind, aggregationTemporality }, point] = await metric('joinery_operation_duration_seconds', {
      code: 'ok',
    });
    const inBuckets = point.bucketCounts.reduce((sum, count) => sum + count, 0);
    expect({ unit, kind, aggregationTemporality, inBuckets, buckets: point.bucketCounts.length }).toEqual({
      ...{ unit: 's', kind: 'histogram', aggregationTemporality: 2 },
      ...{ inBuckets: point.count, buckets: point.explicitBounds.length + 1 },
    });
  });

  it('receives a gauge of the runtime', async () => {
    const [{ type: kind, unit }, point] = await metric('nodejs_heap_size_used_bytes');
    expect([kind, unit, point.value > 1_000_000]).toEqual(['gauge', 'By', true]);
  });

  it('receives the same resource with every signal', async () => {
    await metric('joinery_build_info');
    const all = [...collector.spans(), ...collector.logs(), ...collector.metrics()];
    const resources = new Set(all.map(({ resource }) => JSON.stringify(Object.entries(resource).sort())));
    expect(resources.size).toBe(1);
    expect(all[0]?.resource).toMatchObject({
      'service.name': 'shop',
      'service.version': expect.stringMatching(/^\d+\.\d+/),
      'service.instance.id': expect.stringMatching(/:\d+$/),
      'deployment.environment.name': 'test',
    });
  });

  it('receives no secret', async () => {
    const record = await until('the operation is logged', () =>
      collector.logs().find(({ body }) => body === 'query ***: ok'),
    );
    expect([record.attributes.name, JSON.stringify(collector.logs()).includes(secret)]).toEqual(['***', false]);
  });

  it('has the same trace id in the lines on standard output', async () => {
    const line = await until('the line is written', () =>
      service
        .log()
        .split('\n')
        .find((one) => one.includes('query Traced: ok')),
    );
    expect(JSON.parse(line)).toMatchObject({ trace_id: traceId, trace_flags: '01' });
  });

  it('receives what waits when the service stops', async () => {
    await query(service.url, 'query Last { __typename }');
    await service.stop();
    const operations = collector
      .metrics()
      .filter(({ name }) => name === 'joinery_operation_duration_seconds')
      .map(({ points }) => points.reduce((sum, { count }) => sum + count, 0));
    const bodies = collector.logs().map(({ body }) => body);
    expect([bodies.includes('query Last: ok'), bodies.at(-1), operations.at(-1)]).toEqual([true, 'stopped', 3]);
  });
});

/** The variables of all three signals. */
function protocolOfSignals(protocol: string): Readonly<Record<string, string>> {
  const names = ['TRACES', 'METRICS', 'LOGS'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`);
  return Object.fromEntries(names.map((name) => [name, protocol]));
}
