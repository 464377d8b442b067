/** Updates and deletes. The statement of an update is determined once for each set of given operators and fields. */
import type { Table } from '../../model/types/table.ts';
import { keyVariable } from '../../plan/mutate/mutation.ts';
import { arrangeChanges, arrangeUpdates, type Change, changeType, type OneUpdate } from '../../plan/mutate/update.ts';
import { encodeText } from '../../plan/mutate/values.ts';
import type { DeletePlan, UpdateManyPlan, UpdatePlan } from '../../plan/plan/mutation.ts';
import { isChecked } from '../../print/mutate/mutate.ts';
import { printDelete, printUpdate, signatureOf, updateInputs } from '../../print/mutate/update.ts';
import { readInput } from '../action/handler/handler-input.ts';
import type { ExecuteContext } from '../context/context.ts';
import { nothing, prepareChange, type Step } from './mutation-step.ts';
import { ValueForms } from './value-forms.ts';

type Variables = ExecuteContext['variables'];

/** The operators of one request that are given, each with an object of values by field. */
type Given = readonly { readonly operator: string; readonly value: Readonly<Record<string, unknown>> }[];

export function updateStep(plan: UpdatePlan, { variables }: ExecuteContext): Step {
  const given: { operator: string; value: Readonly<Record<string, unknown>> }[] = [];
  const names: string[] = [];
  for (const { operator, value } of plan.changes) {
    const read = readInput(value, variables);
    if (read === undefined || read === null) continue;
    const fields = read as Readonly<Record<string, unknown>>;
    given.push({ operator, value: fields });
    // No name of a field has the form of a count.
    const own = Object.keys(fields);
    names.push(operator, String(own.length), ...own);
  }
  const values = withKey(plan, variables);
  const known = forms.of(plan).get(names);
  if (known !== undefined) return known(given, values);
  // Throws for operators with a common field.
  const changes = arrangeChanges(plan.table, given, `${plan.path}.args`);
  const made = prepareUpdate(plan, given, changes);
  forms.of(plan).set(names, made);
  return made(given, values);
}

const forms = new ValueForms<UpdatePlan, (given: Given, variables: Variables) => Step>();

function prepareUpdate(
  plan: UpdatePlan,
  given: Given,
  arranged: readonly Change[],
): (given: Given, variables: Variables) => Step {
  const { table, access, where, response, path } = plan;
  if (arranged.length === 0 && access.presets.size === 0) return () => nothing(response);
  const changes = arranged.map(({ column, operator }) => ({ column, operator, value: null }));
  const cells = changes.map(({ column, operator }, index) => ({
    at: given.findIndex((one) => one.operator === operator),
    field: column.field,
    type: changeType(operator, column),
    path: `${path}.args.${operator}.${column.field}`,
    input: `v${index}`,
  }));
  const change = prepareChange({
    of: plan,
    signature: signatureOf(changes),
    path,
    table,
    response,
    checked: isChecked({ check: access.check, checkOfUpdated: undefined }),
    single: plan.key !== undefined && hasUniqueKeys(table),
    print: (printing) => printUpdate(table, access, where, changes, printing),
  });
  return (values, variables) => {
    const inputs: Record<string, unknown> = {};
    for (const { at, field, type, path: place, input } of cells) {
      inputs[input] = encodeText(type, values[at]?.value[field], place);
    }
    return change(inputs, variables);
  };
}

/** Whether no two rows have the same primary key. Within a transaction, a deferred constraint permits them. */
function hasUniqueKeys({ hasChildren, primaryKeyDeferrable }: Table): boolean {
  return hasChildren !== true && primaryKeyDeferrable !== true;
}

/** Returns the variables with those of the key. */
function withKey({ key, table }: UpdatePlan, variables: Variables): Variables {
  if (key === undefined) return variables;
  const given = (readInput(key, variables) ?? {}) as Readonly<Record<string, unknown>>;
  const all: Record<string, unknown> = { ...variables };
  for (const { field } of table.primaryKey ?? []) all[keyVariable(field)] = given[field];
  return all;
}

/** Returns the steps of `update_many`, in order. */
export function manySteps(plan: UpdateManyPlan, { variables }: ExecuteContext): readonly Step[] {
  return arrangeUpdates(plan, readInput(plan.updates, variables)).map((update, index) =>
    oneOfMany(plan, update, `${plan.path}.args.updates[${index}]`),
  );
}

function oneOfMany(plan: UpdateManyPlan, { where, changes }: OneUpdate, path: string): Step {
  const { table, access, response } = plan;
  if (changes.length === 0 && access.presets.size === 0) return nothing(response);
  const change = prepareChange({
    of: plan,
    // The conditions are part of the data, so the statement is not reused.
    signature: undefined,
    path,
    table,
    response,
    checked: isChecked({ check: access.check, checkOfUpdated: undefined }),
    single: false,
    print: (printing) => printUpdate(table, access, where, changes, printing),
  });
  return change(updateInputs(changes));
}

const deletes = new WeakMap<DeletePlan, Step>();

export function deleteStep(plan: DeletePlan): Step {
  const known = deletes.get(plan);
  if (known !== undefined) return known;
  const { table, where, response, path } = plan;
  const change = prepareChange({
    of: plan,
    signature: 'delete',
    path,
    table,
    response,
    checked: false,
    single: response.shape === 'row' && hasUniqueKeys(table),
    print: (printing) => printDelete(table, where, printing),
  });
  const step = change({});
  deletes.set(plan, step);
  return step;
}
