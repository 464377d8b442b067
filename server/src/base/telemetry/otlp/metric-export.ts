/** The periodic export of the Prometheus registry as metrics of OpenTelemetry. */
import { ServiceError } from '../../errors.ts';
import type { MetricSample } from '../metric-sums.ts';
import { ExportQueue } from './bounded-export.ts';
import { toMetricData } from './metric-data.ts';
import { createMetricExporter } from './otlp-exporters.ts';
import { positiveNumber, readSignal } from './otlp-settings.ts';
import { createResource, type ExportContext } from './resource.ts';

const TEMPORALITY = 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE';

export interface MetricSource {
  /** When the counters were 0, in milliseconds of the Unix epoch. */
  readonly began: number;
  read(): Promise<readonly MetricSample[]>;
}

export interface MetricExport {
  /** Exports the metrics a last time. */
  close(): Promise<void>;
}

/** Starts the export. Returns undefined unless the environment enables it. */
export async function openMetricExport(
  context: ExportContext,
  source: MetricSource,
): Promise<MetricExport | undefined> {
  const { environment, version } = context;
  const settings = readSignal(environment, 'metrics');
  if (!settings.isEnabled) return undefined;
  const temporality = environment[TEMPORALITY]?.trim().toLowerCase() || 'cumulative';
  if (temporality !== 'cumulative') {
    const message = `${TEMPORALITY} is "${temporality}", but the service exports cumulative metrics; remove it`;
    throw new ServiceError('invalid-configuration', message);
  }
  const exportIntervalMillis = positiveNumber(environment, 'OTEL_METRIC_EXPORT_INTERVAL', 60_000);
  const timeout = positiveNumber(environment, 'OTEL_METRIC_EXPORT_TIMEOUT', 30_000);
  const [library, exporter, resource] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    createMetricExporter(settings),
    createResource(context),
  ]);
  const queue = new ExportQueue('metrics', Number.POSITIVE_INFINITY, context);
  const producer = {
    collect: async () => {
      const metrics = toMetricData(await source.read(), { began: source.began, now: Date.now() }, library);
      const scopeMetrics = [{ scope: { name: 'joinery', version }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
  const reader = new library.PeriodicExportingMetricReader({
    // What one export misses the next one has.
    exporter: queue.watch(exporter, () => 0),
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
    metricProducers: [producer],
  });
  const provider = new library.MeterProvider({ resource, readers: [reader] });
  return { close: () => provider.shutdown() };
}
