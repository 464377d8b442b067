/** Converts rows of functions from `catalog.sql` to catalog functions. */
import type { TypeRow } from './catalog-type-rows.ts';
import { type CatalogArgument, type CatalogFunction, type CatalogRelation, relationKey } from './catalog-types.ts';

export type FunctionRow = [
  oid: number,
  schema: string,
  name: string,
  volatility: string,
  returnsSet: boolean,
  returnType: number,
  /** Of all arguments, including those that are only returned. */
  types: number[],
  modes: string[] | null,
  names: string[] | null,
  defaults: number,
  variadic: boolean,
  comment: string | null,
];

const volatilities: Readonly<Record<string, CatalogFunction['volatility']>> = {
  i: 'immutable',
  s: 'stable',
  v: 'volatile',
};

/** Returns the functions by `relationKey(schema, name)`, with overloads together. `relations` is by oid. */
export function readFunctions(
  rows: readonly FunctionRow[],
  types: readonly TypeRow[],
  relations: ReadonlyMap<number, CatalogRelation>,
): ReadonlyMap<string, readonly CatalogFunction[]> {
  const rowTypes = new Map(types.map((type) => [type[0], relations.get(type[5])]));
  const functions = new Map<string, CatalogFunction[]>();
  for (const row of rows) {
    const made = readFunction(row, rowTypes.get(row[5]));
    const key = relationKey(made.schema, made.name);
    functions.set(key, [...(functions.get(key) ?? []), made]);
  }
  return functions;
}

function readFunction(row: FunctionRow, relation: CatalogRelation | undefined): CatalogFunction {
  const [oid, schema, name, volatility, returnsSet, returnType, , , , , variadic, comment] = row;
  return {
    schema,
    name,
    oid,
    volatility: volatilities[volatility] ?? 'volatile',
    arguments: readArguments(row),
    variadic,
    returnsSet,
    returnType,
    returnsRelation: relation && { schema: relation.schema, name: relation.name },
    comment: comment ?? undefined,
  };
}

/** Returns the arguments that a caller passes: in, inout, variadic. The last ones may have defaults. */
function readArguments([, , , , , , types, modes, names, defaults]: FunctionRow): readonly CatalogArgument[] {
  const inputs = types.flatMap((type, index) =>
    'ibv'.includes(modes?.[index] ?? 'i') ? [{ name: names?.[index] ?? '', type }] : [],
  );
  return inputs.map((input, index) => ({ ...input, hasDefault: index >= inputs.length - defaults }));
}
