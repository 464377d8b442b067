/** What `joinery events ...` does, by the public commands of scheduled events. */
import { readFile } from 'node:fs/promises';
import type { ScheduledEvent } from '@joinery/metadata/api/events';
import { ProjectError } from '../../cli-error.ts';
import { connectProject } from '../../client/connection.ts';
import { type OutputFlags, outputClosed, paint, say, sayJson, table, wantsJson } from '../../print.ts';
import type { ProjectFlags } from '../../project/config.ts';
import { readDelay } from './delay.ts';
import { describeInvocation, tailInvocations } from './tail.ts';

export interface EventsFlags extends ProjectFlags, OutputFlags {}

export interface SearchFlags extends EventsFlags {
  readonly cron?: boolean;
  readonly status?: readonly string[];
  readonly from?: string;
  readonly until?: string;
  readonly destination?: string;
  readonly comment?: string;
  readonly payload?: string;
  readonly trigger?: string;
  readonly limit?: number;
  readonly after?: string;
}

/** All of these resolve with the exit code, and throw ProjectError. */
export async function listEvents(flags: SearchFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const args = { ...searchOf(flags), limit: flags.limit ?? 50, ...(flags.after && { after: flags.after }) };
  const answer = await connection.command('get_scheduled_events', args);
  if (wantsJson(flags)) {
    sayJson(answer);
    return 0;
  }
  if (answer.events.length === 0) say('No events.');
  else say(table(['ID', 'SCHEDULED', 'STATUS', 'TRIES', 'WEBHOOK', 'COMMENT'], answer.events.map(rowOf)));
  if (answer.next !== undefined) say(paint('dim', `There may be more: --after ${answer.next}`));
  return 0;
}

function rowOf({ id, scheduled_time, status, tries, webhook_conf, comment, trigger_name }: ScheduledEvent): string[] {
  return [id, scheduled_time, status, String(tries), webhook_conf, trigger_name ?? comment ?? ''];
}

function searchOf(flags: SearchFlags): Readonly<Record<string, unknown>> {
  return {
    type: flags.cron === true || flags.trigger !== undefined ? 'cron' : 'one_off',
    ...(flags.status && { status: flags.status }),
    ...(flags.from && { from: momentOf(flags.from) }),
    ...(flags.until && { until: momentOf(flags.until) }),
    ...(flags.destination && { destination: flags.destination }),
    ...(flags.comment && { comment: flags.comment }),
    ...(flags.payload && { payload_contains: jsonOf(flags.payload, '--payload') }),
    ...(flags.trigger && { trigger_name: flags.trigger }),
  };
}

