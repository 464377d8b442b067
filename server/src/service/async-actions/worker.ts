/** Runs asynchronous actions on one node: claims what is due, calls, writes down, and takes over from nodes that died. */
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
  /** The one that holds the schema `joinery`. */
  readonly database: Database;
  readonly model: () => Model;
  readonly observe: Observe;
  /** Shown in the table of leases. */
  readonly node: string;
  /** Milliseconds between two looks for what nobody announced. */
  readonly pollMs: number;
  /** Calls of one action at once; a slow handler holds up no other's actions. */
  readonly perAction: number;
  /** Calls at once in all. */
  readonly overall: number;
  /** What was done so many days ago is deleted; 0 keeps everything. */
  readonly retentionDays: number;
  readonly leaseTimes?: LeaseTimes | undefined;
}

export interface ActionWorker {
  /** Starts claiming. */
  start(): Promise<void>;
  /** There may be something to run. */
  wake(): void;
  /** Claims no more, waits so long for calls under way, and gives back what is not done by then. */
  stop(limit: { readonly drainMs: number }): Promise<void>;
  /** Calls under way. */
  inFlight(): number;
}

/** PostgreSQL does not take every JSON text, such as one that is nested too deeply. */
const unwritable: EntryOutcome = {
  kind: 'error',
  errors: printJson({ error: 'PostgreSQL cannot hold the response of the handler', path: '$', code: 'data-exception' }),
};

const pauses = { shortestMs: 200, longestMs: 2_000 };
const expiry = { everyMs: 60_000, batch: 1_000 };

/** One for each process. Nothing happens before `start`. */
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
  /** The last claim was as large as it could be: there may be more. */
  let hungry = false;
  /** Leases under which the database may have entries that this node does not run. */
  const doubtful = new Set<string>();
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
    onLost: (lease) => doubtful.add(lease),
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
    const rooms = roomsFor(actions);
    const most = options.overall - running.size;
    hungry = rooms.size < actions.size || most <= 0;
    if (lease === undefined || rooms.size === 0 || most <= 0) return;
    try {
      for (const one of [...doubtful]) {
        await releaseEntries(query, one, [...running.keys()]);
        doubtful.delete(one);
      }
      const entries = await claimEntries(query, lease, rooms, most);
      failureLog.recovered();
      for (const entry of entries) {
        const action = options.model().actions.get(entry.actionName as Action['name']);
        if (action === undefined || running.has(entry.id) || !keeper.holds(lease)) doubtful.add(lease);
        else begin(action, entry, lease);
      }
      hungry ||= entries.length >= most || roomsFor(actions).size < rooms.size;
    } catch (error) {
      doubtful.add(lease);
      if (!isPostgresError(error)) keeper.suspect();
      failureLog.failed(error);
    }
  }

  /** How many more of each action may begin; those without room are left out. */
  function roomsFor(actions: ReadonlyMap<string, Action>): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { name } of running.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
    const rooms = [...actions].map(([name, { maxCalls = options.perAction }]) => {
      // What waited for a place would wait on its lease, and run out of its time before it is called.
      return [name, Math.min(options.perAction, maxCalls) - (counts.get(name) ?? 0)] as const;
    });
    return new Map(rooms.filter(([, room]) => room > 0));
  }

  function begin(action: Action, entry: ClaimedEntry, lease: string): void {
    const done = run(action, entry, lease).finally(() => {
      running.delete(entry.id);
      if (hungry) wake();
    });
    running.set(entry.id, { name: entry.actionName, lease, done });
  }

  async function run(action: Action, entry: ClaimedEntry, lease: string): Promise<void> {
    const outcome = await runEntry(action, entry, { ...tools, mayStart: () => keeper.holds(lease) });
    if (outcome !== undefined) await settle(entry, lease, outcome);
    // Was it claimed again meanwhile, it is under the current lease, and no call of it has begun.
    if (outcome === undefined || !keeper.holds(lease)) doubtful.add(lease).add(keeper.current() ?? lease);
  }

  /** Tried until the database takes it, or the node stops. */
  async function settle(entry: ClaimedEntry, lease: string, came: EntryOutcome): Promise<void> {
    let outcome = came;
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
