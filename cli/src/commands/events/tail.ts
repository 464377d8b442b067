/** Follows deliveries by polling the invocation log. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventType, Invocation } from '@joinery/metadata/api/events/lists';
import type { Connection } from '../../client/connection.ts';
import { paint } from '../../print.ts';

const types = ['one_off', 'cron'] as const;
/** Calls that a poll reads at once. */
export const pageSize = 100;

interface About {
  readonly event_id?: string;
}

export interface TailOptions {
  readonly eventId?: string | undefined;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
}

/** Reports every new invocation in order until the signal. Throws the errors of `command`. */
export function tailInvocations(
  connection: Connection,
  { eventId, ...options }: TailOptions,
  onInvocation: (invocation: Invocation) => void,
): Promise<void> {
  const about = eventId === undefined ? {} : { event_id: eventId };
  const logs = types.map((type) => (offset: number) => latest(connection, type, about, offset));
  return followCalls(logs, options, onInvocation);
}

interface LoggedCall {
  readonly id: string;
  readonly created_at: string;
}

/** Returns at most `pageSize` calls of a log, the newest first, after the first `offset`. */
type CallLog<Call> = (offset: number) => Promise<readonly Call[]>;

/** Reports the new calls of several logs in the order of time until the signal. */
export async function followCalls<Call extends LoggedCall>(
  logs: readonly CallLog<Call>[],
  { intervalMs, signal }: Pick<TailOptions, 'intervalMs' | 'signal'>,
  report: (call: Call) => void,
): Promise<void> {
  const known = new Map<CallLog<Call>, Set<string>>();
  for (const log of logs) known.set(log, new Set((await log(0)).map(({ id }) => id)));
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const fresh: Call[] = [];
    for (const [log, seen] of known) fresh.push(...(await unseen(log, seen)));
    fresh.sort((one, other) => (one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0));
    for (const call of fresh) report(call);
  }
}

/** Reads pages back to the last known call and remembers the new ones. */
async function unseen<Call extends LoggedCall>(log: CallLog<Call>, known: Set<string>): Promise<Call[]> {
  const fresh: Call[] = [];
  for (let page = 0; ; page += 1) {
    const list = await log(page * pageSize);
    const added = list.filter(({ id }) => !known.has(id));
    fresh.push(...added);
    if (added.length < list.length || list.length < pageSize) break;
  }
  for (const { id } of [...fresh].reverse()) known.add(id);
  // Bounds the memory; older pages are read again only if a poll finds more than 20 new pages.
  for (const id of known) {
    if (known.size <= pageSize * 20) break;
    known.delete(id);
  }
  return fresh;
}

async function latest(
  connection: Connection,
  type: EventType,
  about: About,
  offset: number,
): Promise<readonly Invocation[]> {
  const args = { type, limit: pageSize, offset, ...about };
  const response = await connection.command('get_scheduled_event_invocations', args);
  return response.invocations;
}

/** Returns one line with the time, status, event and duration of an invocation. */
export function describeInvocation(invocation: Invocation): string {
  const { status, created_at, event_id, attempt, duration_ms, request } = invocation;
  const good = status !== null && status >= 200 && status < 300;
  const ended = paint(good ? 'green' : 'red', status === null ? 'failed' : String(status));
  const { comment, name } = membersOf(request.payload);
  const about = name ?? comment;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  const why = good ? '' : ` ${reasonOf(invocation)}`;
  return `${paint('dim', created_at)} ${ended} ${event_id}${about === undefined ? '' : ` ${JSON.stringify(about)}`} (${Math.round(duration_ms)} ms${again})${why}`;
}

/** The members of an object; none for any other JSON, such as a payload that is sent without its envelope. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function reasonOf({ response }: Invocation): string {
  const { message, body } = membersOf(membersOf(response).data);
  const reason = message ?? body ?? '';
  const line = (typeof reason === 'string' ? reason : JSON.stringify(reason)).trim().replaceAll(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
