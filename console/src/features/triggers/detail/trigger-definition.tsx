/** The definition of a trigger as the metadata has it. */
import { Stack, Text } from '@mantine/core';
import { printPretty } from '../../../api/exact-json.ts';
import { JsonView } from '../../../ui/page/json-view.tsx';
import type { DefinedTrigger } from '../use-triggers.ts';

export function TriggerDefinition({ defined: { trigger } }: { readonly defined: DefinedTrigger }) {
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        As in the export of the metadata. Pending events are delivered with the current definition.
      </Text>
      <JsonView what="definition" text={printPretty(trigger)} />
    </Stack>
  );
}
