/** Event delivery of one node: claims events before they are due, calls their webhooks and writes the outcomes. */
import type { Environment } from '../../base/environment.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { type Listener, listen } from '../../postgres/client/listen.ts';
import type { DestinationLimits } from '../destinations/limits.ts';
import { createDestinationQueues } from '../destinations/queues.ts';
import { deliveryNodeSuffix } from '../destinations/rules.ts';
import { createLeasedWork, type LeasedWork } from '../leases/leased-work.ts';
import type { LeaseTimes } from '../leases/leases.ts';
import type { CallTargets } from '../targets/target.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import type { Signer } from '../webhook/signature.ts';
import { createClaimConfirmer } from './claim-confirmer.ts';
import { createClaimLoop } from './claim-loop.ts';
import { type ClaimedEvent, createClaimedEvents } from './claimed-events.ts';
import type { DatabaseClock } from './database-clock.ts';
import { createDelayQueue } from './delay-queue.ts';
import { createEventDeliverer, type EventDelivererSettings } from './deliver-event.ts';
import { createDeliveryCounters, type DeliveryStats } from './delivery-stats.ts';
import type { Claim, EventStore } from './event-store.ts';
import { createOutcomeWriter } from './outcome-writer.ts';

export interface DeliveryOptions<Event extends DeliverableEvent> {
  /** Uses a pool that does not serve requests: a claim that waits for a connection is late. */
  readonly store: EventStore<Event>;
  /** Estimates the time of the store's database; set by this engine. */
  readonly clock: DatabaseClock;
  readonly limits: DestinationLimits;
  /** URL of the store's database for LISTEN, without a transaction pooler. If undefined, new events are found by polling only. */
  readonly databaseUrl?: string | undefined;
  /** Replaces the connection for LISTEN. */
  readonly listen?: typeof listen | undefined;
  readonly httpClient: HttpClient;
  /** Runs operations and functions of events that have no webhook. */
  readonly callTarget: CallTargets;
  readonly environment: Environment;
  readonly observe: Observe;
  /** Counts calls for the history, after their outcome was written. */
  readonly record?: EventDelivererSettings<Event>['record'] | undefined;
  /** Written to the table of leases. */
  readonly nodeId: string;
  /** The User-Agent of the calls, such as `joinery/0.1.0`. */
  readonly agent: string;
  /** Signs the calls of events without a signing key of their own. */
  readonly sign?: Signer | undefined;
  readonly leaseTimes?: LeaseTimes | undefined;
}

export interface Delivery {
  /** Starts claiming. Retries until the database is reachable. */
  start(): Promise<void>;
  /** Stops claiming, releases events that are not being called, and waits up to `drainMs` before it aborts calls. */
  stop(limit: { readonly drainMs: number }): Promise<void>;
  stats(): DeliveryStats;
}

/** Interval of polls, for events without a NOTIFY. Less than half of `AHEAD_MS`, so that no scheduled event is late. */
const POLL_MS = 1_000;
/** How long before its due time an event is claimed. */
const AHEAD_MS = 2_000;
/**
 * A claim is confirmed at least `leadMs` before the event is due, so that the result arrives in time. Confirmations run
 * at multiples of `gridMs`, so that they are batched.
 */
const confirmation = { leadMs: 30, gridMs: 20 };
const most = { perClaim: 250, ahead: 5_000, queued: 10_000 };
/** Time to write the last outcomes after the calls have ended. */
const LAST_WRITES_MS = 5_000;

