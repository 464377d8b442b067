/** Names in GraphQL for tables and columns whose database names GraphQL does not permit. Pure. */
import { isGraphqlName, suggestedName } from '@joinery/metadata/graphql-names';
import type { TableConfiguration, TableEntry, TrackedTable, UnnamedColumns } from './sources-api.ts';
import { type TableName, tableKey, tableLabel } from './table-paths.ts';

export interface ColumnNameDraft {
  readonly column: string;
  /** Empty: the column is not in the schema. */
  readonly name: string;
}

export interface TableNameDraft {
  readonly table: TableName;
  /** Undefined for a table whose database name is a GraphQL name. */
  readonly name: string | undefined;
  readonly columns: readonly ColumnNameDraft[];
}

/** Returns `author`, or `shop_author` outside of the schema `public`. It may not be a GraphQL name. */
export function defaultName({ schema, name }: TableName): string {
  return schema === 'public' ? name : `${schema}_${name}`;
}

/** Returns a draft for each of the tables that needs names, with suggestions that no other table or column has. */
export function suggestedNames(
  tables: readonly TableName[],
  unnamed: readonly UnnamedColumns[],
  tracked: readonly Pick<TableEntry, 'table' | 'configuration'>[],
): readonly TableNameDraft[] {
  const columnsOf = new Map(unnamed.map(({ table, columns }) => [tableKey(table), columns]));
  const taken = new Set([
    ...tracked.map(({ table, configuration }) => configuration?.custom_name ?? defaultName(table)),
    ...tables.map(defaultName),
  ]);
  return tables.flatMap((table): TableNameDraft[] => {
    const columns = columnsOf.get(tableKey(table)) ?? [];
    const isNamed = isGraphqlName(defaultName(table));
    if (isNamed && columns.length === 0) return [];
    const takenColumns = new Set<string>();
    return [
      {
        table,
        name: isNamed ? undefined : unused(defaultName(table), taken),
        columns: columns.map((column) => ({ column, name: unused(column, takenColumns) })),
      },
    ];
  });
}

/** Returns a suggestion that is not in `taken`, and adds it. Empty without one. */
function unused(text: string, taken: Set<string>): string {
  const suggested = suggestedName(text);
  if (suggested === undefined) return '';
  let name = suggested;
  for (let number = 2; taken.has(name); number += 1) name = `${suggested}_${number}`;
  taken.add(name);
  return name;
}

/** Returns the messages by field: `tables.0.name`, `tables.0.columns.1`. */
export function nameErrors(drafts: readonly TableNameDraft[]): Record<string, string> {
  const errors: Record<string, string> = {};
  const names = new Map<string, TableName>();
  for (const [index, { table, name, columns }] of drafts.entries()) {
    const error = name === undefined ? undefined : nameError(name.trim(), names.get(name.trim()));
    if (error !== undefined) errors[`tables.${index}.name`] = error;
    if (name !== undefined) names.set(name.trim(), table);
    const seen = new Set<string>();
    for (const [place, { name: written }] of columns.entries()) {
      const column = written.trim();
      if (column === '') continue;
      if (!isGraphqlName(column)) errors[`tables.${index}.columns.${place}`] = invalidName;
      else if (seen.has(column)) errors[`tables.${index}.columns.${place}`] = 'Another column has this name.';
      seen.add(column);
    }
  }
  return errors;
}

/** The error of a name that GraphQL does not permit. */
export const invalidName = 'Letters, digits and underscores, not starting with a digit or "__".';

function nameError(name: string, owner: TableName | undefined): string | undefined {
  if (name === '') return 'Enter a name. Without one the table is in no schema.';
  if (!isGraphqlName(name)) return invalidName;
  return owner === undefined ? undefined : `${tableLabel(owner)} has this name.`;
}

/** Returns the tables with the configuration that gives the names of the drafts. */
export function withNames(tables: readonly TableName[], drafts: readonly TableNameDraft[]): readonly TrackedTable[] {
  const draftOf = new Map(drafts.map((draft) => [tableKey(draft.table), draft]));
  return tables.map((table) => {
    const draft = draftOf.get(tableKey(table));
    if (draft === undefined) return { table };
    const columns = draft.columns.filter(({ name }) => name.trim() !== '');
    const configuration: TableConfiguration = {
      ...(draft.name !== undefined && { custom_name: draft.name.trim() }),
      ...(columns.length > 0 && {
        column_config: Object.fromEntries(columns.map(({ column, name }) => [column, { custom_name: name.trim() }])),
      }),
    };
    return { table, configuration };
  });
}
