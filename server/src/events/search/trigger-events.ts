/** The events of one event trigger in a search, and their number by status. */
import type { EventOfSearch, FoundStatus, SearchEvents } from '@joinery/metadata/api/events/search';
import { printJson } from '../../base/json-value.ts';
import type { Query, Row } from '../../postgres/client/statement-run.ts';
import { fixedStatement, queryRows, runStatement, selectList } from '../../postgres/sql/rows.ts';
import { ident, integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { callsMatch, failureContains } from '../commands/call-filters.ts';
import { isUuid } from '../commands/rejected-argument.ts';
import { destinationName } from '../commands/search.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';
import type { TriggerPosition } from './cursor.ts';
import { lastCallOf, lastCallText } from './last-call.ts';
import type { StreamPage } from './merge.ts';
import type { CountedStatus } from './scheduled-events.ts';

/** Events of a segment that are compared at once. */
const MOST_COMPARED = 5_000;

/** Events of a trigger that are counted, at most. */
const MOST_COUNTED = 2_000;

/** A trigger in the database of its source. */
export interface SearchedTrigger {
  readonly source: string;
  readonly number: number;
  readonly name: string;
  /** The URL with its templates, or the name of the target; undefined for a trigger that is no longer defined. */
  readonly webhook?: string | undefined;
}

const shown = selectList({
  id: sql`p.id`,
  segment: sql`p.segment`,
  xid: sql`p.xid`,
  seq: sql`p.seq`,
  operation: sql`p.op`,
  createdAt: isoTime(sql`p.created_at`),
  status: sql`p.status`,
  tries: sql`p.tries`,
  nextRetryAt: isoTime(sql`p.next_retry_at`),
  callStatus: sql`p.call_status`,
  callAt: isoTime(sql`p.call_at`),
  callMs: sql`p.call_ms`,
  callError: sql`p.call_error`,
});
const { at } = shown;

/** The segments that may have events of the time. A transaction may write to a segment that was opened after it began. */
const segmentsOf = fixedStatement(['number', 'from', 'until'], ['segment'], ({ number, from, until }) => {
  return sql`select s.segment from joinery.trigger_segments s
    where s.number = ${number} and s.events_dropped_at is null
      and (${from}::timestamptz is null or s.closed_at is null or s.closed_at >= ${from}::timestamptz)
      and (${until}::timestamptz is null or s.opened_at - interval '1 day' < ${until}::timestamptz)
    order by s.segment`;
});

export type TriggerStream = StreamPage<EventOfSearch, TriggerPosition>;

/** Whether events of event triggers can match: they have no key. */
export function mayMatchTriggers({ kinds, key, status }: SearchEvents): boolean {
  if (kinds && kinds.length > 0 && !kinds.includes('trigger')) return false;
  if (status && status.length > 0 && status.every((one) => one === 'cancelled')) return false;
  return typeof key !== 'string';
}

/** Whether the trigger can match: by its source, its name, and its destination. */
export function isSearchedTrigger(
  { name, source, webhook }: Pick<SearchedTrigger, 'name' | 'source' | 'webhook'>,
  { destination, trigger, ...search }: SearchEvents,
): boolean {
  if (typeof search.source === 'string' && search.source !== source) return false;
  if (typeof trigger === 'string' && trigger !== name) return false;
  if (typeof destination !== 'string') return true;
  return webhook !== undefined && originOf(webhook) === destinationName(destination);
}

/** Returns what `destinationOf` returns for a webhook. */
function originOf(webhook: string): string {
  return (/^(?:[^/?#]*\/\/)?[^/?#]*/.exec(webhook)?.[0] ?? '').slice(0, 255);
}

/** Returns the events of the trigger after the position, at most `limit`. */
export async function readTriggerEvents(
  query: Query,
  trigger: SearchedTrigger,
  search: SearchEvents,
  after: TriggerPosition | undefined,
): Promise<TriggerStream> {
  const seq = await seqOf(query, trigger, search.text);
  if (seq === null) return { items: [] };
  const isAscending = search.order === 'asc';
  const [direction, comparison] = isAscending ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`];
  const isRead = (segment: number): boolean =>
    after === undefined || (isAscending ? segment >= after.segment : segment <= after.segment);
  const segments = (await readSegments(query, trigger, search)).filter(isRead);
  if (segments.length === 0) return { items: [] };
  const hasConditions = conditionsOf(trigger, 0, search, seq).length > 0;
  const inOrder = sql`order by e.xid ${direction}, e.seq ${direction}`;
  const compared = (segment: number): Sql => {
    const start =
      after?.segment === segment
        ? sql` where (e.xid, e.seq) ${comparison} (${value(after.xid)}::xid8, ${value(after.seq)}::bigint)`
        : sql``;
    return sql`select e.* from ${tableOf(trigger, 's', segment)} e${start} ${inOrder}`;
  };
  const limit = integer(search.limit);
  const parts = segments.map((segment) => {
    const conditions = conditionsOf(trigger, segment, search, seq);
    const rows = sql`${compared(segment)} limit ${hasConditions ? integer(MOST_COMPARED) : limit}`;
    const where = hasConditions ? sql` where ${join(conditions, ' and ')}` : sql``;
    return sql`(select ${integer(segment)} as segment, e.xid, e.seq, ${idOf(trigger)} as id, upper(e.op::text) as op, e.created_at,
        s.status, coalesce(w.tries, l.attempt, 0) as tries,
        case when w.tries > 0 and w.lease is null then w.due_at end as next_retry_at,
        l.status as call_status, l.started_at as call_at, l.duration_ms as call_ms, l.error as call_error
      from (${rows}) e ${joinsOf(trigger, segment)}${where} ${inOrder} limit ${limit})`;
  });
  const order = sql`p.segment ${direction}, p.xid ${direction}, p.seq ${direction}`;
  const { rows } = await runStatement(
    query,
    sql`select ${shown.list} from (${join(parts, ' union all ')}) p order by ${order} limit ${limit}`,
  );
  const items = rows.map((row) => itemOf(trigger, row));
  if (!hasConditions || items.length === search.limit) return { items };
  const ends = segments.map((segment) => {
    const rows = sql`${compared(segment)} limit ${integer(MOST_COMPARED)}`;
    return sql`(select ${integer(segment)} as segment, e.xid, e.seq, ${idOf(trigger)} as id, e.created_at
      from (${rows}) e offset ${integer(MOST_COMPARED - 1)} limit 1)`;
  });
  const [end] = await queryRows(
    query,
    sql`select p.segment, p.xid, p.seq, p.id, ${isoTime(sql`p.created_at`)} as created_at
      from (${join(ends, ' union all ')}) p order by ${order} limit 1`,
    ['segment', 'xid', 'seq', 'id', 'created_at'],
  );
  if (end === undefined || isBeyond(end.created_at ?? '', search)) return { items };
  const position = { segment: Number(end.segment), xid: end.xid ?? '', seq: end.seq ?? '' };
  const isCompared = (one: TriggerPosition): boolean =>
    one.segment === position.segment || (isAscending ? one.segment < position.segment : one.segment > position.segment);
  return {
    items: items.filter((one) => isCompared(one.position)),
    stopped: { time: end.created_at ?? '', id: end.id ?? '', position },
  };
}

/** An hour: events are stored in the order of their transactions, which may have begun in another. */
const LONGEST_TRANSACTION_MS = 3_600_000;

/** Whether all events after the time are outside of the time of the search. */
function isBeyond(time: string, { from, until, order }: SearchEvents): boolean {
  const ms = Date.parse(`${time}Z`);
  if (order === 'asc') return typeof until === 'string' && ms > Date.parse(until) + LONGEST_TRANSACTION_MS;
  return typeof from === 'string' && ms < Date.parse(from) - LONGEST_TRANSACTION_MS;
}

/** Returns the number of the event if the text is an id; null for that of another trigger, undefined for other text. */
async function seqOf(
  query: Query,
  { number }: SearchedTrigger,
  text: string | null | undefined,
): Promise<string | null | undefined> {
  if (typeof text !== 'string' || !isUuid(text)) return undefined;
  const found = sql`select e.number, e.seq from joinery.event_seq(${value(text)}::uuid) e`;
  const [row] = await queryRows(query, found, ['number', 'seq']);
  return row !== undefined && Number(row.number) === number ? row.seq : null;
}

async function readSegments(
  query: Query,
  { number }: SearchedTrigger,
  { from, until }: SearchEvents,
): Promise<readonly number[]> {
  const rows = await segmentsOf.rows(query, { number, from: from ?? null, until: until ?? null });
  return rows.map(({ segment }) => Number(segment));
}

function conditionsOf(trigger: SearchedTrigger, segment: number, search: SearchEvents, seq: string | undefined): Sql[] {
  const { status, from, until, payload_contains: data, text } = search;
  const calls = sql`${tableOf(trigger, 'log_s', segment)} log where log.seq = e.seq`;
  const found: Sql[] = [];
  if (seq !== undefined) found.push(sql`e.seq = ${value(seq)}::bigint`);
  if (typeof from === 'string') found.push(sql`e.created_at >= ${value(from)}::timestamptz`);
  if (typeof until === 'string') found.push(sql`e.created_at < ${value(until)}::timestamptz`);
  if (status && status.length > 0) found.push(sql`s.status = any (${value(status)}::text[])`);
  if (data !== undefined) {
    found.push(sql`jsonb_build_object('old', e.old, 'new', e.new) @> ${value(printJson(data))}::jsonb`);
  }
  const byCall = callsMatch(search, calls);
  if (byCall !== undefined) found.push(byCall);
  if (typeof text === 'string' && !isUuid(text) && !hasText(trigger, text)) found.push(failureContains(text, calls));
  return found;
}

/** Whether the name or the webhook of the trigger contains the text: then all of its events match. */
function hasText({ name, webhook }: SearchedTrigger, text: string): boolean {
  return `${name}\n${webhook ?? ''}`.toLowerCase().includes(text.toLowerCase());
}

/** The rows `w` of work, `l` of the last call and `s` of the status of an event `e`. */
function joinsOf(trigger: SearchedTrigger, segment: number): Sql {
  return sql`left join joinery.trigger_work w on w.number = ${integer(trigger.number)} and w.seq = e.seq
    left join lateral (
      select l.attempt, l.outcome, l.status, l.started_at, l.duration_ms, ${lastCallText} as error
      from ${tableOf(trigger, 'log_s', segment)} l where l.seq = e.seq order by l.attempt desc limit 1
    ) l on true
    cross join lateral (select ${statusOf(trigger, segment)} as status) s`;
}

function statusOf({ number }: SearchedTrigger, segment: number): Sql {
  return sql`case when w.seq is not null then case when w.lease > 0 then 'locked' else 'scheduled' end
    when l.outcome is not null then l.outcome
    when exists (
      select from joinery.trigger_batches b
      where b.number = ${integer(number)} and b.segment = ${integer(segment)} and e.seq = any (b.seqs)
    ) then 'locked' else 'scheduled' end`;
}

function idOf({ number }: SearchedTrigger): Sql {
  const key = sql`${integer(number)}, e.seq`;
  return sql`case when e.xid = '0' then joinery.adopted_event_id(${key}) else joinery.event_id(${key}) end`;
}

function tableOf({ number }: SearchedTrigger, kind: 's' | 'log_s', segment: number): Sql {
  return ident('joinery', `trigger_${number}_${kind}${segment}`);
}

const operations: Readonly<Record<string, string>> = { I: 'INSERT', U: 'UPDATE', D: 'DELETE', M: 'MANUAL' };

function itemOf({ source, name, webhook }: SearchedTrigger, row: Row): TriggerStream['items'][number] {
  const id = row[at.id] ?? '';
  const time = row[at.createdAt] ?? '';
  const nextRetryAt = row[at.nextRetryAt];
  return {
    id,
    time,
    position: { segment: Number(row[at.segment]), xid: row[at.xid] ?? '', seq: row[at.seq] ?? '' },
    item: {
      id,
      kind: 'trigger',
      source,
      trigger_name: name,
      webhook: webhook ?? null,
      time: utc(time),
      created_at: utc(time),
      status: (row[at.status] ?? 'scheduled') as FoundStatus,
      tries: Number(row[at.tries]),
      next_retry_at: typeof nextRetryAt === 'string' ? utc(nextRetryAt) : null,
      comment: null,
      operation: operations[row[at.operation] ?? 'M'] ?? 'MANUAL',
      last_call: lastCallOf(row[at.callStatus], row[at.callAt], row[at.callMs], row[at.callError]),
    },
  };
}

/** Returns the number of events by status, of the first events in the order of the search. */
export async function countTriggerEvents(
  query: Query,
  trigger: SearchedTrigger,
  search: SearchEvents,
): Promise<readonly CountedStatus[]> {
  const seq = await seqOf(query, trigger, search.text);
  const segments = seq === null ? [] : await readSegments(query, trigger, search);
  if (segments.length === 0) return [];
  const isAscending = search.order === 'asc';
  const direction = isAscending ? sql`asc` : sql`desc`;
  const ordered = isAscending ? segments : segments.toReversed();
  const parts = ordered.map((segment) => {
    const conditions = [sql`true`, ...conditionsOf(trigger, segment, { ...search, status: null }, seq ?? undefined)];
    const first = sql`select e.* from ${tableOf(trigger, 's', segment)} e order by e.xid ${direction}, e.seq ${direction}
      limit ${integer(MOST_COUNTED)}`;
    return sql`(select s.status, (${join(conditions, ' and ')}) as matches
      from (${first}) e ${joinsOf(trigger, segment)})`;
  });
  // The parts are read one after the other, until there are enough events.
  const statement = sql`select c.status, count(*) filter (where c.matches) as n,
      sum(count(*)) over () = ${integer(MOST_COUNTED)} as capped
    from (select * from (${join(parts, ' union all ')}) c limit ${integer(MOST_COUNTED)}) c group by c.status`;
  const rows = await queryRows(query, statement, ['status', 'n', 'capped']);
  return rows.map(({ status, n, capped }) => ({
    status: (status ?? 'scheduled') as FoundStatus,
    count: Number(n),
    isCapped: capped === 't',
  }));
}
