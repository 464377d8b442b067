/** Writes outcomes with their log entries, many in one transaction, and retries until the database accepts them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isTransient, isValueError } from '../../postgres/sql/errors.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import type { Attempt } from '../webhook/attempt.ts';
import { type Batches, createBatches } from './batches.ts';
import type { StatementNames } from './claim.ts';
import type { Outcome } from './retry-policy.ts';

/** The outcome of a call and the log entry to write. */
export interface OutcomeRecord {
  readonly event: PendingEvent;
  /** The lease under which the event was called. */
  readonly lease: string;
  readonly outcome: Outcome;
  /** Whether this node keeps its claim for the retry. */
  readonly keep: boolean;
  readonly attempt: Pick<Attempt, 'startedAt' | 'durationMs' | 'status' | 'response'>;
  /** Called with true when the outcome is written, and with false if the claim was lost or writing was abandoned. */
  readonly done: (written: boolean) => void;
}

export interface OutcomeWriterSettings {
  readonly query: Query;
  readonly name: StatementNames;
  /** The User-Agent that was sent. */
  readonly agent: string;
  readonly observe: Observe;
  /** Called when outcomes were written and `size` has decreased. */
  readonly onWritten: () => void;
}

const settleText = 'select joinery.settle_events($1, $2)';

const limits = { most: 500, heaviest: 4_000_000, parallel: 2, gapMs: 4, shortestPauseMs: 200, longestPauseMs: 2_000 };
/** A batch that failed this often is divided even if the error does not blame the values. */
const MOST_FAILURES = 5;

/** How much of an outcome is written. If PostgreSQL rejects one form, the next is tried. */
const forms = ['whole', 'without response', 'without log'] as const;
type Form = (typeof forms)[number];

interface Entry {
  readonly outcome: OutcomeRecord;
  /** JSON text of the element for the statement's array. */
  readonly text: string;
}

export interface OutcomeWriter {
  add(outcome: OutcomeRecord): void;
  /** Number of unwritten outcomes. */
  size(): number;
  /** Resolves when all outcomes are written, or abandoned after `abandon`. */
  settled(): Promise<void>;
  /** Stops retrying: outcomes whose next attempt fails are abandoned. */
  abandon(): void;
}

export function createOutcomeWriter(settings: OutcomeWriterSettings): OutcomeWriter {
  const abandoned = new AbortController();
  const batches: Batches<Entry> = createBatches({
    most: limits.most,
    parallel: limits.parallel,
    gapMs: limits.gapMs,
    weigh: (entry) => entry.text.length,
    heaviest: limits.heaviest,
    run: write,
    onDone: settings.onWritten,
  });

  /** Outcomes that PostgreSQL rejects in every form. They are retried beside the batches, which they must not block. */
  const stuck = new Set<Promise<void>>();

  async function write(entries: readonly Entry[]): Promise<void> {
    let pause = limits.shortestPauseMs;
    for (let failures = 1; ; failures += 1) {
      const error = await tryWrite(entries);
      if (error === undefined) return;
      const byValues = isValueError(error) || (failures >= MOST_FAILURES && !isTransient(error));
      // One rejected outcome must not block the others.
      if (byValues && entries.length > 1) return halve(entries);
      if (byValues) return reduce(entries);
      await wait(pause);
      pause = Math.min(pause * 2, limits.longestPauseMs);
    }
  }

  /** Returns the error; undefined if the outcomes are written or abandoned. */
  async function tryWrite(entries: readonly Entry[]): Promise<unknown> {
    try {
      const values = [`[${entries.map((entry) => entry.text).join()}]`, settings.agent];
      const result = await settings.query({ text: settleText, values, name: settings.name(settleText) });
      const lost = new Set(result.rows.map((row) => row[0]));
      for (const { outcome } of entries) outcome.done(!lost.has(outcome.event.id));
      return undefined;
    } catch (error) {
      settings.observe({ kind: 'failure', where: 'recording of event outcomes', error });
      if (!abandoned.signal.aborted) return error ?? new Error('unknown error');
      for (const { outcome } of entries) outcome.done(false);
      return undefined;
    }
  }

  async function wait(pauseMs: number): Promise<void> {
    await sleep(pauseMs, undefined, { signal: abandoned.signal }).catch(() => undefined);
  }

  /** Writes the outcome without its response, or without its log entry: an unwritten event would be called again. */
  async function reduce([entry]: readonly Entry[]): Promise<void> {
    if (entry === undefined) return;
    for (const form of forms.slice(1)) {
      const error = await tryWrite([{ ...entry, text: textOf(entry.outcome, form) }]);
      if (error === undefined) return;
      if (isTransient(error)) break;
    }
    const writing = retryForever(entry.outcome).finally(() => stuck.delete(writing));
    stuck.add(writing);
  }

  async function retryForever(outcome: OutcomeRecord): Promise<void> {
    for (;;) {
      await wait(limits.longestPauseMs);
      for (const form of forms) {
        if ((await tryWrite([{ outcome, text: textOf(outcome, form) }])) === undefined) return;
      }
    }
  }

  async function halve(entries: readonly Entry[]): Promise<void> {
    const middle = entries.length >> 1;
    await Promise.all([write(entries.slice(0, middle)), write(entries.slice(middle))]);
  }

  return {
    add: (outcome) => batches.add({ outcome, text: textOf(outcome, 'whole') }),
    size: () => batches.size() + stuck.size,
    settled: async () => {
      await batches.settled();
      await Promise.all(stuck);
    },
    abandon: () => abandoned.abort(),
  };
}

const notStored =
  '{"type":"client_error","data":{"message":"not stored: PostgreSQL rejected the response"},"version":"1"}';

/** Concatenated, because `response` is JSON text already. */
function textOf({ event, lease, outcome, keep, attempt }: OutcomeRecord, form: Form): string {
  const ending =
    outcome.kind === 'retry' ? `"retry_ms":${Math.ceil(outcome.at)},"keep":${keep}` : `"status":"${outcome.kind}"`;
  const response = form === 'whole' ? attempt.response : notStored;
  const unlogged = form === 'without log' ? ',"unlogged":true' : '';
  return `{"id":"${event.id}","lease":${lease},${ending},"attempt":${event.tries + 1},"started_ms":${attempt.startedAt},"duration_ms":${Math.round(attempt.durationMs)},"code":${attempt.status ?? 'null'},"response":${response}${unlogged}}`;
}
