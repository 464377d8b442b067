/** Following the changes of other nodes: told by notifications where the database has them, and asking in any case. */
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Announcement, Mark } from './store.ts';

export interface Follower {
  /** Another node (or this one) has announced a change. */
  heard(payload: string): void;
  /** Something may have been announced that was not heard. */
  missed(): void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

export interface FollowOptions {
  /** Where the store stands now. */
  readonly mark: () => Promise<Mark>;
  /** Where this node stands. */
  readonly known: () => Mark;
  /** Waits for the changes of this node that are under way. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Takes over what is stored; `all`: reads databases and remote schemas again as well. */
  readonly reload: (all: boolean) => Promise<void>;
  /** Tries again what could not be read, beside everything else; `remotes`: the remote schemas as well. */
  readonly heal: (remotes: boolean) => Promise<void>;
  readonly observe: Observe;
  /** Milliseconds between two looks at the store. */
  readonly pollMs: number;
}

/** Remote schemas that could not be read are asked every so many looks. */
const looksPerRemoteRetry = 10;

export function follow(options: FollowOptions): Follower {
  let timer: NodeJS.Timeout | undefined;
  let under: Promise<void> = Promise.resolve();
  let healing = false;
  let stopped = false;
  let failing = false;
  let looks = 0;

  async function look(all: boolean): Promise<void> {
    const { touched } = await options.mark();
    if (touched !== options.known().touched) await options.reload(all);
    else heal();
  }

  /** Not waited for: a remote schema may take a minute not to answer. */
  function heal(): void {
    if (healing) return;
    healing = true;
    options
      .heal(looks % looksPerRemoteRetry === 0)
      .catch((error: unknown) => options.observe({ kind: 'failure', where: 'following the metadata', error }))
      .finally(() => {
        healing = false;
      });
  }

  /** Failures are told once until the next success; the next look tries again. */
  function lookInTurn(all: boolean): void {
    if (stopped) return;
    clearTimeout(timer);
    under = options.inTurn(async () => {
      if (stopped) return;
      try {
        await look(all);
        failing = false;
      } catch (error) {
        if (!failing) options.observe({ kind: 'failure', where: 'following the metadata', error });
        failing = true;
      }
      schedule();
    });
  }

  function schedule(): void {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      looks += 1;
      lookInTurn(true);
    }, options.pollMs);
    timer.unref();
  }

  schedule();
  return {
    heard: (payload) => {
      const announced = readAnnouncement(payload);
      if (announced?.touched !== options.known().touched) lookInTurn(announced?.world ?? true);
    },
    missed: () => lookInTurn(true),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await under;
    },
  };
}

function readAnnouncement(payload: string): Announcement | undefined {
  try {
    return JSON.parse(payload) as Announcement;
  } catch {
    return undefined;
  }
}
