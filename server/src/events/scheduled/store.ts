/** The storage of one-off and cron events: the tables `joinery.scheduled_events` and `joinery.processed_events`. */
import type { Database } from '../../postgres/client/pool.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import type { DatabaseClock } from '../delivery/database-clock.ts';
import { type EventStore, loggedRequest, type OutcomeForm, type OutcomeRecord } from '../delivery/event-store.ts';
import { createLeaseStore, readClock, sweepLeases } from '../leases/leases.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { buildRequest, targetOf } from '../webhook/request.ts';
import { claimEvents, fetchPayload, releaseEvents, releaseOthers, stillClaimed } from './claim.ts';
import { createClaimRange } from './claim-range.ts';

const settle = fixedStatement(['outcomes', 'agent'], [], ({ outcomes, agent }) => {
  return sql`select joinery.settle_events(${outcomes}, ${agent}) as lost_id`;
});

const idOf = ({ id }: PendingEvent): string => id;

/** Returns the storage of scheduled events in the database with the schema `joinery`, whose time `clock` estimates. */
export function createScheduledEventStore(
  { query, prepared }: Database,
  clock: Pick<DatabaseClock, 'now'>,
): EventStore<PendingEvent> {
  const range = createClaimRange(clock.now);
  return {
    leases: createLeaseStore(query),
    channels: ['joinery_events'],
    announced: (payload) => {
      if (payload === 'destinations') return 'limits';
      return payload === 'clock' ? 'clock' : 'events';
    },
    readClock: () => readClock(query),
    async claim(lease, wanted) {
      const from = range.start(wanted.exceptQueues);
      const events = await claimEvents(query, prepared, lease, wanted, from);
      range.claimed(wanted.exceptQueues, events);
      return events;
    },
    claimAgainMs: range.claimAgainMs,
    confirm: (lease, events) => stillClaimed(query, prepared, lease, events.map(idOf)),
    release: (lease, events) => releaseEvents(query, lease, events.map(idOf)),
    releaseOthers: (lease, known) => releaseOthers(query, lease, known.map(idOf)),
    sweep: () => sweepLeases(query),
    loadPayload: (lease, { id }) => fetchPayload(query, lease, id),
    targetOf,
    buildRequest,
    printOutcome,
    async settle(outcomes, agent) {
      const { rows } = await settle.run(query, { outcomes: `[${outcomes.join()}]`, agent }, prepared(settle.text));
      return new Set(rows.map(([id]) => id ?? ''));
    },
  };
}

const notStored =
  '{"type":"client_error","data":{"message":"not stored: PostgreSQL rejected the response"},"version":"1"}';

/** Concatenated, because `response` is JSON text already. */
function printOutcome(record: OutcomeRecord<PendingEvent>, form: OutcomeForm): string {
  const { event, lease, outcome, keep, attempt } = record;
  const ending =
    outcome.kind === 'retry' ? `"retry_ms":${Math.ceil(outcome.at)},"keep":${keep}` : `"status":"${outcome.kind}"`;
  const response = form === 'whole' ? attempt.response : notStored;
  const request = form === 'whole' && attempt.request !== undefined ? `,"request":${loggedRequest(record)}` : '';
  const unlogged = form === 'without log' ? ',"unlogged":true' : '';
  return `{"id":"${event.id}","lease":${lease},${ending},"attempt":${event.tries + 1},"started_ms":${attempt.startedAt},"duration_ms":${Math.round(attempt.durationMs)},"code":${attempt.status ?? 'null'}${request},"response":${response}${unlogged}}`;
}
