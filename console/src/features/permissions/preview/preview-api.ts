/** Preview of the rows that a role sees, by data commands. All functions throw Failure. */
import type { Client } from '../../../api/client.ts';
import { rejectionOf } from '../../../api/failure.ts';
import type { JsonObject } from '../../../api/json.ts';
import type { RuleTable } from '../../../shared/rules/rule-table.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';

/** Number of rows that are shown. */
export const SHOWN_ROWS = 20;

/** Maximum number of rows counted for a role without aggregate permission. */
const COUNTED_ROWS = 10_000;

/** Above this estimate, rows are not counted exactly. */
const ESTIMATED_ROWS = 200_000;

export interface Count {
  readonly rows: number;
  /** `more`: a lower bound. `about`: an estimate. */
  readonly is: 'exact' | 'more' | 'about';
}

export interface Seen {
  readonly rows: readonly JsonObject[];
  readonly matching: Count;
  readonly all: Count;
}

interface PreviewRequest {
  readonly source: string;
  readonly table: RuleTable;
}

/** Reads rows as the role in `headers` with its saved permission. `aggregates`: whether the role can count. */
export async function seenAs(
  client: Client,
  { source, table }: PreviewRequest,
  headers: Readonly<Record<string, string>>,
  aggregates: boolean,
): Promise<Seen> {
  const target = { source, table: nameOf(table.table) };
  const rows = await query<readonly JsonObject[]>(
    client,
    'pg_select',
    { ...target, columns: ['*'], limit: SHOWN_ROWS },
    headers,
  );
  const [column] = Object.keys(rows[0] ?? {});
  const matching = aggregates
    ? await count(client, target, headers)
    : await countByReading(client, target, column, headers);
  return { rows, matching, all: await countAll(client, source, table) };
}

async function count(client: Client, target: object, headers: Readonly<Record<string, string>> = {}): Promise<Count> {
  const counted = await query<{ count: number }>(client, 'pg_count', target, headers);
  return { rows: counted.count, is: 'exact' };
}

/** Counts by reading `column`, a readable column. Undefined when the role sees no row. */
async function countByReading(
  client: Client,
  target: object,
  column: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Count> {
  if (column === undefined) return { rows: 0, is: 'exact' };
  const page = { ...target, columns: [column], limit: COUNTED_ROWS + 1 };
  const rows = await query<readonly JsonObject[]>(client, 'pg_select', page, headers);
  return rows.length > COUNTED_ROWS ? { rows: COUNTED_ROWS, is: 'more' } : { rows: rows.length, is: 'exact' };
}

/** Reads rows as admin with an unsaved rule as condition. */
export async function seenBy(
  client: Client,
  { source, table }: PreviewRequest,
  where: JsonObject,
  columns: readonly string[],
): Promise<Seen> {
  const target = { source, table: nameOf(table.table), where };
  const rows = await query<readonly JsonObject[]>(client, 'pg_select', {
    ...target,
    columns,
    limit: SHOWN_ROWS,
    ...(table.primaryKey.length > 0 && { order_by: table.primaryKey }),
  });
  return { rows, matching: await count(client, target), all: await countAll(client, source, table) };
}

async function countAll(client: Client, source: string, { table, estimatedRows }: RuleTable): Promise<Count> {
  if (estimatedRows !== null && estimatedRows > ESTIMATED_ROWS) return { rows: estimatedRows, is: 'about' };
  return count(client, { source, table: nameOf(table) });
}

async function query<Result>(
  client: Client,
  type: string,
  args: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const response = await client.post('/v2/query', command(type, args), headers);
  if (response.status !== 200) throw rejectionOf(response.status, response.body);
  return response.body as Result;
}

function command(type: string, args: object): string {
  return JSON.stringify({ type, args });
}

function nameOf({ schema, name }: TableName): TableName {
  return { schema, name };
}
