/** Search criteria of event lists, their query parameters and arguments. Pure. */
import { jsonProblem, parseExactly } from '../../api/exact-json.ts';
import type { SearchInput } from './search-fields.tsx';

export const searchFields = ['from', 'until', 'destination', 'comment', 'key', 'payload'] as const;
export type SearchField = (typeof searchFields)[number];

/** Text of the inputs. Empty text means no filter. `from` and `until` are ISO 8601 in UTC. */
export type EventSearch = Readonly<Partial<Record<SearchField, string>>>;

export const eventInputs: readonly SearchInput[] = (
  [
    { field: 'from', label: 'Scheduled from', isTime: true },
    { field: 'until', label: 'Scheduled before', isTime: true },
    { field: 'destination', label: 'Destination', place: 'https://api.example.com' },
    { field: 'comment', label: 'Comment contains' },
    { field: 'key', label: 'Key' },
    { field: 'payload', label: 'Payload contains', place: '{"customer": 7}' },
  ] satisfies readonly (SearchInput & { readonly field: SearchField })[]
).map((input) => ({ ...input, problemOf: (text) => searchProblem(input.field, text) }));

/** Parses query parameters. Invalid values are ignored. */
export function readSearch(search: URLSearchParams): EventSearch {
  const found: Partial<Record<SearchField, string>> = {};
  for (const field of searchFields) {
    const text = search.get(field)?.trim() ?? '';
    if (text !== '' && searchProblem(field, text) === undefined) found[field] = text;
  }
  return found;
}

/** Query parameters without search. */
export const nothingSearched: Readonly<Record<string, undefined>> = Object.fromEntries(
  searchFields.map((field) => [field, undefined]),
);

/** Returns the validation error of a search text, or undefined. */
function searchProblem(field: SearchField, text: string): string | undefined {
  if (field === 'payload') return jsonProblem(text);
  if (field === 'from' || field === 'until') {
    return Number.isNaN(Date.parse(text)) ? 'must be a date and a time' : undefined;
  }
  return undefined;
}

export function isSearching(search: EventSearch): boolean {
  return searchFields.some((field) => search[field] !== undefined);
}

/** Whether the search filters by text, whose matches PostgreSQL can only estimate. */
export function isSearchedByText({ destination, comment, payload }: EventSearch): boolean {
  return destination !== undefined || comment !== undefined || payload !== undefined;
}

/** Returns the arguments. Preserves the digits of numbers in the payload. */
export function searchArguments({ payload, ...texts }: EventSearch) {
  return { ...texts, ...(payload !== undefined && { payload_contains: parseExactly(payload) }) };
}
