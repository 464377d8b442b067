/** The list of event triggers of all sources. */
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { toFailure } from '../../api/failure.ts';
import { intervalAfter } from '../../api/polling.ts';
import { linkTo, updateSearch, useLocation } from '../../router/location.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { LastUpdated } from '../../ui/feedback/last-updated.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { filterTriggers, newPath } from './trigger-state.ts';
import { TriggerTable } from './trigger-table.tsx';
import type { TriggerStats } from './triggers-api.ts';
import { useTriggers } from './use-triggers.ts';

export function TriggersPage() {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useTriggers();
  return (
    <>
      <PageHeader
        title="Event triggers"
        about="Webhooks, saved operations and functions that are called for changes of rows: each committed change causes one event."
        actions={
          <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo(newPath())}>
            Create a trigger
          </Button>
        }
      />
      <Stack mt="lg" gap="sm">
        {error !== null && (
          <FailureNotice
            title="The triggers could not be read"
            failure={toFailure(error)}
            shownFrom={data === undefined ? undefined : dataUpdatedAt}
            onRetry={refetch}
          />
        )}
        {data === undefined ? (
          error === null && <Loading />
        ) : (
          <TriggerList
            triggers={data.value}
            updated={
              <LastUpdated
                pauseMs={intervalAfter(data.durationMs)}
                reading={isFetching}
                onRefresh={() => void refetch()}
              />
            }
          />
        )}
      </Stack>
    </>
  );
}

interface TriggerListProps {
  readonly triggers: readonly TriggerStats[];
  readonly updated: ReactNode;
}

function TriggerList({ triggers, updated }: TriggerListProps) {
  const { search } = useLocation();
  const filter = { source: search.get('source') ?? '', text: search.get('text') ?? '' };
  const sources = [...new Set(triggers.map(({ source }) => source))].sort();
  const shown = filterTriggers(triggers, filter);
  if (triggers.length === 0) {
    return (
      <EmptyState
        title="There is no event trigger"
        action={
          <Button component="a" variant="light" mt="xs" {...linkTo(newPath())}>
            Create a trigger
          </Button>
        }
      >
        A trigger stores an event in the transaction that inserts, updates or deletes a row of its table, and calls its
        webhook, saved operation or function after the commit: at least once, with retries and a log of all calls.
      </EmptyState>
    );
  }
  return (
    <>
      <Group justify="space-between" align="flex-end" gap="sm">
        <Group gap="sm" align="flex-end">
          <TextInput
            size="xs"
            type="search"
            label="Name or table contains"
            autoComplete="off"
            spellCheck={false}
            value={filter.text}
            onChange={({ currentTarget: { value } }) => updateSearch({ text: value === '' ? undefined : value })}
          />
          {(sources.length > 1 || filter.source !== '') && (
            <NativeSelect
              size="xs"
              label="Source"
              value={filter.source}
              data={[{ value: '', label: 'All sources' }, ...sources]}
              onChange={({ currentTarget: { value } }) => updateSearch({ source: value === '' ? undefined : value })}
            />
          )}
        </Group>
        {updated}
      </Group>
      {shown.length === 0 ? (
        <EmptyState
          title="No trigger matches the filter"
          action={
            <Button variant="default" mt="xs" onClick={() => updateSearch({ text: undefined, source: undefined })}>
              Show all
            </Button>
          }
        >
          Names and tables are searched.
        </EmptyState>
      ) : (
        <TriggerTable label="Event triggers" triggers={shown} withTable withSource={sources.length > 1} />
      )}
    </>
  );
}
