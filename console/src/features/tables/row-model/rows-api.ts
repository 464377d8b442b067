/** Reads and writes rows by data commands. All functions throw Failure. */
import type { Client } from '../../../api/client.ts';
import { rejectionOf } from '../../../api/failure.ts';
import { type Timed, timed } from '../../../api/polling.ts';
import type { TableName } from '../../../shared/sources/sources-api.ts';
import type { Row } from './row-values.ts';

/** Headers with role and session variables. Undefined for admin. */
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

async function command<Response>(
  client: Client,
  type: string,
  args: object,
  session: Session = {},
  signal?: AbortSignal,
): Promise<Response> {
  const { status, body } = await client.post('/v2/query', JSON.stringify({ type, args }), session, signal);
  if (status !== 200) throw rejectionOf(status, body);
  return body as Response;
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

/** Limit of counting unless a complete count is requested. */
export const COUNTED = 10_000;

/** Counts rows up to `COUNTED`. */
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

export type RowChange =
  | { readonly kind: 'insert'; readonly values: Row }
  | {
      readonly kind: 'update';
      readonly key: Row;
      readonly values: Row;
      /** Columns that get their default. */
      readonly defaults: readonly string[];
      /** The row is changed only if all hold. */
      readonly conditions: readonly object[];
    };

/** Makes all changes or none. Fails with `conflict` when a row does not exist or does not meet its conditions. */
export async function writeRows(client: Client, target: Target, changes: readonly RowChange[]): Promise<void> {
  await command<unknown>(
    client,
    'bulk',
    changes.map((change) => commandOf(target, change)),
  );
}

function commandOf(target: Target, change: RowChange): object {
  if (change.kind === 'insert') return { type: 'pg_insert', args: { ...target, objects: [change.values] } };
  const { key, values, defaults, conditions } = change;
  const where = conditions.length === 0 ? key : { $and: [key, ...conditions] };
  const changed = {
    ...(Object.keys(values).length > 0 && { $set: values }),
    ...(defaults.length > 0 && { $default: defaults }),
  };
  return { type: 'pg_update', args: { ...target, where, ...changed, expected_rows: 1 } };
}

/** Returns `columns` of the row with `key`, or undefined. */
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
