import type { RoleSchemaChanges, SchemaChange } from '@joinery/metadata/api/metadata';
import { Code, Table, Text } from '@mantine/core';
import { StatusDot } from '../ui/feedback/status-dot.tsx';
import { counted } from '../ui/format.ts';

/** Maximum number of changes per role. Breaking changes are listed first. */
const SHOWN = 100;

/** Formats `Role user: 10 changes, 5 breaking`. */
export function countOf({ role, changes }: RoleSchemaChanges): string {
  const breaking = changes.filter((one) => one.breaking).length;
  return `Role ${role}: ${counted(changes.length, 'change')}${breaking > 0 ? `, ${breaking} breaking` : ''}`;
}

/** The schema changes of a role, breaking changes first. */
export function ChangeTable({ role, changes }: RoleSchemaChanges) {
  const ordered = [...changes.filter((one) => one.breaking), ...changes.filter((one) => !one.breaking)];
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section style={{ overflow: 'auto', maxHeight: '26rem' }} tabIndex={0} aria-label={`Changes for ${role}`}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>What</Table.Th>
              <Table.Th>Change</Table.Th>
              <Table.Th>Before</Table.Th>
              <Table.Th>After</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ordered.slice(0, SHOWN).map((change) => (
              <ChangeRow key={`${change.at} ${change.change}`} change={change} />
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {ordered.length > SHOWN && (
        <Text size="sm" c="dimmed" mt={4}>
          And {ordered.length - SHOWN} more.
        </Text>
      )}
    </>
  );
}

function ChangeRow({ change }: { readonly change: SchemaChange }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Code>{change.at}</Code>
      </Table.Td>
      <Table.Td>
        {change.breaking ? <StatusDot tone="bad">{`${change.change}, breaking`}</StatusDot> : change.change}
      </Table.Td>
      <Table.Td>{change.from ?? ''}</Table.Td>
      <Table.Td>{change.to ?? ''}</Table.Td>
    </Table.Tr>
  );
}
