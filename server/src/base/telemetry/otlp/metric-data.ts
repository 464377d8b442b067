/** Converts the metrics of the Prometheus registry to those of OpenTelemetry, with the same names and labels. */
import type { HrTime } from '@opentelemetry/api';
import type { DataPoint, HistogramMetricData, MetricData } from '@opentelemetry/sdk-metrics';
import type { MetricSample } from '../metric-sums.ts';

type Library = Pick<typeof import('@opentelemetry/sdk-metrics'), 'AggregationTemporality' | 'DataPointType'>;

/** The time of the first observation, and that of reading, in milliseconds of the Unix epoch. */
interface Period {
  readonly began: number;
  readonly now: number;
}

/** Returns counters as monotonic sums, histograms and gauges, which are cumulative. Values that are not finite are omitted. */
export function toMetricData(samples: readonly MetricSample[], period: Period, library: Library): MetricData[] {
  const times = { startTime: hrTime(period.began), endTime: hrTime(period.now) };
  return samples.flatMap((sample): MetricData[] => {
    const base = {
      descriptor: { name: sample.name, description: sample.help, unit: unitOf(sample.name), valueType: DOUBLE },
      aggregationTemporality: library.AggregationTemporality.CUMULATIVE,
    };
    if (sample.type === 'histogram') {
      const dataPoints = histogramsOf(sample, times);
      return dataPoints.length === 0 ? [] : [{ ...base, dataPointType: library.DataPointType.HISTOGRAM, dataPoints }];
    }
    const dataPoints = sample.values
      .filter(({ value }) => Number.isFinite(value))
      .map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
    if (dataPoints.length === 0) return [];
    return sample.type === 'counter'
      ? [{ ...base, dataPointType: library.DataPointType.SUM, isMonotonic: true, dataPoints }]
      : [{ ...base, dataPointType: library.DataPointType.GAUGE, dataPoints }];
  });
}

/** `ValueType.DOUBLE` of the library. */
const DOUBLE = 1;

/** The units of OpenTelemetry, whose translation to Prometheus keeps names that end in them. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return /_bytes(_total)?$/.test(name) ? 'By' : '';
}

type HistogramPoint = HistogramMetricData['dataPoints'][number];

/** Joins the buckets, the sum and the count of each set of labels. */
function histogramsOf(
  { name, values }: MetricSample,
  times: Pick<DataPoint<number>, 'startTime' | 'endTime'>,
): HistogramPoint[] {
  const byLabels = new Map<
    string,
    { labels: Record<string, string | number>; ends: [number, number][]; sum: number }
  >();
  for (const { labels: given, value, metricName } of values) {
    const { le, ...labels } = given;
    const key = JSON.stringify(Object.entries(labels).sort());
    let one = byLabels.get(key);
    if (one === undefined) {
      one = { labels, ends: [], sum: 0 };
      byLabels.set(key, one);
    }
    if (le !== undefined) one.ends.push([le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), value]);
    else if (metricName === `${name}_sum`) one.sum = value;
  }
  return [...byLabels.values()].map(({ labels, ends, sum }) => {
    const sorted = ends.sort(([left], [right]) => left - right);
    // Those of Prometheus are cumulative.
    const counts = sorted.map(([, below], index) => below - (sorted[index - 1]?.[1] ?? 0));
    const boundaries = sorted.map(([end]) => end).filter((end) => Number.isFinite(end));
    const count = sorted.at(-1)?.[1] ?? 0;
    return { ...times, attributes: labels, value: { buckets: { boundaries, counts }, sum, count } };
  });
}

function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}
