/** Deliveries as they happen, read from the log of calls by looking again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Invocation } from '@joinery/metadata/api/event-lists';
import type { Connection } from '../../client/connection.ts';
import { paint } from '../../print.ts';

const types = ['one_off', 'cron'] as const;
const perLook = 100;

export interface TailOptions {
  readonly eventId?: string | undefined;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
}

/** Tells every call that is written from now on, in order, until the signal. Throws as `command` does. */
export async function tailInvocations(
  connection: Connection,
  { eventId, intervalMs, signal }: TailOptions,
  tell: (invocation: Invocation) => void,
): Promise<void> {
  const about = eventId === undefined ? {} : { event_id: eventId };
  const seen = new Map<string, Set<string>>();
  for (const type of types) seen.set(type, new Set((await latest(connection, type, about, 0)).map(({ id }) => id)));
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const fresh: Invocation[] = [];
    for (const type of types) fresh.push(...(await unseen(connection, type, about, seen.get(type) ?? new Set())));
    fresh.sort((one, other) => (one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0));
    for (const invocation of fresh) tell(invocation);
  }
}

/** Pages back until one holds a call that was seen; remembers the latest ones. */
async function unseen(connection: Connection, type: string, about: object, known: Set<string>): Promise<Invocation[]> {
  const fresh: Invocation[] = [];
  for (let page = 0; ; page += 1) {
    const list = await latest(connection, type, about, page * perLook);
    const added = list.filter(({ id }) => !known.has(id));
    fresh.push(...added);
    if (added.length < list.length || list.length < perLook) break;
  }
  for (const { id } of [...fresh].reverse()) known.add(id);
  // More than two pages back nothing is looked at again, as long as less is written between two looks.
  for (const id of known) {
    if (known.size <= perLook * 20) break;
    known.delete(id);
  }
  return fresh;
}

async function latest(
  connection: Connection,
  type: string,
  about: object,
  offset: number,
): Promise<readonly Invocation[]> {
  const args = { type, limit: perLook, offset, ...about };
  const answer = await connection.command('get_scheduled_event_invocations', args);
  return answer.invocations;
}

/** One line: when, how it ended, which event, how late and how long. */
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
