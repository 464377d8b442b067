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
  /** Whether this node's snapshot is that of the mark, with all that changes until then require to read. */
  readonly covers: (touched: string) => boolean;
  /** Whether this node has set the mark. */
  readonly isOwn: (touched: string) => boolean;
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
  /** The mark when everything was read last. */
  let readAt: string | undefined;

  /** @param announced the mark of a change that requires to read everything again */
  async function poll(all: boolean, announced?: string): Promise<void> {
    const { touched } = await options.mark();
    // A later change may have been loaded already, without what this one requires.
    const isMissed = announced !== undefined && announced !== readAt;
    if (options.covers(touched) && !isMissed) return retryFailed();
    await options.reload(all);
    if (all) readAt = touched;
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
  function enqueuePoll(all: boolean, announced?: string): void {
    if (stopped) return;
    clearTimeout(timer);
    running = options.enqueue(async () => {
      if (stopped) return;
      try {
        await poll(all, announced);
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
      if (announced === undefined) enqueuePoll(true);
      else if (options.isOwn(announced.touched) || options.covers(announced.touched)) return;
      else enqueuePoll(announced.world, announced.world ? announced.touched : undefined);
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
