/** The rows of a change in the functions of capture: as transition tables of a statement, or as `old` and `new` of a row. */
import { ident, type Sql, sql } from '../../postgres/sql/sql.ts';
import { type CapturedOperation, type CaptureTrigger, captureName } from './captured-trigger.ts';

/** The rows of changes as the aliases `o` and `n`, and references to all columns of each. */
export interface RowSource {
  readonly from: Sql;
  readonly whole: Readonly<Record<'o' | 'n', Sql>>;
  /** A condition on the number of rows. */
  readonly guard?: Sql;
}

/** Refers to all columns by `.*`: a column may have the name of the alias. */
export function rowsOf(from: Sql): RowSource {
  return { from, whole: { o: sql`o.*`, n: sql`n.*` } };
}

/** The rows of a statement, where there is one row or the operation has one table of rows. */
export const statementSources: Readonly<Record<CapturedOperation, RowSource>> = {
  insert: rowsOf(sql`joinery_new n left join joinery_new o on false`),
  update: rowsOf(sql`joinery_old o cross join joinery_new n`),
  delete: rowsOf(sql`joinery_old o left join joinery_old n on false`),
};

/**
 * The rows of a trigger for each row. The fields are named one by one: PostgreSQL compares their types with those of the plan at each
 * execution, and would use a plan with `new.*` after a change of the table.
 */
export function rowSource(trigger: CaptureTrigger, operation: CapturedOperation): RowSource {
  const variable = (name: 'old' | 'new'): Sql => ident(captureName(trigger.number, operation), name);
  const old = operation === 'insert' ? 'new' : 'old';
  const fresh = operation === 'delete' ? 'old' : 'new';
  const names = namedColumns(trigger, operation);
  const fields = (row: 'old' | 'new'): Sql =>
    names
      .map((name) => sql`${variable(row)}.${ident(name)}`)
      .reduce((all, one) => sql`${all}, ${one}`, sql`true as "joinery row"`);
  const both = operation === 'update' ? sql`true` : sql`false`;
  const from =
    operation === 'delete'
      ? sql`(select ${fields(old)}) o left join (select ${fields(fresh)}) n on ${both}`
      : sql`(select ${fields(fresh)}) n left join (select ${fields(old)}) o on ${both}`;
  return { from, whole: { o: variable(old), n: variable(fresh) } };
}

/** Returns the columns that the function of the operation names. */
function namedColumns(
  { operations, columns, orderingKey = [] }: CaptureTrigger,
  operation: CapturedOperation,
): readonly string[] {
  const { payload = '*', listened = '*', when, whenColumns } = operations[operation] ?? {};
  const condition = when === undefined ? [] : (whenColumns ?? columns.map(({ name }) => name));
  return [
    ...new Set([...[payload, listened].flatMap((list) => (list === '*' ? [] : list)), ...orderingKey, ...condition]),
  ];
}

/**
 * The rows of an update: both tables have them in the same order. The whole rows are columns, because expressions on expanded records
 * confuse the columns of a table that has dropped some.
 */
export const pairedRows: RowSource = {
  from: sql`(select j.*, j.*::record as "joinery row", row_number() over () as "joinery number" from joinery_old j) o
  join (select j.*, j.*::record as "joinery row", row_number() over () as "joinery number" from joinery_new j) n
  on n."joinery number" = o."joinery number"`,
  whole: { o: sql`o."joinery row"`, n: sql`n."joinery row"` },
};
