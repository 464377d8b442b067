/** Writes outcomes with their log entries, many in one transaction, and retries until the database accepts them. */

import type { Observe } from '../../base/telemetry/observe.ts';
import { isTransient, isValueError } from '../../postgres/sql/errors.ts';
import type { LeasedWork, WriteResult } from '../leases/leased-work.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import { type Batches, createBatches } from './batches.ts';
import { type EventStore, type OutcomeRecord, outcomeForms } from './event-store.ts';

export interface OutcomeWriterSettings<Event extends DeliverableEvent> {
  readonly store: Pick<EventStore<Event>, 'printOutcome' | 'settle'>;
  /** The User-Agent that was sent. */
  readonly agent: string;
  readonly observe: Observe;
  readonly work: Pick<LeasedWork, 'untilWritten' | 'pauseWrites' | 'abandoned'>;
  /** Called when outcomes were written and `size` has decreased. */
  readonly onWritten: () => void;
}

const limits = { most: 500, heaviest: 4_000_000, parallel: 2, gapMs: 4, overlapMs: 20 };
/** A batch that failed this often is divided even if the error does not blame the values. */
const MOST_FAILURES = 5;

interface Entry<Event extends DeliverableEvent> {
  readonly outcome: OutcomeRecord<Event>;
  /** As the store prints it. */
  readonly text: string;
}

export interface OutcomeWriter<Event extends DeliverableEvent> {
  add(outcome: OutcomeRecord<Event>): void;
  /** Number of unwritten outcomes. */
  size(): number;
  /** Resolves when all outcomes are written or abandoned. */
  settled(): Promise<void>;
}

export function createOutcomeWriter<Event extends DeliverableEvent>(
  settings: OutcomeWriterSettings<Event>,
): OutcomeWriter<Event> {
  const { store, work } = settings;
  const batches: Batches<Entry<Event>> = createBatches({
    most: limits.most,
    parallel: limits.parallel,
    gapMs: limits.gapMs,
    overlapMs: limits.overlapMs,
    weigh: (entry) => entry.text.length,
    heaviest: limits.heaviest,
    run: write,
    onDone: settings.onWritten,
  });

  /** Outcomes that PostgreSQL rejects in every form. They are retried beside the batches, which they must not block. */
  const stuck = new Set<Promise<void>>();

  function write(entries: readonly Entry<Event>[]): Promise<void> {
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
  async function tryWrite(entries: readonly Entry<Event>[]): Promise<unknown> {
    try {
      const texts = entries.map((entry) => entry.text);
      const lost = await store.settle(texts, settings.agent);
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
  async function reduce([entry]: readonly Entry<Event>[]): Promise<void> {
    if (entry === undefined) return;
    for (const form of outcomeForms.slice(1)) {
      const error = await tryWrite([{ ...entry, text: store.printOutcome(entry.outcome, form) }]);
      if (error === undefined) return;
      if (isTransient(error)) break;
    }
    const writing = retryForever(entry.outcome).finally(() => stuck.delete(writing));
    stuck.add(writing);
  }

  async function retryForever(outcome: OutcomeRecord<Event>): Promise<void> {
    for (;;) {
      await work.pauseWrites();
      for (const form of outcomeForms) {
        if ((await tryWrite([{ outcome, text: store.printOutcome(outcome, form) }])) === undefined) return;
      }
    }
  }

  async function halve(entries: readonly Entry<Event>[]): Promise<void> {
    const middle = entries.length >> 1;
    await Promise.all([write(entries.slice(0, middle)), write(entries.slice(middle))]);
  }

  return {
    add: (outcome) => batches.add({ outcome, text: store.printOutcome(outcome, 'whole') }),
    size: () => batches.size() + stuck.size,
    settled: async () => {
      await batches.settled();
      await Promise.all(stuck);
    },
  };
}
