/** Triggers of a table in the database. */
import { Stack, Text } from '@mantine/core';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { Section } from '../../../ui/page/section.tsx';
import type { TableTrigger } from './structure-api.ts';
import { commentColumn, nameColumn, StructureTable } from './structure-table.tsx';

export function TriggersSection({ triggers }: { readonly triggers: readonly TableTrigger[] }) {
  return (
    <Section title="Triggers">
      <Stack gap="xs">
        <StructureTable
          label="Triggers"
          rows={triggers}
          keyOf={({ name }) => name}
          columns={[
            nameColumn('Name'),
            {
              key: 'state',
              header: 'State',
              cell: ({ enabled }) => (
                <StatusDot tone={enabled ? 'good' : 'waiting'}>{enabled ? 'Enabled' : 'Disabled'}</StatusDot>
              ),
            },
            {
              key: 'definition',
              header: 'Definition',
              cell: ({ definition }) => definition.replace(/^CREATE (CONSTRAINT )?TRIGGER \S+ /, ''),
            },
            commentColumn(),
          ]}
        />
        <Text size="sm" c="dimmed">
          Triggers whose names start with joinery belong to event triggers. Create other triggers on the SQL page.
        </Text>
      </Stack>
    </Section>
  );
}
