/** Decides when to claim events and how many. */
import { type ClaimTurns, createClaimTurns } from '../leases/claim-turns.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import type { Claim } from './event-store.ts';

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
  readonly claim: (claim: Claim) => Promise<readonly DeliverableEvent[]>;
}

/** Shortest time between two claims: events created in between are claimed together. */
const SHORTEST_GAP_MS = 3;
/** A full claim without events that are due within `soonMs` is followed by a pause, so that other nodes get a share. */
const fairness = { soonMs: 500, pauseMs: 60 };

export function createClaimLoop(settings: ClaimLoopSettings): ClaimTurns {
  async function claim(): Promise<number | undefined> {
    const exceptQueues = settings.fullQueues();
    const mostEach = Math.min(settings.room(), settings.mostEach);
    const byQueue = exceptQueues.length > 0 || mostEach < settings.mostEach;
    const events = await settings.claim({
      aheadMs: settings.claimedAhead() < settings.mostAhead ? settings.aheadMs : 0,
      most: settings.most,
      exceptQueues,
      ...(byQueue && { mostEach }),
    });
    if (!mayHaveMore(events, byQueue ? mostEach : Number.POSITIVE_INFINITY)) return undefined;
    if (events.some((event) => event.dueAt < settings.now() + fairness.soonMs)) return 0;
    return fairness.pauseMs * (0.5 + Math.random());
  }

  function mayHaveMore(events: readonly DeliverableEvent[], mostEach: number): boolean {
    if (events.length >= settings.most) return true;
    const counts = new Map<string, number>();
    for (const { lane } of events) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    return [...counts.values()].some((count) => count >= mostEach);
  }

  return createClaimTurns({ claim, gapMs: SHORTEST_GAP_MS });
}
