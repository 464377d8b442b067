/** Prometheus metrics: what is counted, and its text. The library is loaded when the metrics are read first. */
import type { Counter, Gauge, Metric, Registry } from 'prom-client';
import { bucketEnds, Counts, Durations, labelsOf, seriesOf } from './metric-aggregates.ts';
import type { Observation, Observe } from './observe.ts';

/** One number, or one for each value of a label. */
export type Reading = number | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

export interface Metrics {
  /** Counts what is observed. */
  readonly observe: Observe;
  /** A value that is asked for whenever the metrics are read. One that cannot be read is left out. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>, labels?: readonly string[]): void;
  /** The same for what only grows; its name ends in `_total`. */
  counter(name: string, help: string, read: () => Reading | Promise<Reading>, labels?: readonly string[]): void;
  /** The exposition text and its content type. */
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
}

interface Asked {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => Reading | Promise<Reading>;
}

interface Tallies {
  readonly requests: Counts;
  readonly requestTimes: Durations;
  readonly errors: Counts;
  readonly operations: Durations;
  readonly statements: Durations;
  readonly failedStatements: Counts;
  readonly calls: Counts;
  readonly callTimes: Durations;
}

export function createMetrics(): Metrics {
  const tallies: Tallies = {
    requests: new Counts(),
    requestTimes: new Durations(),
    errors: new Counts(),
    operations: new Durations(),
    statements: new Durations(),
    failedStatements: new Counts(),
    calls: new Counts(),
    callTimes: new Durations(),
  };
  const asked: Asked[] = [];
  let registry: Promise<Registry> | undefined;
  const add =
    (type: Asked['type']): Metrics['gauge'] =>
    (name, help, read, labels = []) => {
      asked.push({ type, name, help, labels, read });
    };
  return {
    observe: (observation) => count(tallies, observation),
    gauge: add('gauge'),
    counter: add('counter'),
    read: async () => {
      registry ??= register(tallies, asked);
      const made = await registry;
      return { text: await made.metrics(), contentType: made.contentType };
    },
  };
}

function count(tallies: Tallies, observation: Observation): void {
  switch (observation.kind) {
    case 'request':
      tallies.requests.add(seriesOf(observation.path, observation.status));
      tallies.requestTimes.add(observation.path, observation.durationMs);
      break;
    case 'refused':
      tallies.errors.add(observation.error.code);
      break;
    case 'operation':
      tallies.operations.add(seriesOf(observation.type, observation.code ?? 'ok'), observation.durationMs);
      break;
    case 'statement':
      tallies.statements.add(observation.pool, observation.durationMs);
      if (observation.failed) tallies.failedStatements.add(observation.pool);
      break;
    case 'call':
      tallies.calls.add(seriesOf(observation.purpose.kind, observation.purpose.name, observation.outcome));
      tallies.callTimes.add(seriesOf(observation.purpose.kind, observation.purpose.name), observation.durationMs);
      break;
    default:
  }
}

async function register(tallies: Tallies, asked: readonly Asked[]): Promise<Registry> {
  const { Counter, collectDefaultMetrics, Gauge, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counts = (name: string, help: string, labelNames: readonly string[], { series }: Counts): void => {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames,
      registers,
      collect: () => {
        counter.reset();
        for (const [key, value] of series) counter.inc(labelsOf(labelNames, key), value);
      },
    });
  };
  const times = (name: string, help: string, labelNames: readonly string[], durations: Durations): void =>
    registry.registerMetric(histogram(name, help, labelNames, durations));

  counts('joinery_http_requests_total', 'HTTP requests by endpoint and status.', ['path', 'status'], tallies.requests);
  const requestHelp = 'Time from the first byte of a request to its answer, by endpoint.';
  times('joinery_http_request_duration_seconds', requestHelp, ['path'], tallies.requestTimes);
  const operationHelp = 'Time of GraphQL operations, by type and the code of the error, or ok.';
  times('joinery_operation_duration_seconds', operationHelp, ['type', 'code'], tallies.operations);
  counts('joinery_errors_total', 'Errors answered, by code.', ['code'], tallies.errors);
  const statementHelp = 'Time of SQL statements from their sending to their last row, by pool.';
  times('joinery_statement_duration_seconds', statementHelp, ['pool'], tallies.statements);
  const failedHelp = 'SQL statements that failed, by pool.';
  counts('joinery_statement_failures_total', failedHelp, ['pool'], tallies.failedStatements);
  const callHelp = 'Calls of handlers, remote schemas, webhooks and key sets, by status class or reason of failure.';
  counts('joinery_outbound_calls_total', callHelp, ['kind', 'name', 'outcome'], tallies.calls);
  const callTimeHelp = 'Time of these calls to the end of the answer.';
  times('joinery_outbound_call_duration_seconds', callTimeHelp, ['kind', 'name'], tallies.callTimes);

  for (const { type, name, help, labels, read } of asked) {
    const options = { name, help, labelNames: labels, registers };
    const metric: Counter | Gauge =
      type === 'gauge'
        ? new Gauge({ ...options, collect: () => tell(metric, read) })
        : new Counter({ ...options, collect: () => tell(metric, read) });
  }
  return registry;
}

/** A database that is away must not take the other metrics with it. */
async function tell(metric: Counter | Gauge, read: Asked['read']): Promise<void> {
  metric.reset();
  try {
    const reading = await read();
    for (const [labels, value] of typeof reading === 'number' ? [[{}, reading] as const] : reading) {
      metric.inc(labels, value);
    }
  } catch {
    metric.remove();
  }
}

/** The library's own histogram takes a hash of labels for each value; this one hands over what was counted. */
function histogram(name: string, help: string, labelNames: readonly string[], { series }: Durations): Metric {
  const metric = {
    name,
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...series].flatMap(([key, { buckets, seconds }]) => {
        const labels = labelsOf(labelNames, key);
        let below = 0;
        const cumulated = buckets.map((hits, index) => {
          below += hits;
          return { metricName: `${name}_bucket`, labels: { le: bucketEnds[index] ?? '+Inf', ...labels }, value: below };
        });
        return [
          ...cumulated,
          { metricName: `${name}_sum`, labels, value: seconds },
          { metricName: `${name}_count`, labels, value: below },
        ];
      }),
    }),
    reset: () => undefined,
  };
  return metric as unknown as Metric;
}
