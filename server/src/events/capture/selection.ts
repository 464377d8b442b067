/** Prints the selection of the events of a change: one row for each, with its old and new row as JSON. */
import { ident, literal, type Sql, sql } from '../../postgres/sql/sql.ts';
import type { CapturedOperation, CaptureTrigger, OperationCapture } from './captured-trigger.ts';
import type { RowSource } from './changed-rows.ts';

export const operationCodes: Readonly<Record<CapturedOperation, string>> = { insert: 'i', update: 'u', delete: 'd' };

/** Selects the columns `op`, `old`, `new` and `ordering_key` of the events. */
export function selectEvents(
  trigger: CaptureTrigger,
  operation: CapturedOperation,
  { payload, listened, when }: OperationCapture,
  { from, whole, guard }: RowSource,
): Sql {
  const conditions = [
    ...(guard === undefined ? [] : [guard]),
    ...(operation === 'update' ? [hasChanged(trigger, listened ?? '*', whole)] : []),
    ...(when === undefined ? [] : [sql`(${when})`]),
  ];
  const where =
    conditions.length === 0 ? sql`` : sql` where ${conditions.reduce((all, one) => sql`${all} and ${one}`)}`;
  const old = operation === 'insert' ? sql`null::json` : rowAsJson('o', payload, whole);
  const fresh = operation === 'delete' ? sql`null::json` : rowAsJson('n', payload, whole);
  const key = printKey(trigger, operation, (row, column) => sql`${ident(row, column)}`);
  return sql`select ${literal(operationCodes[operation])}::"char" as op, ${old} as old, ${fresh} as new, ${key} as ordering_key from ${from}${where}`;
}

/** Selects whole rows without naming a column. */
export function selectWhole(trigger: CaptureTrigger, operation: CapturedOperation, { from, whole }: RowSource): Sql {
  const old = operation === 'insert' ? sql`null::json` : sql`row_to_json(${whole.o})`;
  const fresh = operation === 'delete' ? sql`null::json` : sql`row_to_json(${whole.n})`;
  const key = printKey(trigger, operation, (row, column) => sql`(row_to_json(${whole[row]}) -> ${literal(column)})`);
  return sql`select ${literal(operationCodes[operation].toUpperCase())}::"char" as op, ${old} as old, ${fresh} as new, ${key} as ordering_key from ${from}`;
}

function rowAsJson(row: 'o' | 'n', payload: OperationCapture['payload'], whole: RowSource['whole']): Sql {
  if (payload === '*') return sql`row_to_json(${whole[row]})`;
  const columns = payload.map((column) => ident(row, column)).reduce((all, one) => sql`${all}, ${one}`);
  return sql`(select row_to_json(r.*) from (select ${columns}) r)`;
}

/** Prints the key as a JSON array, from the new row where there is one. A key with a null in all columns is null. */
function printKey(
  { orderingKey, debounced = false }: CaptureTrigger,
  operation: CapturedOperation,
  cell: (row: 'o' | 'n', column: string) => Sql,
): Sql {
  if (orderingKey === undefined) return sql`null::text`;
  const row = operation === 'delete' ? 'o' : 'n';
  const names = debounced ? orderingKey.map((column) => literal(column)) : [];
  const key = (cells: readonly Sql[]): Sql => {
    return sql`json_build_array(${[...names, ...cells].reduce((all, one) => sql`${all}, ${one}`)})::text`;
  };
  return sql`nullif(${key(orderingKey.map((column) => cell(row, column)))}, ${key(orderingKey.map(() => sql`null`))})`;
}

function hasChanged(trigger: CaptureTrigger, listened: '*' | readonly string[], whole: RowSource['whole']): Sql {
  if (listened === '*') return sql`${whole.o} operator(pg_catalog.*<>) ${whole.n}`;
  return distinct(
    trigger,
    listened.map((name) => ({ name })),
    (row, { name }) => ident(row, name),
  );
}

/** Whether one of the columns is distinct in the rows. */
export function distinct<Named extends { readonly name: string }>(
  { columns }: CaptureTrigger,
  listened: readonly Named[],
  cell: (row: 'o' | 'n', column: Named) => Sql,
): Sql {
  const comparisons = listened.map((column) => {
    const [old, fresh] = [cell('o', column), cell('n', column)];
    return columns.find(({ name }) => name === column.name)?.compare === 'value'
      ? sql`${old} is distinct from ${fresh}`
      : sql`row(${old})::record operator(pg_catalog.*<>) row(${fresh})::record`;
  });
  return sql`(${comparisons.reduce((all, one) => sql`${all} or ${one}`)})`;
}
