/** Conditions on the calls of events, for lists of calls and for searches of events by their calls. */
import type { InvocationStatus } from '@joinery/metadata/api/events/lists';
import { integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';

/** The conditions of a search on the calls of an event. */
export interface CallSearch {
  readonly call_status?: readonly InvocationStatus[] | null | undefined;
  readonly response_contains?: string | null | undefined;
}

/** The condition of the index on unsuccessful calls `log`. */
export const unsuccessful = sql`(log.status is null or log.status not between 200 and 299)`;

/** Whether a call `log` has one of the results. */
export function ofStatuses(statuses: readonly InvocationStatus[]): Sql {
  return sql`(${join(statuses.map(ofStatus), ' or ')})`;
}

function ofStatus(status: InvocationStatus): Sql {
  if (status === 'none') return sql`log.status is null`;
  if (typeof status === 'number') return sql`log.status = ${integer(status)}`;
  const first = Number(status[0]) * 100;
  return sql`log.status between ${integer(first)} and ${integer(first + 99)}`;
}

/** Whether all results are those of unsuccessful calls. */
export function areUnsuccessful(statuses: readonly InvocationStatus[]): boolean {
  return !statuses.some((status) => {
    return status === '2xx' || (typeof status === 'number' && status >= 200 && status <= 299);
  });
}

/** Whether the response of a call `log`, or the reason why there was none, contains the text in any case. */
export function responseContains(text: string): Sql {
  return sql`position(lower(${value(text)}) in lower(log.response::text)) > 0`;
}

/**
 * Returns the condition for an event with a call that matches all conditions of the search; undefined without conditions.
 *
 * @param calls the table with the alias `log`, and the condition for the calls of the event
 */
export function callsMatch(
  { call_status: statuses, response_contains: text }: CallSearch,
  calls: Sql,
): Sql | undefined {
  const conditions: Sql[] = [];
  if (statuses && statuses.length > 0) conditions.push(ofStatuses(statuses));
  if (typeof text === 'string') conditions.push(responseContains(text));
  return conditions.length === 0 ? undefined : anyCall(calls, conditions);
}

/** Returns the condition for an event with an unsuccessful call whose response contains the text. */
export function failureContains(text: string, calls: Sql): Sql {
  return anyCall(calls, [unsuccessful, responseContains(text)]);
}

/** A scalar subquery, which is evaluated for each event: the planner might hash all calls for an `exists`. */
function anyCall(calls: Sql, conditions: readonly Sql[]): Sql {
  return sql`coalesce((select true from ${calls} and ${join(conditions, ' and ')} limit 1), false)`;
}

/** Whether only events with an unsuccessful call can match. */
export function needsFailure({ call_status: statuses }: CallSearch): boolean {
  return statuses !== null && statuses !== undefined && statuses.length > 0 && areUnsuccessful(statuses);
}
