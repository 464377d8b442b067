/** A table of objects of the database that scrolls sideways, and the buttons of its rows. */
import { Button, Text } from '@mantine/core';
import type { Key, ReactNode } from 'react';
import classes from '../../../ui/table/cells.module.css';
import { type PlainColumn, PlainTable } from '../../../ui/table/plain-table.tsx';
import ownClasses from './structure.module.css';

interface StructureTableProps<Row> {
  /** Name of the region. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => Key;
  readonly columns: readonly PlainColumn<Row>[];
  /** Shown without rows. */
  readonly empty?: string;
}

export function StructureTable<Row>({ label, rows, keyOf, columns, empty = 'None.' }: StructureTableProps<Row>) {
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.scroll} aria-label={label} tabIndex={0} style={{ maxWidth: '100%' }}>
      <PlainTable
        className={classes.grid ?? ''}
        horizontalSpacing="md"
        verticalSpacing={6}
        rows={rows}
        keyOf={keyOf}
        columns={columns}
      />
    </section>
  );
}

/** The column of the names, which are the headers of the rows. */
export function nameColumn<Row extends { readonly name: string }>(header: string): PlainColumn<Row> {
  return {
    key: 'name',
    header,
    isRowHeader: true,
    cellProps: { fw: 500, c: 'var(--mantine-color-text)' },
    cell: ({ name }) => name,
  };
}

export function commentColumn<Row extends { readonly comment: string | null }>(): PlainColumn<Row> {
  return {
    key: 'comment',
    header: 'Comment',
    cellProps: ({ comment }) => ({ className: classes.cell ?? '', title: comment ?? '' }),
    cell: ({ comment }) => comment ?? '–',
  };
}

/** The column of the buttons, which stays in view. */
export function actionsColumn<Row>(cell: (row: Row) => ReactNode): PlainColumn<Row> {
  const props = { className: ownClasses.actions ?? '' };
  return { key: 'actions', header: '', headProps: props, cellProps: props, cell };
}

interface RowButtonProps {
  readonly children: string;
  /** Accessible name. */
  readonly label: string;
  readonly onClick: () => void;
}

export function RowButton({ children, label, onClick }: RowButtonProps) {
  return (
    <Button size="compact-xs" variant="subtle" color="gray" fw={400} aria-label={label} onClick={onClick}>
      {children}
    </Button>
  );
}
