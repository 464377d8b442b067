/**
 * The branches of a search for events. Each branch is a part of a table with an index by time, so that a page reads only
 * the first rows of each.
 */
import type { EventSearch } from '@joinery/metadata/api/events/lists';
import { printJson } from '../../base/json-value.ts';
import { join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { type CallSearch, callsMatch, failureContains, needsFailure } from './call-filters.ts';
import { isUuid } from './rejected-argument.ts';

/** The conditions of a search. Without a type, one-off and cron events match. */
export interface BranchSearch extends Omit<EventSearch, 'type'>, CallSearch {
  readonly type?: EventSearch['type'] | undefined;
  /** The id or the key, or a part of the webhook, the comment, the name of the trigger or the error of a call, in any case. */
  readonly text?: string | null | undefined;
  /** The events that can match, where another index has found them. */
  readonly ids?: readonly string[] | undefined;
}

export interface Branch {
  /** Has the alias `e` in the conditions. */
  readonly table: Sql;
  /** The select list, with placeholders for columns that one of the tables lacks. */
  readonly columns: Sql;
  /** All conditions. */
  readonly where: Sql;
  /** The conditions that indexes support, so that events in order of time are read without those that do not match. */
  readonly indexed: Sql;
  /** The other conditions. */
  readonly compared: readonly Sql[];
  /** The scheduled time, as the expression that the index has. */
  readonly time: Sql;
  /** A column that is first in the order of events that `indexed` selects. It is the same for all. */
  readonly first?: Sql | undefined;
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
export function branchesOf(search: BranchSearch): readonly Branch[] {
  const statuses = new Set(search.status ?? []);
  const all = statuses.size === 0;
  const [scheduled, inFlight] = [all || statuses.has('scheduled'), all || statuses.has('locked')];
  const { trigger_name: trigger } = search;
  const branches: Branch[] = [];
  const add = (table: Sql, columns: Sql, time: Sql, conditions: readonly Sql[], more: readonly Sql[] = []): void => {
    const isPending = table === pending;
    const filters = [...conditions, ...indexedFilters(search, time)];
    const compared = [...more, ...comparedFilters(search, isPending)];
    const named = isGiven(trigger) ? [sql`e.trigger_name = ${value(trigger)}`] : [];
    const inOrder = !isPending && isGiven(trigger);
    const ofTrigger = conditions.length === 1 ? oneOf : rangeOf;
    branches.push({
      table,
      columns,
      where: join([...filters, ...named, ...compared], ' and '),
      indexed: join([...filters, ...(inOrder ? [ofTrigger(trigger)] : named)], ' and '),
      compared,
      time,
      first: inOrder ? sql`e.trigger_name` : undefined,
    });
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
    add(pending, pendingColumns, sql`e.schedule_at`, [sql`e.lease is not null`], which);
  }
  const processed = [...statuses].filter((status) => status !== 'scheduled' && status !== 'locked');
  if (all || processed.length > 0) {
    // Redundant, for the index on events with an unsuccessful call.
    const undelivered = all || statuses.has('delivered') ? [] : [sql`e.status <> 'delivered'`];
    if (undelivered.length === 0 && needsFailure(search)) undelivered.push(hadFailure);
    const which = all ? [] : [sql`e.status = any (${value(processed)}::text[])`];
    add(sql`joinery.processed_events`, processedColumns, sql`e.schedule_at`, [sql`true`, ...undelivered], which);
  }
  return branches;
}

/**
 * The condition for a trigger that leaves its name in the order of the events, which only the index by trigger and time has. With an equality
 * the planner would read all events in order of time, which takes seconds for a trigger whose events are old.
 */
const oneOf = (trigger: string): Sql =>
  sql`e.trigger_name is not null and e.trigger_name = any (${value([trigger])}::text[])`;

/** The condition for the events of a trigger with an unsuccessful call: a range that no index but theirs supports. */
function rangeOf(trigger: string): Sql {
  const edge = (time: string): Sql => sql`(${value(trigger)}::text, ${value(time)}::timestamptz)`;
  return sql`e.trigger_name is not null and (e.trigger_name, e.schedule_at) >= ${edge('-infinity')}
    and (e.trigger_name, e.schedule_at) <= ${edge('infinity')}`;
}

/** The condition of an index: only these processed events can have an unsuccessful call. */
const hadFailure = sql`(e.status <> 'delivered' or e.tries > 1)`;

/** The calls `log` of `e`, and of days before which it had none. */
const callsOfEvent = sql`joinery.event_invocations log where log.event_id = e.id
  and log.created_at >= least(e.created_at, e.schedule_at) - interval '1 day'`;

/** The lane of `e`, as the column `lane` of pending events has it. */
export const destinationOf = sql`left(substring(e.webhook from '^(?:[^/?#]*//)?[^/?#]*'), 255)`;

function indexedFilters({ key, from, until, text, ids }: BranchSearch, time: Sql): Sql[] {
  const found: Sql[] = ids === undefined ? [] : [sql`e.id = any (${value(ids)}::uuid[])`];
  if (isGiven(text) && isUuid(text)) found.push(sql`e.id = ${value(text)}::uuid`);
  if (isGiven(key)) found.push(sql`e.id = (select k.event_id from joinery.event_keys k where k.key = ${value(key)})`);
  if (isGiven(from)) found.push(sql`${time} >= ${value(from)}::timestamptz`);
  if (isGiven(until)) found.push(sql`${time} < ${value(until)}::timestamptz`);
  return found;
}

function comparedFilters(search: BranchSearch, isPending: boolean): Sql[] {
  const { type, destination, comment, payload_contains, text } = search;
  const found: Sql[] = [];
  if (type !== undefined) found.push(type === 'cron' ? sql`e.trigger_name is not null` : sql`e.trigger_name is null`);
  if (isGiven(destination)) {
    const name = value(destinationName(destination));
    // The comparison of the beginning takes less time than that of the destination.
    found.push(isPending ? sql`e.lane = ${name}` : sql`starts_with(e.webhook, ${name}) and ${destinationOf} = ${name}`);
  }
  if (isGiven(comment)) found.push(sql`position(lower(${value(comment)}) in lower(e.comment)) > 0`);
  if (isGiven(text) && !isUuid(text)) {
    const texts = sql`concat_ws(chr(10), e.webhook, e.comment, e.trigger_name)`;
    const byKey = sql`e.id = (select k.event_id from joinery.event_keys k where k.key = ${value(text)})`;
    const candidate = isPending ? sql`e.tries > 0` : hadFailure;
    const byError = sql`(${candidate} and ${failureContains(text, callsOfEvent)})`;
    found.push(sql`(position(lower(${value(text)}) in lower(${texts})) > 0 or ${byKey} or ${byError})`);
  }
  const byCall = callsMatch(search, callsOfEvent);
  if (byCall !== undefined) found.push(isPending ? sql`e.tries > 0 and ${byCall}` : byCall);
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
