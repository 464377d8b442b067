/** Lists, shows, pauses and resumes event triggers. */
import type { EventTriggerStats } from '@joinery/metadata/api/events/triggers';
import { CliError } from '../../../cli-error.ts';
import { connectProject } from '../../../client/connection.ts';
import { type OutputFlags, paint, printJson, printLine, table, wantsJson } from '../../../print.ts';
import { eventTriggersOf } from '../../../project/event-triggers.ts';
import type { ProjectFlags } from '../../../project/flags.ts';
import { printMembers } from '../arguments.ts';

export interface TriggerFlags extends ProjectFlags, OutputFlags {
  readonly databaseName?: string;
}

/** The source of commands on one trigger. */
export function sourceOf({ databaseName = 'default' }: TriggerFlags): string {
  return databaseName;
}

/** Resolves with the exit code, as do all functions here. Throws CliError. */
export async function listTriggers(flags: TriggerFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const { databaseName: source } = flags;
  const response = await connection.command('get_event_trigger_stats', source === undefined ? {} : { source });
  if (wantsJson(flags)) {
    printJson(response);
    return 0;
  }
  if (response.triggers.length === 0) printLine('No event triggers.');
  else {
    const heads = [
      'NAME',
      'SOURCE',
      'TABLE',
      'OPERATIONS',
      'STATE',
      'PENDING',
      'RETRYING',
      'FAILED (1 D)',
      'LAST CALL',
    ];
    printLine(table(heads, response.triggers.map(rowOf)));
  }
  return 0;
}

function rowOf(trigger: EventTriggerStats): string[] {
  const { name, source, table: on, operations, pending, pending_is_capped, retrying, last_day, last_call_at } = trigger;
  return [
    name,
    source,
    `${on.schema}.${on.name}`,
    operations.join(','),
    stateOf(trigger),
    `${pending}${pending_is_capped ? '+' : ''}`,
    String(retrying),
    String(last_day.error + last_day.dead),
    last_call_at ?? '',
  ];
}

function stateOf({ paused, consistent, outdated_at }: EventTriggerStats): string {
  if (!consistent) return 'inconsistent';
  if (paused) return 'paused';
  return outdated_at === null ? 'active' : 'outdated';
}

/** Prints the definition, the state and the statistics of a trigger. */
export async function showTrigger(name: string, flags: TriggerFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const source = sourceOf(flags);
  const [{ triggers }, metadata] = await Promise.all([
    connection.command('get_event_trigger_stats', { source, name }),
    connection.command('export_metadata', {}),
  ]);
  const [trigger] = triggers;
  if (trigger === undefined) throw new CliError(`event trigger "${name}" does not exist in source "${source}"`);
  const definition = eventTriggersOf(metadata, source).find((one) => one.trigger.name === name)?.trigger;
  if (wantsJson(flags)) {
    printJson({ trigger, definition });
    return 0;
  }
  const { last_day, table: on, operations, ...members } = trigger;
  printMembers({ ...members, table: `${on.schema}.${on.name}`, operations: operations.join(', '), ...definition });
  printLine(`\n${paint('dim', `Calls of the last ${Math.round(last_day.seconds / 3600)} hours:`)}`);
  const { calls, delivered, error, dead, p50_ms, p95_ms } = last_day;
  printMembers({ calls, delivered, error, dead, p50_ms, p95_ms });
  return 0;
}

export function pauseTriggers(names: readonly string[], flags: TriggerFlags): Promise<number> {
  return changeTriggers('pause_event_trigger', names, flags, 'Paused');
}

export function resumeTriggers(names: readonly string[], flags: TriggerFlags): Promise<number> {
  return changeTriggers('resume_event_trigger', names, flags, 'Resumed');
}

/** Changes all or none. */
async function changeTriggers(
  type: 'pause_event_trigger' | 'resume_event_trigger',
  names: readonly string[],
  flags: TriggerFlags,
  done: string,
): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const source = sourceOf(flags);
  const commands = names.map((name) => ({ type, args: { name, source } }));
  const response = await connection.command('bulk_atomic', commands);
  if (wantsJson(flags)) printJson(response);
  else printLine(`${done} ${names.join(', ')}.`);
  return 0;
}
