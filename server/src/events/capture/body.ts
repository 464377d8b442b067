/** Prints the bodies of capture functions. */
import { integer, literal, rawSql, type Sql, sql } from '../../postgres/sql/sql.ts';
import type { CapturedOperation, CaptureTrigger, OperationCapture } from './captured-trigger.ts';
import { pairedRows, type RowSource, rowSource, statementSources } from './changed-rows.ts';
import { PACKED_ROWS, packRows } from './packing.ts';
import { segmentMark, settings, text } from './printing.ts';
import { selectEvents, selectWhole } from './selection.ts';

/**
 * Prints the body of a function. PostgreSQL analyzes a statement when it is first executed and after each change of the table. The
 * events are therefore selected once in a block that catches errors, before the statement that writes them: where this fails,
 * whole rows are written. The block writes nothing for a single row, because each subtransaction that writes has an id.
 */
export function printBody(trigger: CaptureTrigger, operation: CapturedOperation, capture: OperationCapture): string {
  const single = trigger.level === 'row' ? rowSource(trigger, operation) : statementSources[operation];
  const multiple = operation === 'update' ? pairedRows : single;
  const unnamed =
    trigger.level === 'row'
      ? rowSource({ ...trigger, columns: [], orderingKey: undefined, operations: {} }, operation)
      : single;
  const exact = (from: RowSource): string => text(selectEvents(trigger, operation, capture, from));
  const whole = (from: RowSource): string => text(selectWhole(trigger, operation, from));
  const write = (events: string): string => writeEvents(trigger, events);
  const writePaired = (events: string): string =>
    operation === 'update' ? withoutNestedLoops(write(events)) : write(events);
  const isConditional = capture.when !== undefined;
  const pack = packRows(trigger, operation);
  const isGuarded = trigger.level === 'statement' && !isConditional && (operation === 'update' || pack !== undefined);
  const isCounted = trigger.level === 'statement' && isConditional;
  const table = operation === 'delete' ? 'joinery_old' : 'joinery_new';
  const count = `select count(*) into changed from (select from ${table} limit ${pack === undefined ? 2 : PACKED_ROWS + 1}) r;`;
  const writeAll = isConditional
    ? `begin\n${writePaired(exact(multiple))}\nexception when others then\n${writePaired(whole(multiple))}\nend;`
    : writePaired(exact(multiple));
  const writeWhole = `if changed = 1 then\n${write(whole(unnamed))}\nelse\n${writePaired(whole(multiple))}\nend if;`;
  const few = operation === 'update' ? 1 : PACKED_ROWS;
  const guard = sql`(select count(*) <= ${integer(few)} from (select from ${rawSql(table)} limit ${integer(few + 1)}) r)`;
  return [
    'declare',
    '  changed integer := 1;',
    '  exact boolean := true;',
    '  captured bigint := 0;',
    '  nested text;',
    '  noted record;',
    '  slice integer;',
    '  first bigint := 0;',
    '  packed integer;',
    'begin',
    ...yieldTo(trigger.yieldsTo?.[operation]),
    ...(isCounted ? [count, 'if changed = 0 then return null; end if;'] : []),
    ...(namesColumns(trigger, capture) ? [probeEvents(exact(single), trigger.level, isConditional)] : []),
    ...(isGuarded
      ? [
          // Statements on few rows, which are the most frequent, run one statement.
          'if exact then',
          write(exact({ ...single, guard })),
          'end if;',
          'if captured = 0 then',
          count,
          `if not exact then`,
          'if changed > 0 then',
          writeWhole,
          'end if;',
          `elsif changed > ${few} then`,
          ...(pack === undefined ? [] : [`if changed > ${PACKED_ROWS} then`, pack, 'end if;']),
          'if captured = 0 then',
          writeAll,
          'end if;',
          'end if;',
          'end if;',
        ]
      : [
          'if exact and changed = 1 then',
          write(exact(single)),
          'elsif exact then',
          writeAll,
          'else',
          writeWhole,
          'end if;',
        ]),
    // A transaction with a notification cannot be prepared. An expression costs less than a statement.
    `if captured > 0 and current_setting('max_prepared_transactions') = '0' and pg_notify('joinery_triggers', '${trigger.number}') is null then return null; end if;`,
    'return null;',
    'end',
  ].join('\n');
}

/**
 * Prints the return from a change that this function of Hasura v2 captures. It depends on the caches of the catalog, not on the
 * snapshot of the transaction, so that each change is captured once at any isolation level.
 */
function yieldTo(name: Sql | undefined): readonly string[] {
  if (name === undefined) return [];
  const exists = `to_regproc(${text(literal(text(name)))}) is not null`;
  return [
    'begin',
    `if ${exists} then return null; end if;`,
    'exception when insufficient_privilege then null;',
    'end;',
  ];
}

/** Whether the function depends on columns that the table may lose. */
function namesColumns({ orderingKey }: CaptureTrigger, { payload, listened = '*', when }: OperationCapture): boolean {
  return orderingKey !== undefined || when !== undefined || payload !== '*' || listened !== '*';
}

/**
 * Prints the statement that fails where the table does not fit. It evaluates a condition; without one it selects no rows. For the fields
 * of `old` and `new` it evaluates all columns, because their plan is kept after a change of the table.
 */
function probeEvents(events: string, level: CaptureTrigger['level'], conditional: boolean): string {
  const columns = level === 'row' ? 'e.*' : '';
  return conditional
    ? `if changed = 1 then
begin
perform ${columns} from (${events}) e;
if not found then return null; end if;
exception when others then exact := false;
end;
end if;`
    : `begin
perform ${columns} from (${events}) e${level === 'row' ? '' : ' where false'};
exception when others then exact := false;
end;`;
}

/** The plan of a statement is kept, and that for few rows must not be a nested loop, which would be slow for many. */
function withoutNestedLoops(statement: string): string {
  return `nested := current_setting('enable_nestloop');
perform set_config('enable_nestloop', 'off', true);
${statement}
perform set_config('enable_nestloop', nested, true);`;
}

/** Prints the statement that writes the events. */
function writeEvents({ number, orderingKey }: CaptureTrigger, events: string): string {
  if (orderingKey === undefined) {
    return `insert into ${segmentMark} (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (${events}) e cross join (select ${settings}) s;
get diagnostics captured = row_count;`;
  }
  // The first event of each statement is stamped at the commit. It has a smaller number than the others.
  return `with written as (
insert into ${segmentMark} (op, old, new, ordering_key, session, trace, stamping)
select e.op, e.old, e.new, e.ordering_key, s.session, s.trace, case when row_number() over () = 1 then lead(false, 1, true) over () end
from (${events}) e cross join (select ${settings}) s
returning ordering_key)
select count(*) as count,
coalesce(bit_or(1::bigint << ((hashtext(w.ordering_key)::bigint & 2147483647) % 62)::integer), 0) as mask
into noted from written w;
captured := noted.count;
if captured > 0 then
perform joinery.note_ordered_events(${number}, noted.mask);
end if;`;
}
