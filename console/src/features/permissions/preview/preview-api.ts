/** Which rows a role sees, asked over the data commands of the API. Every function throws Failure. */
import type { Client } from '../../../api/client.ts';
import { rejectionOf } from '../../../api/failure.ts';
import type { JsonObject } from '../../../api/json.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';
import type { RuleTable } from '../rules/rule-table.ts';

/** How many rows are shown. */
export const SHOWN_ROWS = 20;

/** Beyond so many a role that may not aggregate is not counted for. */
const COUNTED_ROWS = 10_000;

/** Beyond so many the estimate of the database stands for the count of all rows. */
const ESTIMATED_ROWS = 200_000;

export interface Count {
  readonly rows: number;
  /** `more`: at least so many; `about`: an estimate. */
  readonly is: 'exact' | 'more' | 'about';
}

export interface Seen {
  readonly rows: readonly JsonObject[];
  readonly matching: Count;
  readonly all: Count;
}

interface Asked {
  readonly source: string;
  readonly table: RuleTable;
}

/** As the role that `headers` name, by its saved permission; `aggregates`: the role is known to may count. */
export async function seenAs(
  client: Client,
  { source, table }: Asked,
  headers: Readonly<Record<string, string>>,
  aggregates: boolean,
): Promise<Seen> {
  const target = { source, table: nameOf(table.table) };
  const rows = await ask<readonly JsonObject[]>(
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
  const counted = await ask<{ count: number }>(client, 'pg_count', target, headers);
  return { rows: counted.count, is: 'exact' };
}

/** `column`: one that the role sees; undefined where it sees no row. */
async function countByReading(
  client: Client,
  target: object,
  column: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Count> {
  if (column === undefined) return { rows: 0, is: 'exact' };
  const page = { ...target, columns: [column], limit: COUNTED_ROWS + 1 };
  const rows = await ask<readonly JsonObject[]>(client, 'pg_select', page, headers);
  return rows.length > COUNTED_ROWS ? { rows: COUNTED_ROWS, is: 'more' } : { rows: rows.length, is: 'exact' };
}

/** As the admin, by a condition that need not be saved. */
export async function seenBy(
  client: Client,
  { source, table }: Asked,
  where: JsonObject,
  columns: readonly string[],
): Promise<Seen> {
  const target = { source, table: nameOf(table.table), where };
  const rows = await ask<readonly JsonObject[]>(client, 'pg_select', {
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

async function ask<Told>(
  client: Client,
  type: string,
  args: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const answer = await client.post('/v2/query', command(type, args), headers);
  if (answer.status !== 200) throw rejectionOf(answer.status, answer.body);
  return answer.body as Told;
}

function command(type: string, args: object): string {
  return JSON.stringify({ type, args });
}

function nameOf({ schema, name }: TableName): TableName {
  return { schema, name };
}
