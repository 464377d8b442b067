/** Delivery statistics and destination settings. All functions throw Failure. */
import type { EventDestination } from '@joinery/metadata/api/events/destinations';
import type { ScheduledEventStats } from '@joinery/metadata/api/events/lists';
import type { Client } from '../../api/client.ts';
import { type Timed, timed } from '../../api/polling.ts';

export function readStats(client: Client, seconds: number, signal: AbortSignal): Promise<Timed<ScheduledEventStats>> {
  return timed(client.command('get_scheduled_event_stats', { window_seconds: seconds }, { signal }));
}

export function readSettings(client: Client, signal: AbortSignal): Promise<Timed<readonly EventDestination[]>> {
  const response = client.command('get_event_destinations', {}, { signal });
  return timed(response.then(({ destinations }) => destinations));
}

/** Changes limits. Null restores the default. */
export async function setLimits(
  client: Client,
  destination: string,
  limits: { readonly concurrency: number | null; readonly rate_per_second: number | null },
): Promise<void> {
  await client.command('set_event_destination', { destination, ...limits });
}

export async function setPaused(client: Client, destination: string, paused: boolean): Promise<void> {
  await client.command(paused ? 'pause_event_destination' : 'resume_event_destination', { destination });
}
