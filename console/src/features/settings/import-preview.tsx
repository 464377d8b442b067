/** What an import would change: objects that could not be used, and the schema of each role. */
import { Code, List, Stack, Table, Text, Title } from '@mantine/core';
import { bySeverity, type InconsistentObject, reasonOf } from '../../api/inconsistencies.ts';
import type { Preview, RoleChanges, SchemaChange } from '../../api/metadata.ts';
import { Light } from '../../ui/feedback/status-dot.tsx';
import { counted, sentence } from '../../ui/format.ts';

/** So many changes of a role are listed; the breaking ones stand first. */
const SHOWN = 100;

export function ImportPreview({ preview }: { readonly preview: Preview }) {
  const { inconsistent_objects, schema_changes } = preview;
  const { broken, unsupported } = bySeverity(inconsistent_objects);
  return (
    <Stack gap="md" component="section" aria-label="Preview of the import">
      {broken.length === 0 ? (
        <Light tone="good">Every object could be used</Light>
      ) : (
        <div>
          <Light tone="bad">{`${broken.length} could not be used`}</Light>
          <ObjectList objects={broken} />
        </div>
      )}
      {unsupported.length > 0 && (
        <div>
          <Light tone="waiting">{`${counted(unsupported.length, 'member')} without effect`}</Light>
          <ObjectList objects={unsupported} />
        </div>
      )}
      {schema_changes.length === 0 && <Text size="sm">The schema of every role would stay as it is.</Text>}
      {schema_changes.map((changes) => (
        <ChangesOfRole key={changes.role} {...changes} />
      ))}
    </Stack>
  );
}

function ObjectList({ objects }: { readonly objects: readonly InconsistentObject[] }) {
  return (
    <List size="sm" mt="xs">
      {objects.map((object) => (
        <List.Item key={`${object.path} ${object.name}`}>
          <b>{object.name}</b> at <Code>{object.path}</Code>: {sentence(reasonOf(object))}
        </List.Item>
      ))}
    </List>
  );
}

function ChangesOfRole(changes: RoleChanges) {
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {countOf(changes)}
      </Title>
      <ChangeTable {...changes} />
    </div>
  );
}

/** `Role user: 10 changes, 5 breaking` */
export function countOf({ role, changes }: RoleChanges): string {
  const breaking = changes.filter((one) => one.breaking).length;
  return `Role ${role}: ${counted(changes.length, 'change')}${breaking > 0 ? `, ${breaking} breaking` : ''}`;
}

/** What would be different for a role, breaking changes first. */
export function ChangeTable({ role, changes }: RoleChanges) {
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
      <Table.Td>{change.breaking ? <Light tone="bad">{`${change.change}, breaking`}</Light> : change.change}</Table.Td>
      <Table.Td>{change.from ?? ''}</Table.Td>
      <Table.Td>{change.to ?? ''}</Table.Td>
    </Table.Tr>
  );
}
