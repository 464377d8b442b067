/** The delivery of events on one node: leases what is due soon, calls it at its time, writes down what came of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellation } from '../../base/cancellation.ts';
import type { Environment } from '../../base/environment.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { type Listener, listen } from '../../postgres/client/listen.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { createCircuitBreakers } from '../destinations/circuit-breakers.ts';
import { createDestinations } from '../destinations/destinations.ts';
import { createDestinationQueues } from '../destinations/queues.ts';
import { createDestinationRules, deliveryNodeSuffix } from '../destinations/rules.ts';
import { createLeaseKeeper } from '../leases/lease-keeper.ts';
import { type LeaseTimes, readClock, sweepLeases } from '../leases/leases.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import type { Signer } from '../webhook/signature.ts';
import { type Claim, claimEvents, releaseEvents, releaseOthers } from './claim.ts';
import { createClaimConfirmer } from './claim-confirmer.ts';
import { createClaimLoop } from './claim-loop.ts';
import { type ClaimedEvent, createClaimedEvents } from './claimed-events.ts';
import { createDatabaseClock } from './database-clock.ts';
import { createDelayQueue } from './delay-queue.ts';
import { createEventDeliverer } from './deliver-event.ts';
import { createDeliveryCounters, type DeliveryStats } from './delivery-stats.ts';
import { createOutcomeWriter } from './outcome-writer.ts';

export interface DeliverySettings {
  /** Calls to one destination at the same time. */
  readonly perDestination: number;
  /** Calls at the same time in all. */
  readonly overall: number;
  /** Failures of a destination one after the other that open its circuit; 0 for none that ever opens. */
  readonly circuitFailures: number;
}

export const deliveryDefaults: DeliverySettings = { perDestination: 100, overall: 2_000, circuitFailures: 20 };

export interface DeliveryOptions {
  /** Better a small pool of its own than the one that answers requests: a claim that waits for a connection is late. */
  readonly database: Database;
  /** For a connection that listens; not that of a transaction pooler. Without it a poll alone finds new events. */
  readonly databaseUrl?: string | undefined;
  readonly httpClient: HttpClient;
  readonly environment: Environment;
  readonly observe: Observe;
  /** Shown in the table of leases. */
  readonly nodeId: string;
  /** The User-Agent of the calls: `joinery/0.1.0`. */
  readonly agent: string;
  /** Signs the calls whose events name no key of their own. */
  readonly sign?: Signer | undefined;
  readonly settings?: Partial<DeliverySettings>;
  readonly leaseTimes?: LeaseTimes | undefined;
}

export interface Delivery {
  /** Starts claiming. A database that does not answer is asked again until it does. */
  start(): Promise<void>;
  /** Stops claiming, lets go of what was not started, and waits so long for calls under way before cutting them off. */
  stop(limit: { readonly drainMs: number }): Promise<void>;
  stats(): DeliveryStats;
}

/** Backstop for events that no NOTIFY announced. Less than half of `AHEAD_MS`, so that it is never late for others. */
const POLL_MS = 1_000;
/** How long before it is due an event is leased. */
const AHEAD_MS = 2_000;
/**
 * At least so long before its time an event is confirmed, so that the answer is there when it is due; at moments on a
 * grid, so that the events of a while are confirmed together.
 */
const confirmation = { leadMs: 30, gridMs: 20 };
const most = { perClaim: 250, ahead: 5_000, queued: 10_000 };
/** For writing down the last outcomes once the calls have ended. */
const LAST_WORDS_MS = 5_000;

