/** The context that all parts of the service are started with, and the hooks that stop them. */

import type { Log } from '../base/telemetry/log.ts';
import type { Metrics } from '../base/telemetry/metrics.ts';
import type { Observe } from '../base/telemetry/observe.ts';
import type { Tracing } from '../base/telemetry/open-telemetry.ts';
import type { TrafficRecorder } from '../events/history/traffic-writer.ts';
import type { RecentErrors } from '../service/recent-errors.ts';

export interface StartupContext {
  readonly metrics: Metrics;
  readonly observe: Observe;
  readonly trace: Tracing;
  readonly traffic: TrafficRecorder;
  readonly recentErrors: RecentErrors;
  readonly shutdownHooks: ShutdownHooks;
  readonly version: string;
}

/** Hooks that run in reverse order of their registration, one after the other. */
export class ShutdownHooks {
  readonly #hooks = new Set<() => Promise<void>>();
  readonly #log: Pick<Log, 'flush'>;
  readonly #observe: Observe;
  #closing: Promise<void> | undefined;
  #last: () => Promise<void> = async () => undefined;

  constructor(log: Pick<Log, 'flush'>, observe: Observe) {
    this.#log = log;
    this.#observe = observe;
  }

  /** Returns a function that removes the hook. */
  add(hook: () => Promise<void>): () => void {
    const added = (): Promise<void> => hook();
    this.#hooks.add(added);
    return () => this.#hooks.delete(added);
  }

  /** Sets the hook that runs after the last line of the log. */
  last(hook: () => Promise<void>): void {
    this.#last = hook;
  }

  close(reason: string): Promise<void> {
    this.#closing ??= this.#run(reason);
    return this.#closing;
  }

  async #run(reason: string): Promise<void> {
    this.#observe({ kind: 'stopping', reason });
    for (const hook of [...this.#hooks].reverse()) {
      await hook().catch((error: unknown) => this.#observe({ kind: 'failure', where: 'stopping', error }));
    }
    this.#observe({ kind: 'stopped' });
    this.#log.flush();
    await this.#last();
  }
}
