/** Button that opens the explorer with an operation that selects a relationship. */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import { notify } from '../../ui/feedback/notifications.tsx';
import { exploreLink } from '../graphql/explore-link.ts';
import { adminSchemaQuery } from '../graphql/use-admin-schema.ts';
import { exampleQuery } from './example-query.ts';

interface TryRelationshipProps {
  /** Name of the table or type that has the relationship. */
  readonly type: string;
  readonly name: string;
}

export function TryRelationship({ type, name }: TryRelationshipProps) {
  const queries = useQueryClient();
  const { run, isPending } = useCommand(
    async (client) => exampleQuery(await queries.fetchQuery(adminSchemaQuery(client)), type, name),
    {
      changes: [],
      onDone: (found) => {
        if (found !== undefined) navigate(exploreLink(found));
        else {
          const text = 'It may be inconsistent, or its type may be in no result. See Settings, Inconsistent objects.';
          notify({ title: `No operation of the schema leads to ${name}`, text });
        }
      },
      onFailure: (failure) => notify({ title: 'The schema could not be read', text: failure.message }),
    },
  );
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-label={`Try it: ${name}`}
      loading={isPending}
      onClick={() => run()}
    >
      Try it
    </Button>
  );
}
