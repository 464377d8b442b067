/** Form that inserts or updates a row. Keeps the input when the database rejects it. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/catalog';
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Client } from '../../../api/client.ts';
import { Failure } from '../../../api/failure.ts';
import { useCommand } from '../../../api/use-command.ts';
import { FormActions } from '../../../ui/form/form-actions.tsx';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { sentence } from '../../../ui/format.ts';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import { isReadable } from '../row-model/column-family.ts';
import { changedSince, RowConflict, unchangedConditions } from '../row-model/row-conflict.ts';
import {
  columnOfProblem,
  type Drafts,
  draftsOf,
  newDrafts,
  type Row,
  shortText,
  writtenRow,
} from '../row-model/row-values.ts';
import { insertRow, readRow, type Target, updateRow } from '../row-model/rows-api.ts';
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
      row === undefined
        ? insertOne(client, target, written)
        : changeOne(client, target, { row, key: keyOf(row), columns, written, over }),
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
            The database alone writes {skipped.join(', ')}.
          </Text>
        )}
        {conflict !== undefined && row !== undefined && <Conflict before={row} present={conflict.present} />}
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

async function insertOne(client: Client, target: Target, row: Row): Promise<void> {
  await insertRow(client, target, row);
}

interface Change {
  /** The row when the form was opened. */
  readonly row: Row;
  readonly key: Row;
  readonly columns: readonly ColumnInfo[];
  readonly written: Row;
  readonly over: boolean;
}

/** Updates a row. Throws RowConflict when a column to save changed since the form was opened, unless `over`. */
async function changeOne(client: Client, target: Target, change: Change): Promise<void> {
  const { row, key, columns, written, over } = change;
  const names = Object.keys(written);
  const conditions = over ? [] : unchangedConditions(row, names, columns);
  // Columns without equality in PostgreSQL are compared here.
  if (!over && conditions.length < names.length) rejectChanged(await readRow(client, target, key, names), row, names);
  if ((await updateRow(client, target, key, written, conditions)) > 0) return;
  rejectChanged(await readRow(client, target, key, names), row, names);
  // The values are equal, but not by the equality operator, as for some domains and collations.
  await updateRow(client, target, key, written, []);
}

function rejectChanged(present: Row | undefined, row: Row, names: readonly string[]): void {
  if (present === undefined) {
    const message = 'the row does not exist any more: it was deleted or its key was changed; reload the list';
    throw new Failure({ code: 'not-exists', message });
  }
  const changed = changedSince(row, present, names);
  if (Object.keys(changed).length > 0) throw new RowConflict(changed);
}

/** Shows the values of the other user beside the original ones. */
function Conflict({ before, present }: { readonly before: Row; readonly present: Row }) {
  return (
    <PlainTable
      withTableBorder
      aria-label="Changed since you opened the row"
      rows={Object.entries(present)}
      keyOf={([name]) => name}
      columns={[
        { key: 'column', header: 'Changed column', cell: ([name]) => name },
        { key: 'before', header: 'When you opened it', cell: ([name]) => shortText(before[name]) },
        { key: 'now', header: 'Now', cell: ([, value]) => shortText(value) },
      ]}
    />
  );
}
