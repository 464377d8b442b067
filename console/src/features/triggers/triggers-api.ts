/** Commands on event triggers, their events and calls. All functions throw Failure. */
import type { EventTriggerStats, TriggerInvocation } from '@joinery/metadata/api/events/triggers';
import type { Client } from '../../api/client.ts';
import { type Timed, timed } from '../../api/polling.ts';
import type { TableEntry } from '../../shared/sources/sources-api.ts';
import type { Page } from '../../ui/table/paging.ts';

/** A trigger in the metadata. */
export type TriggerEntry = NonNullable<TableEntry['event_triggers']>[number];
/** A trigger with its state and counts. */
export type TriggerStats = EventTriggerStats;

export interface TriggerName {
  readonly source: string;
  readonly name: string;
}

/** Lists all triggers of all sources with their states: one command, so that counts and lists agree. */
export function readTriggers(client: Client, signal: AbortSignal): Promise<Timed<readonly TriggerStats[]>> {
  return timed(client.command('get_event_trigger_stats', {}, { signal }).then(({ triggers }) => triggers));
}

/**
 * Creates or replaces a trigger. `args` is JSON text, because it contains the condition as typed. `basedOn` as for
 * `command`.
 */
export async function saveTrigger(client: Client, args: string, basedOn: number | undefined): Promise<void> {
  await client.command('pg_create_event_trigger', args, { basedOn });
}

export async function deleteTrigger(client: Client, { source, name }: TriggerName): Promise<void> {
  await client.command('pg_delete_event_trigger', { source, name });
}

/** Pauses or resumes the delivery of a trigger. */
export async function setPaused(client: Client, { source, name }: TriggerName, isPaused: boolean): Promise<void> {
  await client.command(isPaused ? 'pg_pause_event_trigger' : 'pg_resume_event_trigger', { source, name });
}

/** Lists the calls of a trigger, the newest first. */
export function listCalls(
  client: Client,
  { source, name }: TriggerName,
  page: Page,
  signal: AbortSignal,
): Promise<Timed<readonly TriggerInvocation[]>> {
  const args = { source, name, limit: page.size, offset: (page.number - 1) * page.size };
  return timed(client.command('pg_get_event_invocation_logs', args, { signal }));
}

/** Creates an event with a payload. `payload` is JSON text. Returns the id of the event. */
export async function invokeTrigger(client: Client, { source, name }: TriggerName, payload: string): Promise<string> {
  const args = `${JSON.stringify({ source, name }).slice(0, -1)},"payload":${payload}}`;
  return (await client.command('pg_invoke_event_trigger', args)).event_id;
}

/** Reads rows of a table as triggers capture them, as JSON strings, the newest first where the primary key ascends. */
export async function readSampleRows(
  client: Client,
  source: string,
  sql: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = { source, sql, read_only: true };
  const { result } = await client.command('run_sql', args, { signal, api: '/v2/query' });
  return (result ?? []).slice(1).map(([row]) => row ?? 'null');
}
