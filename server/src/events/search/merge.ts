/** Merges events of several streams by time. Pure. */

export type Direction = 'asc' | 'desc';

/** A part of the events in the order of the search, such as those of one event trigger. */
export interface StreamPage<Item, Position> {
  readonly items: readonly StreamItem<Item, Position>[];
  /** Where the comparison has stopped although there may be more events. Undefined where the items end or more can be read after the last. */
  readonly stopped?: Place<Position> | undefined;
}

export interface Place<Position> {
  /** In the format of `PendingEvent.scheduledTime`, which sorts as text. */
  readonly time: string;
  /** Orders events of the same time. */
  readonly id: string;
  readonly position: Position;
}

export interface StreamItem<Item, Position> extends Place<Position> {
  readonly item: Item;
}

export interface Merged<Item, Position> {
  readonly items: readonly Item[];
  /** The last position of each stream that the page contains. Undefined: none of the stream. */
  readonly positions: readonly (Position | undefined)[];
  /** Whether there may be events after the page. */
  readonly hasMore: boolean;
  /** The time at which the page has ended because a stream has stopped. */
  readonly stoppedAt?: string | undefined;
}

/** Returns the first `limit` items of all streams. Ends where a stream has stopped: events of others after it would be out of order. */
export function mergeStreams<Item, Position>(
  streams: readonly StreamPage<Item, Position>[],
  limit: number,
  direction: Direction,
): Merged<Item, Position> {
  const next = streams.map(() => 0);
  const positions = streams.map((): Position | undefined => undefined);
  const items: Item[] = [];
  const end = (stoppedAt?: string): Merged<Item, Position> => {
    const hasMore = stoppedAt !== undefined || items.length === limit;
    return { items, positions, hasMore, stoppedAt };
  };
  while (items.length < limit) {
    const best = bestHead(streams, next, direction);
    if (best === undefined) return end();
    const { index, head } = best;
    positions[index] = head.position;
    if (!('item' in head)) return end(head.time);
    items.push(head.item);
    next[index] = (next[index] ?? 0) + 1;
  }
  return end();
}

interface Head<Item, Position> {
  readonly index: number;
  readonly head: StreamItem<Item, Position> | Place<Position>;
}

function bestHead<Item, Position>(
  streams: readonly StreamPage<Item, Position>[],
  next: readonly number[],
  direction: Direction,
): Head<Item, Position> | undefined {
  let best: Head<Item, Position> | undefined;
  for (const [index, { items, stopped }] of streams.entries()) {
    const head = items[next[index] ?? 0] ?? stopped;
    if (head === undefined) continue;
    if (best === undefined || isBefore(head, best.head, direction)) best = { index, head };
  }
  return best;
}

/** Whether an event is before another in the order of a search: by time, then by id. */
export function isBefore(one: Ordered, other: Ordered, direction: Direction): boolean {
  if (one.time !== other.time) return direction === 'asc' ? one.time < other.time : one.time > other.time;
  return one.id < other.id;
}

type Ordered = Pick<Place<unknown>, 'time' | 'id'>;
