/** Inputs of a row by column type, with null and default. */
import type { ColumnInfo, ForeignKey } from '@joinery/metadata/api/sources/catalog';
import { NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { Editor } from '../../../ui/editor/editor.tsx';
import type { DraftForm } from '../../../ui/form/use-draft-form.ts';
import classes from '../../../ui/table/cells.module.css';
import { familyOf } from '../row-model/column-family.ts';
import type { Drafts, FieldDraft } from '../row-model/row-values.ts';

interface RowFieldsProps {
  readonly columns: readonly ColumnInfo[];
  readonly foreignKeys: readonly ForeignKey[];
  /** The drafts and errors by column. */
  readonly form: DraftForm<Drafts>;
  /** Whether the row is new, so that defaults apply. */
  readonly isNew: boolean;
}

export function RowFields({ columns, foreignKeys, form, isNew }: RowFieldsProps) {
  return (
    <Stack gap="md">
      {columns.map((column) => (
        <Field
          key={column.name}
          column={column}
          refers={foreignKeys.find(({ columns: own }) => Object.hasOwn(own, column.name))}
          draft={form.values[column.name] ?? { mode: 'null', text: '' }}
          problem={form.errors[column.name]}
          modes={modesOf(column, isNew)}
          onChange={(draft) => form.change({ [column.name]: draft })}
        />
      ))}
    </Stack>
  );
}

type Mode = FieldDraft['mode'];

function modesOf({ nullable, has_default, identity }: ColumnInfo, isNew: boolean): readonly Mode[] {
  return [
    'value',
    ...(nullable ? (['null'] as const) : []),
    ...(isNew && (has_default || identity !== null) ? (['default'] as const) : []),
  ];
}

interface FieldProps {
  readonly column: ColumnInfo;
  readonly refers: ForeignKey | undefined;
  readonly draft: FieldDraft;
  readonly problem: ReactNode;
  readonly modes: readonly Mode[];
  readonly onChange: (draft: FieldDraft) => void;
}

function Field(props: FieldProps) {
  const { column, draft, modes, onChange } = props;
  const family = familyOf(column);
  if (family === 'boolean') return <ChoiceField {...props} choices={['true', 'false']} />;
  if (family === 'enum') return <ChoiceField {...props} choices={column.values ?? []} />;
  if (modes.length === 1) return <TypedField {...props} />;
  return (
    <div className={classes.field}>
      <TypedField {...props} />
      <NativeSelect
        className={classes.mode ?? ''}
        aria-label={`Source of the value of ${column.name}`}
        value={draft.mode}
        data={modes.map((value) => ({ value, label: modeLabels[value] }))}
        onChange={(event) => onChange({ ...draft, mode: event.currentTarget.value as Mode })}
      />
    </div>
  );
}

const modeLabels: Readonly<Record<Mode, string>> = { value: 'Value', null: 'NULL', default: 'Default' };

function describe({ column, refers }: FieldProps): string {
  const type = column.nullable ? column.sql_type : `${column.sql_type}, not null`;
  return refers === undefined ? type : `${type} · refers to ${tableLabel(refers.table)}`;
}

function TypedField(props: FieldProps) {
  const { column, draft, problem, onChange } = props;
  const shared = {
    label: column.name,
    description: describe(props),
    inputWrapperOrder: ['label' as const, 'input' as const, 'description' as const, 'error' as const],
    error: problem,
    spellCheck: false,
    autoComplete: 'off',
    placeholder: draft.mode === 'null' ? 'NULL' : draft.mode === 'default' ? (column.default ?? 'filled in') : '',
    value: draft.mode === 'value' ? draft.text : '',
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ mode: 'value', text: event.currentTarget.value }),
  };
  switch (familyOf(column)) {
    case 'json':
      return draft.mode === 'value' ? <JsonField {...props} /> : <TextInput {...shared} />;
    case 'text':
    case 'other':
      return <Textarea {...shared} autosize minRows={1} maxRows={10} />;
    case 'integer':
    case 'number':
      return <TextInput {...shared} inputMode="decimal" />;
    default:
      return <TextInput {...shared} />;
  }
}

function JsonField(props: FieldProps) {
  const { column, draft, problem, onChange } = props;
  return (
    <div>
      <Editor
        label={column.name}
        language="json"
        height="9rem"
        text={draft.text}
        onChange={(text) => onChange({ mode: 'value', text })}
      />
      <Text size="xs" c="dimmed" mt={4}>
        {describe(props)}
      </Text>
      {problem !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {problem}
        </Text>
      )}
    </div>
  );
}

function ChoiceField(props: FieldProps & { readonly choices: readonly string[] }) {
  const { column, draft, problem, modes, onChange, choices } = props;
  const others = modes.filter((mode) => mode !== 'value');
  const known = draft.mode !== 'value' || choices.includes(draft.text);
  return (
    <NativeSelect
      label={column.name}
      description={describe(props)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={problem}
      value={draft.mode === 'value' ? `=${draft.text}` : draft.mode}
      data={[
        ...(known ? [] : [{ value: `=${draft.text}`, label: draft.text === '' ? 'Choose' : draft.text }]),
        ...choices.map((choice) => ({ value: `=${choice}`, label: choice })),
        ...others.map((mode) => ({
          value: mode,
          label: mode === 'default' && column.default !== null ? `Default: ${column.default}` : modeLabels[mode],
        })),
      ]}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        onChange(
          chosen.startsWith('=') ? { mode: 'value', text: chosen.slice(1) } : { mode: chosen as Mode, text: '' },
        );
      }}
    />
  );
}
