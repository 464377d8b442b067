/** The commands on events of all kinds. All functions throw Failure. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import type { ChangedEvents, ChangeEvents, FoundEvents } from '@joinery/metadata/api/events/search';
import type { Client } from '../../../api/client.ts';
import { type Timed, timed } from '../../../api/polling.ts';
import type { EventName } from '../../../shared/events/event-paths.ts';
import { type ActivitySearch, searchArguments } from './search-state.ts';

/** A page of events with the counts of the same response. */
export function findEvents(
  client: Client,
  search: ActivitySearch,
  after: string | undefined,
  signal: AbortSignal,
): Promise<Timed<FoundEvents>> {
  const args = { ...searchArguments(search, Date.now()), ...(after !== undefined && { after }) };
  return timed(client.command('search_events', args, { signal }));
}

/** A member of the events of `change_events`. */
export type ChangedTarget = CommandArguments['change_events']['events'][number];

export function changeEvents(
  client: Client,
  action: ChangeEvents['action'],
  events: readonly ChangedTarget[],
  schedule_at?: string,
): Promise<ChangedEvents> {
  return client.command('change_events', { action, events, ...(schedule_at !== undefined && { schedule_at }) });
}

/** Identifies an event among those of all sources. */
export function eventKey({ id, source }: EventName): string {
  return `${id} ${source ?? ''}`;
}
