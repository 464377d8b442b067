/** One-off scheduled events as the metadata API has them. Every function throws Failure. */
import type { EventStatus, RetryConf } from '@joinery/metadata/events';
import type { Client } from '../api/client.ts';
import { Failure } from '../api/failure.ts';
import { type Timed, timed } from '../api/polling.ts';
import type { Page } from '../show/paging.ts';
import type { Sorting } from '../show/sorting.ts';

export interface ScheduledEvent {
  readonly id: string;
  /** As written, templates unfilled. */
  readonly webhook_conf: string;
  /** ISO 8601, UTC, as all times here. */
  readonly scheduled_time: string;
  readonly retry_conf: RetryConf;
  readonly payload: unknown;
  readonly header_conf: readonly ShownHeader[];
  readonly status: EventStatus;
  /** Calls made so far. */
  readonly tries: number;
  readonly created_at: string;
  readonly next_retry_at: string | null;
  readonly comment: string | null;
}

/** A value as written, or the name of the environment variable that holds it. */
export interface ShownHeader {
  readonly name: string;
  readonly value?: string;
  readonly value_from_env?: string;
}

export interface Invocation {
  readonly id: string;
  readonly event_id: string;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly created_at: string;
  /** 1 for the first call. */
  readonly attempt: number;
  readonly duration_ms: number;
  readonly request: {
    readonly payload: unknown;
    readonly headers: readonly ShownHeader[];
  };
  /** As `readResponse` reads it. */
  readonly response: unknown;
}

/** Events that are to be called yet, those among them whose call is under way. */
export const pendingStatuses = ['scheduled', 'locked'] as const satisfies readonly EventStatus[];
export const processedStatuses = ['delivered', 'error', 'dead'] as const satisfies readonly EventStatus[];

export function isPending({ status }: Pick<ScheduledEvent, 'status'>): boolean {
  return (pendingStatuses as readonly EventStatus[]).includes(status);
}

export interface EventQuery {
  readonly statuses: readonly EventStatus[];
  readonly page: Page;
  readonly sorting: Sorting;
}

export function listEvents(
  client: Client,
  { statuses, page, sorting }: EventQuery,
  signal: AbortSignal,
): Promise<Timed<readonly ScheduledEvent[]>> {
  const args = {
    type: 'one_off',
    status: statuses,
    limit: page.size,
    offset: (page.number - 1) * page.size,
    order_by: [{ column: sorting.by, type: sorting.direction }],
  };
  const answer = client.command<{ events: readonly ScheduledEvent[] }>('get_scheduled_events', args, signal);
  return timed(answer.then(({ events }) => events));
}

export function countEvents(
  client: Client,
  statuses: readonly EventStatus[],
  signal: AbortSignal,
): Promise<Timed<number>> {
  const args = { type: 'one_off', status: statuses, limit: 0, get_rows_count: true };
  return timed(client.command<{ count: number }>('get_scheduled_events', args, signal).then(({ count }) => count));
}

/** The latest first; of all events where `eventId` is undefined. */
export function listInvocations(
  client: Client,
  eventId: string | undefined,
  page: Page,
  signal: AbortSignal,
): Promise<Timed<readonly Invocation[]>> {
  const args = { ...about(eventId), limit: page.size, offset: (page.number - 1) * page.size };
  const answer = client.command<{ invocations: readonly Invocation[] }>(
    'get_scheduled_event_invocations',
    args,
    signal,
  );
  return timed(answer.then(({ invocations }) => invocations));
}

export function countInvocations(
  client: Client,
  eventId: string | undefined,
  signal?: AbortSignal,
): Promise<Timed<number>> {
  const args = { ...about(eventId), limit: 0, get_rows_count: true };
  const answer = client.command<{ count: number }>('get_scheduled_event_invocations', args, signal);
  return timed(answer.then(({ count }) => count));
}

function about(eventId: string | undefined) {
  return { type: 'one_off', ...(eventId === undefined ? {} : { event_id: eventId }) };
}

/** `args` is JSON text, because the payload stands in it digit for digit. Resolves with the id of the event. */
export async function createEvent(client: Client, args: string): Promise<string> {
  return (await client.command<{ event_id: string }>('create_scheduled_event', args)).event_id;
}

/**
 * Deletes a pending event. Deleting takes an event with its log whatever its state, so one that has been called since
 * it was shown is left alone.
 */
export async function cancelEvent(client: Client, event: ScheduledEvent): Promise<void> {
  const { value: calls } = await countInvocations(client, event.id);
  if (calls > event.tries) {
    throw new Failure({
      code: 'conflict',
      message: 'The webhook has been called in the meantime. Look at the event again.',
    });
  }
  await client.command('delete_scheduled_event', { type: 'one_off', event_id: event.id });
}
