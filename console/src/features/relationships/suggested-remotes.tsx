/** Suggestions of relationships to actions, functions and remote schemas whose arguments have names of columns. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import { Button, Paper, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { useMetadata } from '../../api/metadata.ts';
import { useAdminSchema } from '../../shared/graphql/use-admin-schema.ts';
import type { KeyOwner } from '../../shared/remote-fields/argument-values.ts';
import { remoteSchemaQuery } from '../../shared/remote-fields/use-remote-schema.ts';
import { definitionFormat } from '../../shared/remote-relationships/definition-draft.ts';
import {
  type RemoteRelationshipDefinition,
  remoteRelationshipText,
} from '../../shared/remote-relationships/definition-text.ts';
import {
  hasSameTarget,
  type RemoteSuggestion,
  suggestedActions,
  suggestedFields,
  suggestedFunctions,
} from '../../shared/remote-relationships/suggestions.ts';
import { useSourceFunctions } from '../../shared/sources/use-sources.ts';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { Section } from '../../ui/page/section.tsx';
import classes from './relationships.module.css';

interface SuggestedRemotesProps {
  readonly source: string;
  readonly owner: KeyOwner;
  /** Definitions that the table has. */
  readonly existing: readonly RemoteRelationshipDefinition[];
  /** Names in use. */
  readonly taken: ReadonlySet<string>;
  readonly onChoose: (suggestion: RemoteSuggestion) => void;
}

/** More are not shown. */
const SHOWN = 8;

export function SuggestedRemotes({ source, owner, existing, taken, onChoose }: SuggestedRemotesProps) {
  const client = useClient();
  const { data: targets } = useMetadata(targetsOf);
  const { data: schema } = useAdminSchema().schema;
  const { data: functions = [] } = useSourceFunctions(source);
  const remotes = useQueries({
    queries: (targets?.remotes ?? []).map((name) => ({ ...remoteSchemaQuery(client, name), retry: false })),
  });
  const present = existing.flatMap((definition) => {
    const draft = definitionFormat.read(definition);
    return draft instanceof Unreadable ? [] : [draft];
  });
  const found = [
    ...(schema === undefined ? [] : suggestedActions(owner, targets?.actions ?? [], schema)),
    ...suggestedFunctions(owner, source, functions),
    ...remotes.flatMap(({ data }, index) => {
      const name = targets?.remotes[index];
      return data === undefined || name === undefined ? [] : suggestedFields(owner, name, data);
    }),
  ].filter(({ definition, name }) => !taken.has(name) && !present.some((one) => hasSameTarget(one, definition)));
  if (found.length === 0) return null;
  return (
    <Section title="Suggested by names of arguments">
      <Paper withBorder px="md" bg="var(--joinery-surface)">
        {found.slice(0, SHOWN).map((suggestion) => {
          const { name, definition } = suggestion;
          const written = definitionFormat.write(definition) as RemoteRelationshipDefinition;
          const { kind, lines } = remoteRelationshipText(owner.name, written);
          return (
            <div key={lines.join()} className={classes.link}>
              <div className={classes.name}>
                {name}
                <Text size="xs" c="dimmed" fw={400}>
                  {kind}
                </Text>
              </div>
              <div className={classes.lines}>{lines.join(', ')}</div>
              <Button
                size="compact-sm"
                variant="default"
                leftSection={<PlusIcon size={14} />}
                aria-label={`Review ${name}`}
                onClick={() => onChoose(suggestion)}
              >
                Review
              </Button>
            </div>
          );
        })}
      </Paper>
    </Section>
  );
}

function targetsOf({ metadata }: MetadataExport) {
  return {
    actions: (metadata.actions ?? []).filter(({ definition }) => definition.type === 'query').map(({ name }) => name),
    remotes: (metadata.remote_schemas ?? []).map(({ name }) => name),
  };
}
