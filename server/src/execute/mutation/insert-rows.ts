/** Inserts. The statement and the columns of a single row are determined once for each set of given fields. */
import type { Column } from '../../model/types/table.ts';
import { arrangeInsert, type InsertLevel } from '../../plan/mutate/insert.ts';
import { encodeText } from '../../plan/mutate/values.ts';
import type { InsertPlan } from '../../plan/plan/mutation.ts';
import { cellName, insertInputs, maxRows, printInsert, shapeOf } from '../../print/mutate/insert.ts';
import { isChecked } from '../../print/mutate/mutate.ts';
import { readInput } from '../action/handler/handler-input.ts';
import type { ExecuteContext } from '../context/context.ts';
import { nothing, prepareChange, readResponse, type Step } from './mutation-step.ts';
import { hasNested, insertLevel } from './nested-insert.ts';
import { ValueForms } from './value-forms.ts';

export function insertStep(plan: InsertPlan, { variables }: ExecuteContext): Step {
  const data = readInput(plan.data, variables);
  const row = onlyRow(plan, data);
  if (row === undefined) return stepOf(plan, arrangeInsert(plan, data));
  const names = Object.keys(row);
  const known = forms.of(plan).get(names);
  if (known !== undefined) return known(row);
  const level = arrangeInsert(plan, data);
  // A nested row that is null inserts nothing, and another row of the same fields may insert some.
  const isPlain = names.every((name) => plan.table.columns.has(name));
  if (isPlain) forms.of(plan).set(names, prepareRow(plan, names, level));
  return stepOf(plan, level);
}

type Row = Readonly<Record<string, unknown>>;

/** Returns the row if there is exactly one. */
function onlyRow({ argument }: InsertPlan, data: unknown): Row | undefined {
  const row: unknown = argument === 'objects' && Array.isArray(data) ? (data.length === 1 ? data[0] : undefined) : data;
  return row as Row | undefined;
}

const forms = new ValueForms<InsertPlan, (row: Row) => Step>();

/** Returns the step for a row with the fields `names`, all of which are columns. */
function prepareRow(plan: InsertPlan, names: readonly string[], level: InsertLevel): (row: Row) => Step {
  const { given } = shapeOf(level);
  const cells = names.flatMap((name) => {
    const column = plan.table.columns.get(name);
    if (column === undefined) return [];
    const at = given.indexOf(column);
    // The value of a column with a preset is checked only.
    const input = at === -1 ? undefined : cellName(0, at);
    return [{ name, type: column.type, path: `${level.rows[0]?.path ?? level.path}.${name}`, input }];
  });
  const change = prepareLevel(plan, withoutValues(level));
  return (row) => {
    const inputs: Record<string, unknown> = {};
    for (const { name, type, path, input } of cells) {
      const text = encodeText(type, row[name], path);
      if (input !== undefined) inputs[input] = text;
    }
    return change(inputs);
  };
}

/** The statement of the level depends on its columns only. */
function withoutValues(level: InsertLevel): InsertLevel {
  const rows = level.rows.map((row) => {
    const values = new Map<Column, string | null>();
    for (const column of row.values.keys()) values.set(column, null);
    return { ...row, values };
  });
  return { ...level, rows };
}

function prepareLevel(plan: InsertPlan, level: InsertLevel): ReturnType<typeof prepareChange> {
  const { table, response, conflict } = plan;
  const { access, path, rows } = level;
  const shape = shapeOf(level);
  return prepareChange({
    of: plan,
    signature: shape.signature,
    path,
    table,
    response,
    checked: isChecked({ check: access.check, checkOfUpdated: conflict?.check }),
    single: rows.length === 1,
    print: (printing) => printInsert(level, shape, printing),
  });
}

function stepOf(plan: InsertPlan, level: InsertLevel): Step {
  const { table, response } = plan;
  const { path, rows: given } = level;
  if (given.length === 0) return nothing(response);
  const shape = shapeOf(level);
  if (!hasNested(level) && given.length <= maxRows(shape)) {
    return prepareLevel(plan, level)(insertInputs(shape, given));
  }
  return {
    alone: false,
    run: async (writer) => {
      const { affected, rows } = await insertLevel(level, writer);
      const whole = rows.flatMap((row) => (row === undefined ? [] : [row.whole]));
      return { affected, texts: await readResponse(plan, table, response, whole, writer, path) };
    },
  };
}
