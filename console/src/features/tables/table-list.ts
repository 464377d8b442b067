/** The list of database and tracked tables: search and order. Pure. */
import type { TableEntry } from '../../shared/sources/sources-api.ts';
import { type TableName, tableKey, tableLabel } from '../../shared/sources/table-paths.ts';

/** `missing`: tracked, but not in the database. `inconsistent`: tracked, but in no schema for another reason. */
export type TableState = 'tracked' | 'untracked' | 'missing' | 'inconsistent';

export interface ListedTable {
  readonly table: TableName;
  readonly state: TableState;
  /** The table in the metadata when it is tracked. */
  readonly entry: TableEntry | undefined;
  /** Why the table is inconsistent. */
  readonly problem?: string;
}

export const stateChoices = ['all', 'tracked', 'untracked'] as const;
export type StateChoice = (typeof stateChoices)[number];

export interface TableSearch {
  readonly text: string;
  readonly state: StateChoice;
  /** Undefined for all schemas. */
  readonly schema: string | undefined;
}

export function readTableSearch(search: URLSearchParams): TableSearch {
  const state = search.get('show');
  return {
    text: search.get('search') ?? '',
    state: stateChoices.find((one) => one === state) ?? 'all',
    schema: search.get('schema') ?? undefined,
  };
}

/** Lists tables by schema, `public` first, and name. `problems` by `tableKey`. */
export function listTables(
  found: readonly TableName[],
  entries: readonly TableEntry[],
  problems: ReadonlyMap<string, string> = new Map(),
): readonly ListedTable[] {
  const known = new Map(entries.map((entry) => [tableKey(entry.table), entry]));
  const there = new Set(found.map(tableKey));
  const missing = entries.filter(({ table }) => !there.has(tableKey(table)));
  const listed = [
    ...found.map((table): ListedTable => {
      const entry = known.get(tableKey(table));
      const problem = problems.get(tableKey(table));
      if (entry === undefined) return { table, entry, state: 'untracked' };
      return problem === undefined
        ? { table, entry, state: 'tracked' }
        : { table, entry, state: 'inconsistent', problem };
    }),
    ...missing.map((entry): ListedTable => ({ table: entry.table, entry, state: 'missing' })),
  ];
  return listed.sort((one, other) => compare(rank(one), rank(other)));
}

function rank({ table: { schema, name } }: ListedTable): string {
  return `${schema === 'public' ? 0 : 1}\0${schema}\0${name}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Filters tables whose name contains all words of the text. */
export function searchTables(tables: readonly ListedTable[], search: TableSearch): readonly ListedTable[] {
  const terms = search.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return tables.filter(
    ({ table, state }) =>
      (search.schema === undefined || table.schema === search.schema) &&
      (search.state === 'all' || (search.state === 'untracked') === (state === 'untracked')) &&
      terms.every((word) => tableLabel(table).toLowerCase().includes(word)),
  );
}

/** Returns the number of tables by schema, in list order. */
export function schemasOf(tables: readonly ListedTable[]): ReadonlyMap<string, number> {
  const schemas = new Map<string, number>();
  for (const { table } of tables) schemas.set(table.schema, (schemas.get(table.schema) ?? 0) + 1);
  return schemas;
}

/** Formats `2 relationships, 3 roles`. Empty without either. */
export function summaryOf(entry: TableEntry | undefined): string {
  if (entry === undefined) return '';
  const { object_relationships = [], array_relationships = [], remote_relationships = [] } = entry;
  const relationships = object_relationships.length + array_relationships.length + remote_relationships.length;
  const permissions = [
    entry.select_permissions,
    entry.insert_permissions,
    entry.update_permissions,
    entry.delete_permissions,
  ].flatMap((list = []) => list.map(({ role }) => role));
  const roles = new Set(permissions).size;
  return [
    ...(relationships === 0 ? [] : [`${relationships} relationship${relationships === 1 ? '' : 's'}`]),
    ...(roles === 0 ? [] : [`${roles} role${roles === 1 ? '' : 's'}`]),
  ].join(', ');
}
