/** Searches the rows that a foreign key can reference. Pure. */
import type { ColumnInfo, ForeignKey, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { familyOf, isReadable } from './column-family.ts';
import { type Drafts, draftsOf, parseValue, type Row, shortText } from './row-values.ts';
import type { RowsQuery } from './rows-api.ts';

/** Rows of a search. All values of an enum table should fit. */
const FOUND = 100;
/** Text columns that are searched and shown. */
const SHOWN = 3;

/** Returns the columns that describe a row to users. */
function describing({ columns }: Pick<TableInfo, 'columns'>, keys: readonly string[]): readonly ColumnInfo[] {
  return columns
    .filter((column) => !keys.includes(column.name) && isReadable(column) && familyOf(column) === 'text')
    .slice(0, SHOWN);
}

/** Returns the query of the rows whose key is `text` or whose text columns contain it. */
export function referenceQuery(
  info: Pick<TableInfo, 'columns'> | undefined,
  reference: ForeignKey,
  text: string,
): RowsQuery {
  const keys = Object.values(reference.columns);
  const described = describing(info ?? { columns: [] }, keys);
  const order = keys.map((column) => ({ column, type: 'asc' }));
  const columns = [...keys, ...described.map(({ name }) => name)];
  return { columns, where: whereFound(info, keys, described, text.trim()), order, limit: FOUND, offset: 0 };
}

function whereFound(
  info: Pick<TableInfo, 'columns'> | undefined,
  keys: readonly string[],
  described: readonly ColumnInfo[],
  text: string,
): object {
  if (text === '') return {};
  const contains = { _ilike: `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%` };
  const ofKeys = keys.flatMap((name): readonly object[] => {
    const column = info?.columns.find((one) => one.name === name);
    if (column === undefined) return [];
    if (familyOf(column) === 'text') return [{ [name]: contains }];
    const typed = parseValue(text, column);
    return 'problem' in typed || !isValid(column, text) ? [] : [{ [name]: { _eq: typed.value } }];
  });
  return { $or: [...ofKeys, ...described.map(({ name }) => ({ [name]: contains }))] };
}

/** Whether PostgreSQL accepts a text, as far as a search needs it. */
function isValid(column: ColumnInfo, text: string): boolean {
  switch (familyOf(column)) {
    case 'integer':
      return text.length <= 9 || (column.type === 'int8' && text.length <= 18);
    case 'number':
      return true;
    case 'uuid':
      return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text);
    default:
      return false;
  }
}

/** Returns the rows as options: the key, and texts that describe the row. */
export function referenceOptions(
  info: Pick<TableInfo, 'columns'> | undefined,
  { columns: pairs }: ForeignKey,
  rows: readonly Row[],
) {
  const keys = Object.values(pairs);
  const described = describing(info ?? { columns: [] }, keys);
  return rows.map((row) => {
    const drafts = draftsOf(row, info?.columns ?? []);
    const own = Object.entries(pairs).flatMap(([column, other]): readonly (readonly [string, Drafts[string]])[] => {
      const draft = drafts[other];
      return draft === undefined ? [] : [[column, draft]];
    });
    const label = keys.map((name) => shortText(row[name])).join(', ');
    return { key: label, label, about: aboutOf(row, described), drafts: Object.fromEntries(own) };
  });
}

function aboutOf(row: Row, described: readonly ColumnInfo[]): string {
  return described
    .map(({ name }) => row[name])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(' · ');
}
