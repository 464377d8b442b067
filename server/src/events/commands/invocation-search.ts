/** The conditions on `log` of a search for calls. */
import type { GetScheduledEventInvocations, InvocationStatus } from '@joinery/metadata/api/event-lists';
import { integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { destinationName, destinationOf } from './search.ts';

type Search = Pick<GetScheduledEventInvocations, 'status' | 'from' | 'until' | 'destination' | 'text'>;

/** The condition of the index on unsuccessful calls. */
const unsuccessful = sql`(log.status is null or log.status not between 200 and 299)`;

/** `forIndex`: adds a redundant condition that enables an index, but would distort an estimate. */
export function callConditions(search: Search, forIndex = true): readonly Sql[] {
  const { status, from, until, destination, text } = search;
  const conditions: Sql[] = [];
  if (status !== null && status !== undefined && status.length > 0) {
    conditions.push(sql`(${join(status.map(ofStatus), ' or ')})`);
    if (forIndex && !status.some(isSuccess)) conditions.push(unsuccessful);
  }
  if (typeof from === 'string') conditions.push(sql`log.created_at >= ${value(from)}::timestamptz`);
  if (typeof until === 'string') conditions.push(sql`log.created_at < ${value(until)}::timestamptz`);
  if (typeof destination === 'string') {
    conditions.push(sql`${ofEvent(destinationOf)} = ${value(destinationName(destination))}`);
  }
  if (typeof text === 'string') {
    const contains = (column: Sql): Sql => sql`position(lower(${value(text)}) in lower(${column})) > 0`;
    conditions.push(sql`(${contains(sql`log.response::text`)} or ${contains(ofEvent(sql`e.payload::text`))})`);
  }
  return conditions;
}

function ofStatus(status: InvocationStatus): Sql {
  if (status === 'none') return sql`log.status is null`;
  if (typeof status === 'number') return sql`log.status = ${integer(status)}`;
  const first = Number(status[0]) * 100;
  return sql`log.status between ${integer(first)} and ${integer(first + 99)}`;
}

function isSuccess(status: InvocationStatus): boolean {
  return status === '2xx' || (typeof status === 'number' && status >= 200 && status <= 299);
}

/** Subqueries are evaluated for each call; the planner might hash all events for an `exists`. */
function ofEvent(column: Sql): Sql {
  const select = (table: Sql): Sql => sql`(select ${column} from ${table} e where e.id = log.event_id)`;
  return sql`coalesce(${select(sql`joinery.processed_events`)}, ${select(sql`joinery.scheduled_events`)})`;
}
