/** Columns of a table with their names in GraphQL. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { isGraphqlName } from '@joinery/metadata/graphql-names';
import { Anchor, Button, Group, Text, UnstyledButton } from '@mantine/core';
import { Fragment, useState } from 'react';
import { linkTo } from '../../../router/location.ts';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { tableLabel, tablePath } from '../../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { PlusIcon } from '../../../ui/page/icons.tsx';
import { Section } from '../../../ui/page/section.tsx';
import classes from '../../../ui/table/cells.module.css';
import type { PlainColumn } from '../../../ui/table/plain-table.tsx';
import { ColumnDialog } from '../columns/column-dialog.tsx';
import { columnConfig } from '../columns/table-configuration.ts';
import { filledBy } from '../table-text.ts';
import { AddColumnForm, ChangeColumnForm, DropColumnForm } from './forms/column-forms.tsx';
import { actionsColumn, RowButton, StructureTable } from './structure-table.tsx';

interface ColumnsSectionProps {
  readonly source: string;
  readonly info: TableInfo;
  /** Undefined for a table that is not tracked. */
  readonly entry: TableEntry | undefined;
}

type Open =
  | { readonly form: 'add' }
  | { readonly form: 'change'; readonly column: ColumnInfo }
  | { readonly form: 'drop'; readonly column: ColumnInfo };

export function ColumnsSection({ source, info, entry }: ColumnsSectionProps) {
  const [open, setOpen] = useState<Open>();
  const [named, setNamed] = useState<string>();
  const close = (): void => setOpen(undefined);
  const { table, kind } = info;
  const isView = kind === 'view' || kind === 'materialized_view';
  return (
    <Section title="Columns">
      <StructureTable
        label={`Columns of ${tableLabel(table)}`}
        rows={info.columns}
        keyOf={({ name }) => name}
        columns={[...columnsOf(source, info, entry, setOpen, setNamed), ...(isView ? [] : [dropOf(setOpen)])]}
      />
      <Group mt="xs">
        {isView ? (
          <Text size="sm" c="dimmed">
            The SQL of the view determines its columns.
          </Text>
        ) : (
          <Button
            size="xs"
            variant="default"
            leftSection={<PlusIcon size={14} />}
            onClick={() => setOpen({ form: 'add' })}
          >
            Add a column
          </Button>
        )}
      </Group>
      <DetailDrawer subject={open} title={titleOf} size="form" onClose={close}>
        {(shown) => {
          if (shown.form === 'add') return <AddColumnForm source={source} table={table} onClose={close} />;
          const { column } = shown;
          return shown.form === 'change' ? (
            <ChangeColumnForm source={source} table={table} kind={kind} column={column} onClose={close} />
          ) : (
            <DropColumnForm source={source} table={table} column={column.name} onClose={close} />
          );
        }}
      </DetailDrawer>
      {entry !== undefined && (
        <ColumnDialog source={source} entry={entry} column={named} onClose={() => setNamed(undefined)} />
      )}
    </Section>
  );
}

function titleOf(open: Open): string {
  if (open.form === 'add') return 'Add a column';
  return open.form === 'change' ? `Column ${open.column.name}` : `Drop column ${open.column.name}`;
}

const clipped = { className: classes.cell ?? '' };

function columnsOf(
  source: string,
  info: TableInfo,
  entry: TableEntry | undefined,
  onOpen: (open: Open) => void,
  onName: (column: string) => void,
): readonly PlainColumn<ColumnInfo>[] {
  const filled = (column: ColumnInfo): string => filledBy(column).join(', ');
  return [
    {
      key: 'name',
      header: 'Column',
      isRowHeader: true,
      cellProps: { ...clipped, fw: 500, c: 'var(--mantine-color-text)' },
      cell: (column) => (
        <UnstyledButton
          className={classes.opener}
          aria-haspopup="dialog"
          aria-label={`Change column ${column.name}`}
          onClick={() => onOpen({ form: 'change', column })}
        >
          {column.name}
        </UnstyledButton>
      ),
    },
    { key: 'type', header: 'Type', cellProps: clipped, cell: ({ sql_type }) => sql_type },
    { key: 'nullable', header: 'Nullable', cell: ({ nullable }) => (nullable ? 'yes' : 'no') },
    {
      key: 'filled',
      header: 'Default',
      cellProps: (column) => ({ ...clipped, title: filled(column) }),
      cell: (column) => (filled(column) === '' ? '–' : filled(column)),
    },
    {
      key: 'key',
      header: 'Key',
      cellProps: clipped,
      cell: ({ name }) => <Keys source={source} column={name} info={info} />,
    },
    ...(entry === undefined ? [] : [namedColumn(entry, onName)]),
    {
      key: 'comment',
      header: 'Comment',
      cellProps: ({ comment }) => ({ ...clipped, title: comment ?? '' }),
      cell: ({ name, comment }) => columnConfig(entry?.configuration, name).comment ?? comment ?? '–',
    },
  ];
}

function namedColumn(entry: TableEntry, onName: (column: string) => void): PlainColumn<ColumnInfo> {
  return {
    key: 'graphql',
    header: 'In GraphQL',
    cellProps: clipped,
    cell: ({ name }) => {
      const custom = columnConfig(entry.configuration, name).custom_name ?? undefined;
      const isMissing = custom === undefined && !isGraphqlName(name);
      const shown = isMissing ? 'not in the schema' : (custom ?? 'same name');
      return (
        <UnstyledButton
          className={classes.opener}
          aria-haspopup="dialog"
          aria-label={`${shown}: edit the GraphQL name of ${name}`}
          onClick={() => onName(name)}
        >
          <Text span inherit fw={400} c={isMissing ? 'red' : custom === undefined ? 'dimmed' : 'inherit'}>
            {shown}
          </Text>
        </UnstyledButton>
      );
    },
  };
}

function dropOf(onOpen: (open: Open) => void): PlainColumn<ColumnInfo> {
  return actionsColumn((column) => (
    <RowButton label={`Drop column ${column.name}`} onClick={() => onOpen({ form: 'drop', column })}>
      Drop
    </RowButton>
  ));
}

interface KeysProps {
  readonly source: string;
  readonly column: string;
  readonly info: TableInfo;
}

/** The keys that contain the column. Foreign keys are links to the tables that they reference. */
function Keys({ source, column, info: { primary_key, unique_keys, foreign_keys } }: KeysProps) {
  const plain = [
    ...(primary_key?.includes(column) === true ? ['primary'] : []),
    ...(unique_keys.some((key) => key.includes(column)) ? ['unique'] : []),
  ];
  const references = foreign_keys.filter(({ columns }) => Object.hasOwn(columns, column));
  if (plain.length === 0 && references.length === 0) return '–';
  return (
    <>
      {plain.join(', ')}
      {references.map(({ constraint, columns, table }, index) => (
        <Fragment key={constraint}>
          {(index > 0 || plain.length > 0) && ', '}
          <Anchor inherit {...linkTo(tablePath(source, table, 'structure'))}>
            → {tableLabel(table)}.{columns[column]}
          </Anchor>
        </Fragment>
      ))}
    </>
  );
}
