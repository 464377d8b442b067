/**
 * Prints how a statement on many rows is captured: as one row of arrays for each slice of its rows, in the table `<segment>_packed`.
 * That costs the writer a third of an event for each row, and needs no pairing of the old and the new rows, which have the same order.
 * `unpack_trigger_events` makes events of the arrays before they are claimed. Events that are delivered in order are not packed, nor
 * are those of conditions, which are evaluated when rows are changed.
 */
import { ident, join, literal, rawSql, type Sql, sql } from '../../postgres/sql/sql.ts';
import {
  type CapturedOperation,
  type CaptureTrigger,
  capturedOperations,
  type OperationCapture,
  type PackedColumn,
} from './captured-trigger.ts';
import { segmentMark, settings, text } from './printing.ts';
import { distinct, operationCodes } from './selection.ts';

/** Statements on more rows are packed. */
export const PACKED_ROWS = 100;

/** Values, and bytes of rows as JSON, that a slice has at most: the writer has them in memory. */
const SLICE_VALUES = 600_000;
const SLICE_BYTES = 33_554_432;

export interface Packing {
  /** The columns of `<segment>_packed` with the arrays. */
  readonly columns: string;
  /** The statement that inserts the events of the row $1, from its position $2 to $3. */
  readonly unpack: string;
}

/** Returns undefined for a trigger of which no operation is packed. */
export function packing(trigger: CaptureTrigger): Packing | undefined {
  const packed = capturedOperations.flatMap((operation) => {
    const capture = packedCapture(trigger, operation);
    return capture === undefined ? [] : [{ operation, capture, columns: packedColumns(trigger, capture) }];
  });
  const stored = new Map<string, string>();
  for (const { operation, columns } of packed)
    for (const row of rowsOfOperation[operation])
      for (const column of columns) stored.set(text(arrayOf(row, column)), column.type);
  if (stored.size === 0) return undefined;
  const json = (row: 'o' | 'n'): Sql => {
    const cases = packed
      .filter(({ operation }) => rowsOfOperation[operation].includes(row))
      .map(
        ({ operation, capture }) =>
          sql`when ${literal(operationCodes[operation])} then ${jsonOf(trigger, capture, row)}`,
      );
    return cases.length === 0 ? sql`null::json` : sql`case p.op ${join(cases, ' ')} end`;
  };
  const update = packed.find(({ operation }) => operation === 'update');
  const condition = update === undefined ? sql`` : sql` and (p.op <> 'u' or ${isDistinct(trigger, update.capture)})`;
  const values = [...stored.keys()].map((name) => `unnest(p.${name}[$2:$3]) as ${name}`).join(', ');
  return {
    columns: [...stored].map(([name, type]) => `${name} ${type}[]`).join(', '),
    unpack: `insert into ${segmentMark} (op, old, new, session, trace, created_at)
select p.op, ${text(json('o'))}, ${text(json('n'))}, p.session, p.trace, p.created_at
from ${segmentMark}_packed p cross join lateral (select ${values}) e
where p.seq = $1${text(condition)}`,
  };
}

/**
 * Prints the statements that pack the rows of a change, of which `captured` is the number afterwards: 0 where the table is not the one
 * that the function was printed for, its rows are large, or they cannot be stored. Undefined if the operation is not packed.
 */
