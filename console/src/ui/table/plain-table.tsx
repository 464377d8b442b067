/** A table by columns: cells, row headers, sortable headers and selection. All tables of the console are built with it. */
import { Checkbox, Table, type TableProps, type TableTdProps, type TableThProps, UnstyledButton } from '@mantine/core';
import type { Key, MouseEventHandler, ReactNode } from 'react';
import { SortedDownIcon, SortedUpIcon } from '../page/icons.tsx';
import classes from './plain-table.module.css';
import { type Sorting, turned } from './sorting.ts';

type CellProps = Omit<TableTdProps, 'classNames' | 'styles' | 'vars' | 'attributes'>;

export interface PlainColumn<Row> {
  readonly key: Key;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Aligns numbers at the right, with digits of equal width. */
  readonly isNumber?: boolean | undefined;
  /** Whether the cells are headers of their rows. */
  readonly isRowHeader?: boolean;
  /** Name of the sort column. Undefined disables sorting. */
  readonly sortBy?: string | undefined;
  readonly headProps?: TableThProps;
  readonly cellProps?: CellProps | ((row: Row) => CellProps);
}

export interface Selection<Row> {
  readonly has: (row: Row) => boolean;
  /** Accessible name of a row. */
  readonly nameOf: (row: Row) => string;
  readonly onChange: (rows: readonly Row[]) => void;
}

interface PlainTableProps<Row> extends Omit<TableProps, 'data' | 'children'> {
  readonly rows: readonly Row[];
  readonly columns: readonly PlainColumn<Row>[];
  readonly keyOf: (row: Row, index: number) => Key;
  /** Enables selection by checkboxes. */
  readonly selection?: Selection<Row> | undefined;
  readonly sorting?: Sorting | undefined;
  readonly onSort?: ((sorting: Sorting) => void) | undefined;
  readonly rowClass?: string | undefined;
  readonly onRowClick?: (row: Row) => MouseEventHandler<HTMLElement>;
  /** A last row. */
  readonly footer?: ReactNode;
}

export function PlainTable<Row>(props: PlainTableProps<Row>) {
  const { rows, columns, keyOf, selection, sorting, onSort, rowClass, onRowClick, footer, ...table } = props;
  return (
    <Table {...table}>
      <Table.Thead>
        <Table.Tr>
          {selection !== undefined && (
            <Table.Th w="2.5rem" pe={0}>
              <SelectAll rows={rows} selection={selection} />
            </Table.Th>
          )}
          {columns.map((column) => (
            <HeaderCell key={column.key} column={column} sorting={sorting} onSort={onSort} />
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, index) => (
          <Table.Tr
            key={keyOf(row, index)}
            {...(rowClass !== undefined && { className: rowClass })}
            {...(onRowClick && { onClick: onRowClick(row) })}
            {...(selection?.has(row) === true && { 'data-chosen': true })}
          >
            {selection !== undefined && (
              <Table.Td pe={0}>
                <SelectRow row={row} rows={rows} selection={selection} />
              </Table.Td>
            )}
            {columns.map((column) => (
              <Cell key={column.key} column={column} row={row} />
            ))}
          </Table.Tr>
        ))}
        {footer}
      </Table.Tbody>
    </Table>
  );
}

interface HeaderCellProps<Row> extends Pick<PlainTableProps<Row>, 'sorting' | 'onSort'> {
  readonly column: PlainColumn<Row>;
}

function HeaderCell<Row>({ column, sorting, onSort }: HeaderCellProps<Row>) {
  const { header, sortBy } = column;
  const headProps = column.isNumber === true ? { ...column.headProps, ta: 'end' as const } : column.headProps;
  if (sortBy === undefined || onSort === undefined) return <Table.Th {...headProps}>{header}</Table.Th>;
  const direction = sorting?.by === sortBy ? sorting.direction : undefined;
  return (
    <Table.Th
      {...headProps}
      aria-sort={direction === undefined ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}
    >
      <UnstyledButton className={classes.sort} onClick={() => onSort(turned(sorting, sortBy))}>
        {header}
        {direction === 'asc' && <SortedUpIcon size={14} />}
        {direction === 'desc' && <SortedDownIcon size={14} />}
      </UnstyledButton>
    </Table.Th>
  );
}

function Cell<Row>({ column, row }: { readonly column: PlainColumn<Row>; readonly row: Row }) {
  const { cell, isRowHeader = false, isNumber = false, cellProps } = column;
  const own = typeof cellProps === 'function' ? cellProps(row) : cellProps;
  const props = isNumber ? { ...own, className: `${own?.className ?? ''} ${classes.number}` } : own;
  if (!isRowHeader) return <Table.Td {...props}>{cell(row)}</Table.Td>;
  return (
    <Table.Th scope="row" {...props}>
      {cell(row)}
    </Table.Th>
  );
}

interface SelectRowProps<Row> {
  readonly row: Row;
  readonly rows: readonly Row[];
  readonly selection: Selection<Row>;
}

export function SelectRow<Row>({ row, rows, selection }: SelectRowProps<Row>) {
  return (
    <Checkbox
      size="xs"
      aria-label={`Choose ${selection.nameOf(row)}`}
      checked={selection.has(row)}
      onChange={(event) => {
        const on = event.currentTarget.checked;
        selection.onChange(rows.filter((one) => (one === row ? on : selection.has(one))));
      }}
    />
  );
}

function SelectAll<Row>({ rows, selection }: Pick<SelectRowProps<Row>, 'rows' | 'selection'>) {
  const count = rows.filter(selection.has).length;
  const all = rows.length > 0 && count === rows.length;
  return (
    <Checkbox
      size="xs"
      aria-label="Choose all on this page"
      checked={all}
      indeterminate={!all && count > 0}
      onChange={() => selection.onChange(all ? [] : rows)}
    />
  );
}
