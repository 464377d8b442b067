/** Commands on cron triggers. All functions throw Failure. */
import type { EventDelivery } from '@joinery/metadata/schema/event-delivery';
import type { RetryConf } from '@joinery/metadata/schema/retry';
import type { Client } from '../../api/client.ts';
import type { ShownHeader } from '../../shared/headers/header-draft.ts';

export interface CronTrigger extends EventDelivery {
  readonly name: string;
  readonly webhook: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly payload: unknown;
  readonly headers: readonly ShownHeader[];
  readonly retry_conf: RetryConf;
  readonly comment?: string;
  readonly include_in_metadata: boolean;
  readonly catch_up: boolean;
}

export async function listTriggers(client: Client, signal: AbortSignal): Promise<readonly CronTrigger[]> {
  const response = await client.command('get_cron_triggers', {}, { signal });
  return response.cron_triggers;
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
