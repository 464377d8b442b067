/**
 * Prints the SQL of capture: one trigger and one function for each operation, which write an event for each changed row in the
 * transaction of the change. A change of the table never makes a write fail: the functions compare the columns that they name with
 * the table, and capture whole rows where these differ.
 */
import { compile, ident, integer, literal, quoteIdent, type Sql, sql, value } from '../../postgres/sql/sql.ts';

export type CapturedOperation = 'insert' | 'update' | 'delete';

export const capturedOperations: readonly CapturedOperation[] = ['insert', 'update', 'delete'];

/** A column that the capture functions name. */
export interface CapturedColumn {
  readonly name: string;
  /** The oid of its type. A column of another type counts as changed. */
  readonly typeOid: number;
  /**
   * How two values are compared: by the operator `=` of the schema pg_catalog, or by their binary form for types without it, such
   * as json, and types of extensions.
   */
  readonly compare: 'value' | 'image';
}

export interface OperationCapture {
  /** The columns of the payload. */
  readonly payload: '*' | readonly string[];
  /** Of update: an event is captured only where one of these columns has changed. */
  readonly listened?: '*' | readonly string[];
  /** The condition of an event, over the aliases `o` (the old row) and `n` (the new row), without parameters. A missing row is null. */
  readonly when?: Sql | undefined;
}

export interface CaptureTrigger {
  readonly number: number;
  readonly table: { readonly schema: string; readonly name: string };
  readonly operations: Readonly<Partial<Record<CapturedOperation, OperationCapture>>>;
  /** All columns that payloads, conditions, listened columns and the ordering key name. */
  readonly columns: readonly CapturedColumn[];
  /** The columns of the ordering key; undefined for a trigger without order. */
  readonly orderingKey?: readonly string[] | undefined;
  /**
   * `row` for tables whose rows are changed by statements on other tables (partitioned tables, partitions, inheritance), foreign
   * tables, and triggers that fire on replication. See `captureLevel`.
   */
  readonly level: 'statement' | 'row';
  /** Whether changes of logical replication and of sessions with `session_replication_role = replica` are captured. */
  readonly replication: boolean;
  /**
   * Schemas of extensions whose operators the conditions use, after pg_catalog. Roles that may create functions in them can run
   * code with the rights of the service.
   */
  readonly searchPath?: readonly string[];
}

/** Returns the name of a trigger, and of its function in the schema `joinery`. */
export function captureName(number: number, operation: CapturedOperation): string {
  return `joinery_${number}_${operation}`;
}

/** Creates the storage of a trigger. Returns its number in the column `number`. */
export function addTrigger(name: string, table: CaptureTrigger['table'], ordered: boolean): Sql {
  return sql`select joinery.add_trigger(${value(name)}, ${value(table.schema)}, ${value(table.name)}, ${value(ordered)}) as number`;
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
      ${value(trigger.orderingKey !== undefined)})`,
  ];
  for (const operation of capturedOperations) {
    const name = captureName(number, operation);
    if (operations[operation] === undefined) {
      statements.push(sql`drop function if exists ${ident('joinery', name)}() cascade`);
      continue;
    }
    const enabled = replication ? sql`enable always` : sql`enable`;
    statements.push(
      sql`create or replace trigger ${ident(name)} after ${keyword[operation]} on ${target} ${forEach(operation, level)}
        execute function ${ident('joinery', name)}()`,
      sql`alter table ${target} ${enabled} trigger ${ident(name)}`,
    );
  }
  return statements;
}

/**
 * Returns a statement that PostgreSQL rejects where a condition or a column of the trigger does not fit the table. It reads no rows.
 * It must run in a transaction after `probePath`.
 */
export function probe(trigger: CaptureTrigger): Sql {
  const target = ident(trigger.table.schema, trigger.table.name);
  const from = sql`(select * from ${target} limit 0) o cross join (select * from ${target} limit 0) n`;
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
export function captureParts(trigger: CaptureTrigger): readonly string[] {
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

function printBody(trigger: CaptureTrigger, operation: CapturedOperation, capture: OperationCapture): string {
  const rows = trigger.level === 'row' ? rowSources : statementSources;
  const write = (events: Sql): string => writeEvents(trigger, text(events));
  const exact = (from: Sql): string => write(selectEvents(trigger, operation, capture, from));
  const whole = (from: Sql): string => write(selectWhole(trigger, operation, from));
  const guard = guardOf(trigger);
  const many = trigger.level === 'statement' && operation === 'update';
  const branches = (print: (from: Sql) => string): string =>
    many
      ? `if changed = 1 then
${print(rows.update)}
else
  nested := current_setting('enable_nestloop');
  perform set_config('enable_nestloop', 'off', true);
${print(pairedRows)}
  perform set_config('enable_nestloop', nested, true);
