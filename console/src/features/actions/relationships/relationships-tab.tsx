/** The relationships of the output types of an action. */
import { Stack, Text } from '@mantine/core';
import type { Action, ActionsMetadata } from '../actions-api.ts';
import { outputTypes } from '../sdl/action-types.ts';
import { TypeRelationships } from './type-relationships.tsx';

interface RelationshipsTabProps {
  readonly action: Action;
  readonly metadata: ActionsMetadata;
}

export function RelationshipsTab({ action, metadata }: RelationshipsTabProps) {
  const types = outputTypes(action, metadata.types);
  return (
    <Stack gap="md">
      {types.map((type) => (
        <TypeRelationships key={type.name} type={type} metadata={metadata} />
      ))}
      {types.length === 0 && (
        <Text size="sm" c="dimmed">
          The output is not an object, and only fields of objects can be joined.
        </Text>
      )}
    </Stack>
  );
}
