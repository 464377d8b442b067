/** Functions and native queries for tests of plans, from short descriptions. */
import { FieldName } from '@joinery/metadata/names';
import type { Routine, RoutineArgument } from '../../../src/model/types/column-type.ts';
import type { ComputedField, TableFunction } from '../../../src/model/types/table.ts';
import { relationKey } from '../../../src/postgres/catalog/catalog-types.ts';
import { columnType } from './draft.ts';
import { type ModelFixture, modelFixture, type OpenTable, user } from './sample-model.ts';
import { plainColumn } from './table-defaults.ts';

/** Returns an argument that the caller passes. `type` is a type of `columnType`. */
export function argumentOf(name: string, type: string, more: Partial<RoutineArgument> = {}): RoutineArgument {
  return { name, field: name, type: columnType(type), hasDefault: false, from: 'caller', ...more };
}

export function routineOf(name: string, ...args: readonly RoutineArgument[]): Routine {
  return { schema: 'public', name, arguments: args, argumentsType: `${name}_args` };
}

/** Returns a function that `user` may call for a set of rows of `table`. */
export function functionOf(table: OpenTable, routine: Routine, more: Partial<TableFunction> = {}): TableFunction {
  const { name } = routine;
  return {
    source: table.source,
    routine,
    table,
    roots: { function: name, function_aggregate: `${name}_aggregate` },
    connectionRoot: `${name}_connection`,
    returnsSet: true,
    exposedAs: 'query',
    comment: undefined,
    roles: new Set([user]),
    inferred: true,
    ...more,
  };
}

/** Adds a computed field that returns a value of the type of `columnType`, or the rows of a table. */
export function compute(table: OpenTable, routine: Routine, result: string | OpenTable): ComputedField {
  const name = FieldName.parse(routine.name);
  const column = typeof result === 'string' && {
    ...{ name, field: name, type: columnType(result), nullable: true, comment: undefined, computed: routine },
    ...plainColumn,
  };
  const computed: ComputedField = {
    name,
    routine,
    comment: undefined,
    result: column ? { kind: 'scalar', column } : { kind: 'rows', table: result as OpenTable },
  };
  Object.assign(table, { computedFields: new Map([...(table.computedFields ?? []), [name, computed]]) });
  for (const [role, access] of table.selectAccess) {
    const computedFields = new Set([...(access.computedFields ?? []), ...(column ? [computed] : [])]);
    table.selectAccess.set(role, { ...access, computedFields });
  }
  return computed;
}

/** Returns the sample model with the functions that `functions` returns for its tables. */
export function withFunctions(functions: (fixture: ModelFixture) => readonly TableFunction[]): ModelFixture {
  const fixture = modelFixture();
  const all = functions(fixture);
  const sources = [...fixture.model.sources.values()].map((source) => {
    const own = all.filter((one) => one.source === source.name);
    const byKey = new Map(own.map((one) => [relationKey(one.routine.schema, one.routine.name), one]));
    return [source.name, { ...source, functions: byKey }] as const;
  });
  return { ...fixture, model: { ...fixture.model, sources: new Map(sources) } };
}
