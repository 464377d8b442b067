/** The actions of `joinery events ...`. */
import type { EventStatus, ScheduledEvent } from '@joinery/metadata/api/events/events';
import type { EventType, RedeliverScheduledEvents } from '@joinery/metadata/api/events/lists';
import { CliError } from '../../cli-error.ts';
import { connectProject } from '../../client/connection.ts';
import { type OutputFlags, outputClosed, paint, printJson, printLine, table, wantsJson } from '../../print.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { jsonOf, parseDuration, payloadOf, printMembers, printResult, timestampOf } from './arguments.ts';
import { type CallFlags, callOf } from './call.ts';
import { describeInvocation, tailInvocations } from './tail.ts';

export interface EventsFlags extends ProjectFlags, OutputFlags {}

/** Flags of a search. The service rejects a status that it does not know. */
export interface SearchFlags<Status extends string = EventStatus> extends EventsFlags {
  readonly cron?: boolean;
  readonly status?: readonly Status[];
  readonly from?: string;
  readonly until?: string;
  readonly destination?: string;
  readonly comment?: string;
  readonly payload?: string;
  readonly trigger?: string;
  readonly limit?: number;
  readonly after?: string;
}

/** Resolves with the exit code, as do all functions here. Throws CliError. */
export async function listEvents(flags: SearchFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const args = { ...searchOf(flags), limit: flags.limit ?? 50, ...(flags.after && { after: flags.after }) };
  const response = await connection.command('get_scheduled_events', args);
  if (wantsJson(flags)) {
    printJson(response);
    return 0;
  }
  if (response.events.length === 0) printLine('No events.');
  else printLine(table(['ID', 'SCHEDULED', 'STATUS', 'TRIES', 'WEBHOOK', 'COMMENT'], response.events.map(rowOf)));
  if (response.next !== undefined) printLine(paint('dim', `There may be more: --after ${response.next}`));
  return 0;
}

function rowOf({ id, scheduled_time, status, tries, webhook_conf, comment, trigger_name }: ScheduledEvent): string[] {
  return [id, scheduled_time, status, String(tries), webhook_conf, trigger_name ?? comment ?? ''];
}

function searchOf<Status extends string>(flags: SearchFlags<Status>) {
  const type: EventType = flags.cron === true || flags.trigger !== undefined ? 'cron' : 'one_off';
  return {
    type,
    ...(flags.status && { status: flags.status }),
    ...(flags.from && { from: timestampOf(flags.from) }),
    ...(flags.until && { until: timestampOf(flags.until) }),
    ...(flags.destination && { destination: flags.destination }),
    ...(flags.comment && { comment: flags.comment }),
    ...(flags.payload && { payload_contains: jsonOf(flags.payload, '--payload') }),
    ...(flags.trigger && { trigger_name: flags.trigger }),
  };
}

export async function showEvent(id: string | undefined, flags: TargetFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const target = targetOf(id, flags);
  const { event } = await connection.command('get_scheduled_event', target);
  const { invocations } = await connection.command('get_scheduled_event_invocations', {
    type: event.trigger_name === undefined ? 'one_off' : 'cron',
    event_id: event.id,
    limit: 100,
  });
  if (wantsJson(flags)) {
    printJson({ event, invocations });
    return 0;
  }
  printMembers(event);
  printLine(invocations.length === 0 ? '\nNot called yet.' : '\nCalls, the newest first:');
  for (const invocation of invocations) printLine(`  ${describeInvocation(invocation)}`);
  return 0;
}

export interface TargetFlags extends EventsFlags {
  readonly key?: string;
}

function targetOf(id: string | undefined, { key }: TargetFlags): { event_id: string } | { key: string } {
  if (id !== undefined && key === undefined) return { event_id: id };
  if (id === undefined && key !== undefined) return { key };
  throw new CliError('give the id of one event, or --key');
}

export interface ScheduleFlags extends TargetFlags, CallFlags {
  readonly at?: string;
  readonly in?: string;
  readonly timezone?: string;
  readonly payload?: string;
  readonly comment?: string;
  readonly orderingKey?: string;
  readonly retries?: number;
  readonly retryInterval?: number;
  readonly timeout?: number;
  readonly tolerance?: number;
}

