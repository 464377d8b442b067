/** Which calls are searched for, as conditions on `log`. */
import type { GetScheduledEventInvocations, InvocationStatus } from '@joinery/metadata/api/event-lists';
import { integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { destinationName, destinationOf } from './search.ts';

type Asked = Pick<GetScheduledEventInvocations, 'status' | 'from' | 'until' | 'destination' | 'text'>;

/** In the words of the index on calls that were not a success. */
const unsuccessful = sql`(log.status is null or log.status not between 200 and 299)`;

/** `forIndex`: said twice where an index is found by it, which would mislead an estimate. */
export function wantedCalls(asked: Asked, forIndex = true): readonly Sql[] {
  const { status, from, until, destination, text } = asked;
  const found: Sql[] = [];
  if (status !== null && status !== undefined && status.length > 0) {
    found.push(sql`(${join(status.map(ofStatus), ' or ')})`);
    if (forIndex && !status.some(isSuccess)) found.push(unsuccessful);
  }
  if (typeof from === 'string') found.push(sql`log.created_at >= ${value(from)}::timestamptz`);
  if (typeof until === 'string') found.push(sql`log.created_at < ${value(until)}::timestamptz`);
  if (typeof destination === 'string') {
    found.push(sql`${ofEvent(destinationOf)} = ${value(destinationName(destination))}`);
  }
  if (typeof text === 'string') {
    const holds = (written: Sql): Sql => sql`position(lower(${value(text)}) in lower(${written})) > 0`;
    found.push(sql`(${holds(sql`log.response::text`)} or ${holds(ofEvent(sql`e.payload::text`))})`);
  }
  return found;
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

/** Looked up for each call: an `exists` might be made a table of all events first. */
function ofEvent(column: Sql): Sql {
  const among = (table: Sql): Sql => sql`(select ${column} from ${table} e where e.id = log.event_id)`;
  return sql`coalesce(${among(sql`joinery.processed_events`)}, ${among(sql`joinery.scheduled_events`)})`;
}
