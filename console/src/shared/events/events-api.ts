/** Commands on one-off scheduled events. All functions throw Failure. */

import type { EventStatus, ScheduledEvent } from '@joinery/metadata/api/events/events';
import { EventOrder, type Invocation, type RowCount } from '@joinery/metadata/api/events/lists';
import type { Client } from '../../api/client.ts';
import { type Timed, timed } from '../../api/polling.ts';
import type { Page } from '../../ui/table/paging.ts';
import type { Sorting } from '../../ui/table/sorting.ts';
import { type EventSearch, searchArguments } from './event-search.ts';
import { type InvocationSearch, invocationArguments } from './invocation-search.ts';

/** Statuses of events that wait for their time, a retry or their turn. */
export const waitingStatuses = ['scheduled'] as const satisfies readonly EventStatus[];
export const inFlightStatuses = ['locked'] as const satisfies readonly EventStatus[];
export const processedStatuses = ['delivered', 'error', 'dead', 'cancelled'] as const satisfies readonly EventStatus[];

/** Whether an event with this status can be redelivered. */
export function isProcessed(status: EventStatus): status is (typeof processedStatuses)[number] {
  return processedStatuses.some((one) => one === status);
}

export function isPending({ status }: Pick<ScheduledEvent, 'status'>): boolean {
  return status === 'scheduled' || status === 'locked';
}

export interface EventQuery {
  readonly statuses: readonly EventStatus[];
  readonly search: EventSearch;
  readonly page: Page;
  /** The cursor `next` of the previous page when known, which skips reading the previous pages. */
  readonly after: string | undefined;
  readonly sorting: Sorting;
}

export interface EventPage {
  readonly rows: readonly ScheduledEvent[];
  readonly next: string | undefined;
}

export function listEvents(
  client: Client,
  { statuses, search, page, after, sorting }: EventQuery,
  signal: AbortSignal,
): Promise<Timed<EventPage>> {
  const args = {
    type: 'one_off' as const,
    status: statuses,
    ...searchArguments(search),
    limit: page.size,
    ...(after === undefined ? { offset: (page.number - 1) * page.size } : { after }),
    order_by: [{ column: columnOf(sorting), type: sorting.direction }],
  };
  const response = client.command('get_scheduled_events', args, { signal });
  return timed(response.then(({ events, next }) => ({ rows: events, next })));
}

function columnOf({ by }: Sorting): EventOrder['column'] {
  return EventOrder.shape.column.options.find((one) => one === by) ?? 'scheduled_time';
}

/** A number of rows, estimated beyond some thousands. */
export interface Count {
  readonly count: number;
  readonly estimated: boolean;
}

export function countEvents(
  client: Client,
  statuses: readonly EventStatus[],
  search: EventSearch,
  signal: AbortSignal,
): Promise<Timed<Count>> {
  const filters = { type: 'one_off' as const, status: statuses, ...searchArguments(search) };
  const args = { ...filters, limit: 0, get_rows_count: 'estimated' as const };
  return timed(client.command('get_scheduled_events', args, { signal }).then(countOf));
}

function countOf({ count = 0, count_is_estimate }: Partial<RowCount>): Count {
  return { count, estimated: count_is_estimate === true };
}

export async function readEvent(client: Client, id: string, signal: AbortSignal): Promise<ScheduledEvent> {
  return (await client.command('get_scheduled_event', { event_id: id }, { signal })).event;
}

/** Invocations of one event, of one cron trigger, or of all one-off events. */
export type InvocationScope = { readonly eventId: string | undefined } | { readonly trigger: string };

/** Lists invocations, the latest first. */
export function listInvocations(
  client: Client,
  of: InvocationScope,
  page: Page,
  signal: AbortSignal,
  after?: string,
  search: InvocationSearch = {},
): Promise<Timed<{ readonly rows: readonly Invocation[]; readonly next: string | undefined }>> {
  const start = after === undefined ? { offset: (page.number - 1) * page.size } : { after };
  const args = { ...about(of), ...invocationArguments(search), limit: page.size, ...start };
  const response = client.command('get_scheduled_event_invocations', args, { signal });
  return timed(response.then(({ invocations, next }) => ({ rows: invocations, next })));
}

/** Below this estimate, rows are counted exactly. */
const EXACT_COUNT_BELOW = 20_000;

export function countInvocations(
  client: Client,
  eventId: string | undefined,
  signal?: AbortSignal,
  search: InvocationSearch = {},
): Promise<Timed<Count>> {
  const count = async (get_rows_count: true | 'estimated'): Promise<Count> => {
    const args = { ...about({ eventId }), ...invocationArguments(search), limit: 0, get_rows_count };
    return countOf(await client.command('get_scheduled_event_invocations', args, { signal }));
  };
  const found = count('estimated').then((about) =>
    about.estimated && about.count < EXACT_COUNT_BELOW ? count(true) : about,
  );
  return timed(found);
}

function about(of: InvocationScope) {
  if ('trigger' in of) return { type: 'cron' as const, trigger_name: of.trigger };
  return { type: 'one_off' as const, ...(of.eventId === undefined ? {} : { event_id: of.eventId }) };
}

/** Creates an event. `args` is JSON text, because it contains the payload as typed. */
export async function createEvent(
  client: Client,
  args: string,
): Promise<{ readonly id: string; readonly existing: boolean }> {
  const response = await client.command('create_scheduled_event', args);
  return { id: response.event_id, existing: response.existing === true };
}

/** Updates an event. `args` as for `createEvent`, with `event_id`. */
export async function updateEvent(client: Client, args: string): Promise<void> {
  await client.command('update_scheduled_event', args);
}
