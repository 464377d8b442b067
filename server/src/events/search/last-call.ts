/** The last call of an event as a search returns it. */
import type { LastCall } from '@joinery/metadata/api/events/search';
import { sql } from '../../postgres/sql/sql.ts';
import { utc } from '../webhook/envelope.ts';

/** The beginning of the error of the call `l`; null for a successful call. */
export const lastCallText = sql`case when l.status is null or l.status not between 200 and 299 then
  left(coalesce(l.response #>> '{data,message}', l.response #>> '{data,body}'), 300) end`;

type Cell = string | null | undefined;

/** Reads the columns of the last call. Null for an event without calls. */
export function lastCallOf(status: Cell, at: Cell, durationMs: Cell, error: Cell): LastCall | null {
  if (typeof at !== 'string') return null;
  return {
    status: typeof status === 'string' ? Number(status) : null,
    at: utc(at),
    duration_ms: Number(durationMs),
    error: typeof error === 'string' ? messageOf(error) : null,
  };
}

/** A message may be the beginning of JSON text with details of the connection. */
function messageOf(text: string): string {
  return /^\{"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]?.replaceAll('\\"', '"') ?? text;
}
