/** Reads the events of a trigger and the log of their calls. */
import type {
  GetEventLogs,
  TriggerEvent as ListedEvent,
  TriggerInvocation,
} from '@joinery/metadata/api/events/triggers';
import { isJsonObject, type PartlyPrinted, parseJson, printJson, RawJson } from '../../base/json-value.ts';
import type { Query, Row } from '../../postgres/client/statement-run.ts';
import { fixedStatement, runStatement, selectList } from '../../postgres/sql/rows.ts';
import { ident, integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { isUuid } from '../commands/rejected-argument.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';
import { readSent, waitedBefore } from '../webhook/sent-request.ts';
import { printData, settingOf, triggerEnvelope } from './envelope.ts';
import type { TriggerOperation } from './trigger.ts';

/** A trigger in the database of its source. */
export interface RecordedTrigger {
  readonly number: number;
  readonly name: string;
  readonly table: { readonly schema: string; readonly name: string };
  /** Columns whose numbers are sent as strings; undefined for none. */
  readonly quoted?: ReadonlySet<string> | undefined;
}

/** Which events of a trigger are listed. */
export interface EventFilter extends Partial<Pick<GetEventLogs, 'status' | 'from' | 'until' | 'data_contains'>> {
  /** The number of one event. */
  readonly seq?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The columns of a change, which both lists begin with. */
const changeColumns = {
  id: sql`p.id`,
  operation: sql`p.op`,
  before: sql`p.old`,
  after: sql`p.new`,
  session: sql`p.session`,
  trace: sql`p.trace`,
  createdAt: isoTime(sql`p.created_at`),
};

const events = selectList({
  ...changeColumns,
  status: sql`p.status`,
  tries: sql`p.tries`,
  nextRetryAt: isoTime(sql`p.next_retry_at`),
});

const calls = selectList({
  ...changeColumns,
  attempt: sql`p.attempt`,
  durationMs: sql`p.duration_ms`,
  agent: sql`p.agent`,
  status: sql`p.status`,
  request: sql`p.request`,
  response: sql`p.response`,
  loggedAt: isoTime(sql`p.logged_at`),
});

const segments = fixedStatement(['number'], ['segment', 'dropped'], ({ number }) => {
  return sql`select s.segment, s.events_dropped_at is not null as dropped
    from joinery.trigger_segments s where s.number = ${number} order by s.segment`;
});

const numbered = fixedStatement(['id'], ['number', 'seq', 'name', 'table_schema', 'table_name'], ({ id }) => {
  return sql`select t.number, e.seq, t.name, t.table_schema, t.table_name
    from joinery.event_seq(${id}::uuid) e join joinery.triggers t on t.number = e.number`;
});

/** Returns the trigger and the number of an event; undefined for an id that the source did not make. */
export async function findEvent(
  query: Query,
  id: string,
): Promise<{ readonly trigger: RecordedTrigger; readonly seq: string } | undefined> {
  const row = await numbered.row(query, { id });
  if (row === undefined) return undefined;
  const table = { schema: row.table_schema ?? '', name: row.table_name ?? '' };
  return { trigger: { number: Number(row.number), name: row.name ?? '', table }, seq: row.seq ?? '' };
}

/** Returns a page of events, the newest first. */
export async function listEvents(
  query: Query,
  trigger: RecordedTrigger,
  filter: EventFilter,
): Promise<PartlyPrinted<ListedEvent>[]> {
  const { number } = trigger;
  const branch = (segment: number): Sql => sql`select ${integer(segment)} as segment, e.xid, e.seq,
      ${idOf(trigger)} as id, upper(e.op::text) as op, e.old, e.new, e.session, e.trace, e.created_at,
      ${statusOf} as status, coalesce(w.tries, l.attempt, 0) as tries,
      case when w.tries > 0 and w.lease is null then w.due_at end as next_retry_at
    from ${tableOf(trigger, 's', segment)} e
    left join joinery.trigger_work w on w.number = ${integer(number)} and w.seq = e.seq
    left join lateral (
      select l.attempt, l.outcome from ${tableOf(trigger, 'log_s', segment)} l where l.seq = e.seq
      order by l.attempt desc limit 1
    ) l on true${conditions(filter)}
    order by e.xid desc, e.seq desc limit ${integer(filter.limit + filter.offset)}`;
  const order = sql`p.segment desc, p.xid desc, p.seq desc`;
  const rows = await page(query, trigger, { branch, list: events.list, order, ...filter });
  return rows.map((row) => readEvent(trigger, row));
}

/** Returns a page of the log of calls, the newest first. `seq`: of one event. */
export async function listInvocations(
  query: Query,
  trigger: RecordedTrigger,
  filter: Pick<EventFilter, 'seq' | 'limit' | 'offset'>,
): Promise<PartlyPrinted<TriggerInvocation>[]> {
  const { seq } = filter;
  const ofEvent = seq === undefined ? sql`` : sql` and l.seq = ${value(seq)}`;
  const branch = (
    segment: number,
    hasEvents: boolean,
  ): Sql => sql`select ${integer(segment)} as segment, l.created_at as logged_at, l.attempt, l.duration_ms, l.agent, l.status,
      l.request, l.response, ${idOf(trigger, sql`l`)} as id, upper(e.op::text) as op, e.old, e.new,
      e.session, e.trace, e.created_at
    from ${tableOf(trigger, 'log_s', segment)} l
    ${hasEvents ? sql`join ${tableOf(trigger, 's', segment)}` : sql`left join ${noEvents}`} e on e.seq = l.seq
    where l.attempt > 0${ofEvent}
    order by l.created_at desc limit ${integer(filter.limit + filter.offset)}`;
  const order = sql`p.logged_at desc, p.attempt desc`;
  const rows = await page(query, trigger, { branch, list: calls.list, order, ...filter, logs: true });
  const lists = seq === undefined ? new Map<string, CallLog>() : await readLists(query, trigger, rows);
  return rows.map((row) => readInvocation(trigger, row, lists));
}

/** The log of a call as JSON texts. */
interface CallLog {
  readonly request: string | null;
  readonly response: string | null;
}

const logs = selectList({ id: sql`p.id`, attempt: sql`p.attempt`, request: sql`p.request`, response: sql`p.response` });

/** Returns the calls of lists that these calls refer to, by the id of the first event of the list and the number of the call. */
async function readLists(
  query: Query,
  trigger: RecordedTrigger,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, CallLog>> {
  const ids = new Set(rows.flatMap((row) => firstOfList(objectOf(row[calls.at.request])) ?? []));
  if (ids.size === 0) return new Map();
  const branch = (segment: number): Sql => sql`select f.id, l.attempt, l.request, l.response
    from unnest(${value([...ids])}::uuid[]) as f (id) cross join lateral joinery.event_seq(f.id) e
    join ${tableOf(trigger, 'log_s', segment)} l on l.seq = e.seq where e.number = ${integer(trigger.number)}`;
  const all = { limit: MOST_LISTS, offset: 0, logs: true };
  const found = await page(query, trigger, { branch, list: logs.list, order: sql`p.id, p.attempt`, ...all });
  const { at } = logs;
  return new Map(
    found.map((row) => [
      `${row[at.id]}-${row[at.attempt]}`,
      { request: row[at.request] ?? null, response: row[at.response] ?? null },
    ]),
  );
}

/** Lists have up to 1 MB. */
const MOST_LISTS = 100;

/** Returns the id of the event with which the list of a call is logged; undefined for a call with a log of its own. */
function firstOfList({ payload }: Readonly<Record<string, unknown>>): string | undefined {
  const id = isJsonObject(payload) ? payload.first_event_of_batch : undefined;
  return typeof id === 'string' && isUuid(id) ? id : undefined;
}

const statusOf = sql`case when w.seq is null then coalesce(l.outcome, 'pending') else 'pending' end`;

function conditions({ seq, status, from, until, data_contains: data }: Partial<EventFilter>): Sql {
  const parts: Sql[] = [];
  if (seq !== undefined) parts.push(sql`e.seq = ${value(seq)}`);
  if (status === 'processed') parts.push(sql`${statusOf} <> 'pending'`);
  else if (typeof status === 'string') parts.push(sql`${statusOf} = ${value(status)}`);
  if (typeof from === 'string') parts.push(sql`e.created_at >= ${value(from)}::timestamptz`);
  if (typeof until === 'string') parts.push(sql`e.created_at < ${value(until)}::timestamptz`);
  if (data !== undefined && data !== null) {
    parts.push(sql`jsonb_build_object('old', e.old, 'new', e.new) @> ${value(printJson(data))}::jsonb`);
  }
  return parts.length === 0 ? sql`` : sql` where ${join(parts, ' and ')}`;
}

/** The id of the event `e`, whose number is in `row` where it has been removed. */
function idOf({ number }: RecordedTrigger, row = sql`e`): Sql {
  const key = sql`${integer(number)}, ${row}.seq`;
  return sql`case when coalesce(e.xid, '0') = '0' then joinery.adopted_event_id(${key}) else joinery.event_id(${key}) end`;
}

function tableOf({ number }: RecordedTrigger, kind: 's' | 'log_s', segment: number): Sql {
  return ident('joinery', `trigger_${number}_${kind}${segment}`);
}

/** In place of the events of a segment that were dropped before the log of their calls. */
const noEvents = sql`(select null::bigint as seq, null::xid8 as xid, null::text as op, null::json as old, null::json as new, null::text as session,
    null::text as trace, null::timestamptz as created_at where false)`;

interface Page {
  /** Whether segments without events, which have a log, are read too. */
  readonly logs?: boolean;
  /** Selects the rows of a segment. */
  readonly branch: (segment: number, hasEvents: boolean) => Sql;
  readonly list: Sql;
  readonly order: Sql;
  readonly limit: number;
  readonly offset: number;
}

async function page(
  query: Query,
  { number }: RecordedTrigger,
  { branch, list, order, limit, offset, logs = false }: Page,
): Promise<readonly Row[]> {
  const present = (await segments.rows(query, { number }))
    .filter(({ dropped }) => logs || dropped === 'f')
    .map(({ segment, dropped }) => branch(Number(segment), dropped === 'f'));
  if (present.length === 0) return [];
  const parts = present.map((part) => sql`(${part})`);
  const statement = sql`select ${list} from (${join(parts, ' union all ')}) p
    order by ${order} limit ${integer(limit)} offset ${integer(offset)}`;
  return (await runStatement(query, statement)).rows;
}

const operations: Readonly<Record<string, TriggerOperation>> = { I: 'INSERT', U: 'UPDATE', D: 'DELETE', M: 'MANUAL' };

/** The columns of an event, which both lists have at the same positions. */
function changeOf({ quoted }: RecordedTrigger, row: Row) {
  const { at } = events;
  const operation = operations[row[at.operation] ?? 'M'] ?? 'MANUAL';
  const rows = { before: row[at.before] ?? undefined, after: row[at.after] ?? undefined };
  return {
    id: row[at.id] ?? '',
    operation,
    createdAt: row[at.createdAt] ?? '',
    session: settingOf(row[at.session]),
    trace: settingOf(row[at.trace]),
    data: printData(rows, { quoted: operation === 'MANUAL' ? undefined : quoted }),
  };
}

function readEvent(trigger: RecordedTrigger, row: Row): PartlyPrinted<ListedEvent> {
  const { at } = events;
  const { name, table } = trigger;
  const change = changeOf(trigger, row);
  const status = (row[at.status] ?? 'pending') as ListedEvent['status'];
  const nextRetryAt = row[at.nextRetryAt];
  return {
    id: change.id,
    schema_name: table.schema,
    table_name: table.name,
    trigger_name: name,
    payload: {
      op: change.operation,
      data: new RawJson(change.data),
      session_variables: new RawJson(change.session ?? 'null'),
      trace_context: new RawJson(change.trace ?? 'null'),
    },
    delivered: status === 'delivered',
    error: status === 'error' || status === 'dead',
    status,
    tries: Number(row[at.tries]),
    created_at: utc(change.createdAt),
    locked: null,
    next_retry_at: typeof nextRetryAt === 'string' ? utc(nextRetryAt) : null,
    archived: false,
  };
}

function readInvocation(
  trigger: RecordedTrigger,
  row: Row,
  lists: ReadonlyMap<string, CallLog>,
): PartlyPrinted<TriggerInvocation> {
  const { at } = calls;
  const change = changeOf(trigger, row);
  const attempt = Number(row[at.attempt]);
  const status = row[at.status];
  const own = objectOf(row[at.request]);
  const list = lists.get(`${firstOfList(own)}-${attempt}`);
  const request = list === undefined ? own : objectOf(list.request);
  const numRetries = Number(request.max_retries ?? 0);
  const hasEvent = typeof row[at.operation] === 'string';
  const currentRetry = Number(request.current_retry ?? attempt - 1);
  const payload =
    'payload' in request || !hasEvent
      ? printJson(request.payload ?? null)
      : triggerEnvelope({ ...trigger, numRetries }, change, change.data, currentRetry);
  const headers = printJson(request.headers ?? []);
  const body = payload === 'null' ? null : payload;
  const sent = readSent(request.sent, { id: change.id, attempt, agent: row[at.agent] ?? '', body });
  return {
    id: `${change.id}-${attempt}`,
    trigger_name: trigger.name,
    event_id: change.id,
    attempt,
    duration_ms: Number(row[at.durationMs]),
    ...waitedBefore(request.waited_ms),
    http_status: typeof status === 'string' ? Number(status) : null,
    created_at: utc(row[at.loggedAt] ?? ''),
    request: new RawJson(
      `{"version":"2","payload":${payload},"headers":${headers}${sent === undefined ? '' : `,"sent":${printJson(sent)}`}}`,
    ),
    response: new RawJson(printJson({ ...objectOf(list?.response ?? row[at.response]), version: '2' })),
  };
}

function objectOf(text: string | null | undefined): Readonly<Record<string, unknown>> {
  const parsed = parseJson(text ?? 'null');
  return isJsonObject(parsed) ? parsed : {};
}
