/** Relationships that match the names of output fields, added with one click. */
import type { SuggestedActionRelationship } from '@joinery/metadata/api/sources/catalog';
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import { useCommand } from '../../../api/use-command.ts';
import { remoteRelationshipText } from '../../../shared/remote-relationships/definition-text.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { PlusIcon } from '../../../ui/page/icons.tsx';
import classes from '../actions.module.css';
import { saveRelationship } from '../actions-api.ts';
import { definitionOf } from '../sdl/action-types.ts';

/** Returns no suggestions while they are read, and for a type that no consistent action returns. */
export function useSuggestions(typeName: string): readonly SuggestedActionRelationship[] {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['metadata', 'action-suggestions', typeName],
    queryFn: async ({ signal }) => {
      const args = { type_name: typeName };
      return (await client.command('suggest_action_relationships', args, { signal })).relationships;
    },
    retry: false,
  });
  return data ?? [];
}

interface SuggestionsProps {
  readonly typeName: string;
  readonly suggestions: readonly SuggestedActionRelationship[];
}

export function Suggestions({ typeName, suggestions }: SuggestionsProps) {
  const command = useCommand(
    (client, suggestion: SuggestedActionRelationship) =>
      saveRelationship(client, typeName, suggestion, { shown: undefined, version: undefined }),
    { notice: (_result, { name }) => ({ title: 'Relationship added', text: `${typeName}.${name}` }) },
  );
  if (suggestions.length === 0) return null;
  return (
    <section aria-label={`Suggestions for ${typeName}`}>
      <Text size="sm" fw={600} mt="sm">
        Suggestions
      </Text>
      <ul className={classes.suggestions}>
        {suggestions.map((suggestion) => {
          const { kind, lines } = remoteRelationshipText(typeName, definitionOf(suggestion));
          return (
            <li key={suggestion.name} className={classes.suggestion}>
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<PlusIcon size={14} />}
                aria-label={`Add ${suggestion.name}`}
                loading={command.isPending && command.input?.name === suggestion.name}
                onClick={() => command.run(suggestion)}
              >
                Add
              </Button>
              <Group gap="xs" className={classes.grow ?? ''}>
                <Text size="sm" fw={600}>
                  {suggestion.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {kind}
                </Text>
                <Text size="sm" className={classes.sdl ?? ''}>
                  {lines.join(', ')}
                </Text>
              </Group>
            </li>
          );
        })}
      </ul>
      {command.failure !== undefined && (
        <FailureNotice title="The relationship was not added" failure={command.failure} />
      )}
    </section>
  );
}
