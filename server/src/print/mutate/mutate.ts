/** Prints statements that change rows and return them, in the same statement or in a second one. */
import type { Column, Predicate, Table } from '../../model/types/table.ts';
import type { MutationResponse } from '../../plan/plan/mutation.ts';
import type { RowsPlan } from '../../plan/plan/query.ts';
import { cast, empty, ident, join, quoteIdent, type Sql, slot, sql } from '../../postgres/sql/sql.ts';
import { listOf, singleOf } from '../object-select.ts';
import { conditionsOn } from '../predicate.ts';
import type { Printing } from '../printing.ts';
import { selectRows } from '../select.ts';
import { fieldsRead } from './reads.ts';

/** A statement up to `returning`. */
export interface Changing {
  readonly table: Table;
  /** Name of the changed row. */
  readonly row: string;
  readonly text: Sql;
  /** The check of every row after the change. */
  readonly check: Predicate | undefined;
  /** The additional check of rows that existed before. */
  readonly checkOfUpdated: Predicate | undefined;
}

const text = { sqlName: 'text' };
const changed = sql`"changed"`;
/** A name that no column is expected to have. */
const existedBefore = 'changed:existed';
const unfit = 'changed:unfit';

/** Whether rows can fail a check. The transaction is rolled back when one does. */
export function isChecked({ check, checkOfUpdated }: Pick<Changing, 'check' | 'checkOfUpdated'>): boolean {
  return hasCondition(check) || hasCondition(checkOfUpdated);
}

function hasCondition(check: Predicate | undefined): check is Predicate {
  return check !== undefined && !(check.kind === 'and' && check.of.length === 0);
}

/**
 * Prints a statement with one row: the number of changed rows, the number of those that fail a check, and the JSON text of
 * each `returning`, or of the single row.
 */
export function printWhole(changing: Changing, response: MutationResponse, printing: Printing): Sql {
  const { row, checkOfUpdated } = changing;
  const { flag, failed } = callsFunctions(changing.check, checkOfUpdated)
    ? flaggedRows(changing, printing)
    : testedRows(changing, printing);
  const parts = [sql`(select count(*) from ${changed})`, failed, ...printResponse(response, changed, printing)];
  const changes = sql`${changing.text} returning ${ident(row)}.*${flag}`;
  return sql`with ${changed} as (${changes}) select ${join(parts, ', ')}`;
}

/** The columns for checks that a statement returns in addition to its rows, and the count of failed rows. */
interface Failing {
  readonly flag: Sql;
  readonly failed: Sql;
}

function testedRows(changing: Changing, printing: Printing): Failing {
  const { row, checkOfUpdated } = changing;
  const flag = hasCondition(checkOfUpdated) ? sql`, ${updated(row)} as ${ident(existedBefore)}` : empty;
  const tested = printing.row();
  const failing = failure(changing, tested, ident(tested, existedBefore), printing);
  const failed =
    failing === undefined ? sql`0` : sql`(select count(*) from ${changed} as ${ident(tested)} where ${failing})`;
  return { flag, failed };
}

/** Computed fields need a row of the table, which rows of a `with` are not, so `returning` calls them. */
function flaggedRows(changing: Changing, printing: Printing): Failing {
  const { row } = changing;
  const failing = failure(changing, row, updated(row), printing) ?? sql`false`;
  const failed = sql`(select count(*) from ${changed} where ${ident(unfit)})`;
  return { flag: sql`, ${failing} as ${ident(unfit)}`, failed };
}

/** Whether a check reads a computed field of the changed row. */
function callsFunctions(...checks: readonly (Predicate | undefined)[]): boolean {
  return checks.some((check) => {
    switch (check?.kind) {
      case undefined:
        return false;
      case 'and':
      case 'or':
        return callsFunctions(...check.of);
      case 'not':
      case 'rule':
        return callsFunctions(check.of);
      case 'computed':
        return true;
      case 'compare':
        return check.left.column.computed !== undefined || callsFunctions(check.left.seen);
      case 'related':
      case 'exists':
      case 'aggregated':
        // Their rows are rows of tables.
        return false;
      default:
        return check satisfies never;
    }
  });
}

/**
 * Prints a statement that returns for each row whether it fails a check, its composite text, and the text of the columns
 * `keys`. A second statement returns the result.
 */
export function printFirst(changing: Changing, keys: readonly Column[], printing: Printing): Sql {
  const { row } = changing;
  const failing = failure(changing, row, updated(row), printing) ?? sql`false`;
  const columns = keys.map((column) => cast(ident(row, column.name), text));
  return sql`${changing.text} returning ${join([failing, cast(ident(row), text), ...columns], ', ')}`;
}

/** Prints a statement with the JSON texts of `printWhole` for the rows in the input `rows`, a list of composite texts. */
export function printSecond(table: Table, response: MutationResponse, printing: Printing): Sql {
  const type = { sqlName: `${quoteIdent(table.schema)}.${quoteIdent(table.name)}[]` };
  const parts = printResponse(response, sql`unnest(${cast(slot({ kind: 'input', name: 'rows' }), type)})`, printing);
  return sql`select ${join(parts, ', ')}`;
}

function printResponse(response: MutationResponse, source: Sql, printing: Printing): readonly Sql[] {
  const from = (rows: RowsPlan) => selectRows({ ...rows, source }, undefined, printing);
  if (response.shape === 'row') return [sql`to_json(${singleOf(from(response.rows), printing)})`];
  return response.members.flatMap((member) =>
    member.kind === 'returning' ? [sql`array_to_json(${listOf(from(member.rows), printing)})`] : [],
  );
}

/** Whether the row existed before: PostgreSQL sets xmax of an updated row. */
function updated(row: string): Sql {
  return sql`(${cast(ident(row, 'xmax'), text)} <> '0')`;
}

/** A condition that is null is false. */
function failure(
  { check, checkOfUpdated }: Changing,
  row: string,
  existedBefore: Sql,
  printing: Printing,
): Sql | undefined {
  const unfulfilled = (predicate: Predicate) => {
    const conditions = conditionsOn(row, predicate, printing);
    return conditions.length === 0 ? sql`false` : sql`(${join(conditions, ' and ')}) is not true`;
  };
  const parts = [
    ...(hasCondition(check) ? [unfulfilled(check)] : []),
    ...(hasCondition(checkOfUpdated) ? [sql`(${existedBefore} and ${unfulfilled(checkOfUpdated)})`] : []),
  ];
  return parts.length === 0 ? undefined : sql`(${join(parts, ' or ')})`;
}

/**
 * Whether the result reads the table in addition to the changed rows. A statement does not see its own changes, so such a
 * result needs a second statement.
 */
export function readsAgain(response: MutationResponse, table: Table): boolean {
  if (response.shape === 'row') return fieldsRead(response.rows.fields, table);
  return response.members.some((member) => member.kind === 'returning' && fieldsRead(member.rows.fields, table));
}
