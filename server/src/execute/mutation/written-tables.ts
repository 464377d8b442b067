/** The tables that a mutation writes, for the live queries that read them. */
import type { Table } from '../../model/types/table.ts';
import type { RootPlan } from '../../plan/plan/operation.ts';
import { quotedName } from '../../print/printing.ts';
import { readInput } from '../action/handler/handler-input.ts';
import type { ChangedTables } from '../live/changes.ts';

/** Returns the tables of the fields and of their nested rows. Undefined if a function writes, which may change any table. */
export function writtenTables(roots: readonly RootPlan[], variables: Readonly<Record<string, unknown>>): ChangedTables {
  const names = new Set<string>();
  for (const root of roots) {
    if (root.kind !== 'mutation') return undefined;
    const { mutation } = root;
    if (mutation.kind === 'insert') addInserted(mutation.table, readInput(mutation.data, variables), names);
    else names.add(quotedName(mutation.table));
  }
  return names;
}

function addInserted(table: Table, data: unknown, names: Set<string>): void {
  names.add(quotedName(table));
  for (const row of Array.isArray(data) ? data : [data]) {
    for (const [name, value] of Object.entries((row ?? {}) as object)) {
      const nested: unknown = (value as { readonly data?: unknown } | null)?.data;
      const relationship = nested === undefined ? undefined : table.relationships.get(name);
      if (relationship !== undefined) addInserted(relationship.target, nested, names);
    }
  }
}
