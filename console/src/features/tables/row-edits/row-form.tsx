/** Form that inserts or updates a row. Keeps the input when the database rejects it. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useCommand } from '../../../api/use-command.ts';
import { FormActions } from '../../../ui/form/form-actions.tsx';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { sentence } from '../../../ui/format.ts';
import { isReadable } from '../row-model/column-family.ts';
import { RowConflict } from '../row-model/row-conflict.ts';
import { columnOfProblem, type Drafts, draftsOf, newDrafts, type Row, writtenRow } from '../row-model/row-values.ts';
import type { Target } from '../row-model/rows-api.ts';
import { saveRows } from '../row-model/save-rows.ts';
import { ConflictTable } from './conflict-table.tsx';
import { RowFields } from './row-fields.tsx';

interface RowFormProps {
  readonly target: Target;
  readonly info: TableInfo;
  /** Undefined for a new row. */
  readonly row: Row | undefined;
  /** Returns the key of a row. */
  readonly keyOf: (row: Row) => Row;
  readonly onClose: () => void;
}

interface Saving {
  readonly written: Row;
  /** Whether to overwrite changes by other users. */
  readonly over: boolean;
}

export function RowForm({ target, info, row, keyOf, onClose }: RowFormProps) {
  const columns = info.columns.filter((column) => column.writable && isReadable(column));
  const [before] = useState(() => (row === undefined ? undefined : draftsOf(row, columns)));
  const form = useDraftForm<Drafts>({
    initial: before ?? newDrafts(columns),
    validate: (drafts) => {
      const written = writtenRow(drafts, columns, before);
      return 'problems' in written ? written.problems : {};
    },
  });
  const command = useCommand(
    (client, { written, over }: Saving) =>
      saveRows([{ key: '', row, values: written, defaults: [] }], { client, target, columns, keyOf, isOver: over }),
    {
      notice: () => ({ title: row === undefined ? 'Row inserted' : 'Row changed' }),
      onDone: onClose,
      onFailure: ({ message }) => {
        const column = columnOfProblem(message, columns);
        if (column !== undefined) form.setErrors({ [column]: sentence(message) });
      },
      changes: [['rows']],
    },
  );
  const conflict = command.failure instanceof RowConflict ? command.failure : undefined;
  const submit = form.onSubmit((drafts) => {
    const written = writtenRow(drafts, columns, before);
    if ('problems' in written) return;
    if (row !== undefined && Object.keys(written.row).length === 0) onClose();
    else command.run({ written: written.row, over: false });
  });
  const skipped = info.columns.filter((column) => !column.writable).map(({ name }) => name);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <RowFields columns={columns} foreignKeys={info.foreign_keys} form={form} isNew={row === undefined} />
        {skipped.length > 0 && (
          <Text size="sm" c="dimmed">
            Only the database writes {skipped.join(', ')}.
          </Text>
        )}
        {conflict !== undefined && (
          <ConflictTable info={info} differences={conflict.differences} drafts={() => form.values} />
        )}
        <FormActions
          onSaveOver={conflict && (() => command.run({ written: command.input?.written ?? {}, over: true }))}
          submit={row === undefined ? 'Insert the row' : 'Save the row'}
          command={command}
          failed={row === undefined ? 'The row was not inserted' : 'The row was not changed'}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
