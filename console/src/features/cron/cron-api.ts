/** Commands on cron triggers. All functions throw Failure. */
import type { CronTriggerStats, ListedCronTrigger } from '@joinery/metadata/api/events/cron';
import type { Client } from '../../api/client.ts';
import { type Timed, timed } from '../../api/polling.ts';

export async function listTriggers(client: Client, signal: AbortSignal): Promise<readonly ListedCronTrigger[]> {
  const response = await client.command('get_cron_triggers', {}, { signal });
  return response.cron_triggers;
}

/** Returns the next run and the latest runs by the name of the trigger. */
export function readRuns(client: Client, signal: AbortSignal): Promise<Timed<ReadonlyMap<string, CronTriggerStats>>> {
  const response = client.command('get_cron_trigger_stats', {}, { signal });
  return timed(response.then(({ triggers }) => new Map(triggers.map((one) => [one.name, one]))));
}

/** Returns the next ten times in ISO 8601. */
export async function nextTimes(
  client: Client,
  schedule: string,
  timezone: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = { schedule, timezone, limit: 10 };
  return (await client.command('preview_cron_schedule', args, { signal })).times;
}

/**
 * Creates or replaces a trigger. `args` is JSON text, because it contains the payload as typed. `basedOn` as for
 * `command`.
 */
export async function saveTrigger(client: Client, args: string, basedOn: number | undefined): Promise<void> {
  await client.command('create_cron_trigger', args, { basedOn });
}

export async function deleteTrigger(client: Client, name: string): Promise<void> {
  await client.command('delete_cron_trigger', { name });
}

/** Creates a run that is due now. Returns the id of its event. */
export async function runTrigger(client: Client, name: string): Promise<string> {
  return (await client.command('run_cron_trigger', { name })).event_id;
}

export async function setPaused(client: Client, name: string, paused: boolean): Promise<void> {
  await client.command(paused ? 'pause_cron_trigger' : 'resume_cron_trigger', { name });
}
