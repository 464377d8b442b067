/** The permission of one role for one operation on a table. */
import { Button, Code, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { type Reading, useOpened } from '../../api/edit-conflict.ts';
import { printPretty } from '../../api/exact-json.ts';
import { isMembers, type Members } from '../../api/json.ts';
import type { PermissionEntry } from '../../shared/sources/sources-api.ts';
import { tableLabel } from '../../shared/sources/table-paths.ts';
import { useSourcesVersion } from '../../shared/sources/use-sources.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { useNotice } from '../../ui/feedback/notifications.tsx';
import { SaveFailure } from '../../ui/form/save-failure.tsx';
import { Part } from '../../ui/page/section.tsx';
import { grantedColumns, mayCount, operations, type PermittedTable, ruleMember } from './access.ts';
import { ColumnsPart } from './columns-section.tsx';
import { InputCheckPart } from './input-check-section.tsx';
import { MorePart } from './options-section.tsx';
import { copiedTo, emptyPermission, keptMembers, whatIsMissing, withMember } from './permission-draft.ts';
import classes from './permissions.module.css';
import { type PermissionTarget, removePermission, savePermission, type WrittenPermission } from './permissions-api.ts';
import { PresetsPart } from './presets-section.tsx';
import { PreviewPart } from './preview/preview-section.tsx';
import { RowsPart } from './rows-section.tsx';
import type { RuleTable } from './rules/rule-table.ts';

interface PermissionFormProps {
  readonly target: PermissionTarget;
  readonly table: RuleTable;
  /** All permissions of the table, to copy from. */
  readonly others: PermittedTable;
  /** The one that is changed, as it was read last; undefined for a new one. */
  readonly before: PermissionEntry | undefined;
  /** Whether the role can select rows by what is saved. */
  readonly selects: boolean;
  /** How many fields hold what does not fit. */
  readonly faults: number;
  readonly onClose: () => void;
}

export function PermissionForm({ target, table, others, before: now, selects, faults, onClose }: PermissionFormProps) {
  const { basis, newer } = useOpened(now, useSourcesVersion());
  const before = basis.shown;
  const { role, operation } = target;
  const client = useClient();
  const [permission, setPermission] = useState<Members>(before?.permission ?? emptyPermission(operation));
  const [comment, setComment] = useState(before?.comment ?? '');
  /** Counts the copies: fields start anew from each. */
  const [copies, setCopies] = useState(0);
  const [asked, setAsked] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { save, error, isPending } = useSaving(target, onClose);
  const missing = [
    ...whatIsMissing(permission, operation),
    ...(faults > 0 ? ['Mend the fields that are marked.'] : []),
  ];
  const saveOn = (reading: Reading<PermissionEntry | undefined>): void => {
    setAsked(true);
    if (missing.length === 0) save({ permission, comment, reading });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saveOn(basis);
  };
  const copy = (copied: Members): void => {
    setPermission(copied);
    setCopies(copies + 1);
  };
  const names = table.columns.map(({ name }) => name);
  const kept = keptMembers(permission, operation);
  const rule = permission[ruleMember(operation)];
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xl">
        <CopyMenu target={target} others={others} onCopy={copy} />
        <Stack gap="xl" key={copies}>
          <RuleParts target={target} permission={permission} onChange={setPermission} />
          {operation !== 'insert' && (
            <Part title={operation === 'select' ? `What does ${role} see?` : `Which rows may ${role} ${operation}?`}>
              <PreviewPart
                role={role}
                table={table}
                rule={isMembers(rule) ? rule : undefined}
                columns={operation === 'select' ? grantedColumns(permission, operation, names) : names}
                counts={mayCount(others, role)}
                verb={operation === 'select' ? 'sees' : `may ${operation}`}
                saved={operation === 'select' ? selects : undefined}
              />
            </Part>
          )}
          {operation !== 'delete' && (
            <Part title={columnsTitle[operation]}>
              <ColumnsPart operation={operation} table={table} permission={permission} onChange={setPermission} />
            </Part>
          )}
          {(operation === 'insert' || operation === 'update') && (
            <Part title="Presets">
              <Text size="sm" c="dimmed" mb="xs">
                Set by the service, and not to be set by the role.
              </Text>
              <PresetsPart table={table} permission={permission} onChange={setPermission} />
            </Part>
          )}
          <Part title="More">
            <Stack gap="md">
              <MorePart operation={operation} permission={permission} onChange={setPermission} />
              {operation !== 'select' && <InputCheckPart permission={permission} onChange={setPermission} />}
            </Stack>
          </Part>
        </Stack>
        {Object.keys(kept).length > 0 && (
          <Part title="Kept as it is written">
            <Code block className={classes.wrapped ?? ''}>
              {printPretty(kept)}
            </Code>
          </Part>
        )}
        <TextInput
          label="Comment"
          autoComplete="off"
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        {error !== null && (
          <SaveFailure title="The permission was not saved" error={error} onSaveOver={newer && (() => saveOn(newer))} />
        )}
        {asked && missing.length > 0 && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {missing.join(' ')}
          </Text>
        )}
      </Stack>
      <Group className={classes.footer ?? ''} mt="xl" justify="space-between" gap="xs" wrap="nowrap">
        {before === undefined ? (
          <span />
        ) : (
          <Button variant="subtle" color="red" px="xs" onClick={() => setRemoving(true)}>
            Remove
          </Button>
        )}
        <Group gap="xs" wrap="nowrap">
          <Button variant="default" px="sm" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Save permission
          </Button>
        </Group>
      </Group>
      <ConfirmDialog
        title={removing ? `Remove the ${operation} permission of ${role}?` : undefined}
        about={`${role} may no longer ${operation} ${operation === 'insert' ? 'into' : operation === 'delete' ? 'from' : ''} ${tableLabel(table.table)}. Its rule and columns are gone.`}
        confirm="Remove the permission"
        failed="The permission was not removed"
        perform={() => removePermission(client, target)}
        onClose={() => setRemoving(false)}
        onDone={onClose}
      />
    </form>
  );
}

