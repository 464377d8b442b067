/** Relationships to tables of the same source, with actions. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Relationship } from '@joinery/metadata/schema/relationships';
import { ActionIcon, Anchor, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { useCommand } from '../../api/use-command.ts';
import { linkTo } from '../../router/location.ts';
import { relationshipText } from '../../shared/relationships/relationship-text.ts';
import { TryRelationship } from '../../shared/relationships/try-relationship.tsx';
import type { RelationshipEntry } from '../../shared/sources/sources-api.ts';
import { tableLabel, tablePath } from '../../shared/sources/table-paths.ts';
import { useSourcesVersion } from '../../shared/sources/use-sources.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { useLast } from '../../ui/dialog/use-last.ts';
import { notify } from '../../ui/feedback/notifications.tsx';
import { byMember, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { type FormErrors, useDraftForm } from '../../ui/form/use-draft-form.ts';
import { CrossIcon } from '../../ui/page/icons.tsx';
import classes from './relationships.module.css';
import { dropRelationship, type RelationshipOwner, updateRelationship } from './relationships-api.ts';

export interface Link extends RelationshipEntry {
  readonly type: 'object' | 'array';
}

interface RelationshipListProps {
  readonly owner: RelationshipOwner;
  readonly info: TableInfo;
  readonly links: readonly Link[];
}

export function RelationshipList({ owner, info, links }: RelationshipListProps) {
  const [edited, setEdited] = useState<Link>();
  const [removed, setRemoved] = useState<Link>();
  return (
    <>
      {links.map((link) => (
        <RelationshipRow
          key={link.name}
          owner={owner}
          info={info}
          link={link}
          onEdit={() => setEdited(link)}
          onRemove={() => setRemoved(link)}
        />
      ))}
      <EditDialog
        owner={owner}
        link={edited}
        now={links.find(({ name }) => name === edited?.name)}
        onClose={() => setEdited(undefined)}
      />
      <RemoveDialog owner={owner} link={removed} onClose={() => setRemoved(undefined)} />
    </>
  );
}

interface RelationshipRowProps extends Omit<RelationshipListProps, 'links'> {
  readonly link: Link;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function RelationshipRow({ owner, info, link, onEdit, onRemove }: RelationshipRowProps) {
  const { kind, target, lines } = relationshipText(link, link.type, info);
  return (
    <div className={classes.link}>
      <div className={classes.name}>
        {link.name}
        <Text size="xs" c="dimmed" fw={400}>
          {kind}
        </Text>
      </div>
      <div>
        <div className={classes.lines}>
          {lines.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </div>
        {link.comment && (
          <Text size="xs" c="dimmed">
            {link.comment}
          </Text>
        )}
        {target !== undefined && (
          <Anchor size="xs" {...linkTo(tablePath(owner.source, target, 'relationships'))}>
            Open {tableLabel(target)}
          </Anchor>
        )}
      </div>
      <Group gap={4} wrap="nowrap">
        <TryRelationship type={owner.table.name} name={link.name} />
        <Button size="compact-sm" variant="subtle" color="gray" aria-label={`Edit ${link.name}`} onClick={onEdit}>
          Edit
        </Button>
        <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${link.name}`} onClick={onRemove}>
          <CrossIcon size={16} />
        </ActionIcon>
      </Group>
    </div>
  );
}

interface DialogProps {
  readonly owner: RelationshipOwner;
  /** Undefined closes the drawer. */
  readonly link: Link | undefined;
  readonly onClose: () => void;
}

interface EditDialogProps extends DialogProps {
  /** The current state of the relationship, if it still exists. */
  readonly now: Link | undefined;
}

function EditDialog({ owner, link, now, onClose }: EditDialogProps) {
  const shown = useLast(link);
  return (
    <Dialog opened={link !== undefined} onClose={onClose} title={`Edit the relationship ${shown?.name ?? ''}`}>
      {shown !== undefined && <EditForm key={shown.name} owner={owner} link={shown} now={now} onClose={onClose} />}
    </Dialog>
  );
}

function EditForm({ owner, link, now, onClose }: EditDialogProps & { readonly link: Link }) {
  const { basis, newer } = useEditConflict(describe(now ?? link), useSourcesVersion());
  const form = useDraftForm({ initial: basis.shown, validate: describedErrors, immediate: true });
  const command = useCommand(
    (client, { draft, before }: Saved) =>
      updateRelationship(client, owner, before, { ...draft, name: draft.name.trim() }),
    {
      notice: (_result, { draft }) => ({ title: `The relationship ${draft.name.trim()} is saved` }),
      onDone: onClose,
    },
  );
  const saveOn = (before: Saved['before']) => form.onSubmit((draft) => command.run({ draft, before }));
  return (
    <form onSubmit={saveOn(basis)} noValidate>
      <Stack gap="md">
        <TextInput
          label="Relationship name"
          description="Row rules that use it get the new name as well; requests of clients do not."
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Comment"
          description="Described so in the GraphQL schema."
          autoComplete="off"
          {...form.getInputProps('comment')}
        />
        <FormActions
          submit="Save the relationship"
          command={command}
          reason={form.invalid}
          failed="The relationship was not changed"
          onSaveOver={newer && saveOn(newer)}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}

interface Described {
  readonly name: string;
  readonly comment: string;
}

interface Saved {
  readonly draft: Described;
  readonly before: Reading<Described>;
}

function describe({ name, comment }: Link): Described {
  return { name, comment: comment ?? '' };
}

const Description = Relationship.pick({ name: true, comment: true });
const fieldOf = byMember({ name: 'name', comment: 'comment' });

function describedErrors({ name, comment }: Described): FormErrors {
  return schemaErrors(Description, { name: name.trim(), comment }, { fieldOf });
}

function RemoveDialog({ owner, link, onClose }: DialogProps) {
  const client = useClient();
  const [cascade, setCascade] = useState(false);
  const close = (): void => {
    setCascade(false);
    onClose();
  };
  return (
    <ConfirmDialog
      title={link && `Remove the relationship ${link.name}?`}
      about={`${tableLabel(owner.table)} loses the field, and requests that select it fail. Rows are not affected.`}
      confirm="Remove the relationship"
      failed="The relationship was not removed"
      perform={() => dropRelationship(client, owner, link?.name ?? '', cascade)}
      onClose={close}
      onDone={() => {
        notify({ title: `The relationship ${link?.name ?? ''} is removed` });
        close();
      }}
    >
      <Checkbox
        size="sm"
        label="Also remove what depends on it: permissions whose rules use it"
        checked={cascade}
        onChange={(event) => setCascade(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}