export async function scheduleEvent(webhook: string | undefined, flags: ScheduleFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  if (flags.at !== undefined && flags.in !== undefined) throw new CliError('give --at or --in, not both');
  const retry = {
    ...(flags.retries !== undefined && { num_retries: flags.retries }),
    ...(flags.retryInterval !== undefined && { retry_interval_seconds: flags.retryInterval }),
    ...(flags.timeout !== undefined && { timeout_seconds: flags.timeout }),
    ...(flags.tolerance !== undefined && { tolerance_seconds: flags.tolerance }),
  };
  const args = {
    ...(await callOf(webhook, flags)),
    schedule_at: flags.at ?? new Date(Date.now() + parseDuration(flags.in ?? '0s')).toISOString(),
    payload: await payloadOf(flags.payload),
    ...(flags.timezone && { timezone: flags.timezone }),
    ...(flags.comment && { comment: flags.comment }),
    ...(flags.key && { key: flags.key }),
    ...(flags.orderingKey && { ordering_key: flags.orderingKey }),
    ...(Object.keys(retry).length > 0 && { retry_conf: retry }),
  };
  const response = await connection.command('create_scheduled_event', args);
  if (wantsJson(flags)) printJson(response);
  else if (response.existing === true) printLine(`Event ${response.event_id} already exists under this key.`);
  else printLine(`Scheduled ${response.event_id} for ${response.scheduled_time}.`);
  return 0;
}

export interface ManyFlags<Status extends string = EventStatus> extends SearchFlags<Status>, TargetFlags {
  readonly all?: boolean;
}

export async function cancelEvents(id: string | undefined, flags: ManyFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  if (id !== undefined || flags.key !== undefined) {
    await connection.command('cancel_scheduled_event', targetOf(id, flags));
    printResult(flags, { cancelled: 1 }, 'Canceled.');
    return 0;
  }
  requireFilter(flags);
  const { status: _, ...search } = searchOf(flags);
  const args = { ...search, ...(flags.all === true && { all: true }), ...(flags.limit && { limit: flags.limit }) };
  const response = await connection.command('cancel_scheduled_events', args);
  const more = response.more ? '; there are more' : '';
  printResult(flags, response, `Canceled ${response.cancelled} event${response.cancelled === 1 ? '' : 's'}${more}.`);
  return 0;
}

/** A status of events that can be delivered again. */
export type FinalStatus = RedeliverScheduledEvents['status'][number];

export async function redeliverEvents(id: string | undefined, flags: ManyFlags<FinalStatus>): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  if (id !== undefined || flags.key !== undefined) {
    const response = await connection.command('redeliver_scheduled_event', targetOf(id, flags));
    printResult(flags, response, 'Will be delivered again now.');
    return 0;
  }
  requireFilter(flags);
  const args = { ...searchOf(flags), ...(flags.limit && { limit: flags.limit }) };
  const response = await connection.command('redeliver_scheduled_events', args);
  const more = response.more ? '; there are more' : '';
  printResult(
    flags,
    response,
    `${response.redelivered} event${response.redelivered === 1 ? '' : 's'} will be delivered again now${more}.`,
  );
  return 0;
}

function requireFilter(flags: ManyFlags<string>): void {
  if (flags.all === true) return;
  const { type: _, ...filters } = searchOf(flags);
  if (Object.keys(filters).length === 0) throw new CliError('give the id of an event, --key, filters, or --all');
}

export interface TailFlags extends EventsFlags {
  readonly event?: string;
}

/** Runs until a signal. */
export async function tailEvents(flags: TailFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const json = wantsJson(flags);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  outputClosed.addEventListener('abort', () => ending.abort());
  const options = { eventId: flags.event, intervalMs: 500, signal: ending.signal };
  if (!json) printLine(paint('dim', `Following deliveries of ${connection.endpoint}. Press Ctrl-C to stop.`));
  await tailInvocations(connection, options, (invocation) =>
    printLine(json ? JSON.stringify(invocation) : describeInvocation(invocation)),
  );
  return 0;
}
