/**
 * Where the events are that are searched for. They lie in parts that each have an index in order of time, so that a
 * page is read from the beginning of each part and no further.
 */
import type { EventSearch } from '@joinery/metadata/api/event-lists';
import { printJson } from '../../base/json-value.ts';
import { join, type Sql, sql, value } from '../../postgres/sql/sql.ts';

export interface Branch {
  /** Called `e` in the conditions. */
  readonly table: Sql;
  /** What stands in the list for the columns that one of the tables lacks. */
  readonly columns: Sql;
  readonly where: Sql;
  /** Equal to `schedule_at`, in the form that the index has it. */
  readonly time: Sql;
}

const common = sql`e.id, e.webhook, e.schedule_at, e.payload, e.headers, e.num_retries, e.retry_interval_seconds,
  e.timeout_seconds, e.tolerance_seconds, e.comment, e.created_at, e.tries, e.trigger_name, e.ordering_key,
  e.retry_policy, e.delivery`;
/** An event that a node holds is `locked` from its time on; before that it is still only scheduled. */
const locked = sql`(e.lease > 0 and e.due_at <= joinery.event_now())`;
const pendingColumns = sql`${common}, e.next_retry_at,
  case when ${locked} then 'locked' else 'scheduled' end as status`;
const processedColumns = sql`${common}, null::timestamptz as next_retry_at, e.status`;
const pending = sql`joinery.scheduled_events`;

/** The parts that may hold events of the search, without those that cannot. */
export function branchesOf(search: EventSearch): readonly Branch[] {
  const wanted = new Set(search.status ?? []);
  const all = wanted.size === 0;
  const [scheduled, inFlight] = [all || wanted.has('scheduled'), all || wanted.has('locked')];
  const branches: Branch[] = [];
  const add = (table: Sql, columns: Sql, time: Sql, conditions: readonly Sql[]): void => {
    const where = join([...conditions, ...filters(search, table === pending, time)], ' and ');
    branches.push({ table, columns, where, time });
  };
  if (scheduled) {
    // Due when scheduled, which is what the indexes of claims go by: one of events with an ordering key, one of others.
    const untried = sql`e.lease is null and e.next_retry_at is null`;
    add(pending, pendingColumns, sql`e.due_at`, [untried, sql`e.ordering_key is null`]);
    add(pending, pendingColumns, sql`e.due_at`, [untried, sql`e.ordering_key is not null`]);
    add(pending, pendingColumns, sql`e.schedule_at`, [sql`e.lease is null`, sql`e.next_retry_at is not null`]);
  }
  if (scheduled || inFlight) {
    const which = scheduled && inFlight ? [] : inFlight ? [locked] : [sql`not ${locked}`];
    add(pending, pendingColumns, sql`e.schedule_at`, [sql`e.lease is not null`, ...which]);
  }
  const ended = [...wanted].filter((status) => status !== 'scheduled' && status !== 'locked');
  if (all || ended.length > 0) {
    // Said for the index on what was not delivered.
    const undelivered = all || wanted.has('delivered') ? [] : [sql`e.status <> 'delivered'`];
    const which = all ? [] : [sql`e.status = any (${value(ended)}::text[])`];
    add(sql`joinery.processed_events`, processedColumns, sql`e.schedule_at`, [sql`true`, ...undelivered, ...which]);
  }
  return branches;
}

/** Of the webhook of `e`, as the column `lane` of pending events has it. */
export const destinationOf = sql`left(substring(e.webhook from '^(?:[^/?#]*//)?[^/?#]*'), 255)`;

function filters(search: EventSearch, isPending: boolean, time: Sql): Sql[] {
  const { type, trigger_name, key, from, until, destination, comment, payload_contains } = search;
  const found: Sql[] = [type === 'cron' ? sql`e.trigger_name is not null` : sql`e.trigger_name is null`];
  if (isGiven(trigger_name)) found.push(sql`e.trigger_name = ${value(trigger_name)}`);
  if (isGiven(key)) found.push(sql`e.id = (select k.event_id from joinery.event_keys k where k.key = ${value(key)})`);
  if (isGiven(from)) found.push(sql`${time} >= ${value(from)}::timestamptz`);
  if (isGiven(until)) found.push(sql`${time} < ${value(until)}::timestamptz`);
  if (isGiven(destination)) {
    found.push(sql`${isPending ? sql`e.lane` : destinationOf} = ${value(destinationName(destination))}`);
  }
  if (isGiven(comment)) found.push(sql`position(lower(${value(comment)}) in lower(e.comment)) > 0`);
  if (payload_contains !== undefined) {
    found.push(sql`joinery.event_payload(e.payload) @> ${value(printJson(payload_contains))}::jsonb`);
  }
  return found;
}

/** As destinations are compared: without the slash that a path would begin with. */
export function destinationName(written: string): string {
  return written.replace(/\/$/, '');
}

function isGiven(text: string | null | undefined): text is string {
  return text !== null && text !== undefined;
}

/** Whether counting some thousands of them takes no longer than reading them. */
export function isIndexed({ destination, comment, payload_contains }: EventSearch): boolean {
  return payload_contains === undefined && !isGiven(comment) && !isGiven(destination);
}
