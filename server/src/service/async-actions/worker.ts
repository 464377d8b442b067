/** Runs asynchronous actions on one node: claims due entries, calls handlers, writes outcomes and takes over from dead nodes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cancellation } from '../../base/cancellation.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { createLeaseKeeper } from '../../events/leases/lease-keeper.ts';
import type { LeaseTimes } from '../../events/leases/leases.ts';
import {
  type ClaimedEntry,
  claimEntries,
  type EntryOutcome,
  expireEntries,
  releaseEntries,
  settleEntry,
  sweepEntries,
} from '../../execute/action/action-log.ts';
import type { HandlerTools } from '../../execute/action/handler-call.ts';
import type { Model } from '../../model/model.ts';
import type { Action } from '../../model/types/action.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { isPostgresError, isValueError } from '../../postgres/sql/errors.ts';
import { runEntry } from './run.ts';

export interface ActionWorkerOptions extends Omit<HandlerTools, 'signal'> {
  /** The database with the schema `joinery`. */
  readonly database: Database;
  readonly model: () => Model;
  readonly observe: Observe;
  /** Written to the table of leases. */
  readonly node: string;
  /** Interval of polls for entries without a notification, in milliseconds. */
  readonly pollMs: number;
  /** Concurrent calls of one action, so that a slow handler does not block other actions. */
  readonly perAction: number;
  /** Concurrent calls of all actions. */
  readonly overall: number;
  /** Days until a finished entry is deleted; 0 keeps it. */
  readonly retentionDays: number;
  readonly leaseTimes?: LeaseTimes | undefined;
}

export interface ActionWorker {
  /** Starts claiming. */
  start(): Promise<void>;
  /** Requests a claim: there may be due entries. */
  wake(): void;
  /** Stops claiming, waits up to `drainMs` for running calls, and releases unfinished entries. */
  stop(limit: { readonly drainMs: number }): Promise<void>;
  /** Number of running calls. */
  inFlight(): number;
}

/** The outcome if PostgreSQL rejects the response, for example because it is nested too deeply. */
const unwritable: EntryOutcome = {
  kind: 'error',
  errors: printJson({ error: 'PostgreSQL cannot hold the response of the handler', path: '$', code: 'data-exception' }),
};

const pauses = { shortestMs: 200, longestMs: 2_000 };
const expiry = { everyMs: 60_000, batch: 1_000 };

