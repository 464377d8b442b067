/** Search criteria of invocations, their query parameters and arguments. Pure. */
import type { InvocationStatus } from '@joinery/metadata/api/events/lists';
import type { SearchInput } from './search-fields.tsx';

const fields = ['result', 'from', 'until', 'destination', 'text'] as const;
export type InvocationSearch = Readonly<Partial<Record<(typeof fields)[number], string>>>;

const results: readonly {
  readonly value: string;
  readonly label: string;
  readonly status: readonly InvocationStatus[];
}[] = [
  { value: '', label: 'Any', status: [] },
  { value: 'success', label: 'Success, 200 to 299', status: ['2xx'] },
  { value: 'failure', label: 'Failure of any kind', status: ['1xx', '3xx', '4xx', '5xx', 'none'] },
  { value: '3xx', label: 'Redirect, 300 to 399', status: ['3xx'] },
  { value: '4xx', label: 'Client error, 400 to 499', status: ['4xx'] },
  { value: '5xx', label: 'Server error, 500 to 599', status: ['5xx'] },
  { value: 'none', label: 'No response', status: ['none'] },
];

function timeProblem(text: string): string | undefined {
  return Number.isNaN(Date.parse(text)) ? 'must be a date and a time' : undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `event` is the full ID. Links from events set it. */
export const invocationInputs: readonly SearchInput[] = [
  { field: 'result', label: 'Result', choices: results },
  { field: 'from', label: 'Called from', isTime: true, problemOf: timeProblem },
  { field: 'until', label: 'Called before', isTime: true, problemOf: timeProblem },
  { field: 'destination', label: 'Destination', place: 'https://api.example.com' },
  { field: 'text', label: 'Payload or response contains' },
  {
    field: 'event',
    label: 'Event id',
    problemOf: (text) => (uuid.test(text) ? undefined : 'must be the whole id of an event'),
  },
];

/** Parses query parameters. Invalid values are ignored. */
export function readInvocationSearch(address: URLSearchParams): InvocationSearch {
  const found: Partial<Record<(typeof fields)[number], string>> = {};
  for (const field of fields) {
    const text = address.get(field)?.trim() ?? '';
    const { problemOf, choices } = invocationInputs.find((input) => input.field === field) ?? {};
    const known = choices === undefined || choices.some(({ value }) => value === text);
    if (text !== '' && known && problemOf?.(text) === undefined) found[field] = text;
  }
  return found;
}

export function invocationArguments({ result, ...search }: InvocationSearch) {
  const status = results.find(({ value }) => value === result)?.status ?? [];
  return { ...search, ...(status.length > 0 && { status }) };
}

/** Whether a search uses criteria without an index, so that counting would scan all rows. */
export function isInvocationSearchSlow({ destination, text }: InvocationSearch): boolean {
  return destination !== undefined || text !== undefined;
}
