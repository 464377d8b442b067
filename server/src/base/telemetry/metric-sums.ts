/** The metrics of several processes as those of one. The library is loaded with the first sum. */
import type { Registry } from 'prom-client';

/** One metric as `getMetricsAsJSON` of prom-client returns it. */
export interface MetricSample {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly values: readonly MetricValue[];
}

interface MetricValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** The name of the series where it is not that of the metric: `..._bucket`. */
  readonly metricName?: string;
}

export interface ProcessMetrics {
  /** The value of the label `process`; undefined for processes that have ended. */
  readonly process: string | undefined;
  readonly samples: readonly MetricSample[];
}

/** Gauges that have the same value in every process. */
const equal: ReadonlySet<string> = new Set([
  'joinery_build_info',
  'joinery_inconsistent_objects',
  'joinery_replica_lag_seconds',
  'joinery_replica_in_use',
]);

/** Gauges of the runtime, whose sum has no meaning. They get the label `process`. */
const ofRuntime = /^(nodejs|process)_/;

/** Adds counters, histograms and gauges of processes. Gauges of the runtime are listed by process. */
async function sumMetrics(processes: readonly ProcessMetrics[]): Promise<Registry> {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(
    processes.map(({ process, samples }) =>
      samples.map((sample) => {
        const isSeparate = sample.type === 'gauge' && ofRuntime.test(sample.name) && process !== undefined;
        return {
          ...sample,
          aggregator: equal.has(sample.name) ? 'max' : 'sum',
          values: isSeparate
            ? sample.values.map((value) => ({ ...value, labels: { ...value.labels, process } }))
            : sample.values,
        };
      }),
    ),
  );
}

/** Returns the sums in the text format of Prometheus. */
export async function printSums(processes: readonly ProcessMetrics[]): Promise<string> {
  return (await sumMetrics(processes)).metrics();
}

/** Returns the sums as values. */
export async function sumSamples(processes: readonly ProcessMetrics[]): Promise<readonly MetricSample[]> {
  const samples: unknown = await (await sumMetrics(processes)).getMetricsAsJSON();
  return samples as readonly MetricSample[];
}

/**
 * Adds what remains true of a process that has ended to that of those before: without it, the sums of counters would
 * decrease.
 */
export async function addLasting(
  before: readonly MetricSample[],
  ended: readonly MetricSample[],
): Promise<readonly MetricSample[]> {
  const lasting = ended.filter(({ type }) => type === 'counter' || type === 'histogram');
  if (lasting.length === 0) return before;
  return sumSamples([before, lasting].map((samples) => ({ process: undefined, samples })));
}