/** Creates the worker of a process. It is idle before `start`. */
export function createActionWorker(options: ActionWorkerOptions): ActionWorker {
  const { database, observe } = options;
  const { query } = database;
  const failureLog = createFailureLog(observe, 'running asynchronous actions');
  const cutOff = new Cancellation();
  const tools: HandlerTools = { ...options, signal: cutOff };
  const running = new Map<string, { readonly name: string; readonly lease: string; readonly done: Promise<void> }>();
  let stopping = false;
  let claiming: Promise<void> | undefined;
  let wanted = false;
  /** Whether the last claim reached a limit, so that there may be more due entries. */
  let mayHaveMore = false;
  /** Leases under which the database may have claims that this node does not know of. */
  const suspectLeases = new Set<string>();
  const timers: NodeJS.Timeout[] = [];

  const keeper = createLeaseKeeper({
    query,
    node: `${options.node} actions`,
    observe,
    times: options.leaseTimes,
    free: (run, lease) => releaseEntries(run, lease, []),
    sweep: sweepEntries,
    inUse: (lease) => [...running.values()].some((one) => one.lease === lease),
    onWork: wake,
    onLost: (lease) => suspectLeases.add(lease),
  });

  function wake(): void {
    wanted = true;
    if (stopping || claiming !== undefined) return;
    wanted = false;
    claiming = claim().finally(() => {
      claiming = undefined;
      if (wanted) wake();
    });
  }

  async function claim(): Promise<void> {
    const lease = keeper.current();
    const actions = new Map([...options.model().actions].filter(([, action]) => action.asynchronous !== undefined));
    const slots = freeSlots(actions);
    const most = options.overall - running.size;
    mayHaveMore = slots.size < actions.size || most <= 0;
    if (lease === undefined || slots.size === 0 || most <= 0) return;
    try {
      for (const one of [...suspectLeases]) {
        await releaseEntries(query, one, [...running.keys()]);
        suspectLeases.delete(one);
      }
      const entries = await claimEntries(query, lease, slots, most);
      failureLog.recovered();
      for (const entry of entries) {
        const action = options.model().actions.get(entry.actionName as Action['name']);
        if (action === undefined || running.has(entry.id) || !keeper.holds(lease)) suspectLeases.add(lease);
        else begin(action, entry, lease);
      }
      mayHaveMore ||= entries.length >= most || freeSlots(actions).size < slots.size;
    } catch (error) {
      suspectLeases.add(lease);
      if (!isPostgresError(error)) keeper.suspect();
      failureLog.failed(error);
    }
  }

  /** Returns the free slots of each action, without actions that have none. */
  function freeSlots(actions: ReadonlyMap<string, Action>): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { name } of running.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
    const slots = [...actions].map(([name, { maxCalls = options.perAction }]) => {
      // An entry is claimed only if it can start: waiting for a slot would use up its timeout.
      return [name, Math.min(options.perAction, maxCalls) - (counts.get(name) ?? 0)] as const;
    });
    return new Map(slots.filter(([, free]) => free > 0));
  }

  function begin(action: Action, entry: ClaimedEntry, lease: string): void {
    const done = run(action, entry, lease).finally(() => {
      running.delete(entry.id);
      if (mayHaveMore) wake();
    });
    running.set(entry.id, { name: entry.actionName, lease, done });
  }

  async function run(action: Action, entry: ClaimedEntry, lease: string): Promise<void> {
    const outcome = await runEntry(action, entry, { ...tools, mayStart: () => keeper.holds(lease) });
    if (outcome !== undefined) await settle(entry, lease, outcome);
    // If the entry was claimed again meanwhile, it is under the current lease and no call has started.
    if (outcome === undefined || !keeper.holds(lease)) suspectLeases.add(lease).add(keeper.current() ?? lease);
  }

  /** Writes the outcome. Retries until the database accepts it or the node stops. */
  async function settle(entry: ClaimedEntry, lease: string, result: EntryOutcome): Promise<void> {
    let outcome = result;
    for (let pause = pauses.shortestMs; ; pause = Math.min(pause * 2, pauses.longestMs)) {
      try {
        await settleEntry(query, lease, entry.id, outcome);
        failureLog.recovered();
        return;
      } catch (error) {
        failureLog.failed(error);
        if (cutOff.aborted) return;
        if (isValueError(error) && outcome.kind !== 'retry' && outcome !== unwritable) outcome = unwritable;
        else await sleep(pause);
      }
    }
  }

  async function expire(): Promise<void> {
    try {
      while (!stopping && (await expireEntries(query, options.retentionDays, expiry.batch)) === expiry.batch);
    } catch (error) {
      failureLog.failed(error);
    }
  }

  function allDone(): Promise<unknown> {
    return Promise.all([...running.values()].map(({ done }) => done));
  }

  return {
    async start() {
      await keeper.start();
      if (stopping) return;
      timers.push(setInterval(wake, options.pollMs));
      if (options.retentionDays === 0) return;
      timers.push(setInterval(() => void expire(), expiry.everyMs));
      await expire();
    },
    wake,
    async stop({ drainMs }) {
      stopping = true;
      timers.forEach(clearInterval);
      await claiming;
      const drained = new AbortController();
      await Promise.race([allDone(), sleep(drainMs, undefined, { signal: drained.signal }).catch(() => undefined)]);
      drained.abort();
      cutOff.abort();
      await allDone();
      await keeper.stop();
    },
    inFlight: () => running.size,
  };
}
