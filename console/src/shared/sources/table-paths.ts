/** Paths of the pages of sources and tables, and labels of tables. Pure. */

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

export const tableTabs = ['rows', 'structure', 'relationships', 'permissions', 'triggers'] as const;
export type TableTab = (typeof tableTabs)[number];

export function isTableTab(text: string | null | undefined): text is TableTab {
  return tableTabs.some((one) => one === text);
}

/** Props of a tab. */
export interface TableTabProps {
  readonly source: string;
  readonly table: TableName;
}

/** Path of the tables of a source. */
export function sourcePath(source: string): string {
  return `/data/${encodeURIComponent(source)}`;
}

export function tablePath(source: string, { schema, name }: TableName, tab: TableTab = 'rows'): string {
  return `${sourcePath(source)}/${encodeURIComponent(schema)}/${encodeURIComponent(name)}/${tab}`;
}

/** A value of a column, as text. */
export type ColumnText = readonly [column: string, text: string];

/** Path of the rows whose columns have these values. */
export function rowsPath(source: string, table: TableName, values: readonly ColumnText[]): string {
  const filters = values.map(([column, text]) => [column, 'eq', text]);
  return `${tablePath(source, table)}?where=${encodeURIComponent(JSON.stringify(filters))}`;
}

/** Returns `order`, or `shop.order` outside of the schema `public`. */
export function tableLabel({ schema, name }: TableName): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}

export function sameTable(one: TableName, other: TableName): boolean {
  return one.schema === other.schema && one.name === other.name;
}

/** Returns a unique key of a table. */
export function tableKey({ schema, name }: TableName): string {
  return JSON.stringify([schema, name]);
}
