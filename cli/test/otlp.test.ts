/** The export by OpenTelemetry of a service with several processes, and in an installation without gRPC. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pooled } from '../../server/test/support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { startOtlpCollector } from '../../server/test/support/telemetry/otlp-collector.ts';
import { until } from '../../server/test/support/until.ts';
import { RunningCommand } from './support/running-command.ts';

// Four processes start at once.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.drop());

test('several processes export the sums of their metrics once, and each its own log', async () => {
  const collector = await startOtlpCollector();
  const service = new RunningCommand(['serve', '--port', '0', '--processes', '2', '--log-format', 'json'], {
    JOINERY_DATABASE_URL: pooled(database.url),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRIC_EXPORT_INTERVAL: '500',
  });
  try {
    await service.until(/"kind":"started","url":"(http[^"]+)"/);
    const [, url = ''] = /"kind":"started","url":"(http[^"]+)"/.exec(service.text) ?? [];
    for (let sent = 0; sent < 8; sent += 1) await fetch(`${url}/v1/version`, { headers: { connection: 'close' } });
    const requests = await until('the sum of all requests is received', () => {
      const points = collector
        .metrics()
        .filter(({ name }) => name === 'joinery_http_requests_total')
        .flatMap((metric) => metric.points.map((point) => ({ ...point, pid: metric.resource['process.pid'] })))
        .filter(({ attributes }) => attributes.path === '/v1/version');
      return points.some(({ value }) => value === 8) && points;
    });
    const loggers = await until('the log of each process is received', () => {
      const found = new Set(collector.logs().map(({ resource }) => resource['process.pid']));
      return found.size === 4 && found;
    });
    await service.stop('SIGTERM');
    const exporters = new Set(requests.map(({ pid }) => pid));
    expect([exporters.size, Math.max(...requests.map(({ value }) => value)), loggers.size]).toEqual([1, 8, 4]);
  } finally {
    await service.stop('SIGKILL');
    await collector.close();
  }
});

test('a start with grpc names the optional package that is not installed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-grpc-'));
  const hook = join(folder, 'hide.mjs');
  const resolve = `export async function resolve(name, context, next) {
    if (!/exporter-.*-otlp-grpc/.test(name)) return next(name, context);
    throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  writeFileSync(
    hook,
    `import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(resolve)}));`,
  );
  const service = new RunningCommand(['serve', '--port', '0'], {
    ...{ JOINERY_DATABASE_URL: database.url, NODE_OPTIONS: `--import ${hook}` },
    ...{ OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  });
  try {
    await service.until(/run: npm install (\S+),/);
    expect(service.text).toContain(
      'joinery serve: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which needs the optional package @opentelemetry/exporter-logs-otlp-grpc; run: npm install @opentelemetry/exporter-logs-otlp-grpc, or set it to http/protobuf',
    );
  } finally {
    await service.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
