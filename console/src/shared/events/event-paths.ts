/** Paths of the page of events. Pure. */

/** An event of any kind. `source`: of an event trigger. */
export interface EventName {
  readonly id: string;
  readonly source?: string | undefined;
}

/** Path of the list of events with query parameters. Those that are undefined are omitted. */
export function eventsPath(parameters: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, text] of Object.entries(parameters)) if (text !== undefined) search.set(name, text);
  return `/events/activity${search.size === 0 ? '' : `?${search}`}`;
}

/** The query parameters of the drawer of an event. */
export function eventParameters({ id, source }: EventName): Readonly<Record<string, string | undefined>> {
  return { event: id, in: source, attempt: undefined };
}

/** Path of an event, above the list of all. */
export function eventPath(event: EventName): string {
  return eventsPath({ time: 'any', ...eventParameters(event) });
}
