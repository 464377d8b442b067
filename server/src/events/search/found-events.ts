/** Combines the streams of a search to a page, its cursor and its counts. Pure. */
import {
  type EventOfSearch,
  type FoundEvents,
  FoundStatus,
  type SearchEvents,
} from '@joinery/metadata/api/events/search';
import { utc } from '../webhook/envelope.ts';
import { type Cursor, printCursor, type ScheduledPosition, type TriggerPosition } from './cursor.ts';
import { isBefore, mergeStreams, type StreamPage } from './merge.ts';
import type { CountedStatus, ScheduledStream } from './scheduled-events.ts';
import type { TriggerStream } from './trigger-events.ts';

/** The streams of a search. Those of event triggers have the key of the trigger in the cursor. */
export interface SearchStreams {
  readonly scheduled: readonly ScheduledStream[];
  readonly triggers: readonly (readonly [key: string, stream: TriggerStream])[];
}

type Position =
  | { readonly scheduled: ScheduledPosition }
  | { readonly trigger: readonly [key: string, position: TriggerPosition] };

/** Returns the page of events with the cursor after it. */
export function pageOf(
  { scheduled, triggers }: SearchStreams,
  { limit, order }: Pick<SearchEvents, 'limit' | 'order'>,
  before: Cursor,
): Pick<FoundEvents, 'events' | 'next' | 'searched_until'> {
  const streams = [
    ...scheduled.map((stream) => withPosition(stream, (position): Position => ({ scheduled: position }))),
    ...triggers.map(([key, stream]) => withPosition(stream, (position): Position => ({ trigger: [key, position] }))),
  ];
  const { items, positions, hasMore, stoppedAt } = mergeStreams<EventOfSearch, Position>(streams, limit, order);
  if (!hasMore || limit === 0) return { events: items };
  let last = before.scheduled;
  const byTrigger = new Map(before.triggers);
  for (const position of positions) {
    if (position === undefined) continue;
    if ('trigger' in position) byTrigger.set(...position.trigger);
    else if (last === undefined || isBefore(last, position.scheduled, order)) last = position.scheduled;
  }
  const next = printCursor({ scheduled: last, triggers: byTrigger });
  return { events: items, next, ...(stoppedAt !== undefined && { searched_until: utc(stoppedAt) }) };
}

function withPosition<From, To>(
  { items, stopped }: StreamPage<EventOfSearch, From>,
  convert: (position: From) => To,
): StreamPage<EventOfSearch, To> {
  return {
    items: items.map((item) => ({ ...item, position: convert(item.position) })),
    stopped: stopped && { ...stopped, position: convert(stopped.position) },
  };
}

/** Adds the counts of all parts by status, in the order of the statuses. Statuses without events are absent. */
export function addCounts(parts: readonly CountedStatus[]): NonNullable<FoundEvents['counts']> {
  return FoundStatus.options.flatMap((status) => {
    const same = parts.filter((part) => part.status === status);
    const count = same.reduce((sum, part) => sum + part.count, 0);
    const isCapped = same.some((part) => part.isCapped);
    return count === 0 && !isCapped ? [] : [{ status, count, ...(isCapped && { at_least: true as const }) }];
  });
}
