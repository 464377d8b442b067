/** Lists, shows, creates and redelivers events of triggers. */
import type { RedeliverEvents, TriggerEvent, TriggerEventStatus } from '@joinery/metadata/api/events/triggers';
import { CliError } from '../../../cli-error.ts';
import { type Connection, connectProject } from '../../../client/connection.ts';
import { confirmed, paint, printJson, printLine, table, wantsJson, withProgress } from '../../../print.ts';
import { eventTriggersOf } from '../../../project/event-triggers.ts';
import { jsonOf, payloadOf, printMembers, printResult, timestampOf } from '../arguments.ts';
import { describeCall } from './tail.ts';
import { sourceOf, type TriggerFlags } from './triggers.ts';

/** Flags of a search. The service rejects a status that it does not know. */
interface SearchFlags extends TriggerFlags {
  readonly from?: string;
  readonly until?: string;
  readonly data?: string;
  readonly limit?: number;
}

export interface LogsFlags extends SearchFlags {
  readonly status?: TriggerEventStatus | 'processed';
  readonly calls?: boolean;
  readonly offset?: number;
}

function searchOf({ from, until, data }: SearchFlags) {
  return {
    ...(from && { from: timestampOf(from) }),
    ...(until && { until: timestampOf(until) }),
    ...(data && { data_contains: jsonOf(data, '--data') }),
  };
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Lists events or calls of a trigger, or shows the event with this id. */
export async function showLogs(nameOrId: string, flags: LogsFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const source = sourceOf(flags);
  if (uuid.test(nameOrId)) return showEvent(connection, nameOrId, flags);
  const page = { name: nameOrId, source, limit: flags.limit ?? 50, offset: flags.offset ?? 0 };
  if (flags.calls === true) {
    const calls = await connection.command('get_event_invocation_logs', page);
    if (wantsJson(flags)) printJson(calls);
    else if (calls.length === 0) printLine('No calls.');
    else for (const call of calls) printLine(describeCall(call));
    return 0;
  }
  const args = { ...page, ...searchOf(flags), ...(flags.status && { status: flags.status }) };
  const events = await connection.command('get_event_logs', args);
  if (wantsJson(flags)) printJson(events);
  else if (events.length === 0) printLine('No events.');
  else {
    printLine(table(['ID', 'CREATED', 'OPERATION', 'STATUS', 'TRIES', 'DATA'], events.map(rowOf)));
    if (events.length === page.limit)
      printLine(paint('dim', `There may be more: --offset ${page.offset + page.limit}`));
  }
  return 0;
}

function rowOf({ id, created_at, payload, status, tries }: TriggerEvent): string[] {
  const { old, new: fresh } = payload.data;
  const row = JSON.stringify(fresh ?? old);
  return [id, created_at, payload.op, status, String(tries), row.length > 60 ? `${row.slice(0, 60)}...` : row];
}

async function showEvent(connection: Connection, id: string, flags: TriggerFlags): Promise<number> {
  const found = await connection.command('get_event_by_id', { event_id: id, source: sourceOf(flags) });
  if (wantsJson(flags)) {
    printJson(found);
    return 0;
  }
  const { event, invocations } = found;
  printMembers({ ...event });
  printLine(invocations.length === 0 ? '\nNot called yet.' : '\nCalls, the newest first:');
  for (const call of invocations) printLine(`  ${describeCall(call)}`);
  return 0;
}

export interface InvokeFlags extends TriggerFlags {
  readonly payload?: string;
}

/** Creates a manual event. */
export async function invokeTrigger(name: string, flags: InvokeFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const payload = await payloadOf(flags.payload);
  const response = await connection.command('invoke_event_trigger', { name, source: sourceOf(flags), payload });
  printResult(flags, response, `Created event ${response.event_id}.`);
  return 0;
}

export interface RedeliverFlags extends SearchFlags {
  readonly trigger?: string;
  readonly status?: RedeliverEvents['status'];
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Redelivers the event with this id, or the events of a search; with `dryRun` counts them. */
export async function redeliverEvents(id: string | undefined, flags: RedeliverFlags): Promise<number> {
  const given = [id, flags.trigger, flags.all === true ? 'all' : undefined].filter((one) => one !== undefined);
  if (given.length !== 1) throw new CliError('give the id of one event, --trigger, or --all');
  const search = (['status', 'from', 'until', 'data', 'limit'] as const).filter((name) => flags[name] !== undefined);
  if (id !== undefined && search.length > 0)
    throw new CliError(`--${search.join(', --')}: these select events of --trigger or --all, not one event by its id`);
  const { connection } = await connectProject(flags, process.env);
  const source = sourceOf(flags);
  if (id !== undefined) {
    if (flags.dryRun === true) return showEvent(connection, id, flags);
    const response = await connection.command('redeliver_event', { event_id: id, source });
    printResult(flags, response, 'Will be delivered again now.');
    return 0;
  }
  const names = flags.trigger === undefined ? await namesOf(connection, source) : [flags.trigger];
  if (flags.dryRun === true || flags.all === true) {
    const counts = await withProgress('counting events', () => countEvents(connection, names, flags));
    const total = counts.reduce((sum, { events }) => sum + events, 0);
    if (flags.dryRun === true) {
      printResult(
        flags,
        { dry_run: true, events: total, triggers: counts },
        `${eventsOf(total)} would be delivered again.`,
      );
      return 0;
    }
    if (!(await mayRedeliver(flags, total, connection))) return 1;
  }
  let redelivered = 0;
  let more = false;
  for (const name of names) {
    const args = { name, source, ...searchOf(flags), ...(flags.status && { status: flags.status }) };
    const limit = flags.limit === undefined ? {} : { limit: flags.limit };
    const label = `redelivering events of ${name}`;
    const response = await withProgress(label, () => connection.command('redeliver_events', { ...args, ...limit }));
    redelivered += response.redelivered;
    more ||= response.more;
  }
  const text = `${eventsOf(redelivered)} will be delivered again now${more ? '; there are more' : ''}.`;
  printResult(flags, { redelivered, more }, text);
  return 0;
}

function eventsOf(count: number): string {
  return `${count} event${count === 1 ? '' : 's'}`;
}

async function namesOf(connection: Connection, source: string): Promise<readonly string[]> {
  const found = eventTriggersOf(await connection.command('export_metadata', {}), source);
  return found.map(({ trigger }) => trigger.name);
}

/** The most events of one call of `redeliver_events`. */
const MOST = 10_000;
const PAGE = 1_000;

interface TriggerCount {
  readonly name: string;
  readonly events: number;
}

async function countEvents(
  connection: Connection,
  names: readonly string[],
  flags: RedeliverFlags,
): Promise<readonly TriggerCount[]> {
  const most = Math.min(flags.limit ?? MOST, MOST);
  const counts: TriggerCount[] = [];
  for (const name of names) {
    let events = 0;
    for (const status of flags.status ?? (['error', 'dead'] as const)) {
      for (let offset = 0; events < most; offset += PAGE) {
        const limit = Math.min(PAGE, most - events);
        const args = { name, source: sourceOf(flags), status, ...searchOf(flags), limit, offset };
        const page = await connection.command('get_event_logs', args);
        events += page.length;
        if (page.length < limit) break;
      }
    }
    counts.push({ name, events });
  }
  return counts;
}

async function mayRedeliver(flags: RedeliverFlags, total: number, { endpoint }: Connection): Promise<boolean> {
  if (flags.yes === true || total === 0) return true;
  const what = `${eventsOf(total)} of source "${sourceOf(flags)}" of ${endpoint}`;
  if (!process.stdin.isTTY || wantsJson(flags)) throw new CliError(`this redelivers ${what}; confirm with --yes`);
  return confirmed(`Redeliver ${what}?`);
}
