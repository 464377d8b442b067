/** Decides when to claim events and how many. One claim runs at a time; wake-ups during a claim are combined. */

import type { PendingEvent } from '../types/pending-event.ts';
import type { Claim } from './claim.ts';

export interface ClaimLoop {
  /** Requests a claim: there may be events to claim. */
  wake(): void;
  /** Stops claiming. Resolves when the running claim has ended. */
  stop(): Promise<void>;
}

export interface ClaimLoopSettings {
  /** How long before its due time an event is claimed, in milliseconds. */
  readonly aheadMs: number;
  /** Largest number of claimed events that are not yet due. */
  readonly mostAhead: number;
  /** Largest number of events in one claim. */
  readonly most: number;
  /** Largest number of events of one lane in a claim by lane. */
  readonly mostEach: number;
  /** Number of claimed events that are not yet due. */
  readonly claimedAhead: () => number;
  /** The database's clock, milliseconds since 1970. */
  readonly now: () => number;
  readonly fullQueues: () => readonly string[];
  /** Largest number of events of one lane that a rate-limited destination has capacity for; infinite without such. */
  readonly room: () => number;
  /** Claims events. Must not reject. */
  readonly claim: (claim: Claim) => Promise<readonly PendingEvent[]>;
}

/** Shortest time between two claims: events created in between are claimed together. */
const SHORTEST_GAP_MS = 3;
/** A full claim without events that are due within `soonMs` is followed by a pause, so that other nodes get a share. */
const fairness = { soonMs: 500, pauseMs: 60 };

export function createClaimLoop(settings: ClaimLoopSettings): ClaimLoop {
  let wanted = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  let nextTurn: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastStart = Number.NEGATIVE_INFINITY;

  function next(): void {
    if (!wanted || stopped || running !== undefined || timer !== undefined) return;
    const wait = lastStart + SHORTEST_GAP_MS - performance.now();
    if (wait <= 0) running = run();
    else {
      timer = setTimeout(() => {
        timer = undefined;
        next();
      }, wait);
    }
  }

  async function run(): Promise<void> {
    wanted = false;
    lastStart = performance.now();
    const exceptQueues = settings.fullQueues();
    const mostEach = Math.min(settings.room(), settings.mostEach);
    const byQueue = exceptQueues.length > 0 || mostEach < settings.mostEach;
    const events = await settings.claim({
      aheadMs: settings.claimedAhead() < settings.mostAhead ? settings.aheadMs : 0,
      most: settings.most,
      exceptQueues,
      ...(byQueue && { mostEach }),
    });
    running = undefined;
    if (!mayHaveMore(events, byQueue ? mostEach : undefined)) next();
    else if (events.some((event) => event.dueAt < settings.now() + fairness.soonMs)) wake();
    else nextTurn = setTimeout(wake, fairness.pauseMs * (0.5 + Math.random()));
  }

  function mayHaveMore(events: readonly PendingEvent[], mostEach: number | undefined): boolean {
    if (events.length >= settings.most) return true;
    if (mostEach === undefined) return false;
    const counts = new Map<string, number>();
    for (const { lane } of events) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    return [...counts.values()].some((count) => count >= mostEach);
  }

  function wake(): void {
    wanted = true;
    next();
  }

  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(nextTurn);
      await running;
    },
  };
}
