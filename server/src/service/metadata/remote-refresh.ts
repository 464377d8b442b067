/** Asking remote schemas again what they offer: every now and then, and where they refuse what they should allow. */
import type { RemoteSchemaName } from '@joinery/metadata/names';
import type { Observe } from '../../base/telemetry/observe.ts';

export interface RemoteWatch {
  start(): void;
  /** Asks this one now, unless it was asked for that reason a moment ago. */
  doubt(name: RemoteSchemaName): void;
  stop(): void;
}

export interface RemoteWatchOptions {
  readonly refresh: (remotes: (name: RemoteSchemaName) => boolean) => Promise<void>;
  readonly observe: Observe;
  /** Milliseconds between two rounds; 0 for none. */
  readonly intervalMs: number;
  /** How long a doubt about a remote schema is not raised again, milliseconds. */
  readonly doubtMs?: number;
}

const standardDoubt = 10_000;

export function watchRemotes({
  refresh,
  observe,
  intervalMs,
  doubtMs = standardDoubt,
}: RemoteWatchOptions): RemoteWatch {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let under: Promise<void> = Promise.resolve();
  const doubted = new Map<RemoteSchemaName, number>();

  /** One after the other. */
  function ask(remotes: (name: RemoteSchemaName) => boolean): Promise<void> {
    under = under
      .then(() => (stopped ? undefined : refresh(remotes)))
      .catch((error: unknown) => observe({ kind: 'failure', where: 'asking remote schemas what they offer', error }));
    return under;
  }

  function schedule(): void {
    if (stopped || intervalMs === 0) return;
    timer = setTimeout(() => void ask(() => true).then(schedule), intervalMs);
    timer.unref();
  }

  return {
    start: schedule,
    doubt: (name) => {
      const now = performance.now();
      const last = doubted.get(name);
      if (stopped || (last !== undefined && now - last < doubtMs)) return;
      doubted.set(name, now);
      void ask((one) => one === name);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
