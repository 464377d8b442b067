/** Rows of a result as text, by column position, as column names can repeat. */
import classes from '../../ui/table/cells.module.css';
import { PlainTable } from '../../ui/table/plain-table.tsx';

interface ResultTableProps {
  readonly columns: readonly string[];
  readonly values: readonly (readonly string[])[];
}

export function ResultTable({ columns, values }: ResultTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`${classes.scroll} ${classes.result}`} aria-label="Result" tabIndex={0}>
      <PlainTable
        className={classes.grid ?? ''}
        horizontalSpacing="sm"
        verticalSpacing={5}
        stickyHeader
        rows={values}
        // Rows and columns have nothing but their place.
        keyOf={(_row, number) => number}
        columns={columns.map((column, place) => ({
          key: place,
          header: column,
          cellProps: (row: readonly string[]) => ({ className: classes.cell ?? '', ...titleOf(row[place] ?? '') }),
          cell: (row: readonly string[]) => <Value value={row[place] ?? ''} />,
        }))}
      />
    </section>
  );
}

function titleOf(value: string): { readonly title?: string } {
  return value.length > 30 ? { title: value } : {};
}

function Value({ value }: { readonly value: string }) {
  return value === 'NULL' ? <span className={classes.null}>NULL</span> : value.slice(0, 500);
}
