/** A list whose rows open to their details: a table where there is room, cards where there is not. */
import { Checkbox, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { SortedDownIcon, SortedUpIcon } from '../page/icons.tsx';
import { useNarrow } from '../page/use-narrow.ts';
import classes from './data-table.module.css';
import { type Sorting, turned } from './sorting.ts';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** CSS width; without one the column shares what is left. */
  readonly width?: string;
  /** The rows can be sorted by the column of this name. */
  readonly sortBy?: string;
  /** Left out of a card. */
  readonly onlyWide?: (row: Row) => boolean;
  /** Takes a line of its own in a card. */
  readonly ownLine?: boolean;
}

interface Chosen<Row> {
  readonly keys: ReadonlySet<string>;
  /** What a row is called where it can only be heard. */
  readonly nameOf: (row: Row) => string;
  readonly onChange: (rows: readonly Row[]) => void;
}

interface DataTableProps<Row> {
  /** What the rows are, such as `Pending events`. */
  readonly label: string;
  readonly rows: readonly Row[];
  /** The first is the one that opens the row. */
  readonly columns: readonly [Column<Row>, ...Column<Row>[]];
  readonly keyOf: (row: Row) => string;
  readonly onOpen: (row: Row) => void;
  /** Buttons at the end of a row. */
  readonly actions?: (row: Row) => ReactNode;
  /** Rows can be chosen, by a box before each. */
  readonly chosen?: Chosen<Row>;
  readonly sorting?: Sorting | undefined;
  readonly onSort?: (sorting: Sorting) => void;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const narrow = useNarrow();
  return <div className={classes.frame}>{narrow ? <Cards {...props} /> : <WideTable {...props} />}</div>;
}

function WideTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, columns, keyOf, onOpen, actions, chosen } = props;
  const [first, ...others] = columns;
  return (
    <Table className={classes.table} layout="fixed" horizontalSpacing="md" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {chosen !== undefined && (
            <Table.Th w="2.75rem" pe={0}>
              <ChooseAll rows={rows} chosen={chosen} />
            </Table.Th>
          )}
          {columns.map((column) => (
            <HeaderCell key={column.key} column={column} {...props} />
          ))}
          {actions !== undefined && (
            <Table.Th w="6.5rem">
              <VisuallyHidden>Actions</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)} className={classes.row} onClick={openUnlessBusy(() => onOpen(row))}>
            {chosen !== undefined && (
              <Table.Td pe={0}>
                <ChooseOne row={row} rows={rows} keyOf={keyOf} chosen={chosen} />
              </Table.Td>
            )}
            <Table.Td>
              <Opener row={row} column={first} onOpen={onOpen} />
            </Table.Td>
            {others.map((column) => (
              <Table.Td key={column.key} className={classes.clip}>
                {column.cell(row)}
              </Table.Td>
            ))}
            {actions !== undefined && <Table.Td ta="end">{actions(row)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface HeaderCellProps<Row> extends Pick<DataTableProps<Row>, 'sorting' | 'onSort'> {
  readonly column: Column<Row>;
}

function HeaderCell<Row>({ column, sorting, onSort }: HeaderCellProps<Row>) {
  const { header, width, sortBy } = column;
  if (sortBy === undefined || onSort === undefined) return <Table.Th {...(width && { w: width })}>{header}</Table.Th>;
  const direction = sorting?.by === sortBy ? sorting.direction : undefined;
  return (
    <Table.Th
      {...(width && { w: width })}
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

function Cards<Row>({ label, rows, columns, keyOf, onOpen, actions, chosen }: DataTableProps<Row>) {
  const [first, ...others] = columns;
  return (
    <ul className={classes.cards} aria-label={label}>
      {rows.map((row) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a wider target for the mouse; the button inside takes the keys
        <li key={keyOf(row)} className={classes.card} onClick={openUnlessBusy(() => onOpen(row))}>
          <div className={classes.cardHead}>
            {chosen !== undefined && <ChooseOne row={row} rows={rows} keyOf={keyOf} chosen={chosen} />}
            <div className={classes.grow}>
              <Opener row={row} column={first} onOpen={onOpen} />
            </div>
            {actions?.(row)}
          </div>
          <dl className={classes.facts}>
            {others.map(
              (column) =>
                column.onlyWide?.(row) !== true && (
                  <Fact key={column.key} name={column.header} ownLine={column.ownLine === true}>
                    {column.cell(row)}
                  </Fact>
                ),
            )}
          </dl>
        </li>
      ))}
    </ul>
  );
}

interface ChooseOneProps<Row> {
  readonly row: Row;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly chosen: Chosen<Row>;
}

function ChooseOne<Row>({ row, rows, keyOf, chosen }: ChooseOneProps<Row>) {
  const key = keyOf(row);
  return (
    <Checkbox
      size="xs"
      aria-label={`Choose ${chosen.nameOf(row)}`}
      checked={chosen.keys.has(key)}
      onChange={(event) => {
        const on = event.currentTarget.checked;
        chosen.onChange(rows.filter((one) => (keyOf(one) === key ? on : chosen.keys.has(keyOf(one)))));
      }}
    />
  );
}

function ChooseAll<Row>({ rows, chosen }: Pick<ChooseOneProps<Row>, 'rows' | 'chosen'>) {
  const all = rows.length > 0 && chosen.keys.size === rows.length;
  return (
    <Checkbox
      size="xs"
      aria-label="Choose all on this page"
      checked={all}
      indeterminate={!all && chosen.keys.size > 0}
      onChange={() => chosen.onChange(all ? [] : rows)}
    />
  );
}

interface FactProps {
  readonly name: string;
  readonly ownLine: boolean;
  readonly children: ReactNode;
}

function Fact({ name, ownLine, children }: FactProps) {
  return (
    <div className={`${classes.fact} ${ownLine ? classes.ownLine : ''}`}>
      <dt>{name}</dt>
      <dd className={classes.clip}>{children}</dd>
    </div>
  );
}

interface OpenerProps<Row> {
  readonly row: Row;
  readonly column: Column<Row>;
  readonly onOpen: (row: Row) => void;
}

function Opener<Row>({ row, column, onOpen }: OpenerProps<Row>) {
  return (
    <UnstyledButton className={classes.opener} aria-haspopup="dialog" onClick={() => onOpen(row)}>
      {column.cell(row)}
    </UnstyledButton>
  );
}

/** Not where the click was for something inside the row, or the end of marking text. */
function openUnlessBusy(open: () => void): (event: MouseEvent<HTMLElement>) => void {
  return (event) => {
    if (event.target instanceof Element && event.target.closest('button, a, input, label') !== null) return;
    // A dialog opened from inside the row is no part of it on the page, but its clicks come by here all the same.
    if (event.target instanceof Node && !event.currentTarget.contains(event.target)) return;
    if (window.getSelection()?.isCollapsed === false) return;
    open();
  };
}
