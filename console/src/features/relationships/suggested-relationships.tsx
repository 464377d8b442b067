/** Suggestions from foreign keys. Each can be renamed and added with one click. */
import type { SuggestedRelationship as Suggestion } from '@joinery/metadata/api/sources/catalog';
import { Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { createSuggested, readSuggestions } from '../../shared/sources/sources-api.ts';
import { sameTable, tableLabel } from '../../shared/sources/table-paths.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { Section } from '../../ui/page/section.tsx';
import classes from './relationships.module.css';
import type { RelationshipOwner } from './relationships-api.ts';

export function SuggestedRelationships({ owner }: { readonly owner: RelationshipOwner }) {
  const client = useClient();
  const { data, error } = useQuery({
    queryKey: ['metadata', 'suggestions', owner.source],
    queryFn: ({ signal }) => readSuggestions(client, owner.source, signal),
  });
  const own = data?.filter(({ from }) => sameTable(from.table, owner.table)) ?? [];
  if (error !== null) return <FailureNotice title="Foreign keys could not be read" failure={toFailure(error)} />;
  if (own.length === 0) return null;
  return (
    <Section title="Suggested by foreign keys">
      <Paper withBorder px="md" bg="var(--joinery-surface)">
        {own.map((suggestion) => (
          <SuggestedRelationship key={keyOf(suggestion)} source={owner.source} suggestion={suggestion} />
        ))}
      </Paper>
    </Section>
  );
}

function keyOf({ type, from, to }: Suggestion): string {
  return JSON.stringify([type, from.columns, to.table.schema, to.table.name, to.columns]);
}

interface SuggestedRelationshipProps {
  readonly source: string;
  readonly suggestion: Suggestion;
}

function SuggestedRelationship({ source, suggestion }: SuggestedRelationshipProps) {
  const { type, from, to } = suggestion;
  const [name, setName] = useState(suggestion.name);
  const { run, failure, isPending } = useCommand(
    (client) => createSuggested(client, source, [{ ...suggestion, name: name.trim() }]),
    { notice: () => ({ title: `${tableLabel(from.table)} has the relationship ${name.trim()}` }) },
  );
  const target = tableLabel(to.table);
  return (
    <Stack gap="xs" className={classes.suggested ?? ''}>
      <div className={classes.link}>
        <TextInput
          size="xs"
          aria-label={`Name of the ${type} relationship to ${target}`}
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <div>
          <Text size="xs" c="dimmed">
            {type}
          </Text>
          <div className={classes.lines}>
            {from.columns.map((column, index) => `${column} → ${target}.${to.columns[index]}`).join(', ')}
          </div>
        </div>
        <ReasonButton
          size="compact-sm"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          aria-label={`Add ${name} to ${target}`}
          loading={isPending}
          reason={name.trim() === '' ? 'Enter a name.' : undefined}
          onClick={() => run()}
        >
          Add
        </ReasonButton>
      </div>
      {failure !== undefined && <FailureNotice title="The relationship was not added" failure={failure} />}
    </Stack>
  );
}
