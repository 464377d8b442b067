/** Prometheus metrics: what is counted, and its text. The library is loaded when the metrics are read first. */
import type { Metric, Registry } from 'prom-client';
import type { Observe } from './observe.ts';
import { bucketEnds, RequestTally } from './request-tally.ts';

export interface Metrics {
  /** Counts what is observed. */
  readonly observe: Observe;
  /** A value that is asked for whenever the metrics are read. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The exposition text and its content type. */
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
}

interface Asked {
  readonly name: string;
  readonly help: string;
  readonly read: () => number | Promise<number>;
}

export function createMetrics(): Metrics {
  const tally = new RequestTally();
  const gauges: Asked[] = [];
  let registry: Promise<Registry> | undefined;
  return {
    observe: (observation) => {
      if (observation.kind === 'request') tally.request(observation.path, observation.status, observation.durationMs);
      else if (observation.kind === 'refused') tally.error(observation.error.code);
    },
    gauge: (name, help, read) => {
      gauges.push({ name, help, read });
    },
    read: async () => {
      registry ??= register(tally, gauges);
      const made = await registry;
      return { text: await made.metrics(), contentType: made.contentType };
    },
  };
}

async function register(tally: RequestTally, gauges: readonly Asked[]): Promise<Registry> {
  const { Counter, collectDefaultMetrics, Gauge, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests: InstanceType<typeof Counter> = new Counter({
    name: 'joinery_http_requests_total',
    help: 'HTTP requests by endpoint and status.',
    labelNames: ['path', 'status'],
    registers,
    collect: () => {
      requests.reset();
      for (const [path, { statuses }] of tally.paths) {
        for (const [status, count] of statuses) requests.inc({ path, status }, count);
      }
    },
  });
  const errors: InstanceType<typeof Counter> = new Counter({
    name: 'joinery_errors_total',
    help: 'Errors answered, by code.',
    labelNames: ['code'],
    registers,
    collect: () => {
      errors.reset();
      for (const [code, count] of tally.errors) errors.inc({ code }, count);
    },
  });
  registry.registerMetric(durations(tally));
  for (const { name, help, read } of gauges) {
    const gauge: InstanceType<typeof Gauge> = new Gauge({
      name,
      help,
      registers,
      collect: async () => gauge.set(await read()),
    });
  }
  return registry;
}

const durationName = 'joinery_http_request_duration_seconds';

/** The library's own histogram takes a hash of labels for each request; this one hands over what was counted. */
function durations(tally: RequestTally): Metric {
  const metric = {
    name: durationName,
    get: async () => ({
      name: durationName,
      help: 'Time from the first byte of a request to its answer, by endpoint.',
      type: 'histogram',
      aggregator: 'sum',
      values: [...tally.paths].flatMap(([path, { buckets, seconds }]) => {
        let below = 0;
        const cumulated = buckets.map((count, index) => {
          below += count;
          return {
            metricName: `${durationName}_bucket`,
            labels: { le: bucketEnds[index] ?? '+Inf', path },
            value: below,
          };
        });
        return [
          ...cumulated,
          { metricName: `${durationName}_sum`, labels: { path }, value: seconds },
          { metricName: `${durationName}_count`, labels: { path }, value: below },
        ];
      }),
    }),
    reset: () => undefined,
  };
  return metric as unknown as Metric;
}
