/** Follows the deliveries of event triggers by polling their logs of calls. */
import type { TriggerInvocation } from '@joinery/metadata/api/events/triggers';
import { CliError } from '../../../cli-error.ts';
import { type Connection, connectProject } from '../../../client/connection.ts';
import { outputClosed, paint, printLine, wantsJson } from '../../../print.ts';
import { eventTriggersOf } from '../../../project/event-triggers.ts';
import { followCalls, pageSize } from '../tail.ts';
import type { TriggerFlags } from './triggers.ts';

export type TailFlags = TriggerFlags;

interface Followed {
  readonly name: string;
  readonly source: string;
}

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
  const logs = followed.map(({ name, source }) => (offset: number) => {
    return connection.command('get_event_invocation_logs', { name, source, limit: pageSize, offset });
  });
  await followCalls(logs, { intervalMs: 500, signal: ending.signal }, (call) => {
    printLine(json ? JSON.stringify(call) : describeCall(call));
  });
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

/** Returns one line with the time, status, event and trigger of a call. */
export function describeCall({
  http_status: status,
  created_at,
  event_id,
  trigger_name,
  response,
  attempt,
}: TriggerInvocation): string {
  const good = status !== null && status >= 200 && status < 300;
  const ended = paint(good ? 'green' : 'red', status === null ? 'failed' : String(status));
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  const text = 'message' in response.data ? response.data.message : response.data.body;
  const reason = text.trim().replaceAll(/\s+/g, ' ');
  const why = good ? '' : ` ${reason.length > 200 ? `${reason.slice(0, 200)}...` : reason}`;
  return `${paint('dim', created_at)} ${ended} ${event_id} ${trigger_name}${again}${why}`;
}
