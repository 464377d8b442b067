/** What starting the parts of the service shares: where they report, and how they are ended again. */
import type { Log } from '../base/telemetry/log.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import type { RecentErrors } from '../base/telemetry/recent-errors.ts';
import type { Trace } from '../base/telemetry/trace.ts';

export interface StartupContext {
  readonly metrics: Metrics;
  readonly observe: Observe;
  readonly trace: Trace;
  readonly recentErrors: RecentErrors;
  readonly closers: ShutdownHooks;
  readonly version: string;
}

/** What was started, to be ended in reverse order: what was started last depends on what came before. */
export class ShutdownHooks {
  readonly #steps: (() => Promise<void>)[] = [];
  readonly #log: Log;
  readonly #observe: Observe;
  #closing: Promise<void> | undefined;

  constructor(log: Log, observe: Observe) {
    this.#log = log;
    this.#observe = observe;
  }

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  close(reason: string): Promise<void> {
    this.#closing ??= this.#run(reason);
    return this.#closing;
  }

  async #run(reason: string): Promise<void> {
    this.#observe({ kind: 'stopping', reason });
    for (const step of this.#steps.reverse()) {
      await step().catch((error: unknown) => this.#observe({ kind: 'failure', where: 'stopping', error }));
    }
    this.#observe({ kind: 'stopped' });
    this.#log.flush();
  }
}
