/** Refreshes the introspection results of remote schemas: at intervals, and when one rejects a valid request. */
import type { RemoteSchemaName } from '@joinery/metadata/names';
import type { Observe } from '../../base/telemetry/observe.ts';

export interface RemoteRefresh {
  start(): void;
  /** Refreshes this one, unless it was suspected within the last `suspicionMs`. */
  suspect(name: RemoteSchemaName): void;
  stop(): void;
}

export interface RemoteRefreshOptions {
  readonly refresh: (remotes: (name: RemoteSchemaName) => boolean) => Promise<void>;
  readonly observe: Observe;
  /** Milliseconds between two rounds; 0 for none. */
  readonly intervalMs: number;
  /** Milliseconds for which another suspicion of the same remote schema is ignored. */
  readonly suspicionMs?: number;
}

const DEFAULT_SUSPICION_MS = 10_000;

export function createRemoteRefresh({
  refresh,
  observe,
  intervalMs,
  suspicionMs = DEFAULT_SUSPICION_MS,
}: RemoteRefreshOptions): RemoteRefresh {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const suspectedAt = new Map<RemoteSchemaName, number>();

  /** One after the other. */
  function enqueue(remotes: (name: RemoteSchemaName) => boolean): Promise<void> {
    running = running
      .then(() => (stopped ? undefined : refresh(remotes)))
      .catch((error: unknown) => observe({ kind: 'failure', where: 'refreshing remote schemas', error }));
    return running;
  }

  function schedule(): void {
    if (stopped || intervalMs === 0) return;
    timer = setTimeout(() => void enqueue(() => true).then(schedule), intervalMs);
    timer.unref();
  }

  return {
    start: schedule,
    suspect: (name) => {
      const now = performance.now();
      const last = suspectedAt.get(name);
      if (stopped || (last !== undefined && now - last < suspicionMs)) return;
      suspectedAt.set(name, now);
      void enqueue((one) => one === name);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
