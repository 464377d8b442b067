/**
 * Prints the SQL of capture: one trigger and one function for each operation, which write an event for each changed row in the
 * transaction of the change. A change of the table never makes a write fail: the functions compare the columns that they name with
 * the table, and capture whole rows where these differ.
 */
import { createHash } from 'node:crypto';
import { compile, ident, literal, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import {
  type CapturedOperation,
  type CaptureTrigger,
  capturedOperations,
  captureName,
  type OperationCapture,
} from './captured-trigger.ts';
import { pairedRows, type RowSource, rowSource, rowsOf, statementSources } from './changed-rows.ts';

/** Creates the storage of a trigger. Returns its number in the column `number`. */
export function addTrigger(name: string, table: CaptureTrigger['table'], ordered: boolean, owner = ''): Sql {
  return sql`select joinery.add_trigger(
    ${value(name)}, ${value(table.schema)}, ${value(table.name)}, ${value(ordered)}, ${value(owner)}) as number`;
}

/** Drops the functions and triggers of a trigger and all that is stored of it. Locks the table of the user. */
export function removeTrigger(number: number): Sql {
  return sql`select joinery.remove_trigger(${value(number)})`;
}

/** Statements that create or replace the capture of a trigger, for one transaction. They lock the table against writes. */
export function captureStatements(trigger: CaptureTrigger): readonly Sql[] {
  const { number, operations, table, level, replication } = trigger;
  const target = ident(table.schema, table.name);
  const statements = [
    sql`select joinery.set_trigger_capture(${value(number)}, ${value(captureParts(trigger))}::text[],
      ${value(trigger.orderingKey !== undefined)}, ${value(captureHash(trigger))})`,
  ];
  for (const operation of capturedOperations) {
    const name = captureName(number, operation);
    if (operations[operation] === undefined) {
      statements.push(sql`drop function if exists ${ident('joinery', name)}() cascade`);
      continue;
    }
    // Replaced triggers are enabled. Only the owner of the table may enable one.
    statements.push(
      sql`create or replace trigger ${ident(name)} after ${keyword[operation]} on ${target} ${forEach(operation, level)}
        execute function ${ident('joinery', name)}()`,
      ...(replication ? [sql`alter table ${target} enable always trigger ${ident(name)}`] : []),
    );
  }
  return statements;
}

/** Returns a hash of all that `captureStatements` depends on. The database stores it as `definition_hash`. */
function captureHash(trigger: CaptureTrigger): string {
  const { table, operations, level, replication } = trigger;
  const definition = [captureParts(trigger), table, Object.keys(operations).sort(), level, replication];
  return createHash('sha256').update(JSON.stringify(definition)).digest('hex');
}

/**
 * Returns a statement that PostgreSQL rejects where a condition or a column of the trigger does not fit the table. It reads no rows.
 * It must run in a transaction after `probePath`.
 */
export function probe(trigger: CaptureTrigger): Sql {
  const target = ident(trigger.table.schema, trigger.table.name);
  const from = rowsOf(sql`(select * from ${target} limit 0) o cross join (select * from ${target} limit 0) n`);
  const parts = capturedOperations.flatMap((operation) => {
    const capture = trigger.operations[operation];
    if (capture === undefined) return [];
    const events = selectEvents(trigger, operation, capture, from);
    return [sql`select count(*) from (${events}) e`];
  });
  return parts.reduce((all, part) => sql`${all} union all ${part}`);
}

/** Sets the search path of the capture functions for the transaction. */
export function probePath(trigger: CaptureTrigger): Sql {
  return sql`set local search_path = ${searchPath(trigger)}`;
}

const keyword: Readonly<Record<CapturedOperation, Sql>> = {
  insert: sql`insert`,
  update: sql`update`,
  delete: sql`delete`,
};

function forEach(operation: CapturedOperation, level: CaptureTrigger['level']): Sql {
  if (level === 'row') return sql`for each row`;
  const old = operation === 'insert' ? sql`` : sql` old table as joinery_old`;
  const fresh = operation === 'delete' ? sql`` : sql` new table as joinery_new`;
  return sql`referencing${old}${fresh} for each statement`;
}

function searchPath({ searchPath: schemas = [] }: CaptureTrigger): Sql {
  return ['pg_catalog', ...schemas, 'pg_temp'].map((name) => ident(name)).reduce((all, name) => sql`${all}, ${name}`);
}

/** The name of the current segment in the printed functions. The database divides their text at it and inserts the name. */
const segmentMark = '\0';

/**
 * Returns the SQL that creates the functions, divided where the name of the segment belongs. The database stores it, so that it can
 * move capture to the next segment.
 */
function captureParts(trigger: CaptureTrigger): readonly string[] {
  const functions = capturedOperations.flatMap((operation) => {
    const capture = trigger.operations[operation];
    return capture === undefined ? [] : [printFunction(trigger, operation, capture)];
  });
  return functions.join('\n').split(segmentMark);
}

function printFunction(trigger: CaptureTrigger, operation: CapturedOperation, capture: OperationCapture): string {
  const body = printBody(trigger, operation, capture);
  const name = text(ident('joinery', captureName(trigger.number, operation)));
  const tag = unusedTag(body);
  return `create or replace function ${name}() returns trigger language plpgsql security definer set search_path = ${text(searchPath(trigger))} as ${tag}\n${body}\n${tag};`;
}

/** Returns a dollar quote that the text does not contain. */
function unusedTag(body: string): string {
  let tag = '$joinery$';
  for (let number = 1; body.includes(tag); number += 1) tag = `$joinery${number}$`;
  return tag;
}

/** Returns the text of SQL without parameters. */
function text(part: Sql): string {
  const { text: printed, slots } = compile(part);
  if (slots.length > 0) throw new TypeError('the SQL of a capture function cannot have parameters');
  return printed;
}

/**
 * Prints the body of a function. PostgreSQL analyzes a statement when it is first executed and after each change of the table. The
 * events are therefore selected once in a block that catches errors, before the statement that writes them: where this fails,
 * whole rows are written. The block writes nothing for a single row, because each subtransaction that writes has an id.
 */
function printBody(trigger: CaptureTrigger, operation: CapturedOperation, capture: OperationCapture): string {
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
  const conditional = capture.when !== undefined;
  const counted = trigger.level === 'statement' && (operation === 'update' || conditional);
  const writeAll = conditional
    ? `begin\n${writePaired(exact(multiple))}\nexception when others then\n${writePaired(whole(multiple))}\nend;`
    : writePaired(exact(multiple));
  return [
    'declare',
    '  changed integer := 1;',
    '  exact boolean := true;',
    '  captured bigint := 0;',
    '  stamping boolean;',
    '  nested text;',
    '  noted record;',
    'begin',
    ...yieldTo(trigger.yieldsTo?.[operation]),
    ...(counted
      ? [
          `select count(*) into changed from (select from ${operation === 'delete' ? 'joinery_old' : 'joinery_new'} limit 2) r;`,
          'if changed = 0 then return null; end if;',
        ]
      : []),
    ...(trigger.orderingKey === undefined
      ? []
      : [`stamping := coalesce(current_setting('joinery.stamping', true), '') = '';`]),
    ...(namesColumns(trigger, capture) ? [probeEvents(exact(single), trigger.level, conditional)] : []),
    'if exact and changed = 1 then',
    write(exact(single)),
    'elsif exact then',
    writeAll,
    'elsif changed = 1 then',
    write(whole(unnamed)),
    'else',
    writePaired(whole(multiple)),
    'end if;',
    // A transaction with a notification cannot be prepared.
    `if captured > 0 and current_setting('max_prepared_transactions') = '0' then perform pg_notify('joinery_triggers', '${trigger.number}'); end if;`,
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

const codes: Readonly<Record<CapturedOperation, string>> = { insert: 'i', update: 'u', delete: 'd' };

/** Selects the columns `op`, `old`, `new` and `ordering_key` of the events. */
function selectEvents(
  trigger: CaptureTrigger,
  operation: CapturedOperation,
  { payload, listened, when }: OperationCapture,
  { from, whole }: RowSource,
): Sql {
  const conditions = [
    ...(operation === 'update' ? [distinct(trigger, listened ?? '*', whole)] : []),
    ...(when === undefined ? [] : [sql`(${when})`]),
  ];
  const where =
    conditions.length === 0 ? sql`` : sql` where ${conditions.reduce((all, one) => sql`${all} and ${one}`)}`;
  const old = operation === 'insert' ? sql`null::json` : rowAsJson('o', payload, whole);
  const fresh = operation === 'delete' ? sql`null::json` : rowAsJson('n', payload, whole);
  const key = printKey(trigger, operation, (row, column) => sql`${ident(row, column)}`);
  return sql`select ${literal(codes[operation])}::"char" as op, ${old} as old, ${fresh} as new, ${key} as ordering_key from ${from}${where}`;
}

/** Selects whole rows without naming a column. */
function selectWhole(trigger: CaptureTrigger, operation: CapturedOperation, { from, whole }: RowSource): Sql {
  const old = operation === 'insert' ? sql`null::json` : sql`row_to_json(${whole.o})`;
  const fresh = operation === 'delete' ? sql`null::json` : sql`row_to_json(${whole.n})`;
  const key = printKey(trigger, operation, (row, column) => sql`(row_to_json(${whole[row]}) -> ${literal(column)})`);
  return sql`select ${literal(codes[operation].toUpperCase())}::"char" as op, ${old} as old, ${fresh} as new, ${key} as ordering_key from ${from}`;
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

function distinct({ columns }: CaptureTrigger, listened: '*' | readonly string[], whole: RowSource['whole']): Sql {
  if (listened === '*') return sql`${whole.o} operator(pg_catalog.*<>) ${whole.n}`;
  const comparisons = listened.map((name) => {
    const [old, fresh] = [ident('o', name), ident('n', name)];
    return columns.find((column) => column.name === name)?.compare === 'value'
      ? sql`${old} is distinct from ${fresh}`
      : sql`row(${old})::record operator(pg_catalog.*<>) row(${fresh})::record`;
  });
  return sql`(${comparisons.reduce((all, one) => sql`${all} or ${one}`)})`;
}

const settings = `nullif(current_setting('hasura.user', true), '') as session, nullif(current_setting('hasura.tracecontext', true), '') as trace`;

/** Prints the statement that writes the events. */
function writeEvents({ number, orderingKey }: CaptureTrigger, events: string): string {
  if (orderingKey === undefined) {
    return `insert into ${segmentMark} (op, old, new, session, trace)
select e.op, e.old, e.new, s.session, s.trace from (${events}) e cross join (select ${settings}) s;
get diagnostics captured = row_count;`;
  }
  return `with written as (
insert into ${segmentMark} (op, old, new, ordering_key, session, trace, stamping)
select e.op, e.old, e.new, e.ordering_key, s.session, s.trace, case when stamping and row_number() over () = 1 then true end
from (${events}) e cross join (select ${settings}) s
returning seq, ordering_key)
select count(*) as count, min(w.seq) as first, max(w.seq) as last,
coalesce(bit_or(1::bigint << ((hashtext(w.ordering_key)::bigint & 2147483647) % 62)::integer), 0) as mask
into noted from written w;
captured := noted.count;
if captured > 0 then
perform joinery.note_ordered_events(${number}, split_part('${segmentMark}', '_s', 2)::integer, noted.mask, noted.first, noted.last);
end if;`;
}
