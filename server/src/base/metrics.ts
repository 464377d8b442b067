/** Prometheus metrics: the instruments, and their text. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observe } from './observe.ts';

export interface Metrics {
  /** Counts what is observed. */
  readonly observe: Observe;
  /** A value that is asked for whenever the metrics are read. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** The exposition text and its content type. */
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: 'joinery_http_requests_total',
    help: 'HTTP requests by endpoint and status.',
    labelNames: ['path', 'status'],
    registers: [register],
  });
  const durations = new Histogram({
    name: 'joinery_http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer, by endpoint.',
    labelNames: ['path'],
    buckets: seconds,
    registers: [register],
  });
  const failures = new Counter({
    name: 'joinery_errors_total',
    help: 'Errors answered, by code.',
    labelNames: ['code'],
    registers: [register],
  });
  return {
    observe: (observation) => {
      if (observation.kind === 'refused') failures.inc({ code: observation.error.code });
      if (observation.kind !== 'request') return;
      requests.inc({ path: observation.path, status: observation.status });
      durations.observe({ path: observation.path }, observation.durationMs / 1000);
    },
    gauge: (name, help, read) => {
      const gauge: Gauge = new Gauge({ name, help, registers: [register], collect });
      async function collect(): Promise<void> {
        gauge.set(await read());
      }
    },
    read: async () => ({ text: await register.metrics(), contentType: register.contentType }),
  };
}