/** `-2h` and `+10m` from now; anything else is a timestamp for the service to read. */
function momentOf(text: string): string {
  const delay = /^([+-])(.+)$/.exec(text);
  if (delay === null) return text;
  return new Date(Date.now() + (delay[1] === '-' ? -1 : 1) * readDelay(delay[2] ?? '')).toISOString();
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
    sayJson({ event, invocations });
    return 0;
  }
  const shown = Object.entries(event).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) {
    say(`${paint('dim', name.padEnd(width))}  ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  say(invocations.length === 0 ? '\nNot called yet.' : '\nCalls, the latest first:');
  for (const invocation of invocations) say(`  ${describeInvocation(invocation)}`);
  return 0;
}

export interface TargetFlags extends EventsFlags {
  readonly key?: string;
}

function targetOf(id: string | undefined, { key }: TargetFlags): { event_id: string } | { key: string } {
  if (id !== undefined && key === undefined) return { event_id: id };
  if (id === undefined && key !== undefined) return { key };
  throw new ProjectError('name one event: by its id, or by --key');
}

export interface ScheduleFlags extends TargetFlags {
  readonly at?: string;
  readonly in?: string;
  readonly timezone?: string;
  readonly payload?: string;
  readonly header?: readonly string[];
  readonly comment?: string;
  readonly orderingKey?: string;
  readonly retries?: number;
  readonly retryInterval?: number;
  readonly timeout?: number;
  readonly tolerance?: number;
}

export async function scheduleEvent(webhook: string, flags: ScheduleFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  if (flags.at !== undefined && flags.in !== undefined) throw new ProjectError('give --at or --in, not both');
  const retry = {
    ...(flags.retries !== undefined && { num_retries: flags.retries }),
    ...(flags.retryInterval !== undefined && { retry_interval_seconds: flags.retryInterval }),
    ...(flags.timeout !== undefined && { timeout_seconds: flags.timeout }),
    ...(flags.tolerance !== undefined && { tolerance_seconds: flags.tolerance }),
  };
  const args = {
    webhook,
    schedule_at: flags.at ?? new Date(Date.now() + readDelay(flags.in ?? '0s')).toISOString(),
    payload: await payloadOf(flags.payload),
    ...(flags.timezone && { timezone: flags.timezone }),
    ...(flags.header && { headers: flags.header.map(headerOf) }),
    ...(flags.comment && { comment: flags.comment }),
    ...(flags.key && { key: flags.key }),
    ...(flags.orderingKey && { ordering_key: flags.orderingKey }),
    ...(Object.keys(retry).length > 0 && { retry_conf: retry }),
  };
  const answer = await connection.command('create_scheduled_event', args);
  if (wantsJson(flags)) sayJson(answer);
  else if (answer.existing === true) say(`Event ${answer.event_id} is there under this key already.`);
  else say(`Scheduled ${answer.event_id} for ${answer.scheduled_time}.`);
  return 0;
}

/** JSON, or `@file`, or `-` for standard input. */
async function payloadOf(text: string | undefined): Promise<unknown> {
  if (text === undefined) return null;
  if (text === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return jsonOf(Buffer.concat(chunks).toString('utf8'), 'standard input');
  }
  if (!text.startsWith('@')) return jsonOf(text, '--payload');
  const path = text.slice(1);
  const content = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new ProjectError(`${path} cannot be read: ${cause.message}`, { cause });
  });
  return jsonOf(content, path);
}

function jsonOf(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProjectError(`${from} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function headerOf(text: string): { name: string; value: string } | { name: string; value_from_env: string } {
  const colon = text.indexOf(':');
  if (colon < 1)
    throw new ProjectError(
      `"${text}" is not a header; write "Name: value", or "Name: $VARIABLE" of the service's environment`,
    );
  const [name, value] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  return /^\$\w+$/.test(value) ? { name, value_from_env: value.slice(1) } : { name, value };
}

export interface ManyFlags extends SearchFlags, TargetFlags {
  readonly all?: boolean;
}

export async function cancelEvents(id: string | undefined, flags: ManyFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  if (id !== undefined || flags.key !== undefined) {
    await connection.command('cancel_scheduled_event', targetOf(id, flags));
    tell(flags, { cancelled: 1 }, 'Cancelled.');
    return 0;
  }
  refuseNoFilter(flags);
  const { status: _, ...search } = searchOf(flags);
  const args = { ...search, ...(flags.all === true && { all: true }), ...(flags.limit && { limit: flags.limit }) };
  const answer = await connection.command('cancel_scheduled_events', args);
  const more = answer.more ? '; there are more' : '';
  tell(flags, answer, `Cancelled ${answer.cancelled} event${answer.cancelled === 1 ? '' : 's'}${more}.`);
  return 0;
}

export async function redeliverEvents(id: string | undefined, flags: ManyFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  if (id !== undefined || flags.key !== undefined) {
    const answer = await connection.command('redeliver_scheduled_event', targetOf(id, flags));
    tell(flags, answer, 'Will be delivered again now.');
    return 0;
  }
  refuseNoFilter(flags);
  const args = { ...searchOf(flags), ...(flags.limit && { limit: flags.limit }) };
  const answer = await connection.command('redeliver_scheduled_events', args);
  const more = answer.more ? '; there are more' : '';
  tell(
    flags,
    answer,
    `${answer.redelivered} event${answer.redelivered === 1 ? '' : 's'} will be delivered again now${more}.`,
  );
  return 0;
}

function refuseNoFilter(flags: ManyFlags): void {
  if (flags.all === true) return;
  const { type: _, ...filters } = searchOf(flags);
  if (Object.keys(filters).length === 0)
    throw new ProjectError('name an event by its id or --key, or many by filters, or --all');
}

export interface TailFlags extends EventsFlags {
  readonly event?: string;
}

/** Until a signal. */
export async function tailEvents(flags: TailFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const json = wantsJson(flags);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  outputClosed.addEventListener('abort', () => ending.abort());
  const options = { eventId: flags.event, intervalMs: 500, signal: ending.signal };
  if (!json) say(paint('dim', `Following deliveries of ${connection.endpoint}. Ctrl-C ends it.`));
  await tailInvocations(connection, options, (invocation) =>
    say(json ? JSON.stringify(invocation) : describeInvocation(invocation)),
  );
  return 0;
}

function tell(flags: OutputFlags, answer: unknown, text: string): void {
  if (wantsJson(flags)) sayJson(answer);
  else say(text);
}
