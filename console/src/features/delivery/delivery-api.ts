/** Changes of destinations. All functions throw Failure. */
import type { Client } from '../../api/client.ts';

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
