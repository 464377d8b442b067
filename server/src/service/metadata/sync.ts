/** Follows metadata changes of other nodes, by notifications where the database has them, and by polling in any case. */
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Announcement, Mark } from './store.ts';

export interface MetadataSync {
  /** A node, possibly this one, announced a change. */
  notified(payload: string): void;
  /** Announcements may have been missed. */
  notificationsMissed(): void;
  /** Resolves when no poll is under way. */
  stop(): Promise<void>;
}

export interface MetadataSyncOptions {
  /** Reads the mark of the store. */
  readonly mark: () => Promise<Mark>;
  /** The mark of this node's snapshot. */
  readonly known: () => Mark;
  /** Runs work behind the changes of this node that are under way. */
  readonly enqueue: (work: () => Promise<void>) => Promise<void>;
  /** Loads what is stored; `all`: reads databases and remote schemas again as well. */
  readonly reload: (all: boolean) => Promise<void>;
  /** Reads again what could not be read, without waiting for changes; `remotes`: remote schemas as well. */
  readonly retryFailed: (remotes: boolean) => Promise<void>;
  readonly observe: Observe;
  /** Milliseconds between two polls of the store. */
  readonly pollMs: number;
}

/** Remote schemas that could not be introspected are tried again once in so many polls. */
const POLLS_PER_REMOTE_RETRY = 10;

export function createMetadataSync(options: MetadataSyncOptions): MetadataSync {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let retrying = false;
  let stopped = false;
  let failing = false;
  let polls = 0;

  async function poll(all: boolean): Promise<void> {
    const { touched } = await options.mark();
    if (touched !== options.known().touched) await options.reload(all);
    else retryFailed();
  }

  /** Not awaited: the timeout of a remote schema may be a minute. */
  function retryFailed(): void {
    if (retrying) return;
    retrying = true;
    options
      .retryFailed(polls % POLLS_PER_REMOTE_RETRY === 0)
      .catch((error: unknown) => options.observe({ kind: 'failure', where: 'following the metadata', error }))
      .finally(() => {
        retrying = false;
      });
  }

  /** A failure is reported once until the next success; the next poll tries again. */
  function enqueuePoll(all: boolean): void {
    if (stopped) return;
    clearTimeout(timer);
    running = options.enqueue(async () => {
      if (stopped) return;
      try {
        await poll(all);
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
      polls += 1;
      enqueuePoll(true);
    }, options.pollMs);
    timer.unref();
  }

  schedule();
  return {
    notified: (payload) => {
      const announced = readAnnouncement(payload);
      if (announced?.touched !== options.known().touched) enqueuePoll(announced?.world ?? true);
    },
    notificationsMissed: () => enqueuePoll(true),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
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