const columnsTitle = { select: 'Columns to read', insert: 'Columns to set', update: 'Columns to change' } as const;

interface Saved extends WrittenPermission {
  /** What it is saved over. */
  readonly reading: Reading<PermissionEntry | undefined>;
}

function useSaving(target: PermissionTarget, onDone: () => void) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const { role, operation, table } = target;
  const { mutate, error, isPending } = useMutation({
    mutationFn: ({ reading, ...written }: Saved) => savePermission(client, target, written, reading),
    onSuccess: () => {
      tell({ title: `The ${operation} permission of ${role} on ${tableLabel(table)} is saved` });
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  return { save: mutate, error, isPending };
}

interface RulePartsProps {
  readonly target: PermissionTarget;
  readonly permission: Members;
  readonly onChange: (permission: Members) => void;
}

function RuleParts({ target: { role, operation }, permission, onChange }: RulePartsProps) {
  const member = ruleMember(operation);
  const rule = permission[member];
  const { check } = permission;
  const set = (name: string, changed: Members | undefined): void => onChange(withMember(permission, name, changed));
  return (
    <>
      <Part title={operation === 'insert' ? 'Rows that may be inserted' : 'Rows'}>
        <RowsPart
          label={operation === 'insert' ? 'Rows that may be inserted' : `Rows that ${role} may ${operation}`}
          all="All rows, without any check"
          warning={`Everybody with the role ${role} may ${operation} every row of the table.`}
          rule={isMembers(rule) ? rule : undefined}
          onChange={(changed) => set(member, changed)}
        />
      </Part>
      {operation === 'update' && (
        <Part title="Rows after the update">
          <RowsPart
            label="Rows after the update"
            none="No check of what a row becomes"
            all="All rows, written as an empty check"
            warning="A row may become any other row, also one that the role could not have changed."
            rule={isMembers(check) ? check : undefined}
            onChange={(changed) => set('check', changed)}
          />
        </Part>
      )}
    </>
  );
}

interface CopyMenuProps {
  readonly target: PermissionTarget;
  readonly others: PermittedTable;
  readonly onCopy: (permission: Members) => void;
}

function CopyMenu({ target, others, onCopy }: CopyMenuProps) {
  const offered = operations.flatMap((operation) =>
    (others[`${operation}_permissions`] ?? [])
      .filter(({ role }) => role !== target.role || operation !== target.operation)
      .map((entry) => ({ operation, ...entry })),
  );
  if (offered.length === 0) return null;
  const nearFirst = offered.toSorted(
    (one, other) => Number(other.operation === target.operation) - Number(one.operation === target.operation),
  );
  return (
    <Menu position="bottom-start" zIndex={400}>
      <Menu.Target>
        <Button size="xs" variant="default" style={{ alignSelf: 'flex-start' }}>
          Copy from another permission
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {nearFirst.map(({ role, operation, permission }) => (
          <Menu.Item
            key={`${operation} ${role}`}
            onClick={() => onCopy(copiedTo(target.operation, permission, operation))}
          >
            {role}: {operation}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
