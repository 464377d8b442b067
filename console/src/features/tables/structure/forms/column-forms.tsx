/** Forms that add, change and drop a column. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Autocomplete, Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import type { TableName } from '../../../../shared/sources/table-paths.ts';
import { qualifiedName } from '../../../../shared/sql/sql-names.ts';
import type { DraftForm } from '../../../../ui/form/use-draft-form.ts';
import { usualTypes } from '../../new-table.ts';
import { useEnumTypes } from '../enum-types-api.ts';
import {
  addColumnSql,
  type ColumnDraft,
  changeColumnSql,
  columnDraft,
  columnErrors,
  dropColumnSql,
  isIncomplete,
  newColumn,
  typeOf,
} from '../sql/column-sql.ts';
import { newEnumType } from '../sql/enum-sql.ts';
import { undoAddColumnSql, undoChangeColumnSql } from '../sql/undo-sql.ts';
import classes from '../structure.module.css';
import { EnumTypeFields } from './enum-forms.tsx';
import { SqlForm } from './sql-form.tsx';

interface FormProps {
  readonly source: string;
  readonly table: TableName;
  readonly onClose: () => void;
}

const identities = [
  { value: 'none', label: 'No identity' },
  { value: 'by default', label: 'Identity, unless a value is given' },
  { value: 'always', label: 'Identity, always' },
];

export function AddColumnForm({ source, table, onClose }: FormProps) {
  return (
    <SqlForm<ColumnDraft>
      source={source}
      initial={newColumn}
      validate={columnErrors}
      sqlOf={(draft) => (isIncomplete(draft) ? '' : addColumnSql(table, draft))}
      undoOf={(draft) => undoAddColumnSql(table, draft)}
      submit="Add the column"
      done="The column was added"
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <NameAndType source={source} schema={table.schema} form={form} />
          <ValueFields form={form} />
          <Checkbox label="Unique" {...form.getInputProps('unique', { type: 'checkbox' })} />
          <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
        </>
      )}
    </SqlForm>
  );
}

interface ChangeColumnFormProps extends FormProps {
  readonly kind: TableInfo['kind'];
  readonly column: ColumnInfo;
}

export function ChangeColumnForm({ source, table, kind, column, onClose }: ChangeColumnFormProps) {
  const isView = kind === 'view' || kind === 'materialized_view';
  const before = columnDraft(column);
  return (
    <SqlForm<ColumnDraft>
      source={source}
      initial={before}
      validate={columnErrors}
      sqlOf={(draft) => (isIncomplete(draft) ? '' : changeColumnSql(table, column, draft))}
      undoOf={(draft) => undoChangeColumnSql(table, column, draft)}
      submit="Change the column"
      done={`Column ${column.name} changed`}
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          {isView ? (
            <TextInput label="Name" autoComplete="off" {...form.getInputProps('name')} />
          ) : (
            <NameAndType source={source} schema={table.schema} form={form} />
          )}
          {isView && (
            <Text size="sm" c="dimmed">
              The SQL of the view determines the type of the column.
            </Text>
          )}
          {!isView && typeOf(form.values) !== before.type && (
            <TextInput
              label="Convert values with"
              description="An SQL expression. Empty uses the cast of PostgreSQL."
              placeholder={`${column.name}::${typeOf(form.values)}`}
              autoComplete="off"
              {...form.getInputProps('using')}
            />
          )}
          {!isView && (column.generated ? <Generated column={column} /> : <ValueFields form={form} />)}
          <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
        </>
      )}
    </SqlForm>
  );
}

function Generated({ column }: { readonly column: ColumnInfo }) {
  return (
    <Text size="sm" c="dimmed">
      PostgreSQL generates the values: {column.default ?? 'always'}.
    </Text>
  );
}

interface NameAndTypeProps {
  readonly source: string;
  readonly schema: string;
  readonly form: DraftForm<ColumnDraft>;
}

function NameAndType({ source, schema, form }: NameAndTypeProps) {
  const { data: enumTypes = [] } = useEnumTypes(source);
  const { enumType, name } = form.values;
  return (
    <>
      <div className={classes.two}>
        <TextInput label="Name" required autoComplete="off" spellCheck={false} {...form.getInputProps('name')} />
        {enumType === null && (
          <Autocomplete
            label="Type"
            required
            data={[
              { group: 'Usual types', items: usualTypes.filter((type) => !type.includes('identity')) },
              { group: 'Enum types', items: enumTypes.map(qualifiedName) },
            ]}
            {...form.getInputProps('type')}
          />
        )}
      </div>
      <Checkbox
        label="Of a new enum type"
        description="The type is created with the column."
        checked={enumType !== null}
        onChange={(event) =>
          form.change({ enumType: event.currentTarget.checked ? { ...newEnumType, schema, name } : null })
        }
      />
      {enumType !== null && <EnumTypeFields fieldOf={(field) => form.getInputProps(`enumType.${field}`)} />}
    </>
  );
}

function ValueFields({ form }: { readonly form: DraftForm<ColumnDraft> }) {
  return (
    <>
      <div className={classes.two}>
        <TextInput
          label="Default"
          description="An SQL expression"
          placeholder="none"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('expression')}
        />
        <NativeSelect
          label="Identity"
          description="Numbers of a sequence"
          data={identities}
          {...form.getInputProps('identity')}
        />
      </div>
      <Checkbox label="Nullable" {...form.getInputProps('nullable', { type: 'checkbox' })} />
    </>
  );
}

interface DropDraft {
  readonly cascade: boolean;
}

export function DropColumnForm({ source, table, column, onClose }: FormProps & { readonly column: string }) {
  return (
    <SqlForm<DropDraft>
      source={source}
      initial={{ cascade: false }}
      sqlOf={({ cascade }) => dropColumnSql(table, column, cascade)}
      drop={({ cascade }) => ({ object: { kind: 'column', table, column }, cascade })}
      submit="Drop the column"
      isRemoval
      done={`Column ${column} dropped`}
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Text size="sm">The values of the column are lost.</Text>
          <Checkbox
            label="Also drop what depends on it in the database"
            {...form.getInputProps('cascade', { type: 'checkbox' })}
          />
        </>
      )}
    </SqlForm>
  );
}
