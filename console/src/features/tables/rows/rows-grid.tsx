/** Table of rows: sortable headers, selection, details on the first cell. */
import { Anchor, Checkbox, Table, UnstyledButton } from '@mantine/core';
import { linkTo } from '../../../router/location.ts';
import { SortedDownIcon, SortedUpIcon } from '../../../ui/page/icons.tsx';
import classes from '../../../ui/table/cells.module.css';
import { type Sorting, turned } from '../../../ui/table/sorting.ts';
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
  const { label, columns, rows, chosen } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.scroll} aria-label={label} tabIndex={0}>
      <Table className={classes.grid} horizontalSpacing="sm" verticalSpacing={6} aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {chosen !== undefined && (
              <Table.Th w="2.25rem" pe={0}>
                <ChooseAll rows={rows} chosen={chosen} />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Header key={column} column={column} {...props} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows without a key have nothing but their place
            <RowCells key={index} row={row} {...props} />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Header({
  column,
  sortable = [],
  sorting,
  onSort,
}: Pick<RowsGridProps, 'sortable' | 'sorting' | 'onSort'> & { readonly column: string }) {
  if (onSort === undefined || !sortable.includes(column)) return <Table.Th>{column}</Table.Th>;
  const direction = sorting?.by === column ? sorting.direction : undefined;
  return (
    <Table.Th aria-sort={direction === undefined ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}>
      <UnstyledButton className={classes.sort} onClick={() => onSort(turned(sorting, column))}>
        {column}
        {direction === 'asc' && <SortedUpIcon size={14} />}
        {direction === 'desc' && <SortedDownIcon size={14} />}
      </UnstyledButton>
    </Table.Th>
  );
}

function RowCells({ row, columns, nameOf, onOpen, chosen, linkOf }: RowsGridProps & { readonly row: Row }) {
  return (
    <Table.Tr {...(chosen?.rows.has(row) === true && { 'data-chosen': true })}>
      {chosen !== undefined && (
        <Table.Td pe={0}>
          <Checkbox
            size="xs"
            aria-label={`Choose ${nameOf(row)}`}
            checked={chosen.rows.has(row)}
            onChange={(event) => {
              const next = new Set(chosen.rows);
              if (event.currentTarget.checked) next.add(row);
              else next.delete(row);
              chosen.onChange(next);
            }}
          />
        </Table.Td>
      )}
      {columns.map((column, index) => (
        <Table.Td key={column} className={classes.cell ?? ''}>
          {index === 0 ? (
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
          )}
        </Table.Td>
      ))}
    </Table.Tr>
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

function ChooseAll({ rows, chosen }: { readonly rows: readonly Row[]; readonly chosen: Chosen }) {
  const all = rows.length > 0 && rows.every((row) => chosen.rows.has(row));
  return (
    <Checkbox
      size="xs"
      aria-label="Choose all on this page"
      checked={all}
      indeterminate={!all && chosen.rows.size > 0}
      onChange={() => chosen.onChange(new Set(all ? [] : rows))}
    />
  );
}
