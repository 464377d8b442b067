/** Tests of the settings for the export of traces. */
import { Metadata } from '@joinery/metadata/metadata';
import { expect, test } from 'vitest';
import { draftOf } from '../../test/support/model/draft.ts';
import { resolveTraces } from './traces.ts';

const endpoint = 'http://127.0.0.1:4318/v1/traces';
const enabled = { status: 'enabled', data_types: ['traces'], exporter_otlp: { otlp_traces_endpoint: endpoint } };

function resolved(opentelemetry: unknown, environment: Readonly<Record<string, string>> = {}) {
  const { draft, reports } = draftOf({ environment });
  const metadata = { ...Metadata.parse({ version: 3 }), opentelemetry } as Metadata;
  const traces = resolveTraces({ ...draft, input: { ...draft.input, metadata } });
  return { traces, reports };
}

test('exports traces to the endpoint, with defaults', () => {
  expect(resolved(enabled)).toEqual({
    traces: { endpoint, headers: {}, attributes: {}, batchSize: undefined },
    reports: [],
  });
});

test('expands the status, endpoint, headers and attributes from the environment', () => {
  const { traces, reports } = resolved(
    {
      status: '{{STATUS}}',
      data_types: ['metrics', 'traces'],
      exporter_otlp: {
        otlp_traces_endpoint: 'https://{{HOST}}/v1/traces',
        otlp_metrics_endpoint: 'https://{{HOST}}/v1/metrics',
        headers: [
          { name: 'X-Key', value_from_env: 'KEY' },
          { name: 'X-Plain', value: 'a' },
        ],
        resource_attributes: [{ name: 'zone', value: 'in {{ZONE}}' }],
      },
      batch_span_processor: { max_export_batch_size: 100 },
    },
    { STATUS: 'enabled', HOST: 'example.com', KEY: 'k', ZONE: 'z' },
  );
  expect(reports).toEqual([]);
  expect(traces).toEqual({
    endpoint: 'https://example.com/v1/traces',
    headers: { 'X-Key': 'k', 'X-Plain': 'a' },
    attributes: { zone: 'in z' },
    batchSize: 100,
  });
});

test.each([
  ['no settings', undefined],
  ['null', null],
  ['the status "disabled"', { ...enabled, status: 'disabled' }],
  ['a variable with the status "disabled"', { ...enabled, status: '{{OFF}}' }],
  [
    'other data types',
    {
      ...enabled,
      data_types: ['metrics'],
      exporter_otlp: { otlp_traces_endpoint: endpoint, otlp_metrics_endpoint: endpoint },
    },
  ],
  ['no data types', { status: 'enabled', exporter_otlp: enabled.exporter_otlp }],
])('exports nothing with %s', (_what, settings) => {
  expect(resolved(settings, { OFF: 'disabled' })).toEqual({ traces: undefined, reports: [] });
});

const exporter = (more: object) => ({ ...enabled, exporter_otlp: { ...enabled.exporter_otlp, ...more } });
test.each([
  [{ ...enabled, status: '{{NONE}}' }, 'status', 'environment variable "NONE" is not set'],
  [{ ...enabled, status: '{{ON}}' }, 'status', 'the variable must be "enabled" or "disabled"'],
  [
    exporter({ otlp_traces_endpoint: 'http://{{NONE}}/' }),
    'exporter_otlp.otlp_traces_endpoint',
    'environment variable "NONE" is not set',
  ],
  [
    exporter({ otlp_traces_endpoint: 'http://{{NONE/' }),
    'exporter_otlp.otlp_traces_endpoint',
    'the endpoint contains "{{" that does not begin a template such as "{{NAME}}"',
  ],
  [
    exporter({ otlp_traces_endpoint: '{{ON}}' }),
    'exporter_otlp.otlp_traces_endpoint',
    'the endpoint is not an HTTP URL',
  ],
  [
    exporter({ otlp_traces_endpoint: 'ftp://127.0.0.1/' }),
    'exporter_otlp.otlp_traces_endpoint',
    'the endpoint is not an HTTP URL',
  ],
  [
    exporter({ headers: [{ name: 'A', value_from_env: 'NONE' }] }),
    'exporter_otlp.headers',
    'environment variable "NONE" is not set',
  ],
  [
    exporter({ resource_attributes: [{ name: 'a', value: '{{NONE}}' }] }),
    'exporter_otlp.resource_attributes',
    'environment variable "NONE" is not set',
  ],
])('rejects the settings %j at %s', (settings, path, reason) => {
  expect(resolved(settings, { ON: 'on' })).toEqual({
    traces: undefined,
    reports: [
      {
        type: 'open_telemetry',
        name: 'opentelemetry',
        path: `$.opentelemetry.${path}`,
        code: 'invalid-configuration',
        reason: `in opentelemetry: ${reason}`,
        definition: settings,
      },
    ],
  });
});

test.each([
  [{ status: 5 }, 'status', expect.stringMatching(/^must be one of "enabled", "disabled"/)],
  [
    { status: 'enabled', data_types: ['traces'] },
    'exporter_otlp.otlp_traces_endpoint',
    'is required, because "data_types" contains "traces"',
  ],
])('rejects stored settings of another form: %j', (settings, path, reason) => {
  expect(resolved(settings)).toMatchObject({
    traces: undefined,
    reports: [{ code: 'parse-failed', path: `$.opentelemetry.${path}`, reason }],
  });
});

test('rejects an endpoint that no setting permits', () => {
  const { traces, reports } = resolved(exporter({ otlp_traces_endpoint: 'http://169.254.169.254/v1/traces' }));
  expect(traces).toBeUndefined();
  expect(reports).toMatchObject([
    {
      path: '$.opentelemetry.exporter_otlp.otlp_traces_endpoint',
      reason: expect.stringMatching(/^in opentelemetry: the endpoint cannot be called: \S/),
    },
  ]);
});
