/** The remote relationships of a type with their targets and actions. */
import { ActionIcon, Button, Group } from '@mantine/core';
import { CrossIcon } from '../../ui/page/icons.tsx';
import { TryRelationship } from '../relationships/try-relationship.tsx';
import { type RemoteRelationshipDefinition, remoteRelationshipText } from './definition-text.ts';
import classes from './remote-relationships.module.css';

export interface RemoteRelationshipRow {
  readonly name: string;
  readonly definition: RemoteRelationshipDefinition;
}

interface RemoteRelationshipListProps<Row extends RemoteRelationshipRow> {
  readonly owner: string;
  readonly rows: readonly Row[];
  readonly onEdit: (row: Row) => void;
  readonly onRemove: (row: Row) => void;
}

export function RemoteRelationshipList<Row extends RemoteRelationshipRow>({
  owner,
  rows,
  onEdit,
  onRemove,
}: RemoteRelationshipListProps<Row>) {
  return rows.map((row) => {
    const { kind, lines } = remoteRelationshipText(owner, row.definition);
    return (
      <div key={row.name} className={classes.join}>
        <div className={classes.name}>
          {row.name}
          <div className={classes.kind}>{kind}</div>
        </div>
        <ul className={classes.lines}>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        <Group gap={4} wrap="nowrap">
          <TryRelationship type={owner} name={row.name} />
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-label={`Edit ${row.name}`}
            onClick={() => onEdit(row)}
          >
            Edit
          </Button>
          <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${row.name}`} onClick={() => onRemove(row)}>
            <CrossIcon size={16} />
          </ActionIcon>
        </Group>
      </div>
    );
  });
}
