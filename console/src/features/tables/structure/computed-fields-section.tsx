/** Computed fields of a table. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { isGraphqlName } from '@joinery/metadata/graphql-names';
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { useCommand } from '../../../api/use-command.ts';
import type { ComputedField, TableEntry } from '../../../shared/sources/sources-api.ts';
import { type TableName, tableKey, tableLabel } from '../../../shared/sources/table-paths.ts';
import { invalidName } from '../../../shared/sources/track-names.ts';
import { CascadeDialog } from '../../../ui/dialog/cascade-dialog.tsx';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { FormActions } from '../../../ui/form/form-actions.tsx';
import { type FormErrors, useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { Section } from '../../../ui/page/section.tsx';
import { functionOf } from '../functions/function-list.ts';
import { CreateFunctionForm } from './forms/function-forms.tsx';
import { functionOfRow } from './sql/function-sql.ts';
import { addComputedField, dropComputedField, type TableFunction } from './structure-api.ts';
import { actionsColumn, nameColumn, RowButton, StructureTable } from './structure-table.tsx';

interface ComputedFieldsProps {
  readonly source: string;
  readonly info: TableInfo;
  readonly entry: TableEntry;
  readonly functions: readonly TableFunction[];
}

export function ComputedFieldsSection({ source, info, entry, functions }: ComputedFieldsProps) {
  const client = useClient();
  const [open, setOpen] = useState<'field' | 'function'>();
  const [dropped, setDropped] = useState<string>();
  const fields = entry.computed_fields ?? [];
  const rowFunctions = functions.filter((one) => one.takes_row);
  const close = (): void => setOpen(undefined);
  return (
    <Section title="Computed fields">
      <Stack gap="xs" align="flex-start">
        <FieldTable fields={fields} functions={rowFunctions} onDrop={setDropped} />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setOpen('field')}>
            Add a computed field
          </Button>
          <Button size="xs" variant="default" onClick={() => setOpen('function')}>
            Create a function for a computed field
          </Button>
        </Group>
      </Stack>
      <DetailDrawer
        subject={open}
        title={(shown) => (shown === 'field' ? 'Add a computed field' : 'Create a function for a computed field')}
        size="form"
        onClose={close}
      >
        {(shown) =>
          shown === 'field' ? (
            <FieldForm source={source} table={info.table} functions={rowFunctions} onClose={close} />
          ) : (
            <CreateFunctionForm
              source={source}
              initial={functionOfRow(info)}
              onDone={() => setOpen('field')}
              onClose={close}
            />
          )
        }
      </DetailDrawer>
      <CascadeDialog
        title={dropped === undefined ? undefined : `Remove computed field ${dropped}`}
        about="The field is removed from the schema. Its function stays in the database."
        dependents="permissions that use it"
        confirm="Remove the field"
        failed="The field was not removed"
        done={`Computed field ${dropped} removed`}
        perform={(cascade) => dropComputedField(client, source, info.table, dropped ?? '', cascade)}
        onClose={() => setDropped(undefined)}
        onDone={() => setDropped(undefined)}
      />
    </Section>
  );
}

interface FieldTableProps extends Pick<ComputedFieldsProps, 'functions'> {
  readonly fields: readonly ComputedField[];
  readonly onDrop: (name: string) => void;
}

function FieldTable({ fields, functions, onDrop }: FieldTableProps) {
  const found = (field: ComputedField) => functions.find((one) => tableKey(one) === tableKey(functionOf(field)));
  return (
    <StructureTable
      label="Computed fields"
      rows={fields}
      keyOf={({ name }) => name}
      empty="None. A computed field has the result of a function of the row."
      columns={[
        nameColumn('Field'),
        {
          key: 'function',
          header: 'Function',
          cell: (field) => `${tableLabel(functionOf(field))}(${found(field)?.arguments ?? '…'})`,
        },
        { key: 'result', header: 'Result', cell: (field) => found(field)?.result ?? '–' },
        { key: 'comment', header: 'Comment', cell: ({ comment }) => comment ?? '–' },
        actionsColumn<ComputedField>(({ name }) => (
          <RowButton label={`Remove computed field ${name}`} onClick={() => onDrop(name)}>
            Remove
          </RowButton>
        )),
      ]}
    />
  );
}

interface FieldDraft {
  readonly name: string;
  /** By `tableKey`. */
  readonly called: string | null;
  readonly rowArgument: string;
  readonly sessionArgument: string;
  readonly comment: string;
}

function fieldErrors({ name, called }: FieldDraft): FormErrors {
  return {
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...(name.trim() !== '' && !isGraphqlName(name.trim()) && { name: invalidName }),
    ...(called === null && { called: 'Select a function.' }),
  };
}

interface FieldFormProps extends Pick<ComputedFieldsProps, 'source' | 'functions'> {
  readonly table: TableName;
  readonly onClose: () => void;
}

function FieldForm({ source, table, functions, onClose }: FieldFormProps) {
  const form = useDraftForm<FieldDraft>({
    initial: { name: '', called: null, rowArgument: '', sessionArgument: '', comment: '' },
    validate: fieldErrors,
  });
  const command = useCommand(
    (client, draft: FieldDraft) => {
      const called = functions.find((one) => tableKey(one) === draft.called);
      const [rowArgument, sessionArgument, comment] = [draft.rowArgument, draft.sessionArgument, draft.comment].map(
        (text) => text.trim(),
      );
      return addComputedField(client, source, table, {
        name: draft.name.trim(),
        definition: {
          function: { schema: called?.schema ?? '', name: called?.name ?? '' },
          ...(rowArgument && { table_argument: rowArgument }),
          ...(sessionArgument && { session_argument: sessionArgument }),
        },
        ...(comment && { comment }),
      });
    },
    { notice: (_result, { name }) => ({ title: `Computed field ${name.trim()} added` }), onDone: onClose },
  );
  return (
    <form onSubmit={form.onSubmit((draft) => command.run(draft))} noValidate>
      <Stack gap="md">
        <Select
          label="Function"
          description={
            functions.length === 0
              ? 'No function has an argument of the type of the table. Create one first.'
              : 'A function with an argument of the type of the table that is not volatile'
          }
          required
          searchable
          data={functions.map((one) => ({
            value: tableKey(one),
            label: `${tableLabel(one)}(${one.arguments}): ${one.result}${one.volatility === 'v' ? ', volatile' : ''}`,
            disabled: one.volatility === 'v',
          }))}
          value={form.values.called}
          error={form.errors.called}
          onChange={(called) => {
            const chosen = functions.find((one) => tableKey(one) === called);
            const isNamed = form.values.name !== '';
            form.change({ called, ...(!isNamed && chosen !== undefined && { name: chosen.name }) });
          }}
        />
        <TextInput label="Name of the field" required autoComplete="off" {...form.getInputProps('name')} />
        <TextInput
          label="Argument of the row"
          description="Empty for the first one"
          autoComplete="off"
          {...form.getInputProps('rowArgument')}
        />
        <TextInput
          label="Argument of the session variables"
          description="Of type json or jsonb. Empty for none."
          autoComplete="off"
          {...form.getInputProps('sessionArgument')}
        />
        <TextInput label="Comment" autoComplete="off" {...form.getInputProps('comment')} />
        <FormActions
          submit="Add the computed field"
          command={command}
          failed="The computed field was not added"
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
