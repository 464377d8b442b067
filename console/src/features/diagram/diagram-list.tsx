/** The diagram as text: each table with its relationships. */
import { Anchor, Paper, Text } from '@mantine/core';
import { linkTo } from '../../router/location.ts';
import { tableLabel, tablePath } from '../../shared/sources/table-paths.ts';
import classes from './diagram.module.css';
import type { Diagram, DiagramTable } from './diagram-model.ts';

interface DiagramListProps {
  readonly source: string;
  readonly diagram: Diagram;
  /** The tables to list. */
  readonly tables: readonly DiagramTable[];
}

export function DiagramList({ source, diagram, tables }: DiagramListProps) {
  return (
    <Paper withBorder px="md" bg="var(--joinery-surface)">
      <ul className={classes.list} aria-label={`Tables of ${source}`}>
        {tables.map((table) => (
          <li key={table.key}>
            <Anchor fw={600} underline="hover" {...linkTo(tablePath(source, table.table, 'relationships'))}>
              {tableLabel(table.table)}
            </Anchor>
            <Text span size="xs" c="dimmed" ms="xs">
              {table.columns.map(({ name }) => name).join(', ')}
            </Text>
            <Ways diagram={diagram} table={table} />
          </li>
        ))}
      </ul>
    </Paper>
  );
}

function Ways({ diagram, table }: { readonly diagram: Diagram; readonly table: DiagramTable }) {
  const nameOf = (key: string) => {
    const found = diagram.tables.find((one) => one.key === key);
    return found === undefined ? '' : tableLabel(found.table);
  };
  const ways = diagram.lines.flatMap(({ from, to, pairs, there, back }) => [
    ...(from === table.key && there !== undefined ? [{ ...there, target: nameOf(to), pairs }] : []),
    ...(to === table.key && back !== undefined
      ? [{ ...back, target: nameOf(from), pairs: pairs.map(([a, b]) => [b, a] as const) }]
      : []),
  ]);
  if (ways.length === 0 && table.elsewhere.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No relationships.
      </Text>
    );
  }
  return (
    <ul className={classes.ways}>
      {ways.map(({ name, type, target, pairs }) => (
        <li key={name}>
          {name}: {type === 'array' ? 'many rows' : 'one row'} of {target}
          {pairs.length > 0 && `, where ${pairs.map(([own, other]) => `${own} = ${other}`).join(' and ')}`}
        </li>
      ))}
      {table.elsewhere.map((name) => (
        <li key={name}>{name}: to another source</li>
      ))}
    </ul>
  );
}
