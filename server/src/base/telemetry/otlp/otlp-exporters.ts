/** The exporters of OpenTelemetry by protocol, which are loaded on demand. Those of gRPC are optional packages. */
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { LogRecordExporter } from '@opentelemetry/sdk-logs';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { ServiceError } from '../../errors.ts';
import type { SignalSettings } from './otlp-settings.ts';

export type HttpOptions = ConstructorParameters<typeof OTLPTraceExporter>[0];

/** Without options, the exporter reads the environment of the process. gRPC has none. */
export async function createSpanExporter(settings: SignalSettings, options?: HttpOptions): Promise<SpanExporter> {
  if (settings.protocol === 'grpc') {
    const name = '@opentelemetry/exporter-trace-otlp-grpc';
    const load = () => import('@opentelemetry/exporter-trace-otlp-grpc');
    return new (await optional(settings, name, load)).OTLPTraceExporter();
  }
  const { OTLPTraceExporter: Exporter } =
    settings.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new Exporter(options);
}

export async function createMetricExporter(settings: SignalSettings): Promise<PushMetricExporter> {
  if (settings.protocol === 'grpc') {
    const name = '@opentelemetry/exporter-metrics-otlp-grpc';
    const load = () => import('@opentelemetry/exporter-metrics-otlp-grpc');
    return new (await optional(settings, name, load)).OTLPMetricExporter();
  }
  const { OTLPMetricExporter: Exporter } =
    settings.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  return new Exporter();
}

export async function createLogExporter(settings: SignalSettings): Promise<LogRecordExporter> {
  if (settings.protocol === 'grpc') {
    const name = '@opentelemetry/exporter-logs-otlp-grpc';
    const load = () => import('@opentelemetry/exporter-logs-otlp-grpc');
    return new (await optional(settings, name, load)).OTLPLogExporter();
  }
  const { OTLPLogExporter: Exporter } =
    settings.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-logs-otlp-http')
      : await import('@opentelemetry/exporter-logs-otlp-proto');
  return new Exporter();
}

/** Throws `invalid-configuration` where the package is not installed. */
async function optional<Module>(
  { protocolFrom, protocol }: SignalSettings,
  name: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = `${protocolFrom} is ${protocol}, which needs the optional package ${name}; run: npm install ${name}, or set it to http/protobuf`;
    throw new ServiceError('invalid-configuration', message, { cause });
  }
}
