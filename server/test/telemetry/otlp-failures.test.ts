/** Collectors of OpenTelemetry that are absent, do not respond or reject, and settings that cannot be used. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { start } from '../../src/main.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { freePort } from '../support/http/free-port.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let rejecting: Server;
let hanging: Server;

beforeAll(async () => {
  database = await testDatabase();
  rejecting = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(401).end();
  });
  hanging = createServer((incoming) => incoming.resume());
  for (const server of [rejecting, hanging]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  for (const server of [rejecting, hanging]) {
    server.closeAllConnections();
    server.close();
  }
  await database.drop();
});

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Small queues, so that they fill. */
const settings = {
  JOINERY_PORT: '0',
  JOINERY_QUERY_LOG: 'true',
  OTEL_BSP_SCHEDULE_DELAY: '20',
  OTEL_BSP_MAX_QUEUE_SIZE: '4',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4',
  OTEL_BLRP_SCHEDULE_DELAY: '20',
  OTEL_BLRP_MAX_QUEUE_SIZE: '4',
  OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: '4',
  OTEL_METRIC_EXPORT_INTERVAL: '200',
  OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
};

async function dropped(url: string, signal: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^joinery_otlp_dropped_items_total\\{signal="${signal}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function query(url: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ __typename }' });
  const response = await fetch(`${url}/v1/graphql`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

describe.each([
  ['is absent', async () => `http://127.0.0.1:${await freePort()}`],
  ['does not respond', async () => urlOf(hanging)],
  ['rejects', async () => urlOf(rejecting)],
])('while the collector %s', (_state, endpoint) => {
  it('the service responds, counts what it drops and stops', async () => {
    const service = await startServiceProcess({
      ...{ JOINERY_DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: await endpoint() },
      ...settings,
    });
    const statuses = await Promise.all(Array.from({ length: 30 }, () => query(service.url)));
    const counts = await until('spans and log records are dropped', async () => {
      const both = [await dropped(service.url, 'traces'), await dropped(service.url, 'logs')];
      return both.every((count) => count > 0) && both;
    });
    await service.stop();
    const reports = service.log().match(/"msg":"(traces|logs) cannot be exported: /g) ?? [];
    expect([new Set(statuses), counts.length, [...new Set(reports)].length]).toEqual([new Set([200]), 2, 2]);
  });
});

it.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/xml' }, /OTEL_EXPORTER_OTLP_PROTOCOL is "http\/xml".*http\/protobuf/],
  [{ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'tcp' }, /OTEL_EXPORTER_OTLP_LOGS_PROTOCOL is "tcp"/],
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER is "zipkin".*otlp or none/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, /OTEL_EXPORTER_OTLP_ENDPOINT is not an HTTP URL/],
  [{ OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_COMPRESSION: 'zip' }, /COMPRESSION is "zip".*gzip or none/],
  [{ OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TIMEOUT: '-1' }, /TIMEOUT is "-1".*positive/],
  [{ OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: 'soon' }, /INTERVAL is "soon".*positive/],
  [
    { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta' },
    /TEMPORALITY_PREFERENCE is "delta", but the service exports cumulative metrics/,
  ],
] as const)('the start rejects %j', async (environment, message) => {
  const service = { JOINERY_DATABASE_URL: database.url, JOINERY_PORT: '0', JOINERY_LOG_LEVEL: 'silent' };
  await expect(start({ environment: { ...service, ...environment } })).rejects.toThrow(message);
});

test('OTEL_SDK_DISABLED disables all signals, whatever the other variables are', async () => {
  const environment = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/xml' };
  const service = { JOINERY_DATABASE_URL: database.url, JOINERY_PORT: '0', JOINERY_LOG_LEVEL: 'silent' };
  const running = await start({ environment: { ...service, ...environment } });
  const text = await (await fetch(`${running.url}/metrics`)).text();
  await running.stop('the test has ended');
  expect(text).not.toMatch(/^joinery_otlp_\w+\{/m);
});
