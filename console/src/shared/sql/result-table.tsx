/** Rows of a result as text, by column position, as column names can repeat. */
import { Table } from '@mantine/core';
import classes from '../../ui/table/cells.module.css';

interface ResultTableProps {
  readonly columns: readonly string[];
  readonly values: readonly (readonly string[])[];
}

export function ResultTable({ columns, values }: ResultTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={`${classes.scroll} ${classes.result}`} aria-label="Result" tabIndex={0}>
      <Table className={classes.grid} horizontalSpacing="sm" verticalSpacing={5} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have nothing but their place
              <Table.Th key={place}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {values.map((row, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have nothing but their place
            <Table.Tr key={number}>
              {row.map((value, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have nothing but their place
                <Table.Td key={place} className={classes.cell ?? ''} title={value.length > 30 ? value : undefined}>
                  {value === 'NULL' ? <span className={classes.null}>NULL</span> : value.slice(0, 500)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
