/** Prometheus metrics: what is counted, and its text. The library is loaded with the first thing to count. */
import type { Observation, Observe } from './observe.ts';

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

interface Instruments {
  readonly observe: Observe;
  readonly read: Metrics['read'];
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const gauges: Asked[] = [];
  /** Observed while the library is being loaded. */
  const early: Observation[] = [];
  let instruments: Instruments | undefined;
  let loading: Promise<Instruments> | undefined;

  async function load(): Promise<Instruments> {
    const made = await createInstruments(gauges);
    for (const observation of early.splice(0)) made.observe(observation);
    instruments = made;
    return made;
  }

  return {
    observe: (observation) => {
      if (observation.kind !== 'request' && observation.kind !== 'refused') return;
      if (instruments !== undefined) return instruments.observe(observation);
      early.push(observation);
      loading ??= load();
    },
    gauge: (name, help, read) => {
      gauges.push({ name, help, read });
    },
    read: async () => {
      loading ??= load();
      return (await loading).read();
    },
  };
}

async function createInstruments(gauges: readonly Asked[]): Promise<Instruments> {
  const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client');
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
  const errors = new Counter({
    name: 'joinery_errors_total',
    help: 'Errors answered, by code.',
    labelNames: ['code'],
    registers: [register],
  });
  for (const { name, help, read } of gauges) {
    const gauge: InstanceType<typeof Gauge> = new Gauge({ name, help, registers: [register], collect });
    async function collect(): Promise<void> {
      gauge.set(await read());
    }
  }
  return {
    observe: (observation) => {
      if (observation.kind === 'refused') errors.inc({ code: observation.error.code });
      if (observation.kind !== 'request') return;
      requests.inc({ path: observation.path, status: observation.status });
      durations.observe({ path: observation.path }, observation.durationMs / 1000);
    },
    read: async () => ({ text: await register.metrics(), contentType: register.contentType }),
  };
}
