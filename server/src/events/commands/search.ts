/**
 * The branches of a search for events. Each branch is a part of a table with an index by time, so that a page reads only
 * the first rows of each.
 */
import type { EventSearch } from '@joinery/metadata/api/events/lists';
import { printJson } from '../../base/json-value.ts';
import { join, type Sql, sql, value } from '../../postgres/sql/sql.ts';

export interface Branch {
  /** Has the alias `e` in the conditions. */
  readonly table: Sql;
  /** The select list, with placeholders for columns that one of the tables lacks. */
  readonly columns: Sql;
  readonly where: Sql;
  /** The scheduled time, as the expression that the index has. */
  readonly time: Sql;
}

const common = sql`e.id, e.webhook, e.schedule_at, e.payload, e.headers, e.num_retries, e.retry_interval_seconds,
  e.timeout_seconds, e.tolerance_seconds, e.comment, e.created_at, e.tries, e.trigger_name, e.ordering_key,
  e.retry_policy, e.delivery`;
/** A claimed event is `locked` when it is due, and `scheduled` before. */
const locked = sql`(e.lease > 0 and e.due_at <= joinery.event_now())`;
const pendingColumns = sql`${common}, e.next_retry_at,
  case when ${locked} then 'locked' else 'scheduled' end as status`;
const processedColumns = sql`${common}, null::timestamptz as next_retry_at, e.status`;
const pending = sql`joinery.scheduled_events`;

/** Returns the branches that may contain events of the search. */
export function branchesOf(search: EventSearch): readonly Branch[] {
  const statuses = new Set(search.status ?? []);
  const all = statuses.size === 0;
  const [scheduled, inFlight] = [all || statuses.has('scheduled'), all || statuses.has('locked')];
  const branches: Branch[] = [];
  const add = (table: Sql, columns: Sql, time: Sql, conditions: readonly Sql[]): void => {
    const where = join([...conditions, ...filters(search, table === pending, time)], ' and ');
    branches.push({ table, columns, where, time });
  };
  if (scheduled) {
    // Here due_at is the scheduled time. The claims have one index for events with an ordering key and one for others.
    const untried = sql`e.lease is null and e.next_retry_at is null`;
    add(pending, pendingColumns, sql`e.due_at`, [untried, sql`e.ordering_key is null`]);
    add(pending, pendingColumns, sql`e.due_at`, [untried, sql`e.ordering_key is not null`]);
    add(pending, pendingColumns, sql`e.schedule_at`, [sql`e.lease is null`, sql`e.next_retry_at is not null`]);
  }
  if (scheduled || inFlight) {
    const which = scheduled && inFlight ? [] : inFlight ? [locked] : [sql`not ${locked}`];
    add(pending, pendingColumns, sql`e.schedule_at`, [sql`e.lease is not null`, ...which]);
  }
  const processed = [...statuses].filter((status) => status !== 'scheduled' && status !== 'locked');
  if (all || processed.length > 0) {
    // Redundant, for the index on undelivered events.
    const undelivered = all || statuses.has('delivered') ? [] : [sql`e.status <> 'delivered'`];
    const which = all ? [] : [sql`e.status = any (${value(processed)}::text[])`];
    add(sql`joinery.processed_events`, processedColumns, sql`e.schedule_at`, [sql`true`, ...undelivered, ...which]);
  }
  return branches;
}

/** The lane of `e`, as the column `lane` of pending events has it. */
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

/** Normalizes a destination for comparison: removes a trailing slash. */
export function destinationName(destination: string): string {
  return destination.replace(/\/$/, '');
}

function isGiven(text: string | null | undefined): text is string {
  return text !== null && text !== undefined;
}

/** Whether indexes support all conditions, so that counting some thousand events is fast. */
export function isIndexed({ destination, comment, payload_contains }: EventSearch): boolean {
  return payload_contains === undefined && !isGiven(comment) && !isGiven(destination);
}
