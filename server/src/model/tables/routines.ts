/** Arguments of functions that return rows or compute fields. */
import { isGraphqlName } from '@joinery/metadata/graphql-names';
import type { CatalogFunction } from '../../postgres/catalog/catalog-types.ts';
import type { ColumnType, Routine, RoutineArgument } from '../types/column-type.ts';

type TypeOf = (oid: number) => ColumnType | undefined;

/** Positions of the arguments that the caller does not pass. */
export interface Taken {
  readonly row?: number | undefined;
  readonly session?: number | undefined;
}

/** The routine, or why its arguments are not usable. */
export function readRoutine(
  found: CatalogFunction,
  taken: Taken,
  argumentsType: string,
  typeOf: TypeOf,
): Routine | string {
  const list: RoutineArgument[] = [];
  const names = new Set(found.arguments.map(({ name }) => name));
  let unnamed = 0;
  for (const [index, { name, type, hasDefault }] of found.arguments.entries()) {
    const columnType = typeOf(type);
    const from = index === taken.row ? 'row' : index === taken.session ? 'session' : 'caller';
    let field = name;
    if (from === 'caller' && name === '') {
      do field = `arg_${++unnamed}`;
      while (names.has(field));
    }
    if (columnType === undefined) return `the type of argument "${field}" of the function "${found.name}" is not known`;
    if (from === 'caller' && !isGraphqlName(field)) {
      return `the argument "${field}" of the function "${found.name}" has no GraphQL name; rename it`;
    }
    list.push({ name, field, type: columnType, hasDefault, from });
  }
  const made = { schema: found.schema, name: found.name, arguments: list, argumentsType };
  return found.volatility === 'volatile' ? { ...made, isVolatile: true } : made;
}

/** `because a` or `for the following reasons` and a list of them. */
export function reasonsText(reasons: readonly string[]): string {
  const [first, second] = reasons;
  if (second === undefined) return `because ${first}`;
  return `for the following reasons:\n${reasons.map((reason) => `  • ${reason}\n`).join('')}`;
}

/** The errors of the argument that takes the session variables. */
export function sessionErrors(
  found: CatalogFunction,
  name: string | null | undefined,
  typeOf: TypeOf,
): readonly string[] {
  if (!name) return [];
  const argument = found.arguments.find((one) => one.name === name);
  if (argument === undefined) return [`"${name}" is not an input argument of the function "${found.name}"`];
  const type = typeOf(argument.type);
  if (type?.family === 'json' || type?.family === 'jsonb') return [];
  return [`"${name}" argument of the function "${found.name}" is not of type JSON`];
}

/** The position of a named argument. */
export function positionOf(found: CatalogFunction, name: string | null | undefined): number | undefined {
  const index = name ? found.arguments.findIndex((one) => one.name === name) : -1;
  return index < 0 ? undefined : index;
}
