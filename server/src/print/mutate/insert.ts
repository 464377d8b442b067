/** Prints `insert into ... on conflict ...`. Values are parameters. */
import type { Column, Operand } from '../../model/types/table.ts';
import type { InsertLevel, InsertRow } from '../../plan/mutate/insert.ts';
import type { ConflictPlan, ConflictTarget } from '../../plan/plan/mutation.ts';
import { cast, empty, ident, integer, join, ofUnknownLength, type Sql, slot, sql } from '../../postgres/sql/sql.ts';
import { printOperand } from '../operand.ts';
import { conditionsOn } from '../predicate.ts';
import { type Printing, tableAs, whereAll } from '../printing.ts';
import type { Changing } from './mutate.ts';

/** The form in which the rows are passed. */
export interface InsertShape {
  /** Columns that some row has, in order of position, without those with a preset. */
  readonly given: readonly Column[];
  readonly many: boolean;
  /**
   * Whether all rows have the same columns, and at least one. Many such rows are one parameter of type jsonb; otherwise each
   * value is a parameter.
   */
  readonly uniform: boolean;
  /** Equal for shapes with the same text, where the text does not depend on the number of rows. */
  readonly signature: string | undefined;
}

export function shapeOf({ table, access, rows }: InsertLevel): InsertShape {
  const some = new Set(rows.flatMap(({ values }) => [...values.keys()]));
  const given = [...table.columnsByName.values()].filter((column) => some.has(column) && !access.presets.has(column));
  const many = rows.length > 1;
  const uniform = given.length > 0 && rows.every(({ values }) => given.every((column) => values.has(column)));
  const names = given.map(({ name }) => JSON.stringify(name)).join();
  return { given, many, uniform, signature: many && !uniform ? undefined : `${many}:${names}` };
}

/** Returns the inputs of a statement of that shape. */
export function insertInputs(
  { given, many, uniform }: InsertShape,
  rows: readonly InsertRow[],
): Record<string, unknown> {
  const inputs: Record<string, unknown> = {};
  if (many && uniform) {
    inputs.rows = JSON.stringify(rows.map(({ values }) => given.map((column) => values.get(column) ?? null)));
    return inputs;
  }
  rows.forEach(({ values }, at) => {
    given.forEach((column, index) => {
      const value = values.get(column);
      if (value !== undefined) inputs[cellName(at, index)] = value;
    });
  });
  return inputs;
}

/** Returns the name of the input for a value of a row. */
export function cellName(row: number, column: number): string {
  return `r${row}v${column}`;
}

/** The limit of PostgreSQL is 65,535 parameters. Some are reserved for conditions and presets. */
const MOST_CELLS = 60_000;

/** Returns the maximum number of rows of one statement. */
export function maxRows({ given, many, uniform }: InsertShape): number {
  if (!many || uniform) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(MOST_CELLS / Math.max(1, given.length)));
}

/**
 * Prints one statement for all rows of the level. Rows with the same columns are a select, whose planning time does not
 * depend on their number. Others need `default`, which only `values` permits.
 */
export function printInsert(level: InsertLevel, shape: InsertShape, printing: Printing): Changing {
  const { table, access, conflict } = level;
  const row = printing.whole();
  const columns = [...shape.given, ...access.presets.keys()];
  const source = columns.length === 0 ? printDefaults(level) : printRows(level, shape, printing);
  const names = columns.length === 0 ? [...table.columnsByName.values()].slice(0, 1) : columns;
  const target =
    columns.length === 0 && level.rows.length === 1
      ? empty
      : sql` (${join(
          names.map(({ name }) => ident(name)),
          ', ',
        )})`;
  const upsert = conflict === undefined ? empty : printConflict(conflict, row, printing);
  return {
    table,
    row,
    text: sql`insert into ${tableAs(table, row, printing)}${target} ${source}${upsert}`,
    check: access.check,
    checkOfUpdated: conflict !== undefined && conflict.columns.length > 0 ? conflict.check : undefined,
  };
}

function printDefaults({ rows }: InsertLevel): Sql {
  if (rows.length === 1) return sql`default values`;
  return sql`values ${join(
    rows.map(() => sql`(default)`),
    ', ',
  )}`;
}

/** A column and its value from the permission. */
export type Preset = readonly [column: Column, operand: Operand];

const jsonb = { sqlName: 'jsonb' };
const textList = { sqlName: 'text[]' };

function printRows(level: InsertLevel, { given, many, uniform }: InsertShape, printing: Printing): Sql {
  const always = [...level.access.presets].map((preset) => printPreset(preset, printing));
  if (many && uniform) {
    const rows = cast(slot({ kind: 'input', name: 'rows' }), jsonb);
    const [from, one, position] = [printing.row(), ident('row'), ident('position')];
    const values = given.map((column, index) => cast(sql`(${ident(from)}.${one}->>${integer(index)})`, column.type));
    const unnested = sql`jsonb_array_elements(${rows}) with ordinality as ${ident(from)} (${one}, ${position})`;
    return sql`select ${join([...values, ...always], ', ')} from ${unnested} order by ${ident(from)}.${position}`;
  }
  const lists = level.rows.map(({ values }, at) => {
    const parts = given.map((column, index) => {
      if (!values.has(column)) return sql`default`;
      return cast(slot({ kind: 'input', name: cellName(at, index) }), column.type);
    });
    return sql`(${join([...parts, ...always], ', ')})`;
  });
  return sql`values ${join(lists, ', ')}`;
}

function printPreset([column, operand]: Preset, printing: Printing): Sql {
  return printOperand(operand, column.type, { row: '', root: '' }, printing);
}

/**
 * Returns the first key that differs from the presets, or no row: its position from 1 and, for each preset, whether it
 * differs. The keys are the inputs `keys0`, `keys1`, ...: for each preset a list of text forms.
 */
export function printOtherKeys(presets: readonly Preset[], printing: Printing): Sql {
  const row = printing.row();
  const lists = presets.map((_, index) =>
    ofUnknownLength(cast(slot({ kind: 'input', name: `keys${index}` }), textList)),
  );
  const names = presets.map((_, index) => ident(`key${index}`));
  const differs = presets.map((preset, index) => {
    const key = cast(ident(row, `key${index}`), preset[0].type);
    return sql`${key} is distinct from ${printPreset(preset, printing)}`;
  });
  const from = sql`unnest(${join(lists, ', ')}) with ordinality as ${ident(row)} (${join([...names, ident('position')], ', ')})`;
  const position = ident(row, 'position');
  return sql`select ${join([position, ...differs], ', ')} from ${from} where ${join(differs, ' or ')} order by ${position} limit 1`;
}

function printConflict({ target, columns, presets, where }: ConflictPlan, row: string, printing: Printing): Sql {
  const on = sql` on conflict${printTarget(target)}`;
  if (columns.length === 0) return sql`${on} do nothing`;
  const set = [
    ...columns
      .filter((column) => !presets.has(column))
      .map(({ name }) => sql`${ident(name)} = excluded.${ident(name)}`),
    ...[...presets].map((preset) => sql`${ident(preset[0].name)} = ${printPreset(preset, printing)}`),
  ];
  return sql`${on} do update set ${join(set, ', ')}${whereAll(conditionsOn(row, where, printing))}`;
}

function printTarget(target: ConflictTarget): Sql {
  switch (target.kind) {
    case 'constraint':
      return sql` on constraint ${ident(target.name)}`;
    case 'columns':
      return sql` (${join(
        target.columns.map(({ name }) => ident(name)),
        ', ',
      )})`;
    case 'any':
      return empty;
    default:
      return target satisfies never;
  }
}
