/** What a list of events is searched by, as it stands in the address and in the arguments of the API. Pure. */
import { faultInJson, parseExactly } from '../api/exact-json.ts';

export const searchFields = ['from', 'until', 'destination', 'comment', 'key', 'payload'] as const;
export type SearchField = (typeof searchFields)[number];

/** Texts as they were typed; what is empty does not matter. `from` and `until` are ISO 8601, UTC. */
export type EventSearch = Readonly<Partial<Record<SearchField, string>>>;

export const searchNames: Readonly<Record<SearchField, string>> = {
  from: 'Scheduled from',
  until: 'Scheduled before',
  destination: 'Destination',
  comment: 'Comment contains',
  key: 'Key',
  payload: 'Payload contains',
};

/** A search that cannot be meant, such as a payload that is no JSON, is left out. */
export function readSearch(search: URLSearchParams): EventSearch {
  const found: Partial<Record<SearchField, string>> = {};
  for (const field of searchFields) {
    const text = search.get(field)?.trim() ?? '';
    if (text !== '' && faultInSearch(field, text) === undefined) found[field] = text;
  }
  return found;
}

/** As members of the query string. */
export function writeSearch(search: EventSearch): Readonly<Record<SearchField, string | undefined>> {
  const members = searchFields.map((field) => [field, search[field]?.trim() || undefined]);
  return Object.fromEntries(members) as Record<SearchField, string | undefined>;
}

/** Why a text cannot be searched for; undefined where it can. */
export function faultInSearch(field: SearchField, text: string): string | undefined {
  if (field === 'payload') return faultInJson(text);
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
