/** Writes outcomes with their log entries, many in one transaction, and retries until the database accepts them. */

import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isTransient, isValueError } from '../../postgres/sql/errors.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import type { LeasedWork, WriteResult } from '../leases/leased-work.ts';
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
  readonly work: Pick<LeasedWork, 'untilWritten' | 'pauseWrites' | 'abandoned'>;
  /** Called when outcomes were written and `size` has decreased. */
  readonly onWritten: () => void;
}

const settle = fixedStatement(['outcomes', 'agent'], [], ({ outcomes, agent }) => {
  return sql`select joinery.settle_events(${outcomes}, ${agent}) as lost_id`;
});

const limits = { most: 500, heaviest: 4_000_000, parallel: 2, gapMs: 4 };
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
  /** Resolves when all outcomes are written or abandoned. */
  settled(): Promise<void>;
}

export function createOutcomeWriter(settings: OutcomeWriterSettings): OutcomeWriter {
  const { work } = settings;
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

  function write(entries: readonly Entry[]): Promise<void> {
    return work.untilWritten(async (attempt): Promise<WriteResult> => {
      const error = await tryWrite(entries);
      if (error === undefined) return 'done';
      const byValues = isValueError(error) || (attempt >= MOST_FAILURES && !isTransient(error));
      if (!byValues) return 'later';
      // One rejected outcome must not block the others.
      await (entries.length > 1 ? halve(entries) : reduce(entries));
      return 'done';
    });
  }

  /** Returns the error; undefined if the outcomes are written or abandoned. */
  async function tryWrite(entries: readonly Entry[]): Promise<unknown> {
    try {
      const outcomes = `[${entries.map((entry) => entry.text).join()}]`;
      const { rows } = await settle.run(
        settings.query,
        { outcomes, agent: settings.agent },
        settings.name(settle.text),
      );
      const lost = new Set(rows.map(([id]) => id));
      for (const { outcome } of entries) outcome.done(!lost.has(outcome.event.id));
      return undefined;
    } catch (error) {
      settings.observe({ kind: 'failure', where: 'recording of event outcomes', error });
      if (!work.abandoned()) return error ?? new Error('unknown error');
      for (const { outcome } of entries) outcome.done(false);
      return undefined;
    }
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
      await work.pauseWrites();
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
