/** Rows of tracked tables, through the data commands. Every function throws Failure. */
import type { Client } from '../../../api/client.ts';
import { rejectionOf } from '../../../api/failure.ts';
import { type Timed, timed } from '../../../api/polling.ts';
import type { TableName } from '../../../shared/sources/sources-api.ts';
import type { Row } from './row-values.ts';

/** As whom rows are read: headers with the role and its session variables; none for the admin. */
export type Session = Readonly<Record<string, string>>;

export interface Target {
  readonly source: string;
  readonly table: TableName;
}

export interface RowsQuery {
  readonly columns: readonly string[];
  readonly where: object;
  readonly order: readonly object[];
  readonly limit: number;
  readonly offset: number;
}

async function command<Told>(
  client: Client,
  type: string,
  args: object,
  session: Session = {},
  signal?: AbortSignal,
): Promise<Told> {
  const { status, body } = await client.post('/v2/query', JSON.stringify({ type, args }), session, signal);
  if (status !== 200) throw rejectionOf(status, body);
  return body as Told;
}

export function readRows(
  client: Client,
  target: Target,
  { columns, where, order, limit, offset }: RowsQuery,
  session: Session,
  signal: AbortSignal,
): Promise<Timed<readonly Row[]>> {
  const args = { ...target, columns, where, order_by: order, limit, ...(offset > 0 && { offset }) };
  return timed(command<readonly Row[]>(client, 'pg_select', args, session, signal));
}

/** Counting stops there unless it is asked for the whole count. */
export const COUNTED = 10_000;

/** Beyond `COUNTED` the count says no more than that there are more. */
export async function countRows(
  client: Client,
  target: Target,
  where: object,
  whole: boolean,
  signal: AbortSignal,
): Promise<number> {
  const args = { ...target, where, ...(!whole && { limit: COUNTED + 1 }) };
  return (await command<{ count: number }>(client, 'pg_count', args, {}, signal)).count;
}

interface Changed {
  readonly affected_rows: number;
}

export async function insertRow(client: Client, target: Target, row: Row): Promise<number> {
  return (await command<Changed>(client, 'pg_insert', { ...target, objects: [row] })).affected_rows;
}

/** Changes the row of `key` where `conditions` hold. Returns the number of changed rows, 0 or 1. */
export async function updateRow(
  client: Client,
  target: Target,
  key: Row,
  changes: Row,
  conditions: readonly object[],
): Promise<number> {
  const where = conditions.length === 0 ? key : { $and: [key, ...conditions] };
  return (await command<Changed>(client, 'pg_update', { ...target, where, $set: changes })).affected_rows;
}

/** Returns `columns` of the row of `key`; undefined where there is none any more. */
export async function readRow(
  client: Client,
  target: Target,
  key: Row,
  columns: readonly string[],
): Promise<Row | undefined> {
  const [row] = await command<readonly Row[]>(client, 'pg_select', { ...target, columns, where: key, limit: 1 });
  return row;
}

export async function deleteRows(client: Client, target: Target, keys: readonly Row[]): Promise<number> {
  return (await command<Changed>(client, 'pg_delete', { ...target, where: { $or: keys } })).affected_rows;
}
