/** Renames columns of the table in its event triggers. Templates of transforms are not changed. */
import { isJsonObject, type JsonObject } from '../json.ts';
import { type EventTrigger, operationNames } from './schema.ts';

/** Returns the new name of a column, or the name itself. */
type NewName = <Name extends string>(column: Name) => Name;

type Columns = NonNullable<EventTrigger['definition']['update']>['columns'];

/** Returns the trigger with the new names in its lists of columns, its condition and its keys. */
export function renameColumnsOfTrigger(trigger: EventTrigger, newName: NewName): EventTrigger {
  const { definition, when, ordering_key, debounce } = trigger;
  return {
    ...trigger,
    definition: renameInDefinition(definition, newName),
    ...(when && { when: renameInCondition(when, newName) }),
    ...(ordering_key && { ordering_key: ordering_key.map((column) => newName(column)) }),
    ...(debounce && { debounce: { ...debounce, key: debounce.key.map((column) => newName(column)) } }),
  };
}

function renameInDefinition(definition: EventTrigger['definition'], newName: NewName): EventTrigger['definition'] {
  const list = (columns: Columns): Columns => (columns === '*' ? columns : columns.map((column) => newName(column)));
  const renamed = { ...definition };
  for (const name of operationNames) {
    const operation = definition[name];
    if (!operation) continue;
    const { columns, payload } = operation;
    renamed[name] = { ...operation, columns: list(columns), ...(payload && { payload: list(payload) }) };
  }
  return renamed;
}

const combinators: ReadonlySet<string> = new Set(['_and', '_or', '_not', '$and', '$or', '$not']);

/** Renames in `old` and `new`, at any depth of `_and`, `_or` and `_not`. */
function renameInCondition(condition: JsonObject, newName: NewName): Record<string, unknown> {
  return renameMembers(condition, (row, name) => [name, isJsonObject(row) ? renameInRow(row, newName) : row]);
}

/** Renames in a condition on the columns of a row. */
function renameInRow(condition: JsonObject, newName: NewName): Record<string, unknown> {
  return renameMembers(condition, (tests, column) => [
    newName(column),
    isJsonObject(tests) ? renameCompared(tests, newName) : tests,
  ]);
}

/** Changes the members other than combinators, at any depth of these. */
function renameMembers(
  condition: JsonObject,
  change: (member: unknown, name: string) => [string, unknown],
): Record<string, unknown> {
  const again = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(again);
    return isJsonObject(inner) ? renameMembers(inner, change) : inner;
  };
  const entries = Object.entries(condition).map(([name, member]): [string, unknown] =>
    combinators.has(name) ? [name, again(member)] : change(member, name),
  );
  return Object.fromEntries(entries);
}

/** Renames the right side of `_ceq` and similar operators: a column, or a path that ends with it: `["$", "old", "price"]`. */
function renameCompared(tests: JsonObject, newName: NewName): Record<string, unknown> {
  const entries = Object.entries(tests).map(([operator, right]): [string, unknown] => {
    if (!/^[_$]c(eq|neq?|gte?|lte?)$/.test(operator)) return [operator, right];
    if (typeof right === 'string') return [operator, newName(right)];
    if (!Array.isArray(right)) return [operator, right];
    const path = right.map((step: unknown, index) =>
      index === right.length - 1 && typeof step === 'string' ? newName(step) : step,
    );
    return [operator, path];
  });
  return Object.fromEntries(entries);
}
