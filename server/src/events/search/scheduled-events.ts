/** The streams of one-off and cron events in a search, and their number by status. */
import type { EventOfSearch, FoundStatus, SearchEvents } from '@joinery/metadata/api/events/search';
import type { Query, Row } from '../../postgres/client/statement-run.ts';
import { queryRows, runStatement, selectList } from '../../postgres/sql/rows.ts';
import { integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { isUuid } from '../commands/rejected-argument.ts';
import { type Branch, branchesOf } from '../commands/search.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';
import type { ScheduledPosition } from './cursor.ts';
import { lastCallOf, lastCallText } from './last-call.ts';
import type { Direction, StreamPage } from './merge.ts';

/** Events of a part of a table that are compared at once: it bounds the time of a search by conditions without an index. */
const MOST_COMPARED = { inOrder: 20_000, scattered: 4_000 };

/** Events of a part of a table that are counted, at most. */
const MOST_COUNTED = { inOrder: 5_000, scattered: 2_000 };

/** Whether each event takes a read of another place: of its calls, or of the event in the order of a trigger. */
function isScattered({ call_status, response_contains, text, trigger }: SearchEvents): boolean {
  const byText = typeof text === 'string' && !isUuid(text);
  return (
    byText || typeof trigger === 'string' || typeof response_contains === 'string' || (call_status ?? []).length > 0
  );
}

function boundOf({ inOrder, scattered }: typeof MOST_COMPARED, search: SearchEvents): number {
  return isScattered(search) ? scattered : inOrder;
}

const shown = selectList({
  id: sql`e.id`,
  time: isoTime(sql`e.schedule_at`),
  createdAt: isoTime(sql`e.created_at`),
  webhook: sql`e.webhook`,
  triggerName: sql`e.trigger_name`,
  status: sql`e.status`,
  tries: sql`e.tries`,
  nextRetryAt: isoTime(sql`e.next_retry_at`),
  comment: sql`e.comment`,
  callStatus: sql`l.status`,
  callAt: isoTime(sql`l.started_at`),
  callMs: sql`l.duration_ms`,
  callError: sql`l.error`,
});
const { at } = shown;

const lastCall = sql`select l.status, l.started_at, l.duration_ms, ${lastCallText} as error
  from joinery.event_invocations l where l.event_id = e.id and e.tries > 0
    and l.created_at >= least(e.created_at, e.schedule_at) - interval '1 day' order by l.attempt desc, l.created_at desc limit 1`;

/** Returns the type that the branches are restricted to; undefined for both, null for none. */
function scheduledType({ kinds }: Pick<SearchEvents, 'kinds'>): 'one_off' | 'cron' | undefined | null {
  if (!kinds || kinds.length === 0) return undefined;
  const [oneOff, cron] = [kinds.includes('one_off'), kinds.includes('cron')];
  if (oneOff && cron) return undefined;
  return oneOff ? 'one_off' : cron ? 'cron' : null;
}

/** `ids`: the events that can match, where the index of payloads has found them. */
export type ScheduledSearch = SearchEvents & { readonly ids?: readonly string[] | undefined };

type ScheduledStatus = Exclude<FoundStatus, 'superseded'>;

/** Returns the parts of the tables that may contain events of the search. None where only event triggers match. */
function partsOf(search: ScheduledSearch, statuses: readonly FoundStatus[]): readonly Branch[] {
  const type = scheduledType(search);
  if (type === null || typeof search.source === 'string') return [];
  const status = statuses.filter((one): one is ScheduledStatus => one !== 'superseded');
  if (statuses.length > 0 && status.length === 0) return [];
  return branchesOf({ ...search, type, status, trigger_name: search.trigger });
}

export type ScheduledStream = StreamPage<EventOfSearch, ScheduledPosition>;

/** Returns the events after the position, at most `limit` of each part. */
export function readScheduledEvents(
  query: Query,
  search: ScheduledSearch,
  after: ScheduledPosition | undefined,
): Promise<readonly ScheduledStream[]> {
  return Promise.all(partsOf(search, search.status ?? []).map((branch) => readPart(query, branch, search, after)));
}

async function readPart(
  query: Query,
  branch: Branch,
  search: SearchEvents,
  after: ScheduledPosition | undefined,
): Promise<ScheduledStream> {
  const { limit, order } = search;
  const { compared } = branch;
  const most = boundOf(MOST_COMPARED, search);
  const [direction, time] = [directionOf(order), branch.time];
  const start = after === undefined ? sql`` : sql` and ${afterPosition(after, time, order)}`;
  const inOrder = sql`order by ${time} ${direction}, e.id`;
  const byIndex = orderOf(branch, search);
  const found = sql`select e.* from ${branch.table} e where ${branch.indexed}${start} order by ${byIndex}, e.id`;
  const from =
    compared.length === 0
      ? sql`(${found} limit ${integer(limit)}) e`
      : sql`(${found} limit ${integer(most)}) e where ${join(compared, ' and ')}`;
  const page = sql`select ${branch.columns} from ${from} ${inOrder} limit ${integer(limit)}`;
  const statement = sql`select ${shown.list} from (${page}) e left join lateral (${lastCall}) l on true
    order by e.schedule_at ${direction}, e.id`;
  const { rows } = await runStatement(query, statement);
  const items = rows.map((row) => {
    const item = eventOf(row);
    const position = { time: row[at.time] ?? '', id: item.id };
    return { item, ...position, position };
  });
  if (compared.length === 0 || items.length === limit) return { items };
  const last = sql`select ${isoTime(sql`e.time`)} as time, e.id from (
      select ${time} as time, e.id from ${branch.table} e where ${branch.indexed}${start} order by ${byIndex}, e.id limit ${integer(most)}
    ) e offset ${integer(most - 1)} limit 1`;
  const [end] = await queryRows(query, last, ['time', 'id']);
  if (end === undefined) return { items };
  const position = { time: end.time ?? '', id: end.id ?? '' };
  return { items, stopped: { ...position, position } };
}

/** The order by time as the index of the branch has it. */
function orderOf({ first, time }: Branch, { order }: Pick<SearchEvents, 'order'>): Sql {
  const direction = directionOf(order);
  const byTime = sql`${time} ${direction}`;
  return first === undefined ? byTime : sql`${first} ${direction}, ${byTime}`;
}

function directionOf(order: Direction): Sql {
  return order === 'asc' ? sql`asc` : sql`desc`;
}

function afterPosition(after: ScheduledPosition, time: Sql, order: Direction): Sql {
  const then = sql`${value(`${after.time}Z`)}::timestamptz`;
  const [inclusive, exclusive] = order === 'asc' ? [sql`>=`, sql`>`] : [sql`<=`, sql`<`];
  // The first condition is the one that the index supports.
  return sql`${time} ${inclusive} ${then} and (${time} ${exclusive} ${then} or e.id > ${value(after.id)}::uuid)`;
}

function eventOf(row: Row): EventOfSearch {
  const triggerName = row[at.triggerName];
  const nextRetryAt = row[at.nextRetryAt];
  return {
    id: row[at.id] ?? '',
    kind: typeof triggerName === 'string' ? 'cron' : 'one_off',
    ...(typeof triggerName === 'string' && { trigger_name: triggerName }),
    webhook: row[at.webhook] ?? '',
    time: utc(row[at.time] ?? ''),
    created_at: utc(row[at.createdAt] ?? ''),
    status: (row[at.status] ?? 'scheduled') as FoundStatus,
    tries: Number(row[at.tries]),
    next_retry_at: typeof nextRetryAt === 'string' ? utc(nextRetryAt) : null,
    comment: row[at.comment] ?? null,
    last_call: lastCallOf(row[at.callStatus], row[at.callAt], row[at.callMs], row[at.callError]),
  };
}

export interface CountedStatus {
  readonly status: FoundStatus;
  readonly count: number;
  readonly isCapped: boolean;
}

/** Undelivered events are counted by their own index: they are few among the delivered ones. */
const countedTogether: readonly (readonly FoundStatus[])[] = [
  ['scheduled', 'locked'],
  ['delivered'],
  ['error', 'dead', 'cancelled'],
];

/** Returns the number of events by status, of the first events in the order of the search. */
export async function countScheduledEvents(query: Query, search: ScheduledSearch): Promise<readonly CountedStatus[]> {
  const most = integer(boundOf(MOST_COUNTED, search));
  const counts = countedTogether.flatMap((statuses) =>
    partsOf(search, statuses).map((branch) => {
      const matches = branch.compared.length === 0 ? sql`true` : join(branch.compared, ' and ');
      const first = sql`select e.* from ${branch.table} e where ${branch.indexed}
        order by ${orderOf(branch, search)} limit ${most}`;
      const compared = sql`select ${branch.columns}, (${matches}) as matches from (${first}) e`;
      // Whether there are more is known from all events that were compared, also those of other statuses.
      return sql`(select g.* from (select c.status, count(*) filter (where c.matches) as n,
        sum(count(*)) over () = ${most} as capped from (${compared}) c group by c.status) g
        where g.status = any (${value([...statuses])}::text[]))`;
    }),
  );
  if (counts.length === 0) return [];
  const statement = sql`select c.status, sum(c.n) as n, bool_or(c.capped) as capped
    from (${join(counts, ' union all ')}) c group by c.status`;
  const rows = await queryRows(query, statement, ['status', 'n', 'capped']);
  return rows.map(({ status, n, capped }) => ({
    status: (status ?? 'scheduled') as FoundStatus,
    count: Number(n),
    isCapped: capped === 't',
  }));
}
