/** Preview of an import: inconsistent objects and schema changes by role. */
import type { InconsistentObject, ReplacedMetadata, RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import { Code, List, Stack, Text, Title } from '@mantine/core';
import { groupBySeverity, reasonOf } from '../../api/inconsistencies.ts';
import { ChangeTable, countOf } from '../../shared/schema-changes.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { counted, sentence } from '../../ui/format.ts';

export function ImportPreview({ preview }: { readonly preview: ReplacedMetadata }) {
  const { inconsistent_objects, schema_changes = [] } = preview;
  const { broken, unsupported } = groupBySeverity(inconsistent_objects);
  return (
    <Stack gap="md" component="section" aria-label="Preview of the import">
      {broken.length === 0 ? (
        <StatusDot tone="good">Every object could be used</StatusDot>
      ) : (
        <div>
          <StatusDot tone="bad">{`${broken.length} could not be used`}</StatusDot>
          <ObjectList objects={broken} />
        </div>
      )}
      {unsupported.length > 0 && (
        <div>
          <StatusDot tone="waiting">{`${counted(unsupported.length, 'member')} without effect`}</StatusDot>
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

function ChangesOfRole(changes: RoleSchemaChanges) {
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {countOf(changes)}
      </Title>
      <ChangeTable {...changes} />
    </div>
  );
}
