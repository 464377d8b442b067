/** The search of the page of events: its query parameters and its arguments. Pure. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import type { InvocationStatus } from '@joinery/metadata/api/events/lists';
import { EventKind, FoundStatus } from '@joinery/metadata/api/events/search';
import { jsonProblem, parseExactly } from '../../../api/exact-json.ts';
import { eventsPath } from '../../../shared/events/event-paths.ts';

export const timeRanges = ['now', '15m', '1h', '1d', '7d', 'upcoming', 'any', 'custom'] as const;
export type TimeRange = (typeof timeRanges)[number];

const texts = ['q', 'trigger', 'source', 'destination', 'key', 'payload', 'call', 'response'] as const;
type TextField = (typeof texts)[number];

/** Empty text and empty lists do not restrict the search. */
export interface ActivitySearch extends Readonly<Record<TextField, string>> {
  readonly kinds: readonly EventKind[];
  readonly statuses: readonly FoundStatus[];
  readonly time: TimeRange;
  /** ISO 8601 in UTC, of the range `custom`. */
  readonly from: string;
  readonly until: string;
  readonly order: 'asc' | 'desc';
  readonly size: number;
}

export const pageSizes = [20, 50, 100, 500] as const;
const USUAL_SIZE = 50;

/** The query parameters of a search, without those of the drawer. */
export const searchParameters = ['kind', 'status', 'time', 'from', 'until', 'order', 'size', ...texts] as const;
type Parameter = (typeof searchParameters)[number];

/** Results of calls other than an HTTP status. */
export const callResults: Readonly<Record<string, readonly InvocationStatus[]>> = {
  failure: ['1xx', '3xx', '4xx', '5xx', 'none'],
  none: ['none'],
  '2xx': ['2xx'],
  '3xx': ['3xx'],
  '4xx': ['4xx'],
  '5xx': ['5xx'],
};

/** Returns the statuses of a result: `503`, or a key of `callResults`. Undefined for other text. */
export function callStatuses(text: string): readonly InvocationStatus[] | undefined {
  if (/^[1-5]\d\d$/.test(text)) return [Number(text)];
  return Object.hasOwn(callResults, text) ? callResults[text] : undefined;
}

/** Parses query parameters. Invalid values are ignored. */
export function readSearch(address: URLSearchParams): ActivitySearch {
  const text = (name: Parameter): string => address.get(name)?.trim() ?? '';
  const list = (name: Parameter): readonly string[] => text(name).split(',');
  const instant = (name: 'from' | 'until'): string => (Number.isNaN(Date.parse(text(name))) ? '' : text(name));
  const [from, until] = [instant('from'), instant('until')];
  const payload = jsonProblem(text('payload')) === undefined ? text('payload') : '';
  const range = timeRanges.find((one) => one === text('time'));
  return {
    kinds: EventKind.options.filter((kind) => list('kind').includes(kind)),
    statuses: FoundStatus.options.filter((status) => list('status').includes(status)),
    q: text('q'),
    trigger: text('trigger'),
    source: text('source'),
    destination: text('destination'),
    key: text('key'),
    payload,
    call: callStatuses(text('call')) === undefined ? '' : text('call'),
    response: text('response'),
    time: from !== '' || until !== '' ? 'custom' : range === undefined || range === 'custom' ? 'now' : range,
    from,
    until,
    order: text('order') === 'asc' ? 'asc' : 'desc',
    size: pageSizes.find((size) => String(size) === text('size')) ?? USUAL_SIZE,
  };
}

/** Returns the query parameters of changed members. Undefined removes a parameter. */
export function writeSearch(change: Partial<ActivitySearch>): Readonly<Record<string, string | undefined>> {
  const { kinds, statuses, time, order, size, ...others } = change;
  const some = (text: string): string | undefined => (text === '' ? undefined : text);
  return {
    ...(kinds && { kind: some(kinds.join(',')) }),
    ...(statuses && { status: some(statuses.join(',')) }),
    ...(time && time !== 'custom' && { from: undefined, until: undefined, time: time === 'now' ? undefined : time }),
    ...(order && { order: order === 'desc' ? undefined : order }),
    ...(size && { size: size === USUAL_SIZE ? undefined : String(size) }),
    ...Object.fromEntries(Object.entries(others).map(([name, text]) => [name, some(text)])),
  };
}

/** Whether a condition other than the time restricts the search. */
export function isSearching({ kinds, statuses, ...search }: ActivitySearch): boolean {
  return kinds.length > 0 || statuses.length > 0 || texts.some((field) => search[field] !== '');
}

const rangeMs: Readonly<Partial<Record<TimeRange, number>>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
  '7d': 604_800_000,
};

/** The clocks of the browser and of the service may differ by so much before new events are missing. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Returns the arguments. Preserves the digits of numbers in the payload. `now` in milliseconds since 1970. */
export function searchArguments(search: ActivitySearch, now: number): CommandArguments['search_events'] {
  const { kinds, statuses, q: text, trigger, source, destination, key, payload, order, size, call, response } = search;
  const callStatus = callStatuses(call);
  return {
    ...(kinds.length > 0 && { kinds: [...kinds] }),
    ...(statuses.length > 0 && { status: [...statuses] }),
    ...(text !== '' && { text }),
    ...(trigger !== '' && { trigger }),
    ...(source !== '' && { source }),
    ...(destination !== '' && { destination }),
    ...(key !== '' && { key }),
    ...(callStatus !== undefined && { call_status: [...callStatus] }),
    ...(response !== '' && { response_contains: response }),
    ...(payload !== '' && { payload_contains: parseExactly(payload) }),
    ...timeOf(search, now),
    order,
    limit: size,
  };
}

function timeOf({ time, from, until }: ActivitySearch, now: number): { from?: string; until?: string } {
  const iso = (ms: number): string => new Date(ms).toISOString();
  if (time === 'custom') return { ...(from !== '' && { from }), ...(until !== '' && { until }) };
  if (time === 'any') return {};
  if (time === 'upcoming') return { from: iso(now) };
  const length = rangeMs[time];
  return { ...(length !== undefined && { from: iso(now - length) }), until: iso(now + CLOCK_TOLERANCE_MS) };
}

/** Path of the list with the search. */
export function activityPath(search: Partial<ActivitySearch>): string {
  return eventsPath(writeSearch(search));
}
