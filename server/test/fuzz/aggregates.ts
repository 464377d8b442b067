/** Computes aggregates over rows in memory. */
import type { AggregateField } from './request.ts';
import { extreme } from './rows.ts';
import type { Row } from './tables.ts';

export function aggregateOf({ name, columns, distinct }: AggregateField, rows: readonly Row[]): unknown {
  if (name === 'count')
    return columns.length > 1 ? countTuples(columns, distinct, rows) : count(columns[0], distinct, rows);
  return Object.fromEntries(
    columns.map((column) => [
      column,
      aggregated(
        name,
        rows.map((row) => row[column] ?? null),
      ),
    ]),
  );
}

function count(column: string | undefined, distinct: boolean, rows: readonly Row[]): number {
  if (column === undefined) return rows.length;
  const values = rows.map((row) => row[column]).filter((value) => value !== null);
  return distinct ? new Set(values.map((value) => JSON.stringify(value))).size : values.length;
}

/** Counts rows by several columns. Rows with nulls are counted too. */
function countTuples(columns: readonly string[], distinct: boolean, rows: readonly Row[]): number {
  return distinct ? new Set(rows.map((row) => JSON.stringify(columns.map((column) => row[column])))).size : rows.length;
}

function aggregated(name: string, values: readonly unknown[]): unknown {
  if (name === 'min' || name === 'max') return extreme(values, name);
  const numbers = values.filter((value) => value !== null).map(Number);
  const size = numbers.length;
  if (size === 0) return null;
  const sum = numbers.reduce((total, one) => total + one, 0);
  if (name === 'sum') return sum;
  const mean = sum / size;
  if (name === 'avg') return mean;
  const squares = numbers.reduce((total, one) => total + (one - mean) ** 2, 0);
  const ofPopulation = name.endsWith('_pop');
  if (!ofPopulation && size < 2) return null;
  const variance = squares / (ofPopulation ? size : size - 1);
  return name.startsWith('stddev') ? Math.sqrt(variance) : variance;
}