end if;`
      : print(rows[operation]);
  const lines = [
    'declare',
    '  captured bigint := 0;',
    '  changed integer;',
    '  nested text;',
    '  stamping boolean;',
    '  noted record;',
    'begin',
  ];
  if (many) {
    lines.push(
      'select count(*) into changed from (select from joinery_new limit 2) r;',
      'if changed = 0 then return null; end if;',
    );
  }
  if (trigger.orderingKey !== undefined) {
    lines.push(`stamping := coalesce(current_setting('joinery.stamping', true), '') = '';`);
  }
  // Errors of a condition, such as that of an invalid pattern, depend on the values of the row.
  const guarded =
    capture.when === undefined
      ? branches(exact)
      : `begin\n${branches(exact)}\nexception when others then\n${branches(whole)}\nend;`;
  lines.push(guard === undefined ? guarded : `if ${text(guard)} then\n${guarded}\nelse\n${branches(whole)}\nend if;`);
  // A transaction with a notification cannot be prepared.
  lines.push(
    `if captured > 0 and current_setting('max_prepared_transactions') = '0' then perform pg_notify('joinery_triggers', '${trigger.number}'); end if;`,
    'return null;',
    'end',
  );
  return lines.join('\n');
}

/** Compares the columns with the table, by name and type: a partition may have them in another order. */
function guardOf({ columns }: CaptureTrigger): Sql | undefined {
  if (columns.length === 0) return undefined;
  const expected = columns
    .map(({ name, typeOid }) => sql`(${literal(name)}, ${integer(typeOid)}::oid)`)
    .reduce((all, one) => sql`${all}, ${one}`);
  return sql`(select count(*) from pg_attribute a
    where a.attrelid = tg_relid and a.attnum > 0 and (a.attname, a.atttypid) in (${expected})) = ${integer(columns.length)}`;
}

/** The rows of a statement, where there is one row or the operation has one table of rows. */
const statementSources: Readonly<Record<CapturedOperation, Sql>> = {
  insert: sql`joinery_new n left join joinery_new o on false`,
  update: sql`joinery_old o cross join joinery_new n`,
  delete: sql`joinery_old o left join joinery_old n on false`,
};

const rowSources: Readonly<Record<CapturedOperation, Sql>> = {
  insert: sql`(select new.*) n left join (select new.*) o on false`,
  update: sql`(select old.*) o cross join (select new.*) n`,
  delete: sql`(select old.*) o left join (select old.*) n on false`,
};

/** The rows of an update: both tables have them in the same order. */
const pairedRows = sql`(select o, row_number() over () as at from joinery_old o) ordered_old
  join (select n, row_number() over () as at from joinery_new n) ordered_new on ordered_new.at = ordered_old.at
  cross join lateral (select (ordered_old.o).*) o
  cross join lateral (select (ordered_new.n).*) n`;

const codes: Readonly<Record<CapturedOperation, string>> = { insert: 'i', update: 'u', delete: 'd' };

/** Selects the columns `op`, `old`, `new` and `ordering_key` of the events. */
function selectEvents(
  trigger: CaptureTrigger,
  operation: CapturedOperation,
  { payload, listened, when }: OperationCapture,
  from: Sql,
): Sql {
  const conditions = [
    ...(operation === 'update' ? [distinct(trigger, listened ?? '*')] : []),
    ...(when === undefined ? [] : [sql`(${when})`]),
  ];
  const where =
    conditions.length === 0 ? sql`` : sql` where ${conditions.reduce((all, one) => sql`${all} and ${one}`)}`;
  const old = operation === 'insert' ? sql`null::json` : rowAsJson('o', payload);
  const fresh = operation === 'delete' ? sql`null::json` : rowAsJson('n', payload);
  const key = printKey(trigger, operation, (row, column) => sql`${ident(row, column)}`);
  return sql`select ${literal(codes[operation])}::"char" as op, ${old} as old, ${fresh} as new, ${key} as ordering_key from ${from}${where}`;
}

/** Selects whole rows without naming a column. */
function selectWhole(trigger: CaptureTrigger, operation: CapturedOperation, from: Sql): Sql {
  const old = operation === 'insert' ? sql`null::json` : sql`row_to_json(o)`;
  const fresh = operation === 'delete' ? sql`null::json` : sql`row_to_json(n)`;
  const key = printKey(trigger, operation, (row, column) => sql`(row_to_json(${ident(row)}) -> ${literal(column)})`);
  return sql`select ${literal(codes[operation].toUpperCase())}::"char" as op, ${old} as old, ${fresh} as new, ${key} as ordering_key from ${from}`;
}

function rowAsJson(row: 'o' | 'n', payload: OperationCapture['payload']): Sql {
  if (payload === '*') return sql`row_to_json(${ident(row)})`;
  const columns = payload.map((column) => ident(row, column)).reduce((all, one) => sql`${all}, ${one}`);
  return sql`(select row_to_json(r) from (select ${columns}) r)`;
}

/** Prints the key as a JSON array, from the new row where there is one. A key with a null in all columns is null. */
function printKey(
  { orderingKey }: CaptureTrigger,
  operation: CapturedOperation,
  cell: (row: 'o' | 'n', column: string) => Sql,
): Sql {
  if (orderingKey === undefined) return sql`null::text`;
  const row = operation === 'delete' ? 'o' : 'n';
  const cells = orderingKey.map((column) => cell(row, column)).reduce((all, one) => sql`${all}, ${one}`);
  return sql`nullif(json_build_array(${cells})::text, ${literal(`[${orderingKey.map(() => 'null').join(', ')}]`)})`;
}

function distinct({ columns }: CaptureTrigger, listened: '*' | readonly string[]): Sql {
  if (listened === '*') return sql`o operator(pg_catalog.*<>) n`;
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

/** Quotes a table for messages. */
export function printTable({ schema, name }: CaptureTrigger['table']): string {
  return `${quoteIdent(schema)}.${quoteIdent(name)}`;
}