/** One for each store of a process. Nothing happens before `start`. */
export function createDelivery<Event extends DeliverableEvent>(options: DeliveryOptions<Event>): Delivery {
  const { store, clock, limits, environment, observe, agent } = options;
  const counters = createDeliveryCounters();
  const claimedEvents = createClaimedEvents<Event>();
  const failureLog = createFailureLog(observe, 'claiming events');
  const listenFailures = createFailureLog(observe, 'listening for events');
  const work: LeasedWork = createLeasedWork<Event>({
    leases: store.leases,
    node: options.nodeId + deliveryNodeSuffix,
    observe,
    times: options.leaseTimes,
    failureLog,
    release: store.releaseOthers,
    sweep: store.sweep,
    known: claimedEvents.events,
    inUse: claimedEvents.callsUnder,
    onWork: () => claimLoop.wake(),
    onLost: () => {
      claimedEvents.removeWaiting();
      delayQueue.clear();
      queues.clear();
    },
    stopClaiming: async () => {
      clearTimeout(poll);
      await claimLoop.stop();
      clearTimeout(nextClaim);
      await releaseWaiting();
    },
    idle: () => queues.idle(),
    finish: async () => {
      confirmer.stop();
      await queues.idle();
      await outcomeWriter.settled();
      await limits.settled();
      queues.close();
      unfollowLimits();
    },
    lastWritesMs: LAST_WRITES_MS,
  });
  const outcomeWriter = createOutcomeWriter({ store, agent, observe, work, onWritten: () => queues.resume() });
  const confirmer = createClaimConfirmer({ store, now: clock.now, holds: work.mayStart, observe });
  const unfollowLimits = limits.onChange(applyLimits);
  /** How far development mode has advanced the clock. */
  let aheadMs = 0;
  let poll: NodeJS.Timeout | undefined;
  let nextClaim: NodeJS.Timeout | undefined;
  let listener: Promise<Listener | undefined> | undefined;

  const deliverer = createEventDeliverer({
    caller: {
      httpClient: options.httpClient,
      callTarget: options.callTarget,
      environment,
      agent,
      sign: options.sign,
      now: clock.now,
      realTime: () => clock.now() - aheadMs,
    },
    store,
    claimedEvents,
    confirmer,
    outcomeWriter,
    counters,
    record: options.record ?? (() => undefined),
    observe,
    work,
    keeps: (retryAt) => !work.stopping() && retryAt - clock.now() <= AHEAD_MS,
    retry: (event, lease) => track(event, lease, clock.now()),
    report: limits.report,
    wake: () => claimLoop.wake(),
  });
  const queues = createDestinationQueues<ClaimedEvent<Event>>({
    allowance: limits.allowance,
    slots: limits.slots,
    mostQueued: most.queued,
    // If this node dies, events with unwritten outcomes are called again: their number is bounded.
    mayStart: () => outcomeWriter.size() < 2 * limits.perDestination,
    laneOf: (claimed) => claimed.event.lane,
    destinationOf: limits.destinationOf,
    start: deliverer.deliver,
    onRoom: () => claimLoop.wake(),
  });
  const delayQueue = createDelayQueue<ClaimedEvent<Event>>(clock.now, (items) => {
    items.forEach(advance);
    releaseSurplus();
  });
  const claimLoop = createClaimLoop({
    aheadMs: AHEAD_MS,
    mostAhead: most.ahead,
    most: most.perClaim,
    mostEach: 2 * limits.perDestination,
    claimedAhead: delayQueue.size,
    now: clock.now,
    fullQueues: queues.full,
    room: queues.room,
    claim,
  });

  async function claim(wanted: Claim): Promise<readonly Event[]> {
    if (!clock.known() || !limits.known()) return [];
    let sentAt = 0;
    const { lease, items } = await work.claim((current) => {
      sentAt = clock.now();
      return store.claim(current, wanted);
    });
    for (const event of items) track(event, lease, sentAt);
    releaseSurplus();
    const againMs = store.claimAgainMs?.(items, wanted);
    if (againMs !== undefined) claimAgain(againMs);
    return items;
  }

  function claimAgain(afterMs: number): void {
    clearTimeout(nextClaim);
    if (afterMs <= 0) claimLoop.wake();
    else nextClaim = setTimeout(claimLoop.wake, afterMs);
  }

  function track(event: Event, lease: string, claimedAt: number): void {
    // Events with an ordering key are confirmed after the claim: see claim_ordered_events.
    const confirmedAt = event.orderingKey === undefined ? claimedAt : Number.NEGATIVE_INFINITY;
    if (!work.mayStart(lease)) work.suspect(lease);
    else if (!work.stopping()) schedule(claimedEvents.add(event, lease, { claimedAt, confirmedAt }));
  }

  function schedule(claimed: ClaimedEvent<Event> | undefined): void {
    if (claimed === undefined) return;
    const { event } = claimed;
    const remaining = event.dueAt - clock.now();
    if (remaining <= 0) queues.push(claimed);
    else delayQueue.add(remaining < 2 * confirmation.leadMs ? event.dueAt : confirmAt(event), claimed);
  }

  function confirmAt(event: Event): number {
    return Math.floor((event.dueAt - confirmation.leadMs) / confirmation.gridMs) * confirmation.gridMs;
  }

  /** Queues the event if it is due; confirms its claim otherwise. */
  function advance(claimed: ClaimedEvent<Event>): void {
    if (claimed.dropped) return;
    if (claimed.event.dueAt <= clock.now()) queues.push(claimed);
    else confirmer.confirm(claimed).then((valid) => onConfirmed(claimed, valid));
  }

  function onConfirmed(claimed: ClaimedEvent<Event>, valid: boolean): void {
    if (!valid) {
      claimedEvents.remove(claimed);
      // The database may still have the claim: see `discard`.
      work.suspect(claimed.lease);
    } else if (!work.stopping() && !claimed.dropped) delayQueue.add(claimed.event.dueAt, claimed);
  }

  /** Applies changed limits of destinations. */
  function applyLimits(): void {
    releaseSurplus();
    queues.applyLimits();
  }

  /** Releases due events beyond the limits of their destinations, so that other nodes can claim them. */
  function releaseSurplus(): void {
    const blocked = queues.takeSurplus(limits.limited()).filter((claimed) => !claimed.dropped);
    if (blocked.length === 0) return;
    for (const claimed of blocked) claimedEvents.remove(claimed);
    release(blocked).catch((error) => {
      for (const { lease } of blocked) work.failed(lease, error);
    });
  }

  async function readLimits(): Promise<void> {
    const lease = work.current();
    if (lease === undefined) return;
    try {
      await limits.load(lease);
    } catch (error) {
      failureLog.failed(error);
    }
  }

  /** Returns false if the database did not respond. */
  async function readDatabaseClock(): Promise<boolean> {
    const sentAt = performance.now();
    try {
      const { now, aheadMs: ahead } = await store.readClock();
      clock.observe(sentAt, performance.now(), now);
      aheadMs = ahead;
      claimLoop.wake();
      return true;
    } catch (error) {
      failureLog.failed(error);
      return false;
    }
  }

  function schedulePoll(): void {
    poll = setTimeout(async () => {
      await readLimits();
      await readDatabaseClock();
      if (work.stopping()) return;
      listenIfNeeded();
      schedulePoll();
    }, POLL_MS);
  }

  /** Does not wait: a connection through a pooler takes seconds to fail. */
  function listenIfNeeded(): void {
    if (options.databaseUrl !== undefined) listener ??= listenTo(options.databaseUrl);
  }

  async function listenTo(url: string): Promise<Listener | undefined> {
    const wake = (): void => claimLoop.wake();
    const onNotify = (_channel: string, payload: string): void => {
      const announced = store.announced(payload);
      if (announced === 'limits') readLimits().then(wake);
      else if (announced === 'clock') readDatabaseClock();
      else wake();
    };
    try {
      return await (options.listen ?? listen)({ url, channels: store.channels, onNotify, onReconnect: wake, observe });
    } catch (error) {
      listenFailures.failed(error);
      listener = undefined;
      return undefined;
    }
  }

  async function releaseWaiting(): Promise<void> {
    const waiting = [...delayQueue.clear(), ...queues.clear()].filter((claimed) => !claimed.dropped);
    claimedEvents.removeWaiting();
    await release(waiting).catch((error) => failureLog.failed(error));
  }

  async function release(claimed: readonly ClaimedEvent<Event>[]): Promise<void> {
    for (const lease of new Set(claimed.map((one) => one.lease))) {
      const events = claimed.filter((one) => one.lease === lease).map((one) => one.event);
      await store.release(lease, events);
    }
  }

  return {
    async start() {
      // The first sample includes connecting; the later ones are more exact.
      for (let sample = 0; sample < 3 && (await readDatabaseClock()); sample += 1);
      if (work.stopping()) return;
      await work.start();
      await readLimits();
      if (work.stopping()) return;
      claimLoop.wake();
      listenIfNeeded();
      schedulePoll();
    },
    async stop(limit) {
      await work.stop(limit);
      await (await listener)?.close();
    },
    stats: () => ({
      waiting: delayQueue.size(),
      queued: queues.queued(),
      inFlight: queues.running() + outcomeWriter.size(),
      ...counters.read(),
    }),
  };
}
