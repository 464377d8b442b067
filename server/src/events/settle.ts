/** Writes outcomes down, each with its log entry and many in one transaction, until the database has taken them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Observe } from '../base/observe.ts';
import { isPostgresError } from '../postgres/errors.ts';
import type { Query } from '../postgres/pool.ts';
import type { Attempt } from './attempt.ts';
import { type Batches, createBatches } from './batches.ts';
import type { Naming } from './claim.ts';
import type { PendingEvent } from './pending.ts';
import type { Verdict } from './verdict.ts';

/** What is to be written down. */
export interface Outcome {
  readonly event: PendingEvent;
  /** The lease under which the event was called. */
  readonly lease: string;
  readonly verdict: Verdict;
  /** A retry stays with this node. */
  readonly keep: boolean;
  readonly attempt: Pick<Attempt, 'startedAt' | 'durationMs' | 'status' | 'response'>;
  /** Called once it is written: true, or false when the event was no longer ours to write about. */
  readonly done: (ours: boolean) => void;
}

export interface SettleSettings {
  readonly query: Query;
  readonly name: Naming;
  /** The User-Agent that was sent. */
  readonly agent: string;
  readonly observe: Observe;
  /** Outcomes were written, and `size` is smaller. */
  readonly onSettled: () => void;
}

const settleText = 'select joinery.settle_events($1, $2)';

const limits = { most: 500, heaviest: 4_000_000, parallel: 2, gapMs: 4, shortestPauseMs: 200, longestPauseMs: 10_000 };

interface Entry {
  readonly outcome: Outcome;
  /** A member of the array that the statement takes. */
  readonly text: string;
}

export interface Settler {
  add(outcome: Outcome): void;
  /** Outcomes not yet written. */
  size(): number;
  /** Resolves when everything is written, or given up after `abandon`. */
  settled(): Promise<void>;
  /** No more waiting for a database that does not answer: what fails from now on is given up. */
  abandon(): void;
}

export function createSettler(settings: SettleSettings): Settler {
  const leaving = new AbortController();
  const batches: Batches<Entry> = createBatches({
    most: limits.most,
    parallel: limits.parallel,
    gapMs: limits.gapMs,
    weigh: (entry) => entry.text.length,
    heaviest: limits.heaviest,
    run: write,
    onDone: settings.onSettled,
  });

  async function write(entries: readonly Entry[]): Promise<void> {
    for (let pause = limits.shortestPauseMs; ; pause = Math.min(pause * 2, limits.longestPauseMs)) {
      try {
        const values = [`[${entries.map((entry) => entry.text).join()}]`, settings.agent];
        const result = await settings.query({ text: settleText, values, name: settings.name(settleText) });
        const lost = new Set(result.rows.map((row) => row[0]));
        for (const { outcome } of entries) outcome.done(!lost.has(outcome.event.id));
        return;
      } catch (error) {
        settings.observe({ kind: 'failure', where: 'recording of event outcomes', error });
        if (leaving.signal.aborted) {
          for (const { outcome } of entries) outcome.done(false);
          return;
        }
        // One outcome that PostgreSQL does not take must not hold up the others.
        if (isAboutValues(error) && entries.length > 1) return halve(entries);
        await sleep(pause, undefined, { signal: leaving.signal }).catch(() => undefined);
      }
    }
  }

  async function halve(entries: readonly Entry[]): Promise<void> {
    const middle = entries.length >> 1;
    await Promise.all([write(entries.slice(0, middle)), write(entries.slice(middle))]);
  }

  return {
    add: (outcome) => batches.add({ outcome, text: textOf(outcome) }),
    size: batches.size,
    settled: batches.settled,
    abandon: () => leaving.abort(),
  };
}

/** SQLSTATE classes "data exception" and "integrity constraint violation". */
function isAboutValues(error: unknown): boolean {
  return isPostgresError(error) && /^2[23]/.test(error.code);
}

/** Written by hand, because `response` is JSON text already. */
function textOf({ event, lease, verdict, keep, attempt }: Outcome): string {
  const ending =
    verdict.kind === 'retry' ? `"retry_ms":${Math.ceil(verdict.at)},"keep":${keep}` : `"status":"${verdict.kind}"`;
  return `{"id":"${event.id}","lease":${lease},${ending},"attempt":${event.tries + 1},"started_ms":${attempt.startedAt},"duration_ms":${Math.round(attempt.durationMs)},"code":${attempt.status ?? 'null'},"response":${attempt.response}}`;
}
