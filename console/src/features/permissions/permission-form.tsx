/** Form for the permission of a role for an operation. */
import { Button, Code, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { printPretty } from '../../api/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { useCommand } from '../../api/use-command.ts';
import type { RuleTable } from '../../shared/rules/rule-table.ts';
import type { PermissionEntry } from '../../shared/sources/sources-api.ts';
import { tableLabel } from '../../shared/sources/table-paths.ts';
import { useSourcesVersion } from '../../shared/sources/use-sources.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { CancelButton } from '../../ui/form/cancel-button.tsx';
import { SaveFailure } from '../../ui/form/save-failure.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { Section } from '../../ui/page/section.tsx';
import { canCount, grantedColumns, operations, type PermittedTable, ruleMember } from './access.ts';
import { ColumnsSection } from './columns-section.tsx';
import { InputCheckSection } from './input-check-section.tsx';
import { OptionsSection } from './options-section.tsx';
import { copiedTo, emptyPermission, missingFields, preservedMembers, withMember } from './permission-draft.ts';
import classes from './permissions.module.css';
import { type PermissionTarget, removePermission, savePermission, type WrittenPermission } from './permissions-api.ts';
import { PresetsSection } from './presets-section.tsx';
import { PreviewSection } from './preview/preview-section.tsx';
import { RowsSection } from './rows-section.tsx';
import type { Suggestions } from './suggested-permissions.ts';
import { SuggestionsSection } from './suggestions-section.tsx';

interface PermissionFormProps {
  readonly target: PermissionTarget;
  readonly table: RuleTable;
  /** All permissions of the table, as sources to copy from. */
  readonly others: PermittedTable;
  /** The current permission. Undefined for a new one. */
  readonly before: PermissionEntry | undefined;
  /** Permissions that a new one can start from. */
  readonly suggestions: Suggestions;
  /** Whether the saved permissions allow the role to select rows. */
  readonly selects: boolean;
  /** Number of invalid fields. */
  readonly problems: number;
  readonly onClose: () => void;
}

export function PermissionForm({
  target,
  table,
  others,
  before: now,
  suggestions,
  selects,
  problems,
  onClose,
}: PermissionFormProps) {
  const { basis, newer } = useEditConflict(now, useSourcesVersion());
  const before = basis.shown;
  const { role, operation } = target;
  const client = useClient();
  const form = useDraftForm<WrittenPermission>({
    initial: { permission: before?.permission ?? emptyPermission(operation), comment: before?.comment ?? '' },
    validate: (draft) => {
      const missing = [
        ...missingFields(draft.permission, operation),
        ...(problems > 0 ? ['Correct the marked fields.'] : []),
      ];
      return { permission: missing.length === 0 ? undefined : missing.join(' ') };
    },
  });
  const { permission } = form.values;
  const setPermission = (changed: JsonObject): void => form.change({ permission: changed });
  /** Number of copies: remounts the fields after each. */
  const [copies, setCopies] = useState(0);
  const [removing, setRemoving] = useState(false);
  const command = useSaving(target, onClose);
  const saveOn = (reading: Saved['reading']) => form.onSubmit((draft) => command.run({ ...draft, reading }));
  const copy = (copied: JsonObject): void => {
    setPermission(copied);
    setCopies(copies + 1);
  };
  const names = table.columns.map(({ name }) => name);
  const kept = preservedMembers(permission, operation);
  const rule = permission[ruleMember(operation)];
  return (
    <form onSubmit={saveOn(basis)} noValidate>
      <Stack gap="xl">
        {before === undefined && (
          <Section title="Suggested">
            <SuggestionsSection
              role={role}
              operation={operation}
              suggestions={suggestions}
              permission={permission}
              onChoose={copy}
            />
          </Section>
        )}
        <CopyMenu target={target} others={others} onCopy={copy} />
        <Stack gap="xl" key={copies}>
          <RuleParts target={target} permission={permission} onChange={setPermission} />
          {operation !== 'insert' && (
            <Section title={operation === 'select' ? `What does ${role} see?` : `Which rows may ${role} ${operation}?`}>
              <PreviewSection
                role={role}
                table={table}
                rule={isJsonObject(rule) ? rule : undefined}
                columns={operation === 'select' ? grantedColumns(permission, operation, names) : names}
                counts={canCount(others, role)}
                verb={operation === 'select' ? 'sees' : `may ${operation}`}
                saved={operation === 'select' ? selects : undefined}
              />
            </Section>
          )}
          {operation !== 'delete' && (
            <Section title={columnsTitle[operation]}>
              <ColumnsSection operation={operation} table={table} permission={permission} onChange={setPermission} />
            </Section>
          )}
          {(operation === 'insert' || operation === 'update') && (
            <Section title="Presets">
              <Text size="sm" c="dimmed" mb="xs">
                Set by the service. The role cannot set it.
              </Text>
              <PresetsSection table={table} permission={permission} onChange={setPermission} />
            </Section>
          )}
          <Section title="More">
            <Stack gap="md">
              <OptionsSection operation={operation} permission={permission} onChange={setPermission} />
              {operation !== 'select' && <InputCheckSection permission={permission} onChange={setPermission} />}
            </Stack>
          </Section>
        </Stack>
        {Object.keys(kept).length > 0 && (
          <Section title="Preserved as written">
            <Code block className={classes.wrapped ?? ''}>
              {printPretty(kept)}
            </Code>
          </Section>
        )}
        <TextInput
          label="Comment"
          autoComplete="off"
          value={form.values.comment}
          onChange={(event) => form.change({ comment: event.currentTarget.value })}
        />
        {command.failure !== undefined && (
          <SaveFailure
            title="The permission was not saved"
            failure={command.failure}
            onSaveOver={newer && saveOn(newer)}
          />
        )}
        {form.errors.permission !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {form.errors.permission}
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
          <CancelButton px="sm" onClick={onClose}>
            Cancel
          </CancelButton>
          <Button type="submit" loading={command.isPending}>
            Save permission
          </Button>
        </Group>
      </Group>
      <ConfirmDialog
        title={removing ? `Remove the ${operation} permission of ${role}?` : undefined}
        about={`${role} may no longer ${operation} ${operation === 'insert' ? 'into' : operation === 'delete' ? 'from' : ''} ${tableLabel(table.table)}. Its rule and columns are removed.`}
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
  /** The values that the save replaces. */
  readonly reading: Reading<PermissionEntry | undefined>;
}

function useSaving(target: PermissionTarget, onDone: () => void) {
  const { role, operation, table } = target;
  return useCommand((client, { reading, ...written }: Saved) => savePermission(client, target, written, reading), {
    notice: () => ({ title: `The ${operation} permission of ${role} on ${tableLabel(table)} is saved` }),
    onDone,
  });
}

interface RulePartsProps {
  readonly target: PermissionTarget;
  readonly permission: JsonObject;
  readonly onChange: (permission: JsonObject) => void;
}

function RuleParts({ target: { role, operation }, permission, onChange }: RulePartsProps) {
  const member = ruleMember(operation);
  const rule = permission[member];
  const { check } = permission;
  const set = (name: string, changed: JsonObject | undefined): void => onChange(withMember(permission, name, changed));
  return (
    <>
      <Section title={operation === 'insert' ? 'Rows that may be inserted' : 'Rows'}>
        <RowsSection
          label={operation === 'insert' ? 'Rows that may be inserted' : `Rows that ${role} may ${operation}`}
          all="All rows, without any check"
          warning={`The role ${role} may ${operation} every row of the table.`}
          rule={isJsonObject(rule) ? rule : undefined}
          onChange={(changed) => set(member, changed)}
        />
      </Section>
      {operation === 'update' && (
        <Section title="Rows after the update">
          <RowsSection
            label="Rows after the update"
            none="No check of the row after the update"
            all="All rows, written as an empty check"
            warning="A row may become any other row, also one that the role could not have changed."
            rule={isJsonObject(check) ? check : undefined}
            onChange={(changed) => set('check', changed)}
          />
        </Section>
      )}
    </>
  );
}

interface CopyMenuProps {
  readonly target: PermissionTarget;
  readonly others: PermittedTable;
  readonly onCopy: (permission: JsonObject) => void;
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
