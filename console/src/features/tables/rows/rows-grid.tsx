/** Table of rows: sortable headers, selection, details on the first cell. */
import { Anchor, UnstyledButton } from '@mantine/core';
import { linkTo } from '../../../router/location.ts';
import classes from '../../../ui/table/cells.module.css';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import type { Sorting } from '../../../ui/table/sorting.ts';
import { isNull, type Row, shortText } from '../row-model/row-values.ts';

interface Chosen {
  readonly rows: ReadonlySet<Row>;
  readonly onChange: (rows: ReadonlySet<Row>) => void;
}

interface RowsGridProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Accessible name of a row. */
  readonly nameOf: (row: Row) => string;
  readonly onOpen: (row: Row) => void;
  readonly chosen?: Chosen | undefined;
  readonly sortable?: readonly string[];
  readonly sorting?: Sorting | undefined;
  readonly onSort?: (sorting: Sorting) => void;
  /** Returns the link to the row that a foreign key references. */
  readonly linkOf?: (row: Row, column: string) => string | undefined;
}

export function RowsGrid(props: RowsGridProps) {
  const { label, columns, rows, nameOf, onOpen, chosen, sortable = [], sorting, onSort, linkOf } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.scroll} aria-label={label} tabIndex={0}>
      <PlainTable
        className={classes.grid ?? ''}
        horizontalSpacing="sm"
        verticalSpacing={6}
        aria-label={label}
        rows={rows}
        // Rows without a key have nothing but their place.
        keyOf={(_row, index) => index}
        selection={
          chosen && {
            nameOf,
            has: (row) => chosen.rows.has(row),
            onChange: (selected) => chosen.onChange(new Set(selected)),
          }
        }
        sorting={sorting}
        onSort={onSort}
        columns={columns.map((column, index) => ({
          key: column,
          header: column,
          sortBy: sortable.includes(column) ? column : undefined,
          cellProps: { className: classes.cell ?? '' },
          cell: (row: Row) =>
            index === 0 ? (
              <UnstyledButton
                className={classes.opener}
                aria-haspopup="dialog"
                aria-label={`Open ${nameOf(row)}`}
                onClick={() => onOpen(row)}
              >
                <Value value={row[column]} />
              </UnstyledButton>
            ) : (
              <Cell value={row[column]} to={linkOf?.(row, column)} />
            ),
        }))}
      />
    </section>
  );
}

function Cell({ value, to }: { readonly value: unknown; readonly to: string | undefined }) {
  if (to === undefined) return <Value value={value} />;
  return (
    <Anchor {...linkTo(to)} inherit>
      {shortText(value)}
    </Anchor>
  );
}

/** Maximum length of a value. Details show it completely. */
const SHOWN = 200;

function Value({ value }: { readonly value: unknown }) {
  if (isNull(value)) return <span className={classes.null}>null</span>;
  if (value === '') return <span className={classes.null}>empty</span>;
  const text = shortText(value);
  return <span className={typeof value === 'object' ? classes.json : ''}>{text.slice(0, SHOWN)}</span>;
}
