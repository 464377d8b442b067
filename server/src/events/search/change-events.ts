/** Changes of many one-off and cron events, with what could not be changed and why. */
import type { ChangedEvents, ChangeEvents } from '@joinery/metadata/api/events/search';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { type Sql, sql } from '../../postgres/sql/sql.ts';
import { isUuid } from '../commands/rejected-argument.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';

type Action = ChangeEvents['action'];

/** Changes the time of the event `id` of `e` to `time`. */
const changeTime = (id: Sql, time: Sql): Sql =>
  sql`joinery.change_event(${id}, null, ${time}, null, null, null, null, null, null, null, false, null, null)`;

const former = isoTime(sql`e.schedule_at`);
const columns = ['id', 'former', 'status'] as const;
const wanted = (ids: Sql, times: Sql): Sql => sql`unnest(${ids}::uuid[], ${times}::timestamptz[]) as w (id, time)`;

/** Each returns the ids of the events that it has changed, with their former times where they have changed. */
const statements = {
  redeliver: fixedStatement(['ids', 'times'], columns, ({ ids, times }) => {
    const processed = sql`select p.id, p.status from joinery.processed_events p
      where p.id = any (${ids}::uuid[]) and ${times}::timestamptz[] is not null`;
    return sql`with processed as materialized (${processed}) select r.id, null as former, p.status
      from (select joinery.redeliver_events(array(select p.id from processed p)) as id) r join processed p on p.id = r.id`;
  }),
  cancel: fixedStatement(['ids', 'times'], columns, ({ ids, times }) => {
    return sql`select joinery.cancel_events(${ids}::uuid[]) as id, null as former, null as status
      where ${times}::timestamptz[] is not null`;
  }),
  run_now: fixedStatement(['ids', 'times'], columns, ({ ids, times }) => {
    const pending = sql`select e.id, ${isoTime(sql`e.due_at`)} as former from ${wanted(ids, times)}
      join joinery.scheduled_events e on e.id = w.id`;
    return sql`with pending as materialized (${pending}) select c.id, c.former, null as status
      from (select p.id, p.former, joinery.run_event_now(p.id) as changed from pending p) c where c.changed`;
  }),
  reschedule: fixedStatement(['ids', 'times'], columns, ({ ids, times }) => {
    const pending = sql`select e.id, ${former} as former, w.time from ${wanted(ids, times)}
      join joinery.scheduled_events e on e.id = w.id`;
    return sql`with pending as materialized (${pending}) select c.id, c.former, null as status
      from (select p.id, p.former, ${changeTime(sql`p.id`, sql`p.time`)} as changed from pending p) c where c.changed`;
  }),
  restore: fixedStatement(['ids', 'times'], columns, ({ ids, times }) => {
    const canceled = sql`select e.id, coalesce(w.time, e.schedule_at) as time from ${wanted(ids, times)}
      join joinery.processed_events e on e.id = w.id where e.status = 'cancelled'`;
    const pending = sql`select joinery.redeliver_events(array(select c.id from canceled c)) as id`;
    // Redelivered events are due now, and those whose time is still to come are moved to it before the transaction ends.
    return sql`with canceled as materialized (${canceled}), pending as materialized (${pending})
      select p.id, null as former, null as status, case when c.time > joinery.event_now() then ${changeTime(sql`p.id`, sql`c.time`)} end as changed
      from pending p join canceled c on c.id = p.id`;
  }),
} satisfies Record<Exclude<Action, Undo>, unknown>;

type Undo = 'undo_redeliver' | 'undo_run_now';

const undoStatements = {
  undo_redeliver: fixedStatement(['ids', 'formers'], ['id'], ({ ids, formers }) => {
    return sql`select joinery.undo_redelivery(${ids}::uuid[], ${formers}::text[]) as id`;
  }),
  undo_run_now: fixedStatement(['ids', 'formers'], ['id'], ({ ids, formers }) => {
    return sql`select joinery.undo_run_now(${ids}::uuid[], ${formers}::timestamptz[]) as id`;
  }),
} satisfies Record<Undo, unknown>;

