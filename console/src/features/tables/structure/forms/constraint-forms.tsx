/** Forms that add, rename, validate and drop keys and checks. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Checkbox, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DraftForm } from '../../../../ui/form/use-draft-form.ts';
import {
  type CheckDraft,
  checkErrors,
  checkSql,
  dropConstraintSql,
  type KeyDraft,
  keyErrors,
  primaryKeySql,
  type UniqueKeyDraft,
  uniqueKeySql,
  validateSql,
} from '../sql/constraint-sql.ts';
import { restoreConstraintSql, undoPrimaryKeySql } from '../sql/undo-sql.ts';
import type { Constraint } from '../structure-api.ts';
import { SqlForm } from './sql-form.tsx';

export interface ConstraintFormProps {
  readonly source: string;
  readonly info: TableInfo;
  readonly onClose: () => void;
}

/** `present` is the constraint of the present primary key. */
export function PrimaryKeyForm({
  source,
  info,
  present,
  onClose,
}: ConstraintFormProps & { readonly present: Constraint | undefined }) {
  return (
    <SqlForm<KeyDraft>
      source={source}
      initial={{ name: '', columns: [...(info.primary_key ?? [])] }}
      validate={keyErrors}
      sqlOf={(draft) => (draft.columns.length === 0 ? '' : primaryKeySql(info.table, draft, present?.name))}
      undoOf={({ name }) => (present === undefined ? undefined : undoPrimaryKeySql(info.table, name, present))}
      submit={present === undefined ? 'Add the primary key' : 'Replace the primary key'}
      done="The primary key was changed"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <KeyFields form={form} info={info}>
          {present !== undefined && (
            <Text size="sm" c="dimmed">
              Foreign keys that reference the current key prevent its removal.
            </Text>
          )}
        </KeyFields>
      )}
    </SqlForm>
  );
}

export function UniqueKeyForm({ source, info, onClose }: ConstraintFormProps) {
  return (
    <SqlForm<UniqueKeyDraft>
      source={source}
      initial={{ name: '', columns: [], nullsEqual: false }}
      validate={keyErrors}
      sqlOf={(draft) => (draft.columns.length === 0 ? '' : uniqueKeySql(info.table, draft))}
      submit="Add the unique key"
      done="The unique key was added"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <KeyFields form={form} info={info} />
          <Checkbox
            label="Two nulls are equal"
            description="Otherwise any number of rows may have null."
            {...form.getInputProps('nullsEqual', { type: 'checkbox' })}
          />
        </>
      )}
    </SqlForm>
  );
}

interface KeyFieldsProps<Draft extends KeyDraft> {
  readonly form: DraftForm<Draft>;
  readonly info: TableInfo;
  readonly children?: ReactNode;
}

function KeyFields<Draft extends KeyDraft>({ form, info, children }: KeyFieldsProps<Draft>) {
  return (
    <>
      <MultiSelect
        label="Columns"
        description="In the order of the key"
        required
        searchable
        data={info.columns.map(({ name }) => name)}
        {...form.getInputProps('columns')}
      />
      <ConstraintName form={form} />
      {children}
    </>
  );
}

export function ConstraintName<Draft extends { readonly name: string }>({ form }: { readonly form: DraftForm<Draft> }) {
  return (
    <TextInput
      label="Name"
      description="Empty: PostgreSQL chooses the name."
      autoComplete="off"
      spellCheck={false}
      {...form.getInputProps('name')}
    />
  );
}

export function CheckForm({ source, info, onClose }: ConstraintFormProps) {
  return (
    <SqlForm<CheckDraft>
      source={source}
      initial={{ name: '', expression: '', notValid: false }}
      validate={checkErrors}
      sqlOf={(draft) => (draft.expression.trim() === '' ? '' : checkSql(info.table, draft))}
      submit="Add the check"
      done="The check was added"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <TextInput
            label="Condition"
            description="SQL that is true or null for each permitted row"
            placeholder="price >= 0"
            required
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('expression')}
          />
          <ConstraintName form={form} />
          <NotValid form={form} />
        </>
      )}
    </SqlForm>
  );
}

export function NotValid<Draft extends { readonly notValid: boolean }>({ form }: { readonly form: DraftForm<Draft> }) {
  return (
    <Checkbox
      label="Do not check the existing rows"
      description="The table is not locked for a scan. Validate the constraint later."
      {...form.getInputProps('notValid', { type: 'checkbox' })}
    />
  );
}

interface OneConstraintProps extends ConstraintFormProps {
  readonly constraint: Constraint;
}

export function ValidateConstraintForm({ source, info, constraint, onClose }: OneConstraintProps) {
  return (
    <SqlForm<Record<string, never>>
      source={source}
      initial={{}}
      sqlOf={() => validateSql(info.table, constraint.name)}
      submit="Validate the constraint"
      done={`Constraint ${constraint.name} validated`}
      onDone={onClose}
      onClose={onClose}
    >
      {() => <Text size="sm">PostgreSQL checks all rows. Reads and writes continue meanwhile.</Text>}
    </SqlForm>
  );
}

export function DropConstraintForm({ source, info, constraint, onClose }: OneConstraintProps) {
  return (
    <SqlForm<{ readonly cascade: boolean }>
      source={source}
      initial={{ cascade: false }}
      sqlOf={({ cascade }) => dropConstraintSql(info.table, constraint.name, cascade)}
      undoOf={({ cascade }) => (cascade ? undefined : restoreConstraintSql(info.table, constraint))}
      drop={({ cascade }) => ({
        object: { kind: 'constraint', table: info.table, constraint: constraint.name },
        cascade,
      })}
      submit="Drop the constraint"
      isRemoval
      done={`Constraint ${constraint.name} dropped`}
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <Stack gap="xs">
          <Text size="sm">{constraint.definition}</Text>
          <Checkbox
            label="Also drop what depends on it in the database"
            {...form.getInputProps('cascade', { type: 'checkbox' })}
          />
        </Stack>
      )}
    </SqlForm>
  );
}
