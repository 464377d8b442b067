import type { RoleSchemaChanges, SchemaChange } from '@joinery/metadata/api/metadata';
import { Code, Text } from '@mantine/core';
import { StatusDot } from '../ui/feedback/status-dot.tsx';
import { counted } from '../ui/format.ts';
import { type PlainColumn, PlainTable } from '../ui/table/plain-table.tsx';

/** Maximum number of changes per role. Breaking changes are listed first. */
const SHOWN = 100;

/** Formats `Role user: 10 changes, 5 breaking`. */
export function countOf({ role, changes }: RoleSchemaChanges): string {
  const breaking = changes.filter((one) => one.breaking).length;
  return `Role ${role}: ${counted(changes.length, 'change')}${breaking > 0 ? `, ${breaking} breaking` : ''}`;
}

const columns: readonly PlainColumn<SchemaChange>[] = [
  { key: 'at', header: 'What', cell: ({ at }) => <Code>{at}</Code> },
  {
    key: 'change',
    header: 'Change',
    cell: ({ change, breaking }) => (breaking ? <StatusDot tone="bad">{`${change}, breaking`}</StatusDot> : change),
  },
  { key: 'from', header: 'Before', cell: ({ from }) => from ?? '' },
  { key: 'to', header: 'After', cell: ({ to }) => to ?? '' },
];

/** The schema changes of a role, breaking changes first. */
export function ChangeTable({ role, changes }: RoleSchemaChanges) {
  const ordered = [...changes.filter((one) => one.breaking), ...changes.filter((one) => !one.breaking)];
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section style={{ overflow: 'auto', maxHeight: '26rem' }} tabIndex={0} aria-label={`Changes for ${role}`}>
        <PlainTable
          verticalSpacing={4}
          rows={ordered.slice(0, SHOWN)}
          columns={columns}
          keyOf={({ at, change }) => `${at} ${change}`}
        />
      </section>
      {ordered.length > SHOWN && (
        <Text size="sm" c="dimmed" mt={4}>
          And {ordered.length - SHOWN} more.
        </Text>
      )}
    </>
  );
}