/** One for each process. Nothing happens before `start`. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { database, environment, observe, agent } = options;
  const { query } = database;
  const settings = { ...deliveryDefaults, ...options.settings };
  const clock = createDatabaseClock();
  const counters = createDeliveryCounters();
  const claimedEvents = createClaimedEvents();
  const failureLog = createFailureLog(observe, 'claiming events');
  const listening = createFailureLog(observe, 'listening for events');
  const outcomeWriter = createOutcomeWriter({
    query,
    name: database.prepared,
    agent,
    observe,
    onWritten: () => lanes.resume(),
  });
  const holds = (lease: string): boolean => keeper.holds(lease);
  const confirmer = createClaimConfirmer({ query, now: clock.now, holds, observe });
  const destinationOf = createDestinations(environment);
  const rules = createDestinationRules({ query, perDestination: settings.perDestination, onChange: reconsider });
  const circuits = createCircuitBreakers({
    query,
    rules,
    failures: settings.circuitFailures,
    now: clock.now,
    failureLog: createFailureLog(observe, 'circuits of destinations'),
    onChange: reconsider,
  });
  const cutOff = new Cancellation();
  let stopping = false;
  /** What the clock has been advanced by. */
  let aheadMs = 0;
  /** Leases under which the database may have events that this node does not know of. */
  const doubtful = new Set<string>();
  let poll: NodeJS.Timeout | undefined;
  let listener: Promise<Listener | undefined> | undefined;

  const deliverer = createEventDeliverer({
    caller: {
      httpClient: options.httpClient,
      environment,
      agent,
      sign: options.sign,
      now: clock.now,
      realTime: () => clock.now() - aheadMs,
    },
    query,
    claimedEvents,
    confirmer,
    outcomeWriter,
    counters,
    observe,
    cutOff,
    keeps: (retryAt) => !stopping && retryAt - clock.now() <= AHEAD_MS,
    doubt: (lease) => {
      const current = keeper.current();
      doubtful.add(lease).add(current ?? lease);
    },
    mayCall: holds,
    again: (event, lease) => hold(event, lease, clock.now()),
    report: (lane, health) => circuits.report(destinationOf(lane), health),
    wake: () => claimLoop.wake(),
  });
  const lanes = createDestinationQueues<ClaimedEvent>({
    allowance: circuits.allowance,
    overall: settings.overall,
    mostQueued: most.queued,
    // What was called and is not written down is called again should this node die now, so there must not be much.
    mayStart: () => outcomeWriter.size() < 2 * settings.perDestination,
    laneOf: (claimed) => claimed.event.lane,
    destinationOf,
    start: deliverer.deliver,
    onRoom: () => claimLoop.wake(),
  });
  const delayQueue = createDelayQueue<ClaimedEvent>(clock.now, (ringing) => {
    ringing.forEach(advance);
    sendBack();
  });
  const keeper = createLeaseKeeper({
    query,
    node: options.nodeId + deliveryNodeSuffix,
    observe,
    times: options.leaseTimes,
    free: (run, lease) => releaseOthers(run, lease, []),
    sweep: sweepLeases,
    inUse: claimedEvents.callsUnder,
    onWork: () => claimLoop.wake(),
    onLost: (lease) => {
      doubtful.add(lease);
      claimedEvents.removeWaiting();
      delayQueue.clear();
      lanes.clear();
    },
  });
  const claimLoop = createClaimLoop({
    aheadMs: AHEAD_MS,
    mostAhead: most.ahead,
    most: most.perClaim,
    mostEach: 2 * settings.perDestination,
    heldAhead: delayQueue.size,
    now: clock.now,
    fullLanes: lanes.full,
    room: lanes.room,
    claim,
  });

  async function claim(wanted: Claim): Promise<readonly PendingEvent[]> {
    const lease = keeper.current();
    if (lease === undefined || !clock.known() || !rules.known()) return [];
    try {
      for (const one of [...doubtful]) {
        doubtful.delete(one);
        await releaseOthers(query, one, claimedEvents.ids()).catch((error) => {
          doubtful.add(one);
          throw error;
        });
      }
      const askedAt = clock.now();
      const events = await claimEvents(query, database.prepared, lease, wanted);
      failureLog.recovered();
      for (const event of events) hold(event, lease, askedAt);
      sendBack();
      return events;
    } catch (error) {
      // It may have happened all the same, or happen yet, with only the response lost.
      doubtful.add(lease);
      if (!isPostgresError(error)) keeper.suspect();
      failureLog.failed(error);
      return [];
    }
  }

  function hold(event: PendingEvent, lease: string, confirmedAt: number): void {
    // What has an ordering key is confirmed after it was claimed: see claim_ordered_events.
    const word = event.orderingKey === undefined ? confirmedAt : Number.NEGATIVE_INFINITY;
    if (!keeper.holds(lease)) doubtful.add(lease);
    const claimed = stopping || !keeper.holds(lease) ? undefined : claimedEvents.take(event, lease, word);
    if (claimed === undefined) return;
    const remaining = event.dueAt - clock.now();
    if (remaining <= 0) lanes.push(claimed);
    else delayQueue.add(remaining < 2 * confirmation.leadMs ? event.dueAt : confirmAt(event), claimed);
  }

  function confirmAt(event: PendingEvent): number {
    return Math.floor((event.dueAt - confirmation.leadMs) / confirmation.gridMs) * confirmation.gridMs;
  }

  /** Its time has come, or the time to confirm it. */
  function advance(claimed: ClaimedEvent): void {
    if (claimed.dropped) return;
    if (claimed.event.dueAt <= clock.now()) lanes.push(claimed);
    else confirmer.confirm(claimed).then((ours) => confirmed(claimed, ours));
  }

  function confirmed(claimed: ClaimedEvent, ours: boolean): void {
    if (!ours) {
      claimedEvents.drop(claimed);
      if (claimed.event.orderingKey !== undefined || !keeper.holds(claimed.lease)) doubtful.add(claimed.lease);
    } else if (!stopping && !claimed.dropped) delayQueue.add(claimed.event.dueAt, claimed);
  }

  /** Destinations are allowed more or less than before. */
  function reconsider(): void {
    sendBack();
    lanes.reconsider();
  }

  /** Lets go of what is due and may not be called now, so that it is not tied to this node. */
  function sendBack(): void {
    const blocked = lanes.takeSurplus(circuits.limited()).filter((claimed) => !claimed.dropped);
    if (blocked.length === 0) return;
    for (const claimed of blocked) claimedEvents.drop(claimed);
    release(blocked).catch(() => {
      for (const { lease } of blocked) doubtful.add(lease);
    });
  }

  async function readRules(): Promise<void> {
    const lease = keeper.current();
    if (lease === undefined) return;
    try {
      await rules.load(lease);
      await circuits.takeProbes();
    } catch (error) {
      failureLog.failed(error);
    }
  }

  /** False when the database did not answer. */
  async function setClock(): Promise<boolean> {
    const askedAt = performance.now();
    try {
      const { now, aheadMs: ahead } = await readClock(query);
      clock.observe(askedAt, performance.now(), now);
      aheadMs = ahead;
      claimLoop.wake();
      return true;
    } catch (error) {
      failureLog.failed(error);
      return false;
    }
  }

  function pollAgain(): void {
    poll = setTimeout(async () => {
      await readRules();
      await setClock();
      if (stopping) return;
      listenIfNeeded();
      pollAgain();
    }, POLL_MS);
  }

  /** Not waited for: finding out that a database passes nothing on takes seconds. */
  function listenIfNeeded(): void {
    if (options.databaseUrl !== undefined) listener ??= listenTo(options.databaseUrl);
  }

  async function listenTo(url: string): Promise<Listener | undefined> {
    const wake = (): void => claimLoop.wake();
    const onNotify = (_channel: string, what: string): void => {
      if (what === 'destinations') readRules().then(wake);
      else if (what === 'clock') setClock();
      else wake();
    };
    try {
      return await listen({ url, channels: ['joinery_events'], onNotify, onReconnect: wake, observe });
    } catch (error) {
      listening.failed(error);
      listener = undefined;
      return undefined;
    }
  }

  async function letGo(): Promise<void> {
    const waiting = [...delayQueue.clear(), ...lanes.clear()].filter((claimed) => !claimed.dropped);
    claimedEvents.removeWaiting();
    await release(waiting).catch((error) => failureLog.failed(error));
  }

  async function release(claimed: readonly ClaimedEvent[]): Promise<void> {
    for (const lease of new Set(claimed.map((one) => one.lease))) {
      const ids = claimed.filter((one) => one.lease === lease).map((one) => one.event.id);
      await releaseEvents(query, lease, ids);
    }
  }

  return {
    async start() {
      // The first sample pays for the connection; the later ones are narrower.
      for (let sample = 0; sample < 3 && (await setClock()); sample += 1);
      if (stopping) return;
      await keeper.start();
      await readRules();
      if (stopping) return;
      claimLoop.wake();
      listenIfNeeded();
      pollAgain();
    },
    async stop({ drainMs }) {
      stopping = true;
      clearTimeout(poll);
      await claimLoop.stop();
      await letGo();
      const drained = new AbortController();
      await Promise.race([lanes.idle(), sleep(drainMs, undefined, { signal: drained.signal }).catch(() => undefined)]);
      drained.abort();
      confirmer.stop();
      cutOff.abort();
      const limit = setTimeout(outcomeWriter.abandon, LAST_WORDS_MS);
      await lanes.idle();
      await outcomeWriter.settled();
      await circuits.settled();
      clearTimeout(limit);
      await keeper.stop();
      await (await listener)?.close();
    },
    stats: () => ({
      waiting: delayQueue.size(),
      queued: lanes.queued(),
      inFlight: lanes.running() + outcomeWriter.size(),
      ...counters.read(),
    }),
  };
}
