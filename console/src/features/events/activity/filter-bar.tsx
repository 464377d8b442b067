/** The search of the list: text, kind, time, order and further conditions. The query string has it. */
import { EventKind } from '@joinery/metadata/api/events/search';
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { jsonProblem } from '../../../api/exact-json.ts';
import { updateSearch } from '../../../router/location.ts';
import { SearchFields, type SearchInput } from '../../../shared/events/search-fields.tsx';
import classes from './activity.module.css';
import { kindLabels } from './event-table.tsx';
import {
  type ActivitySearch,
  callResults,
  callStatuses,
  type TimeRange,
  timeRanges,
  writeSearch,
} from './search-state.ts';

const rangeLabels: Readonly<Record<TimeRange, string>> = {
  now: 'Until now',
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '1d': 'Last day',
  '7d': 'Last 7 days',
  upcoming: 'Upcoming',
  any: 'Any time',
  custom: 'Custom time',
};

function timeProblem(text: string): string | undefined {
  return Number.isNaN(Date.parse(text)) ? 'must be a date and a time' : undefined;
}

function resultProblem(text: string): string | undefined {
  if (callStatuses(text) !== undefined) return undefined;
  return `must be a status such as 503, or one of ${Object.keys(callResults).join(', ')}`;
}

const otherInputs: readonly SearchInput[] = [
  {
    field: 'call',
    label: 'Result of a call',
    place: '503, 5xx, none, failure',
    suggestions: Object.keys(callResults),
    problemOf: resultProblem,
  },
  { field: 'response', label: 'Response or error contains' },
  { field: 'key', label: 'Key' },
  { field: 'source', label: 'Source of event triggers', place: 'default' },
  { field: 'from', label: 'From', isTime: true, problemOf: timeProblem },
  { field: 'until', label: 'Before', isTime: true, problemOf: timeProblem },
  { field: 'payload', label: 'Payload contains', place: '{"customer": 7}', problemOf: jsonProblem },
];

/** The inputs, with the triggers and destinations of the service as proposals. */
function useInputs(): readonly SearchInput[] {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['event-facets'],
    queryFn: async ({ signal }) => {
      const [cron, sources, found] = await Promise.all([
        client.command('get_cron_triggers', {}, { signal }),
        client.command('get_event_trigger_stats', {}, { signal }),
        client.command('get_event_destinations', {}, { signal }),
      ]);
      const names = [...cron.cron_triggers, ...sources.triggers].map(({ name }) => name);
      return {
        triggers: [...new Set(names)].toSorted(),
        destinations: found.destinations.map(({ destination }) => destination).toSorted(),
      };
    },
    staleTime: FACETS_MS,
  });
  return useMemo(
    () => [
      { field: 'trigger', label: 'Trigger', place: 'nightly', suggestions: data?.triggers ?? [] },
      {
        field: 'destination',
        label: 'Destination',
        place: 'https://api.example.com',
        suggestions: data?.destinations ?? [],
      },
      ...otherInputs,
    ],
    [data],
  );
}

/** Milliseconds after which the proposals are read again. */
const FACETS_MS = 60_000;

/** Changes the search. Another search begins with its first page. */
export function changeSearch(change: Partial<ActivitySearch>): void {
  updateSearch(writeSearch(change));
}

/** Milliseconds without typing before the text is searched. */
const PAUSE_MS = 300;

export function FilterBar({ search }: { readonly search: ActivitySearch }) {
  const { kinds, time, order } = search;
  const inputs = useInputs();
  const [onlyKind] = kinds;
  const searched = Object.fromEntries(
    inputs.map(({ field }) => {
      const text = search[field as keyof ActivitySearch];
      return [field, typeof text === 'string' && text !== '' ? text : undefined];
    }),
  );
  return (
    <>
      <search className={classes.bar}>
        <TextSearch text={search.q} />
        <NativeSelect
          size="xs"
          aria-label="Kind"
          value={kinds.length === 1 ? onlyKind : ''}
          onChange={(event) => {
            const chosen = EventKind.safeParse(event.currentTarget.value);
            changeSearch({ kinds: chosen.success ? [chosen.data] : [] });
          }}
          data={[
            { value: '', label: kinds.length > 1 ? 'Several kinds' : 'All kinds' },
            ...EventKind.options.map((value) => ({ value, label: kindLabels[value] })),
          ]}
        />
        <NativeSelect
          size="xs"
          aria-label="Time"
          value={time}
          onChange={(event) => {
            const chosen = timeRanges.find((one) => one === event.currentTarget.value);
            if (chosen !== undefined && chosen !== 'custom') changeSearch({ time: chosen });
          }}
          data={timeRanges.flatMap((value) =>
            value === 'custom' && time !== 'custom' ? [] : [{ value, label: rangeLabels[value] }],
          )}
        />
        <NativeSelect
          size="xs"
          aria-label="Order"
          value={order}
          onChange={(event) => changeSearch({ order: event.currentTarget.value === 'asc' ? 'asc' : 'desc' })}
          data={[
            { value: 'desc', label: 'Newest first' },
            { value: 'asc', label: 'Oldest first' },
          ]}
        />
      </search>
      <SearchFields inputs={inputs} search={searched} confirm="Show matching events" />
    </>
  );
}

function TextSearch({ text }: { readonly text: string }) {
  const [typed, setTyped] = useState(text);
  const [searched, setSearched] = useState(text);
  if (searched !== text) {
    // Another view was opened. A search by the typed text does not change it.
    setSearched(text);
    if (typed.trim() !== text) setTyped(text);
  }
  useEffect(() => {
    if (typed.trim() === text) return;
    const timer = setTimeout(() => changeSearch({ q: typed.trim() }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, text]);
  return (
    <TextInput
      className={classes.search ?? ''}
      size="xs"
      type="search"
      aria-label="Id, key, or part of a URL, comment, trigger or error"
      placeholder="Id, key, or part of a URL, comment, trigger or error"
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      spellCheck={false}
      autoComplete="off"
    />
  );
}
