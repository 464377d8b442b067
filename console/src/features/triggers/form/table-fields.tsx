/** The name, the table and the operations of a trigger. */
import { Checkbox, NativeSelect, Select, Stack, Text } from '@mantine/core';
import type { SourceEntry } from '../../../shared/sources/sources-api.ts';
import { tableKey, tableLabel } from '../../../shared/sources/table-paths.ts';
import classes from '../../../ui/form/form.module.css';
import { TextField } from '../../../ui/form/text-field.tsx';
import { ColumnPicker, type TriggerFields } from './column-picker.tsx';
import type { OperationDraft, RowOperation } from './trigger-draft.ts';

interface TableFieldsProps extends TriggerFields {
  readonly sources: readonly SourceEntry[];
  /** The name and the table of an existing trigger cannot change. */
  readonly isNew: boolean;
}

export function TableFields({ form, info, sources, isNew }: TableFieldsProps) {
  const draft = form.values;
  const tables = sources.find(({ name }) => name === draft.source)?.tables ?? [];
  const isView = info?.kind === 'view' || info?.kind === 'materialized_view';
  const { operations } = form.errors;
  return (
    <>
      <div className={classes.pair}>
        <TextField
          label="Name"
          description={isNew ? 'Letters, digits, "_" and "-"; unique in the source.' : 'Cannot change.'}
          required
          disabled={!isNew}
          {...form.getInputProps('name')}
        />
        {(sources.length > 1 || !isNew) && (
          <NativeSelect
            label="Source"
            description={isNew ? 'Events are stored in its database.' : 'Cannot change.'}
            disabled={!isNew}
            value={draft.source}
            data={sources.map(({ name }) => name)}
            onChange={(event) => form.change({ source: event.currentTarget.value, table: '' })}
            error={form.errors.source}
          />
        )}
        <Select
          label="Table"
          description={isNew ? 'Tracked tables are offered.' : 'Cannot change.'}
          required
          searchable
          disabled={!isNew}
          allowDeselect={false}
          data={tables.map(({ table }) => ({ value: tableKey(table), label: tableLabel(table) }))}
          value={draft.table === '' ? null : draft.table}
          nothingFoundMessage="No tracked table has this name"
          onChange={(table) => table !== null && form.change({ table })}
          error={form.errors.table}
        />
      </div>
      <fieldset className={classes.fieldset}>
        <legend className={classes.legend}>Operations</legend>
        {isView && (
          <Text size="sm" c="dimmed" mb="xs">
            A view has no changes of rows: its triggers have manual events only.
          </Text>
        )}
        <Stack gap="md">
          <Operation {...{ form, info, isView }} operation="insert" label="Insert" />
          <Operation {...{ form, info, isView }} operation="update" label="Update" />
          <Operation {...{ form, info, isView }} operation="delete" label="Delete" />
          <Checkbox
            label="Manual"
            description="Events can be created here and by the command invoke_event_trigger."
            checked={draft.manual}
            onChange={(event) => form.change({ manual: event.currentTarget.checked }, ['manual', 'operations'])}
          />
        </Stack>
        {operations !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" mt="xs" role="alert">
            {operations}
          </Text>
        )}
      </fieldset>
    </>
  );
}

interface OperationProps extends TriggerFields {
  readonly operation: RowOperation;
  readonly label: string;
  readonly isView: boolean;
}

function Operation({ form, info, operation, label, isView }: OperationProps) {
  const draft = form.values[operation];
  const { enabled, columns, payload } = draft;
  const change = (part: Partial<OperationDraft>, ...fields: readonly string[]): void =>
    form.change({ [operation]: { ...draft, ...part } }, [operation, ...fields]);
  return (
    <div>
      <Checkbox
        label={label}
        checked={enabled}
        disabled={isView && !enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked }, 'operations', 'condition')}
        error={form.errors[operation]}
      />
      {enabled && (
        <div className={`${classes.pair} ${classes.inner}`} style={{ marginTop: '0.5rem' }}>
          {operation === 'update' && (
            <ColumnPicker
              label="Columns listened to"
              none="All columns"
              info={info}
              value={columns}
              onChange={(chosen) => change({ columns: chosen })}
              error={form.errors['update.columns']}
            />
          )}
          <ColumnPicker
            label={`Columns delivered by ${operation}`}
            none="All columns"
            info={info}
            value={payload}
            onChange={(chosen) => change({ payload: chosen })}
            error={form.errors[`${operation}.payload`]}
          />
        </div>
      )}
    </div>
  );
}
