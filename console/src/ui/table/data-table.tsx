/** A list whose rows open details: a table on wide screens, cards on narrow ones. */
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { linkTo } from '../../router/location.ts';
import { useNarrow } from '../page/use-narrow.ts';
import classes from './data-table.module.css';
import { PlainTable, type Selection, SelectRow } from './plain-table.tsx';
import type { Sorting } from './sorting.ts';

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
  /** Aligns the column to the right. */
  readonly isNumber?: boolean;
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
  /** The path of the page that shows a row. Undefined where details open in a dialog. */
  readonly pathOf?: (row: Row) => string;
  /** Actions at the end of a row. */
  readonly actions?: (row: Row) => ReactNode;
  /** Enables selection by checkboxes. */
  readonly chosen?: Chosen<Row>;
  /** Rows of one line without space between them. */
  readonly isDense?: boolean;
  readonly sorting?: Sorting | undefined;
  readonly onSort?: (sorting: Sorting) => void;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const narrow = useNarrow();
  return <div className={classes.frame}>{narrow ? <Cards {...props} /> : <WideTable {...props} />}</div>;
}

function WideTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, columns, keyOf, onOpen, pathOf, actions, sorting, onSort, isDense = false } = props;
  const [first, ...others] = columns;
  return (
    <PlainTable
      className={`${classes.table} ${isDense ? classes.dense : ''}`}
      layout="fixed"
      horizontalSpacing={isDense ? 'xs' : 'md'}
      aria-label={label}
      rows={rows}
      keyOf={keyOf}
      rowClass={classes.row}
      onRowClick={(row) => openUnlessBusy(() => onOpen(row))}
      selection={selectionOf(props)}
      sorting={sorting}
      onSort={onSort}
      columns={[
        { ...headOf(first), cell: (row) => <Opener row={row} column={first} onOpen={onOpen} pathOf={pathOf} /> },
        ...others.map((column) => ({
          ...headOf(column),
          cell: column.cell,
          cellProps: { className: `${classes.clip} ${column.isNumber === true ? classes.number : ''}` },
        })),
        ...(actions === undefined ? [] : [actionColumn(actions)]),
      ]}
    />
  );
}

function headOf<Row>({ key, header, width, sortBy, isNumber = false }: Column<Row>) {
  const headProps = { ...(width !== undefined && { w: width }), ...(isNumber && { className: classes.number ?? '' }) };
  return { key, header, sortBy, headProps };
}

function actionColumn<Row>(cell: (row: Row) => ReactNode) {
  const header = <VisuallyHidden>Actions</VisuallyHidden>;
  return { key: 'actions', header, cell, headProps: { w: '6.5rem' }, cellProps: { ta: 'end' } } as const;
}

function selectionOf<Row>({ chosen, keyOf }: DataTableProps<Row>): Selection<Row> | undefined {
  return chosen && { ...chosen, has: (row) => chosen.keys.has(keyOf(row)) };
}

function Cards<Row>(props: DataTableProps<Row>) {
  const { label, rows, columns, keyOf, onOpen, pathOf, actions } = props;
  const selection = selectionOf(props);
  const [first, ...others] = columns;
  return (
    <ul className={classes.cards} aria-label={label}>
      {rows.map((row) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a wider target for the mouse; the button inside takes the keys
        <li key={keyOf(row)} className={classes.card} onClick={openUnlessBusy(() => onOpen(row))}>
          <div className={classes.cardHead}>
            {selection !== undefined && <SelectRow row={row} rows={rows} selection={selection} />}
            <div className={classes.grow}>
              <Opener row={row} column={first} onOpen={onOpen} pathOf={pathOf} />
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
  readonly pathOf: ((row: Row) => string) | undefined;
}

function Opener<Row>({ row, column, onOpen, pathOf }: OpenerProps<Row>) {
  if (pathOf !== undefined) {
    return (
      <a className={classes.opener} {...linkTo(pathOf(row))}>
        {column.cell(row)}
      </a>
    );
  }
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
