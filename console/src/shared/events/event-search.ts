/** What a list of events is searched by, as it stands in the address and in the arguments of the API. Pure. */
import { jsonProblem, parseExactly } from '../../api/exact-json.ts';
import type { SearchInput } from './search-fields.tsx';

export const searchFields = ['from', 'until', 'destination', 'comment', 'key', 'payload'] as const;
export type SearchField = (typeof searchFields)[number];

/** Texts as they were typed; what is empty does not matter. `from` and `until` are ISO 8601, UTC. */
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

/** A search that cannot be meant, such as a payload that is no JSON, is left out. */
export function readSearch(search: URLSearchParams): EventSearch {
  const found: Partial<Record<SearchField, string>> = {};
  for (const field of searchFields) {
    const text = search.get(field)?.trim() ?? '';
    if (text !== '' && searchProblem(field, text) === undefined) found[field] = text;
  }
  return found;
}

/** Members of the query string for a list that is not searched. */
export const nothingSearched: Readonly<Record<string, undefined>> = Object.fromEntries(
  searchFields.map((field) => [field, undefined]),
);

/** Why a text cannot be searched for; undefined where it can. */
export function searchProblem(field: SearchField, text: string): string | undefined {
  if (field === 'payload') return jsonProblem(text);
  if (field === 'from' || field === 'until') {
    return Number.isNaN(Date.parse(text)) ? 'must be a date and a time' : undefined;
  }
  return undefined;
}

export function isSearching(search: EventSearch): boolean {
  return searchFields.some((field) => search[field] !== undefined);
}

/** Filters that PostgreSQL can only estimate the matches of. */
export function isSearchedByText({ destination, comment, payload }: EventSearch): boolean {
  return destination !== undefined || comment !== undefined || payload !== undefined;
}

/** The filters as arguments. Digits of numbers in the payload are kept. */
export function searchArguments({ payload, ...texts }: EventSearch): Readonly<Record<string, unknown>> {
  return { ...texts, ...(payload !== undefined && { payload_contains: parseExactly(payload) }) };
}
