/** A list whose rows open details: a table on wide screens, cards on narrow ones. */
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
  /** CSS width. Without it the column shares the remaining width. */
  readonly width?: string;
  /** Name of the sort column. Undefined disables sorting. */
  readonly sortBy?: string;
  /** Rows for which the column is omitted from the card. */
  readonly onlyWide?: (row: Row) => boolean;
  /** Uses a separate line in the card. */
  readonly ownLine?: boolean;
}

interface Chosen<Row> {
  readonly keys: ReadonlySet<string>;
  /** Accessible name of a row. */
  readonly nameOf: (row: Row) => string;
  readonly onChange: (rows: readonly Row[]) => void;
}

interface DataTableProps<Row> {
  /** Accessible name of the list, such as `Pending events`. */
  readonly label: string;
  readonly rows: readonly Row[];
  /** The first column opens the row. */
  readonly columns: readonly [Column<Row>, ...Column<Row>[]];
  readonly keyOf: (row: Row) => string;
  readonly onOpen: (row: Row) => void;
  /** Actions at the end of a row. */
  readonly actions?: (row: Row) => ReactNode;
  /** Enables selection by checkboxes. */
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

/** Opens the row, unless the click hit a control inside it or ended a text selection. */
function openUnlessBusy(open: () => void): (event: MouseEvent<HTMLElement>) => void {
  return (event) => {
    if (event.target instanceof Element && event.target.closest('button, a, input, label') !== null) return;
    // React bubbles clicks in a dialog that is rendered inside of the row, although its DOM is elsewhere.
    if (event.target instanceof Node && !event.currentTarget.contains(event.target)) return;
    if (window.getSelection()?.isCollapsed === false) return;
    open();
  };
}
