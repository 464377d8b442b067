/** The exports of OpenTelemetry of one process: traces, metrics and logs. */
import type { Environment } from '../base/environment.ts';
import type { EgressSettings } from '../base/http-client/egress.ts';
import type { Log } from '../base/telemetry/log.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import { openTracing, type Tracing } from '../base/telemetry/open-telemetry.ts';
import type { ExportCounts } from '../base/telemetry/otlp/bounded-export.ts';
import { openLogExport } from '../base/telemetry/otlp/log-export.ts';
import { type MetricSource, openMetricExport } from '../base/telemetry/otlp/metric-export.ts';
import { endBy } from '../base/telemetry/otlp/resource.ts';

export interface ExportsRequest {
  readonly environment: Environment;
  readonly version: string;
  readonly port: number;
  readonly observe: Observe;
  readonly counts: ExportCounts;
  readonly log: Pick<Log, 'exportTo'>;
  /** Undefined for a process whose supervisor exports its metrics. */
  readonly metrics: MetricSource | undefined;
  /** Seconds to complete requests and deliveries at shutdown. */
  readonly gracefulShutdownTimeout: number;
}

export interface Exports {
  /** Exports traces and metrics that wait, for a few seconds at most. */
  close(): Promise<void>;
  /** Exports log records that wait, until the end of the same time. */
  closeLogs(): Promise<void>;
}

/** Milliseconds for the last exports of a process, however long its shutdown may take. */
const CLOSE_MS = 5_000;
/** Milliseconds of it that remain for log records, where traces and metrics took all. */
const CLOSE_LOGS_MS = 500;

/** Opens the exports of metrics and logs that the environment enables. */
export async function openExports(request: ExportsRequest, trace?: Pick<Tracing, 'close'>): Promise<Exports> {
  const { log, metrics, gracefulShutdownTimeout } = request;
  const [logs, metricExport] = await Promise.all([
    openLogExport(request),
    metrics === undefined ? undefined : openMetricExport(request, metrics),
  ]);
  if (logs !== undefined) log.exportTo(logs);
  let deadline: number | undefined;
  const limited = (ending: Promise<unknown>): Promise<void> => {
    deadline ??= performance.now() + Math.min(CLOSE_MS, gracefulShutdownTimeout * 1_000);
    return endBy(deadline, ending);
  };
  return {
    close: () => limited(Promise.all([trace?.close(), metricExport?.close()])),
    closeLogs: () => {
      // The collector of logs may be another one.
      if (deadline !== undefined) deadline = Math.max(deadline, performance.now() + CLOSE_LOGS_MS);
      return limited(Promise.resolve(logs?.close()));
    },
  };
}

/** Opens the exports of a process that runs the service. */
export async function openServiceExports(
  request: ExportsRequest,
  parts: { readonly egress: EgressSettings; readonly redact: (text: string) => string },
): Promise<{ readonly trace: Tracing; readonly exports: Exports }> {
  const trace = await openTracing({ ...request, ...parts });
  try {
    return { trace, exports: await openExports(request, trace) };
  } catch (error) {
    await trace.close();
    throw error;
  }
}
