import { describe, expect, it } from 'vitest';
import { emptyMetadata, type Metadata } from '../metadata.ts';
import { commands } from './registry.ts';

function run(type: string, args: unknown, before: Metadata = emptyMetadata): Metadata {
  const command = commands.get(type);
  if (command === undefined) throw new Error(`no command ${type}`);
  return command.parse(args).apply(before);
}

const config = {
  status: 'enabled',
  data_types: ['traces'],
  exporter_otlp: {
    otlp_traces_endpoint: '{{OTLP}}/v1/traces',
    protocol: 'http/protobuf',
    headers: [{ name: 'x-key', value_from_env: 'OTLP_KEY' }],
    resource_attributes: [{ name: 'env', value: 'prod' }],
    traces_propagators: ['b3', 'tracecontext'],
  },
  batch_span_processor: { max_export_batch_size: 100 },
};

describe('set_opentelemetry_config and set_opentelemetry_status', () => {
  it('store the settings', () => {
    const stored = run('set_opentelemetry_config', config);
    expect(stored.opentelemetry).toEqual(config);
    expect(run('set_opentelemetry_status', { status: 'disabled' }, stored).opentelemetry).toEqual({
      ...config,
      status: 'disabled',
    });
    expect(run('set_opentelemetry_status', '{{OTEL_STATUS}}').opentelemetry).toEqual({ status: '{{OTEL_STATUS}}' });
    expect(run('set_opentelemetry_config', {}).opentelemetry).toEqual({ status: 'disabled' });
  });

  it.each([
    ['set_opentelemetry_config', { ...config, exporter_otlp: {} }, '$.exporter_otlp.otlp_traces_endpoint'],
    ['set_opentelemetry_config', { data_types: ['spans'] }, '$.data_types[0]'],
    [
      'set_opentelemetry_config',
      { batch_span_processor: { max_export_batch_size: 0 } },
      '$.batch_span_processor.max_export_batch_size',
    ],
    ['set_opentelemetry_config', { exporter_otlp: { protocol: 'grpc' } }, '$.exporter_otlp.protocol'],
  ])('%s rejects %j', (type, args, path) => {
    expect(() => run(type, args)).toThrow(expect.objectContaining({ code: 'parse-failed', path }));
  });

  it('accept a missing endpoint while the status is disabled', () => {
    expect(run('set_opentelemetry_config', { data_types: ['logs'] }).opentelemetry).toMatchObject({
      status: 'disabled',
    });
  });

  it('reject an unknown status', () => {
    expect(() => run('set_opentelemetry_status', { status: 'on' })).toThrow(
      expect.objectContaining({ code: 'parse-failed' }),
    );
  });
});

describe('set_metrics_config and remove_metrics_config', () => {
  it('store and remove the settings', () => {
    const stored = run('set_metrics_config', { analyze_query_variables: true });
    expect(stored.metrics_config).toEqual({ analyze_query_variables: true, analyze_response_body: false });
    expect(run('remove_metrics_config', {}, stored)).not.toHaveProperty('metrics_config');
  });
});
