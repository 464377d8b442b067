/** Bounds of what waits for the collector, and reports of what it did not accept. */
import { Counts } from '../metric-aggregates.ts';
import type { Metrics } from '../metrics.ts';
import type { Observe } from '../observe.ts';
import { maskUrls } from '../redact.ts';
import type { Signal } from './otlp-settings.ts';

/** Milliseconds between two log lines about a collector that does not accept a signal. */
const REPEAT_MS = 60_000;

/** Counts by signal, for metrics. */
export class ExportCounts {
  readonly failed = new Counts();
  readonly dropped = new Counts();
}

/** Adds the metrics of the exports of this process. */
export function registerExportMetrics({ counter }: Metrics, { failed, dropped }: ExportCounts): void {
  const read = ({ series }: Counts) => [...series].map(([signal, count]) => [{ signal }, count] as const);
  const failedHelp = 'Requests to the collector of OpenTelemetry that failed, by signal.';
  counter('joinery_otlp_failed_exports_total', failedHelp, () => read(failed), ['signal']);
  const droppedHelp = 'Spans and log records that the collector of OpenTelemetry has not received, by signal.';
  counter('joinery_otlp_dropped_items_total', droppedHelp, () => read(dropped), ['signal']);
}

interface Exporter<Items, Result> {
  export(items: Items, done: (result: Result) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
}

interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** The items of one signal that wait for the collector or are on their way to it. */
export class ExportQueue {
  readonly #signal: Signal;
  readonly #most: number;
  readonly #counts: ExportCounts;
  readonly #observe: Observe;
  #waiting = 0;
  #lost = 0;
  #reportedAt: number | undefined;
  #isReported = false;

  /** @param most the number of items above which further ones are dropped */
  constructor(signal: Signal, most: number, { counts, observe }: { counts: ExportCounts; observe: Observe }) {
    this.#signal = signal;
    this.#most = most;
    this.#counts = counts;
    this.#observe = observe;
    counts.failed.add(signal, 0);
    if (signal !== 'metrics') counts.dropped.add(signal, 0);
  }

  /** Returns whether an item may wait. One that may not is counted. */
  admit(): boolean {
    if (this.#waiting < this.#most) {
      this.#waiting += 1;
      return true;
    }
    this.#drop(1);
    this.#report('they come faster than the collector accepts them');
    return false;
  }

  /** Returns an exporter that reports failures. `sizeOf` returns the number of admitted items. */
  watch<Items, Result extends ExportResult>(exporter: Exporter<Items, Result>, sizeOf: (items: Items) => number) {
    return {
      export: (items: Items, done: (result: Result) => void): void => {
        const size = sizeOf(items);
        exporter.export(items, (result) => {
          this.#waiting -= size;
          if (result.code === 0) this.#succeeded();
          else this.#failed(size, result.error);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
      forceFlush: async () => exporter.forceFlush?.(),
    };
  }

  #failed(size: number, error: Error | undefined): void {
    this.#counts.failed.add(this.#signal);
    this.#drop(size);
    const status = (error as { readonly code?: unknown } | undefined)?.code;
    this.#report(
      `${maskUrls(error?.message || 'the export failed')}${typeof status === 'number' ? ` (${status})` : ''}`,
    );
  }

  #drop(count: number): void {
    if (count === 0) return;
    this.#lost += count;
    this.#counts.dropped.add(this.#signal, count);
  }

  #report(reason: string): void {
    const now = performance.now();
    if (this.#reportedAt !== undefined && now - this.#reportedAt < REPEAT_MS) return;
    this.#reportedAt = now;
    this.#isReported = true;
    this.#note('warn', `${this.#signal} cannot be exported: ${reason}${this.#takeLost()}`);
  }

  /** Reports the end of a failure that was reported. */
  #succeeded(): void {
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#note('info', `${this.#signal} are exported again${this.#takeLost()}`);
  }

  #takeLost(): string {
    const lost = this.#lost;
    this.#lost = 0;
    return lost === 0 ? '' : `; ${lost} items were dropped`;
  }

  #note(level: 'info' | 'warn', message: string): void {
    this.#observe({ kind: 'note', level, where: 'opentelemetry', message });
  }
}
