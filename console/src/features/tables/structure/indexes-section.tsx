/** Indexes of a table: create with progress, rename, comment, drop. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Button, Checkbox, Group, MultiSelect, NativeSelect, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { Section } from '../../../ui/page/section.tsx';
import classes from '../../../ui/table/cells.module.css';
import { bytesText } from './bytes-text.ts';
import { NameForm } from './forms/name-form.tsx';
import { SqlForm } from './forms/sql-form.tsx';
import {
  createIndexSql,
  dropIndexSql,
  type IndexDraft,
  indexErrors,
  indexMethods,
  newIndex,
  suggestedIndexName,
} from './sql/index-sql.ts';
import { indexObject } from './sql/name-sql.ts';
import { restoreIndexSql } from './sql/undo-sql.ts';
import ownClasses from './structure.module.css';
import { readIndexProgress, type Structure, type TableIndex } from './structure-api.ts';
import { actionsColumn, commentColumn, nameColumn, RowButton, StructureTable } from './structure-table.tsx';

interface IndexesProps {
  readonly source: string;
  readonly info: TableInfo;
  readonly structure: Structure;
}

type Open = { readonly form: 'create' } | { readonly form: 'edit' | 'drop'; readonly index: TableIndex };

const titles = { create: 'Create an index', edit: 'Change', drop: 'Drop' } as const;

export function IndexesSection({ source, info, structure: { indexes } }: IndexesProps) {
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const { table } = info;
  return (
    <Section title="Indexes">
      <Stack gap="xs" align="flex-start">
        <IndexTable indexes={indexes} onOpen={setOpen} />
        {info.kind !== 'view' && (
          <Button size="xs" variant="default" onClick={() => setOpen({ form: 'create' })}>
            Create an index
          </Button>
        )}
      </Stack>
      <DetailDrawer
        subject={open}
        title={(shown) => ('index' in shown ? `${titles[shown.form]} ${shown.index.name}` : titles[shown.form])}
        size="form"
        onClose={close}
      >
        {(shown) => {
          if (shown.form === 'create')
            return <CreateForm source={source} info={info} indexes={indexes} onClose={close} />;
          return shown.form === 'edit' ? (
            <NameForm source={source} noun="index" object={indexObject(table.schema, shown.index)} onClose={close} />
          ) : (
            <DropForm source={source} table={table} index={shown.index} onClose={close} />
          );
        }}
      </DetailDrawer>
    </Section>
  );
}

interface IndexTableProps {
  readonly indexes: readonly TableIndex[];
  readonly onOpen: (open: Open) => void;
}

function IndexTable({ indexes, onOpen }: IndexTableProps) {
  return (
    <StructureTable
      label="Indexes"
      rows={indexes}
      keyOf={({ name }) => name}
      columns={[
        nameColumn('Name'),
        {
          key: 'definition',
          header: 'Definition',
          cellProps: ({ definition }) => ({ className: classes.cell ?? '', title: definition }),
          cell: ({ definition }) => definition.replace(/^CREATE (UNIQUE )?INDEX .+? ON .+? USING /, '$1'),
        },
        {
          key: 'state',
          header: 'State',
          cell: ({ valid, constraint }) =>
            valid ? constraint === null ? '–' : `of ${constraint}` : <StatusDot tone="bad">Invalid</StatusDot>,
        },
        { key: 'size', header: 'Size', isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
        { key: 'scans', header: 'Scans', isNumber: true, cell: ({ scans }) => scans.toLocaleString('en') },
        commentColumn(),
        actionsColumn<TableIndex>((index) => (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            <RowButton label={`Edit index ${index.name}`} onClick={() => onOpen({ form: 'edit', index })}>
              Edit
            </RowButton>
            {index.constraint === null && (
              <RowButton label={`Drop index ${index.name}`} onClick={() => onOpen({ form: 'drop', index })}>
                Drop
              </RowButton>
            )}
          </Group>
        )),
      ]}
    />
  );
}

interface FormProps {
  readonly source: string;
  readonly onClose: () => void;
}

interface CreateFormProps extends FormProps {
  readonly info: TableInfo;
  readonly indexes: readonly TableIndex[];
}

function CreateForm({ source, info, indexes, onClose }: CreateFormProps) {
  const taken = indexes.map(({ name }) => name);
  const columns = info.columns.map(({ name }) => name);
  // An index on a partitioned table cannot be created concurrently.
  const initial = { ...newIndex, concurrently: info.kind !== 'partitioned_table' };
  return (
    <SqlForm<IndexDraft>
      source={source}
      initial={initial}
      validate={indexErrors}
      sqlOf={(draft) =>
        draft.columns.length === 0 && draft.expressions.trim() === '' ? '' : createIndexSql(info.table, draft)
      }
      submit="Create the index"
      done="The index was created"
      onDone={onClose}
      onClose={onClose}
      progress={<IndexProgressBar source={source} table={info.table} />}
    >
      {(form) => (
        <>
          <MultiSelect
            label="Columns"
            description="In the order of the index"
            searchable
            data={columns}
            value={[...form.values.columns]}
            error={form.errors.columns}
            onChange={(chosen) => {
              const before = suggestedIndexName(info.table, form.values.columns, taken);
              const isSuggested = form.values.name === '' || form.values.name === before;
              form.change({
                columns: chosen,
                ...(isSuggested && { name: suggestedIndexName(info.table, chosen, taken) }),
              });
            }}
          />
          <TextInput
            label="Expressions"
            description="SQL after the columns, separated by commas"
            placeholder="lower(email)"
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('expressions')}
          />
          <div className={ownClasses.two}>
            <TextInput label="Name" autoComplete="off" spellCheck={false} {...form.getInputProps('name')} />
            <NativeSelect label="Method" data={[...indexMethods]} {...form.getInputProps('method')} />
          </div>
          <TextInput
            label="Only rows where"
            description="An SQL condition. Empty for all rows."
            placeholder="state = 'open'"
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('where')}
          />
          <MultiSelect
            label="Also store columns"
            description="Queries of these columns alone do not read the table."
            searchable
            data={columns}
            value={[...form.values.include]}
            onChange={(include) => form.change({ include })}
          />
          <Checkbox label="Unique" {...form.getInputProps('unique', { type: 'checkbox' })} />
          <Checkbox
            label="Create concurrently"
            description="Writes continue meanwhile. A failure leaves an invalid index, which must be dropped."
            disabled={info.kind === 'partitioned_table'}
            {...form.getInputProps('concurrently', { type: 'checkbox' })}
          />
        </>
      )}
    </SqlForm>
  );
}

function IndexProgressBar({ source, table }: { readonly source: string; readonly table: TableName }) {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['index-progress', source, table.schema, table.name],
    queryFn: ({ signal }) => readIndexProgress(client, source, table, signal),
    refetchInterval: 1_000,
    retry: false,
  });
  if (data === undefined || data === null) return null;
  return (
    <Stack gap={4} role="status">
      <Progress value={100 * (data.part ?? 0)} aria-label="Progress of the index" />
      <Text size="sm" c="dimmed">
        {data.phase}
        {data.part === undefined ? '' : `, ${Math.round(100 * data.part)} %`}
      </Text>
    </Stack>
  );
}

interface OneIndexProps extends FormProps {
  readonly table: TableName;
  readonly index: TableIndex;
}

function DropForm({ source, table, index, onClose }: OneIndexProps) {
  return (
    <SqlForm<{ readonly concurrently: boolean }>
      source={source}
      initial={{ concurrently: true }}
      sqlOf={({ concurrently }) => dropIndexSql(table.schema, index.name, concurrently)}
      undoOf={() => restoreIndexSql(index)}
      submit="Drop the index"
      isRemoval
      done={`Index ${index.name} dropped`}
      onDone={onClose}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Text size="sm">
            {index.scans === 0
              ? 'No query has used it since the statistics were reset.'
              : `Queries have used it ${index.scans.toLocaleString('en')} times since the statistics were reset.`}
          </Text>
          <Checkbox
            label="Drop concurrently"
            description="Reads and writes continue meanwhile."
            {...form.getInputProps('concurrently', { type: 'checkbox' })}
          />
        </>
      )}
    </SqlForm>
  );
}
