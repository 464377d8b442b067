/**
 * Prints the SQL of capture: one trigger and one function for each operation, which write an event for each changed row in the
 * transaction of the change. A change of the table never makes a write fail: the functions compare the columns that they name with
 * the table, and capture whole rows where these differ.
 */
import { ident, rawSql, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { printBody } from './body.ts';
import {
  type CapturedOperation,
  type CaptureTrigger,
  capturedOperations,
  captureName,
  type OperationCapture,
} from './captured-trigger.ts';
import { rowsOf } from './changed-rows.ts';
import { packing } from './packing.ts';
import { segmentMark, text } from './printing.ts';
import { selectEvents } from './selection.ts';

/** Creates the storage of a trigger. Returns its number in the column `number`. */
export function addTrigger(name: string, table: CaptureTrigger['table'], ordered: boolean, owner = ''): Sql {
  return sql`select joinery.add_trigger(
    ${value(name)}, ${value(table.schema)}, ${value(table.name)}, ${value(ordered)}, ${value(owner)}) as number`;
}

/** Drops the functions and triggers of a trigger and all that is stored of it. Locks the table of the user. */
export function removeTrigger(number: number): Sql {
  return sql`select joinery.remove_trigger(${value(number)})`;
}

/** Statements that drop the functions and triggers of a trigger. They lock the table of the user. */
export function dropCapture(number: number): readonly Sql[] {
  return capturedOperations.map((operation) => dropFunction(captureName(number, operation)));
}

function dropFunction(name: string): Sql {
  return sql`drop function if exists ${ident('joinery', name)}() cascade`;
}

/**
 * Statements that create or replace the capture of a trigger, for one transaction. They lock the table against writes. The database
 * stores `hash`, by which the service recognizes the definition.
 */
export function captureStatements(trigger: CaptureTrigger, hash: string): readonly Sql[] {
  const { number, operations, table, level, replication } = trigger;
  const target = ident(table.schema, table.name);
  const packed = packing(trigger);
  const statements = [
    sql`select joinery.set_trigger_capture(${value(number)}, ${value(captureParts(trigger))}::text[],
      ${value(trigger.orderingKey !== undefined)}, ${value(packed?.columns)}, ${value(packed?.unpack.split(segmentMark))}::text[],
      ${value(hash)})`,
  ];
  for (const operation of capturedOperations) {
    const name = captureName(number, operation);
    if (operations[operation] === undefined) {
      statements.push(dropFunction(name));
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

/**
 * The search path of the capture functions, which run with the rights of the service: without schemas in which other roles may create
 * operators. Conditions name the schemas of the operators and functions of extensions.
 */
const searchPath = 'pg_catalog, pg_temp';

/** Sets the search path of the capture functions for the transaction. */
export const probePath = sql`set local search_path = ${rawSql(searchPath)}`;

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

/** Prints a function that only its owner may execute, so that no other role attaches it to a table. A trigger needs no privilege to fire. */
function printFunction(trigger: CaptureTrigger, operation: CapturedOperation, capture: OperationCapture): string {
  const body = printBody(trigger, operation, capture);
  const name = text(ident('joinery', captureName(trigger.number, operation)));
  const tag = unusedTag(body);
  return `create or replace function ${name}() returns trigger language plpgsql security definer set search_path = ${searchPath} as ${tag}\n${body}\n${tag};\nrevoke all on function ${name}() from public;`;
}

/** Returns a dollar quote that the text does not contain. */
function unusedTag(body: string): string {
  let tag = '$joinery$';
  for (let number = 1; body.includes(tag); number += 1) tag = `$joinery${number}$`;
  return tag;
}
