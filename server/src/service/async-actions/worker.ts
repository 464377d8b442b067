/** Runs asynchronous actions on one node: claims due entries, calls handlers, writes outcomes and takes over from dead nodes. */
import { createFailureLog } from '../../base/failure-log.ts';
import { printJson } from '../../base/json-value.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { TrafficRecorder } from '../../events/history/traffic-writer.ts';
import { createClaimTurns } from '../../events/leases/claim-turns.ts';
import { createLeasedWork, type WriteResult } from '../../events/leases/leased-work.ts';
import { createLeaseStore, type LeaseTimes } from '../../events/leases/leases.ts';
import {
  type ClaimedEntry,
  claimEntries,
  type EntryOutcome,
  expireEntries,
  releaseEntries,
  settleEntry,
  sweepEntries,
} from '../../execute/action/action-log.ts';
import type { HandlerTools } from '../../execute/action/handler/handler-call.ts';
import type { Model } from '../../model/model.ts';
import type { Action } from '../../model/types/action.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { isValueError } from '../../postgres/sql/errors.ts';
import { runEntry } from './run.ts';

export interface ActionWorkerOptions extends Omit<HandlerTools, 'signal'> {
  /** The database with the schema `joinery`. */
  readonly database: Database;
  readonly model: () => Model;
  readonly observe: Observe;
  /** Counts calls for the history. */
  readonly record?: TrafficRecorder['record'] | undefined;
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

const results = { completed: 'delivered', error: 'failed', retry: 'retried' } as const;

const expiry = { everyMs: 60_000, batch: 1_000 };

/** Creates the worker of a process. It is idle before `start`. */
export function createActionWorker(options: ActionWorkerOptions): ActionWorker {
  const { database, observe } = options;
  const { query } = database;
  const failureLog = createFailureLog(observe, 'running asynchronous actions');
  const running = new Map<string, { readonly name: string; readonly lease: string; readonly done: Promise<void> }>();
  /** Whether the last claim reached a limit, so that there may be more due entries. */
  let mayHaveMore = false;
  const timers: NodeJS.Timeout[] = [];

  const turns = createClaimTurns({ claim, gapMs: 0 });
  const work = createLeasedWork({
    leases: createLeaseStore(query),
    node: `${options.node} actions`,
    observe,
    times: options.leaseTimes,
    failureLog,
    release: (lease, known) => releaseEntries(query, lease, known),
    sweep: () => sweepEntries(query),
    known: () => [...running.keys()],
    inUse: (lease) => [...running.values()].some((one) => one.lease === lease),
    onWork: turns.wake,
    stopClaiming: async () => {
      timers.forEach(clearInterval);
      await turns.stop();
    },
    idle: allDone,
    finish: allDone,
    // An entry whose outcome is not written is released, and runs again on another node.
    lastWritesMs: 0,
  });
  const tools: HandlerTools = { ...options, signal: work.cutOff };

  async function claim(): Promise<undefined> {
    const actions = new Map([...options.model().actions].filter(([, action]) => action.asynchronous !== undefined));
    const slots = freeSlots(actions);
    const most = options.overall - running.size;
    mayHaveMore = slots.size < actions.size || most <= 0;
    if (slots.size === 0 || most <= 0) return;
    const { lease, items } = await work.claim((current) => claimEntries(query, current, slots, most));
    for (const entry of items) {
      const action = options.model().actions.get(entry.actionName as Action['name']);
      if (action === undefined || running.has(entry.id) || !work.mayStart(lease)) work.suspect(lease);
      else begin(action, entry, lease);
    }
    mayHaveMore ||= items.length >= most || freeSlots(actions).size < slots.size;
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
    const done = runToEnd(action, entry, lease);
    running.set(entry.id, { name: entry.actionName, lease, done });
  }

  async function runToEnd(action: Action, entry: ClaimedEntry, lease: string): Promise<void> {
    let settled = false;
    try {
      settled = await run(action, entry, lease);
    } finally {
      running.delete(entry.id);
      // If the entry was claimed again meanwhile, it is under the current lease and no call has started.
      if (!settled) work.suspect(lease);
      if (mayHaveMore) turns.wake();
    }
  }

  /** Returns whether the outcome was written under a lease that is valid: then the entry is not claimed by this node any more. */
  async function run(action: Action, entry: ClaimedEntry, lease: string): Promise<boolean> {
    const started = performance.now();
    const outcome = await runEntry(action, entry, { ...tools, mayStart: () => work.mayStart(lease) });
    const durationMs = performance.now() - started;
    if (outcome === undefined) return false;
    const written = await settle(entry, lease, outcome);
    const common = {
      kind: 'async_action',
      destination: entry.actionName,
      durationMs,
      latenessMs: entry.lateMs,
    } as const;
    options.record?.({ ...common, result: results[outcome.kind] });
    return written && work.mayStart(lease);
  }

  /** Writes the outcome. Retries until the database accepts it or the node stops. Returns whether the last write changed the entry. */
  async function settle(entry: ClaimedEntry, lease: string, result: EntryOutcome): Promise<boolean> {
    let outcome = result;
    let written = false;
    await work.untilWritten(async (): Promise<WriteResult> => {
      try {
        written = await settleEntry(query, lease, entry, outcome);
        failureLog.recovered();
        return 'done';
      } catch (error) {
        failureLog.failed(error);
        if (work.abandoned()) return 'done';
        if (!isValueError(error) || outcome.kind === 'retry' || outcome === unwritable) return 'later';
        outcome = unwritable;
        return 'again';
      }
    });
    return written;
  }

  async function expire(): Promise<void> {
    try {
      while (!work.stopping() && (await expireEntries(query, options.retentionDays, expiry.batch)) === expiry.batch);
    } catch (error) {
      failureLog.failed(error);
    }
  }

  function allDone(): Promise<unknown> {
    return Promise.all([...running.values()].map(({ done }) => done));
  }

  return {
    async start() {
      await work.start();
      if (work.stopping()) return;
      timers.push(setInterval(turns.wake, options.pollMs));
      if (options.retentionDays === 0) return;
      timers.push(setInterval(() => void expire(), expiry.everyMs));
      await expire();
    },
    wake: turns.wake,
    stop: work.stop,
    inFlight: () => running.size,
  };
}
