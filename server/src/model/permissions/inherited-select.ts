/** Combines select permissions of several roles: a role sees each row and each cell that one of its parents sees. */

import { anyOf, isEveryRow } from '../predicate/combinators.ts';
import type { Cells, Column, ComputedField, Predicate, SelectAccess, Table } from '../types/table.ts';
import { queryRoots, subscriptionRoots } from './access.ts';

/** The combined access; undefined if `parents` is empty. */
export function inheritSelect(table: Table, parents: readonly SelectAccess[]): SelectAccess | undefined {
  const [first] = parents;
  if (first === undefined) return undefined;
  if (parents.length === 1) return first;
  const columns = new Set(parents.flatMap((parent) => [...parent.columns]));
  const aggregations = parents.some((parent) => parent.aggregations);
  const computedFields = new Set(parents.flatMap((parent) => [...(parent.computedFields ?? [])]));
  const { cells, partlyGranted } = cellsOf(columns, computedFields, parents);
  const limits = parents.flatMap(({ limit }) => limit ?? []);
  return {
    columns,
    computedFields,
    filter: anyOf(parents.map(({ filter }) => filter)),
    ...(cells.size > 0 && { cells }),
    ...(partlyGranted.size > 0 && { partlyGranted }),
    limit: limits.length === parents.length ? Math.max(...limits) : undefined,
    aggregations,
    queryRoots: rootsOf(
      queryRoots(table, columns, aggregations),
      parents.map((parent) => ({ shown: parent.queryRoots, possible: possible(queryRoots, table, parent) })),
    ),
    subscriptionRoots: rootsOf(
      subscriptionRoots(table, columns, aggregations, cells),
      parents.map((parent) => ({
        shown: parent.subscriptionRoots,
        possible: possible(subscriptionRoots, table, parent),
      })),
    ),
  };
}

/** The columns that some parent does not grant in all of its rows, and the condition under which a cell of them is visible, if any. */
function cellsOf(
  columns: ReadonlySet<Column>,
  computedFields: ReadonlySet<ComputedField>,
  parents: readonly SelectAccess[],
): { readonly cells: Cells; readonly partlyGranted: ReadonlySet<Column> } {
  const cells = new Map<Column, Predicate>();
  const partlyGranted = new Set<Column>();
  // Columns that the same parents grant share one condition, so that it is printed once.
  const known: { readonly parts: readonly Predicate[]; readonly where: Predicate }[] = [];
  const whereAny = (parts: readonly Predicate[]): Predicate => {
    const same = known.find(
      (one) => one.parts.length === parts.length && one.parts.every((part, at) => part === parts[at]),
    );
    if (same !== undefined) return same.where;
    const where = anyOf(parts);
    known.push({ parts, where });
    return where;
  };
  const grant = (column: Column, granted: readonly SelectAccess[]): void => {
    const partly = granted.some((parent) => parent.partlyGranted?.has(column));
    if (granted.length === parents.length && !partly) return;
    partlyGranted.add(column);
    const where = whereAny(granted.map((parent) => parent.cells?.get(column) ?? parent.filter));
    if (!isEveryRow(where)) cells.set(column, where);
  };
  for (const column of columns) {
    grant(
      column,
      parents.filter((parent) => parent.columns.has(column)),
    );
  }
  for (const field of computedFields) {
    if (field.result.kind !== 'scalar') continue;
    grant(
      field.result.column,
      parents.filter((parent) => parent.computedFields?.has(field)),
    );
  }
  return { cells, partlyGranted };
}

type Possible<Kind> = (
  table: Table,
  columns: ReadonlySet<Column>,
  aggregations: boolean,
  cells?: Cells,
) => ReadonlySet<Kind>;

function possible<Kind>(roots: Possible<Kind>, table: Table, parent: SelectAccess): ReadonlySet<Kind> {
  return roots(table, parent.columns, parent.aggregations, parent.cells);
}

/** The root fields of all parents, and those that are possible only for the combination of the parents. */
function rootsOf<Kind>(
  now: ReadonlySet<Kind>,
  parents: readonly { readonly shown: ReadonlySet<Kind>; readonly possible: ReadonlySet<Kind> }[],
): ReadonlySet<Kind> {
  const roots = [...now].filter(
    (root) => parents.some(({ shown }) => shown.has(root)) || parents.every((parent) => !parent.possible.has(root)),
  );
  return new Set(roots);
}
