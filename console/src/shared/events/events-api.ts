/** Commands on one-off scheduled events. All functions throw Failure. */

import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import type { Invocation } from '@joinery/metadata/api/events/lists';
import type { Client } from '../../api/client.ts';
import { type Timed, timed } from '../../api/polling.ts';

export function isPending({ status }: Pick<ScheduledEvent, 'status'>): boolean {
  return status === 'scheduled' || status === 'locked';
}

export async function readEvent(client: Client, id: string, signal: AbortSignal): Promise<ScheduledEvent> {
  return (await client.command('get_scheduled_event', { event_id: id }, { signal })).event;
}

/** Lists the latest calls of a cron trigger. */
export function listCallsOfCron(
  client: Client,
  trigger: string,
  limit: number,
  signal: AbortSignal,
): Promise<Timed<readonly Invocation[]>> {
  const args = { type: 'cron', trigger_name: trigger, limit } as const;
  return timed(
    client.command('get_scheduled_event_invocations', args, { signal }).then(({ invocations }) => invocations),
  );
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
