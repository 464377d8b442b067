/** Inserts a row, or changes the one that is given. What was typed stays when the database refuses it. */
import { Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Client } from '../api/client.ts';
import { useClient } from '../api/context.ts';
import { Failure, toFailure } from '../api/failure.ts';
import { FormEnd } from '../show/form-end.tsx';
import { useNotice } from '../show/notices.tsx';
import { sentence } from '../show/words.ts';
import { isReadable } from './column-family.ts';
import type { TableInfo } from './data-api.ts';
import { RowFields } from './row-fields.tsx';
import { columnOfFault, draftsOf, newDrafts, type Row, writtenRow } from './row-values.ts';
import { insertRow, type Target, updateRow } from './rows-api.ts';

interface RowFormProps {
  readonly target: Target;
  readonly info: TableInfo;
  /** Undefined for a new row. */
  readonly row: Row | undefined;
  /** What tells the row from all others. */
  readonly keyOf: (row: Row) => Row;
  readonly onClose: () => void;
}

export function RowForm({ target, info, row, keyOf, onClose }: RowFormProps) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const columns = info.columns.filter((column) => column.writable && isReadable(column));
  const [before] = useState(() => (row === undefined ? undefined : draftsOf(row, columns)));
  const [drafts, setDrafts] = useState(() => before ?? newDrafts(columns));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const { mutate, error, isPending } = useMutation({
    mutationFn: (written: Row) =>
      row === undefined ? insertOne(client, target, written) : changeOne(client, target, keyOf(row), written),
    onSuccess: () => {
      tell({ title: row === undefined ? 'Row inserted' : 'Row changed' });
      onClose();
    },
    onError: (thrown) => {
      const { message } = toFailure(thrown);
      const column = columnOfFault(message, columns);
      if (column !== undefined) setFaults({ [column]: sentence(message) });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['rows'] }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const written = writtenRow(drafts, columns, before);
    if ('faults' in written) {
      setFaults(written.faults);
      return;
    }
    setFaults({});
    if (row !== undefined && Object.keys(written.row).length === 0) onClose();
    else mutate(written.row);
  };
  const skipped = info.columns.filter((column) => !column.writable).map(({ name }) => name);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg" pb="xl">
        <RowFields
          columns={columns}
          foreignKeys={info.foreign_keys}
          drafts={drafts}
          faults={faults}
          isNew={row === undefined}
          onChange={setDrafts}
        />
        {skipped.length > 0 && (
          <Text size="sm" c="dimmed">
            The database alone writes {skipped.join(', ')}.
          </Text>
        )}
        <FormEnd
          submit={row === undefined ? 'Insert the row' : 'Save the row'}
          busy={isPending}
          error={error}
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

async function changeOne(client: Client, target: Target, key: Row, changes: Row): Promise<void> {
  const changed = await updateRow(client, target, key, changes);
  if (changed > 0) return;
  const message = 'the row is not there any more: somebody has deleted it or changed its key; look at the list again';
  throw new Failure({ code: 'not-exists', message });
}
