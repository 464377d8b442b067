/** Follows the deliveries of event triggers by polling their logs of calls. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TriggerInvocation } from '@joinery/metadata/api/events/triggers';
import { CliError } from '../../../cli-error.ts';
import { type Connection, connectProject } from '../../../client/connection.ts';
import { outputClosed, paint, printLine, wantsJson } from '../../../print.ts';
import { eventTriggersOf } from '../../../project/event-triggers.ts';
import type { TriggerFlags } from './triggers.ts';

export type TailFlags = TriggerFlags;

interface Followed {
  readonly name: string;
  readonly source: string;
}

const pollMs = 500;
const pageSize = 100;

/** Runs until a signal. */
export async function tailTriggers(names: readonly string[], flags: TailFlags): Promise<number> {
  const { connection } = await connectProject(flags, process.env);
  const json = wantsJson(flags);
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
  outputClosed.addEventListener('abort', () => ending.abort());
  const followed = await triggersOf(connection, names, flags.databaseName);
  if (!json)
    printLine(paint('dim', `Following ${followed.length} triggers of ${connection.endpoint}. Press Ctrl-C to stop.`));
  await follow(connection, followed, ending.signal, (call) =>
    printLine(json ? JSON.stringify(call) : describeCall(call)),
  );
  return 0;
}

/** Throws CliError for a name that no trigger has. */
async function triggersOf(
  connection: Connection,
  names: readonly string[],
  source: string | undefined,
): Promise<readonly Followed[]> {
  const found = eventTriggersOf(await connection.command('export_metadata', {}), source);
  const all = found.map((one) => ({ name: one.trigger.name, source: one.source }));
  for (const name of names) {
    if (!all.some((one) => one.name === name)) throw new CliError(`event trigger "${name}" does not exist`);
  }
  const followed = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  if (followed.length === 0) throw new CliError('the service has no event triggers');
  return followed;
}

/** Reports each new call in the order of time. Triggers that are deleted meanwhile are left out. */
async function follow(
  connection: Connection,
  triggers: readonly Followed[],
  signal: AbortSignal,
  report: (call: TriggerInvocation) => void,
): Promise<void> {
  const known = new Map<Followed, Set<string>>();
  for (const trigger of triggers)
    known.set(trigger, new Set((await callsOf(connection, trigger, 0)).map(({ id }) => id)));
  while (!signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const fresh: TriggerInvocation[] = [];
    for (const [trigger, seen] of known) fresh.push(...(await unseen(connection, trigger, seen)));
    fresh.sort((one, other) => (one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0));
    for (const call of fresh) report(call);
  }
}

async function unseen(connection: Connection, trigger: Followed, known: Set<string>): Promise<TriggerInvocation[]> {
  const fresh: TriggerInvocation[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const page = await callsOf(connection, trigger, offset);
    const added = page.filter(({ id }) => !known.has(id));
    fresh.push(...added);
    if (added.length < page.length || page.length < pageSize) break;
  }
  for (const { id } of [...fresh].reverse()) known.add(id);
  // Bounds the memory.
  for (const id of known) {
    if (known.size <= pageSize * 20) break;
    known.delete(id);
  }
  return fresh;
}

function callsOf(
  connection: Connection,
  { name, source }: Followed,
  offset: number,
): Promise<readonly TriggerInvocation[]> {
  return connection.command('get_event_invocation_logs', { name, source, limit: pageSize, offset });
}

/** Returns one line with the time, status, event and trigger of a call. */
export function describeCall({
  http_status: status,
  created_at,
  event_id,
  trigger_name,
  response,
  id,
}: TriggerInvocation): string {
  const good = status !== null && status >= 200 && status < 300;
  const ended = paint(good ? 'green' : 'red', status === null ? 'failed' : String(status));
  const attempt = Number(id.slice(id.lastIndexOf('-') + 1));
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  const text = 'message' in response.data ? response.data.message : response.data.body;
  const reason = text.trim().replaceAll(/\s+/g, ' ');
  const why = good ? '' : ` ${reason.length > 200 ? `${reason.slice(0, 200)}...` : reason}`;
  return `${paint('dim', created_at)} ${ended} ${event_id} ${trigger_name}${again}${why}`;
}
