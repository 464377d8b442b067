/** Search criteria of the events of a trigger, their query parameters and arguments. Pure. */
import { jsonProblem, parseExactly } from '../../../api/exact-json.ts';
import type { SearchInput } from '../../../shared/events/search-fields.tsx';

const fields = ['from', 'until', 'data'] as const;

/** Text of the inputs. `from` and `until` are ISO 8601 in UTC. */
export type EventSearch = Readonly<Partial<Record<(typeof fields)[number], string>>>;

function timeProblem(text: string): string | undefined {
  return Number.isNaN(Date.parse(text)) ? 'must be a date and a time' : undefined;
}

export const eventInputs: readonly SearchInput[] = [
  { field: 'from', label: 'Created from', isTime: true, problemOf: timeProblem },
  { field: 'until', label: 'Created before', isTime: true, problemOf: timeProblem },
  { field: 'data', label: 'Data contains', place: '{"new": {"id": 7}}', problemOf: jsonProblem },
];

/** Parses query parameters. Invalid values are ignored. */
export function readEventSearch(address: URLSearchParams): EventSearch {
  const found: Partial<Record<(typeof fields)[number], string>> = {};
  for (const { field, problemOf } of eventInputs) {
    const name = fields.find((one) => one === field);
    const text = address.get(field)?.trim() ?? '';
    if (name !== undefined && text !== '' && problemOf?.(text) === undefined) found[name] = text;
  }
  return found;
}

/** Query parameters without search. */
export const nothingSearched: Readonly<Record<string, undefined>> = Object.fromEntries(
  fields.map((field) => [field, undefined]),
);

export function isSearching(search: EventSearch): boolean {
  return Object.keys(search).length > 0;
}

/** Returns the arguments. Preserves the digits of numbers in the data. */
export function searchArguments({ data, ...times }: EventSearch) {
  return { ...times, ...(data !== undefined && { data_contains: parseExactly(data) }) };
}