export function packRows(trigger: CaptureTrigger, operation: CapturedOperation): string | undefined {
  const capture = packedCapture(trigger, operation);
  if (capture === undefined || trigger.layout === undefined) return undefined;
  const columns = packedColumns(trigger, capture);
  const rows = rowsOfOperation[operation];
  const most = Math.min(100_000, Math.max(10_000, Math.floor(SLICE_VALUES / (columns.length * rows.length))));
  const names = rows.flatMap((row) => columns.map((column) => text(arrayOf(row, column))));
  const slices = rows.map((row) => {
    const values = columns.map((column) => sql`${stored(column)} as ${arrayOf(row, column)}`);
    const arrays = columns.map((column) => sql`array_agg(${arrayOf(row, column)}) as ${arrayOf(row, column)}`);
    return `(select count(*) as rows, ${text(join(arrays, ', '))} from (select ${text(join(values, ', '))} from ${transition[row]} j limit slice offset first) j) ${row}`;
  });
  const [row = 'n'] = rows;
  return `if (
select string_agg(a.attnum || ' ' || a.atttypid || ' ' || a.attname, ',' order by a.attnum)
from pg_attribute a where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped
) = ${text(literal(trigger.layout.fingerprint))} then
begin
select least(${most}, ${SLICE_BYTES} / greatest(avg(octet_length(row_to_json(j.*)::text)), 1))::integer into slice
from (select * from ${transition[row]} limit 20) j;
while slice >= 1000 loop
insert into ${segmentMark}_packed (op, rows, session, trace, settings, ${names.join(', ')})
select '${operationCodes[operation]}', ${row}.rows, s.session, s.trace, joinery.printing_settings(), ${names.join(', ')}
from ${slices.join(' cross join ')} cross join (select ${settings}) s where ${row}.rows > 0
returning rows into packed;
captured := captured + coalesce(packed, 0);
exit when packed is null or packed < slice;
first := first + slice;
end loop;
exception when others then captured := 0;
end;
end if;`;
}

const rowsOfOperation: Readonly<Record<CapturedOperation, readonly ('o' | 'n')[]>> = {
  insert: ['n'],
  update: ['o', 'n'],
  delete: ['o'],
};

const transition = { o: 'joinery_old', n: 'joinery_new' } as const;

/** Returns the capture of an operation that is packed. */
function packedCapture(trigger: CaptureTrigger, operation: CapturedOperation): OperationCapture | undefined {
  const { layout, orderingKey, level, operations } = trigger;
  const capture = operations[operation];
  if (capture === undefined || layout === undefined || orderingKey !== undefined || level === 'row') return undefined;
  if (capture.when !== undefined) return undefined;
  const names = new Set(layout.columns.map(({ name }) => name));
  const { payload, listened } = capture;
  for (const list of [payload, listened ?? '*'])
    if (list !== '*' && !list.every((name) => names.has(name))) return undefined;
  const compared = operation === 'update' ? listedColumns(trigger, listened ?? '*') : [];
  return compared.every(({ isExact }) => isExact) ? capture : undefined;
}

function listedColumns({ layout }: CaptureTrigger, list: '*' | readonly string[]): readonly PackedColumn[] {
  const columns = layout?.columns ?? [];
  if (list === '*') return columns;
  return list.flatMap((name) => columns.filter((column) => column.name === name));
}

/** Returns the columns that are stored: those of the payload, and those that are compared. */
function packedColumns(trigger: CaptureTrigger, { payload, listened }: OperationCapture): readonly PackedColumn[] {
  const compared = listened === undefined ? [] : listedColumns(trigger, listened);
  return [...new Set([...listedColumns(trigger, payload), ...compared])];
}

function arrayOf(row: 'o' | 'n', { number }: PackedColumn): Sql {
  return rawSql(`${row}${number}`);
}

function stored({ name, how, type }: PackedColumn): Sql {
  if (how === 'json') return sql`to_json(${ident('j', name)})`;
  return how === 'cast' ? sql`${ident('j', name)}::${rawSql(type)}` : ident('j', name);
}

/** Returns the stored value as the type that prints it. */
function restored(row: 'o' | 'n', column: PackedColumn): Sql {
  const cell = sql`e.${arrayOf(row, column)}`;
  return column.restored === undefined ? cell : sql`${cell}::${rawSql(column.restored)}`;
}

function jsonOf(trigger: CaptureTrigger, { payload }: OperationCapture, row: 'o' | 'n'): Sql {
  const cells = listedColumns(trigger, payload).map((column) => sql`${restored(row, column)} as ${ident(column.name)}`);
  return sql`(select row_to_json(r.*) from (select ${join(cells, ', ')}) r)`;
}

/** Compares the listed columns as selectEvents does. */
function isDistinct(trigger: CaptureTrigger, { listened = '*' }: OperationCapture): Sql {
  const columns = listedColumns(trigger, listened);
  const cells = (row: 'o' | 'n'): Sql =>
    join(
      columns.map((column) => restored(row, column)),
      ', ',
    );
  if (listened === '*') return sql`row(${cells('o')})::record operator(pg_catalog.*<>) row(${cells('n')})::record`;
  return distinct(trigger, columns, restored);
}
