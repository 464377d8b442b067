/** Prometheus metrics. The library is loaded when the metrics are first read. */
import type { Counter, Gauge, Metric, Registry } from 'prom-client';
import { bucketEnds, Counts, Durations, labelsOf, seriesOf } from './metric-aggregates.ts';
import type { MetricSample } from './metric-sums.ts';
import type { Observation, Observe } from './observe.ts';

/** One number, or one for each combination of labels. */
export type Reading = number | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

export interface Metrics {
  /** When counting began, in milliseconds of the Unix epoch. */
  readonly began: number;
  readonly observe: Observe;
  /** Adds a gauge that is read with the metrics. It is omitted when `read` fails. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>, labels?: readonly string[]): void;
  /** Adds a counter that is read with the metrics. Its name ends in `_total`. */
  counter(name: string, help: string, read: () => Reading | Promise<Reading>, labels?: readonly string[]): void;
  /** Returns the exposition text and its content type. */
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
  /** Returns the same as values. */
  samples(): Promise<readonly MetricSample[]>;
}

interface Callback {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => Reading | Promise<Reading>;
}

interface Aggregates {
  readonly requests: Counts;
  readonly requestTimes: Durations;
  readonly errors: Counts;
  readonly operations: Durations;
  readonly statements: Durations;
  readonly failedStatements: Counts;
  readonly calls: Counts;
  readonly limits: Counts;
  readonly callTimes: Durations;
}

export function createMetrics(): Metrics {
  const aggregates: Aggregates = {
    requests: new Counts(),
    requestTimes: new Durations(),
    errors: new Counts(),
    operations: new Durations(),
    statements: new Durations(),
    failedStatements: new Counts(),
    calls: new Counts(),
    limits: new Counts(),
    callTimes: new Durations(),
  };
  const callbacks: Callback[] = [];
  let registry: Promise<Registry> | undefined;
  const add =
    (type: Callback['type']): Metrics['gauge'] =>
    (name, help, read, labels = []) => {
      const callback = { type, name, help, labels, read };
      // The first export may precede parts that start later.
      if (registry === undefined) callbacks.push(callback);
      else registry = registry.then((made) => registerCallback(made, callback));
    };
  return {
    began: Date.now(),
    observe: (observation) => count(aggregates, observation),
    gauge: add('gauge'),
    counter: add('counter'),
    read: async () => {
      registry ??= register(aggregates, callbacks);
      const made = await registry;
      return { text: await made.metrics(), contentType: made.contentType };
    },
    samples: async () => {
      registry ??= register(aggregates, callbacks);
      const metrics: unknown = await (await registry).getMetricsAsJSON();
      return metrics as readonly MetricSample[];
    },
  };
}

function count(aggregates: Aggregates, observation: Observation): void {
  switch (observation.kind) {
    case 'request':
      aggregates.requests.add(seriesOf(methodOf(observation), observation.path, observation.status));
      aggregates.requestTimes.add(seriesOf(methodOf(observation), observation.path), observation.durationMs);
      break;
    case 'refused':
      aggregates.errors.add(observation.error.code);
      break;
    case 'operation':
      aggregates.operations.add(seriesOf(observation.type, observation.code ?? 'ok'), observation.durationMs);
      break;
    case 'statement':
      aggregates.statements.add(observation.pool, observation.durationMs);
      if (observation.failed) aggregates.failedStatements.add(observation.pool);
      break;
    case 'limit-exceeded':
      aggregates.limits.add(seriesOf(observation.limit, observation.role));
      break;
    case 'call':
      aggregates.calls.add(seriesOf(observation.purpose.kind, observation.purpose.name, observation.outcome));
      aggregates.callTimes.add(seriesOf(observation.purpose.kind, observation.purpose.name), observation.durationMs);
      break;
    default:
  }
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns the method, or `other` for methods that the service does not have. */
function methodOf({ method }: { readonly method: string }): string {
  return methods.has(method) ? method : 'other';
}

async function register(aggregates: Aggregates, callbacks: readonly Callback[]): Promise<Registry> {
  const { Counter, collectDefaultMetrics, Registry } = await import('prom-client');
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

  counts(
    'joinery_http_requests_total',
    'HTTP requests by method, endpoint and status.',
    ['method', 'path', 'status'],
    aggregates.requests,
  );
  const requestHelp = 'Time from the first byte of a request to its response, by method and endpoint.';
  times('joinery_http_request_duration_seconds', requestHelp, ['method', 'path'], aggregates.requestTimes);
  const operationHelp = 'Time of GraphQL operations, by type and the code of the error, or ok.';
  times('joinery_operation_duration_seconds', operationHelp, ['type', 'code'], aggregates.operations);
  counts('joinery_errors_total', 'Errors returned to callers, by code.', ['code'], aggregates.errors);
  const statementHelp = 'Time of SQL statements from their sending to their last row, by pool.';
  times('joinery_statement_duration_seconds', statementHelp, ['pool'], aggregates.statements);
  const failedHelp = 'SQL statements that failed, by pool.';
  counts('joinery_statement_failures_total', failedHelp, ['pool'], aggregates.failedStatements);
  const limitHelp =
    'Operations that limits of the metadata would have rejected, with JOINERY_ENFORCE_API_LIMITS=false.';
  counts('joinery_limit_excesses_total', limitHelp, ['limit', 'role'], aggregates.limits);
  const callHelp = 'Calls of handlers, remote schemas, webhooks and key sets, by status class or reason of failure.';
  counts('joinery_outbound_calls_total', callHelp, ['kind', 'name', 'outcome'], aggregates.calls);
  const callTimeHelp = 'Time of these calls to the end of the response.';
  times('joinery_outbound_call_duration_seconds', callTimeHelp, ['kind', 'name'], aggregates.callTimes);

  for (const callback of callbacks) await registerCallback(registry, callback);
  return registry;
}

/** Adds a metric that is read with the others, and returns the registry. */
async function registerCallback(registry: Registry, { type, name, help, labels, read }: Callback): Promise<Registry> {
  const { Counter, Gauge } = await import('prom-client');
  const options = { name, help, labelNames: labels, registers: [registry] };
  const metric: Counter | Gauge =
    type === 'gauge'
      ? new Gauge({ ...options, collect: () => readInto(metric, read) })
      : new Counter({ ...options, collect: () => readInto(metric, read) });
  return registry;
}

/** Reads one metric. A failure, such as an unreachable database, removes it without affecting the others. */
async function readInto(metric: Counter | Gauge, read: Callback['read']): Promise<void> {
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

/** Returns a metric with our aggregates. The histogram of prom-client hashes labels for each value. */
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