const wakeNodes = fixedStatement([], [], () => sql`select joinery.wake_event_nodes()`);

const readStates = fixedStatement(['ids'], ['id', 'status'], ({ ids }) => {
  return sql`select e.id, null as status from joinery.scheduled_events e where e.id = any (${ids}::uuid[])
    union all select e.id, e.status from joinery.processed_events e where e.id = any (${ids}::uuid[])`;
});

interface Target {
  readonly event_id: string;
  readonly schedule_at?: string | null | undefined;
  readonly status?: string | null | undefined;
}

/** Changes the events that can be changed; those that are being called and those of another status are returned with the reason. */
export async function changeScheduledEvents(
  query: Query,
  action: Action,
  targets: readonly Target[],
  time: string | undefined,
): Promise<ChangedEvents> {
  const known = targets.filter(({ event_id }) => isUuid(event_id));
  const ids = known.map(({ event_id }) => event_id);
  const rows = ids.length === 0 ? [] : await changedRows(query, action, { ids, known, time });
  if (rows.length > 0 && (action === 'redeliver' || action === 'restore')) await wakeNodes.run(query, {});
  const changed = new Map(rows.map((row) => [row.id ?? '', row]));
  const left = targets.filter(({ event_id }) => !changed.has(event_id.toLowerCase()));
  const states = left.length === 0 ? new Map<string, string | null>() : await statesOf(query, left);
  return {
    changed: [...changed].map(([event_id, { former: before, status }]) => ({
      event_id,
      ...(typeof before === 'string' && { former_time: utc(before) }),
      ...(isFinished(status) && { former_status: status }),
    })),
    unchanged: left.map(({ event_id }) => ({ event_id, reason: reasonOf(action, states.get(event_id.toLowerCase())) })),
  };
}

interface Wanted {
  readonly ids: readonly string[];
  readonly known: readonly Target[];
  readonly time: string | undefined;
}

type ChangedRow = Readonly<Partial<Record<(typeof columns)[number], string | null>>>;

function changedRows(query: Query, action: Action, { ids, known, time }: Wanted): Promise<readonly ChangedRow[]> {
  if (action === 'undo_redeliver' || action === 'undo_run_now') {
    const formers = known.map((one) => (action === 'undo_redeliver' ? one.status : one.schedule_at) ?? null);
    return undoStatements[action].rows(query, { ids, formers });
  }
  return statements[action].rows(query, { ids, times: known.map(({ schedule_at }) => schedule_at ?? time ?? null) });
}

type FinishedStatus = NonNullable<ChangedEvents['changed'][number]['former_status']>;

function isFinished(status: string | null | undefined): status is FinishedStatus {
  return typeof status === 'string' && Object.hasOwn(finished, status);
}

async function statesOf(query: Query, targets: readonly Target[]): Promise<ReadonlyMap<string, string | null>> {
  const ids = targets.map(({ event_id }) => event_id).filter(isUuid);
  return new Map((await readStates.rows(query, { ids })).map(({ id, status }) => [id ?? '', status]));
}

const finished: Readonly<Record<string, string>> = {
  delivered: 'the event has been delivered',
  error: 'the event has failed',
  dead: 'the event is dead',
  cancelled: 'the event has been cancelled',
};

/** `status`: null for a pending event, undefined for an unknown one. */
function reasonOf(action: Action, status: string | null | undefined): string {
  if (status === undefined) return 'there is no event with this id';
  if (status !== null) return finished[status] ?? `the event is ${status}`;
  if (action === 'redeliver' || action === 'restore') return 'the event is pending';
  if (action === 'undo_redeliver' || action === 'undo_run_now') return 'the event has been called or changed since';
  return 'the event is being called';
}
