/** Suggested relationships from foreign keys, which are selected, renamed and created in one command. */

import type { SuggestedRelationship } from '@joinery/metadata/api/sources/catalog';
import { Button, Checkbox, Collapse, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { useCommand } from '../../api/use-command.ts';
import { createSuggested, readSuggestions } from '../../shared/sources/sources-api.ts';
import { tableLabel } from '../../shared/sources/table-paths.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { counted } from '../../ui/format.ts';
import classes from '../../ui/page/data-page.module.css';
import { Pager } from '../../ui/table/pager.tsx';
import type { Page } from '../../ui/table/paging.ts';

export function Suggestions({ source }: { readonly source: string }) {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['metadata', 'suggestions', source],
    queryFn: ({ signal }) => readSuggestions(client, source, signal),
  });
  const [opened, setOpened] = useState(false);
  const region = useId();
  if (data === undefined || data.length === 0) return null;
  return (
    <Paper withBorder p="sm" bg="var(--joinery-surface)" component="section" aria-label="Suggested relationships">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <strong>{counted(data.length, 'relationship')}</strong> can be created from foreign keys.
        </Text>
        <Button
          size="compact-sm"
          variant={opened ? 'subtle' : 'light'}
          aria-expanded={opened}
          aria-controls={region}
          onClick={() => setOpened(!opened)}
        >
          {opened ? 'Hide' : 'Review'}
        </Button>
      </Group>
      <Collapse expanded={opened} id={region}>
        {opened && <SuggestionList source={source} suggestions={data} onDone={() => setOpened(false)} />}
      </Collapse>
    </Paper>
  );
}

interface SuggestionListProps {
  readonly source: string;
  readonly suggestions: readonly SuggestedRelationship[];
  readonly onDone: () => void;
}

function SuggestionList({ source, suggestions, onDone }: SuggestionListProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  const [page, setPage] = useState<Page>({ number: 1, size: 20 });
  const chosen = suggestions.filter((one) => !left.has(keyOfSuggestion(one)));
  const named = chosen.map((one) => ({ ...one, name: (names[keyOfSuggestion(one)] ?? one.name).trim() }));
  const { run, failure, isPending } = useCommand((client) => createSuggested(client, source, named), {
    notice: () => ({ title: `${counted(named.length, 'relationship')} created` }),
    onDone: () => {
      onDone();
    },
  });
  const choose = (keys: readonly string[], on: boolean): void => {
    const next = new Set(left);
    for (const key of keys) on ? next.delete(key) : next.add(key);
    setLeft(next);
  };
  const shown = suggestions.slice((page.number - 1) * page.size, page.number * page.size);
  const all = suggestions.map(keyOfSuggestion);
  return (
    <Stack gap="sm" mt="sm">
      <Checkbox
        size="xs"
        label={`All ${suggestions.length.toLocaleString('en')}`}
        checked={chosen.length === suggestions.length}
        indeterminate={chosen.length > 0 && chosen.length < suggestions.length}
        onChange={(event) => choose(all, event.currentTarget.checked)}
      />
      <ul className={classes.suggestions} aria-label="Relationships to create">
        {shown.map((one) => {
          const key = keyOfSuggestion(one);
          return (
            <li key={key} className={classes.suggestion}>
              <Checkbox
                size="xs"
                aria-label={`Create ${one.name} on ${tableLabel(one.from.table)}`}
                checked={!left.has(key)}
                onChange={(event) => choose([key], event.currentTarget.checked)}
              />
              <TextInput
                size="xs"
                aria-label={`Name of ${one.name} on ${tableLabel(one.from.table)}`}
                value={names[key] ?? one.name}
                disabled={left.has(key)}
                onChange={(event) => setNames({ ...names, [key]: event.currentTarget.value })}
              />
              <Text size="sm" className={classes.words ?? ''}>
                <strong>{tableLabel(one.from.table)}</strong> ({one.from.columns.join(', ')}) →{' '}
                {one.type === 'array' ? 'many ' : ''}
                <strong>{tableLabel(one.to.table)}</strong> ({one.to.columns.join(', ')})
              </Text>
            </li>
          );
        })}
      </ul>
      {suggestions.length > page.size && (
        <Pager page={page} shown={shown.length} count={suggestions.length} onChange={setPage} />
      )}
      {failure !== undefined && <FailureNotice title="No relationship was created" failure={failure} />}
      <Group>
        <ReasonButton size="xs" loading={isPending} reason={reasonAgainst(named)} onClick={() => run()}>
          Create {counted(named.length, 'relationship')}
        </ReasonButton>
      </Group>
    </Stack>
  );
}

function reasonAgainst(named: readonly { readonly name: string }[]): string | undefined {
  if (named.length === 0) return 'Choose a relationship.';
  return named.some(({ name }) => name === '') ? 'Enter a name for each chosen relationship.' : undefined;
}

function keyOfSuggestion({ type, from, to }: SuggestedRelationship): string {
  return JSON.stringify([type, from.table, from.columns, to.table, to.columns]);
}
