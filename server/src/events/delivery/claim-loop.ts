/** Decides when to claim and how much: at once when woken, in batches under load, one claim at a time. */

import type { PendingEvent } from '../types/pending-event.ts';
import type { Claim } from './claim.ts';

export interface ClaimLoop {
  /** There may be something to claim. */
  wake(): void;
  /** No more claims; resolves when none is under way. */
  stop(): Promise<void>;
}

export interface ClaimLoopSettings {
  /** Milliseconds that an event is claimed before it is due. */
  readonly aheadMs: number;
  /** Events that may be held before they are due. */
  readonly mostAhead: number;
  /** Events of one claim. */
  readonly most: number;
  /** How many events of one lane to take when they are claimed lane by lane. */
  readonly mostEach: number;
  readonly heldAhead: () => number;
  /** The database's clock, milliseconds since 1970. */
  readonly now: () => number;
  readonly fullLanes: () => readonly string[];
  /** How many events of one lane a claim may bring at most, because some destination lacks no more; or infinite. */
  readonly room: () => number;
  /** Must not reject. */
  readonly claim: (claim: Claim) => Promise<readonly PendingEvent[]>;
}

/** Least distance of two claims: what comes in between is claimed together. */
const SHORTEST_GAP_MS = 3;
/** After a claim that was full although nothing in it is due within `soonMs`, other nodes get a chance. */
const turn = { soonMs: 500, pauseMs: 60 };

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
    const exceptLanes = settings.fullLanes();
    const mostEach = Math.min(settings.room(), settings.mostEach);
    const byLane = exceptLanes.length > 0 || mostEach < settings.mostEach;
    const events = await settings.claim({
      aheadMs: settings.heldAhead() < settings.mostAhead ? settings.aheadMs : 0,
      most: settings.most,
      exceptLanes,
      ...(byLane && { mostEach }),
    });
    running = undefined;
    if (!mayHaveMore(events, byLane ? mostEach : undefined)) next();
    else if (events.some((event) => event.dueAt < settings.now() + turn.soonMs)) wake();
    else nextTurn = setTimeout(wake, turn.pauseMs * (0.5 + Math.random()));
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
