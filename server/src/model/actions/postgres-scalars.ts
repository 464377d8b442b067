/** Types that actions may use without a definition: scalars of GraphQL and PostgreSQL, and enums of enum tables. */
import { scalarAliases } from '@joinery/metadata/sql/scalar-aliases';
import { builtInTypes } from '../predicate/column-types.ts';
import type { EnumRef, ScalarRef } from '../types/action.ts';
import type { Draft } from '../types/draft.ts';

/** The built-in scalars of GraphQL. */
export const graphqlScalars: ReadonlyMap<string, ScalarRef> = new Map(
  ['Int', 'Float', 'String', 'Boolean', 'ID'].map((name) => [
    name,
    { kind: 'scalar', name, origin: 'graphql', description: undefined },
  ]),
);

/** Types without operators of their own, and types of common extensions. */
const others = [
  ...['oid', 'bit', 'varbit', 'xml', 'tsvector', 'tsquery'],
  ...['int4range', 'int8range', 'numrange', 'daterange', 'tsrange', 'tstzrange'],
  ...['citext', 'ltree', 'lquery', 'ltxtquery', 'geometry', 'geography', 'raster'],
];

/** The built-in types of PostgreSQL and the types of columns of tracked tables, by name. */
export function postgresScalars(draft: Draft): ReadonlyMap<string, ScalarRef> {
  const scalars = new Map<string, ScalarRef>();
  const add = (name: string) => {
    if (scalars.has(name) || graphqlScalars.has(name)) return;
    scalars.set(name, { kind: 'scalar', name, origin: 'postgres', description: undefined });
  };
  for (const name of [...builtInTypes.keys(), ...others]) add(name);
  for (const source of draft.sources.values()) {
    for (const table of source.tables.values()) {
      for (const { type } of table.columns.values()) if (type.enumeration === undefined) add(type.scalar);
    }
  }
  for (const [alias, name] of Object.entries(scalarAliases)) {
    const scalar = graphqlScalars.get(name) ?? scalars.get(name);
    if (scalar !== undefined && !scalars.has(alias)) scalars.set(alias, scalar);
  }
  return scalars;
}

/** The enums of enum tables, such as `colors_enum`, by name. */
export function tableEnums(draft: Draft): ReadonlyMap<string, EnumRef> {
  const enums = new Map<string, EnumRef>();
  for (const source of draft.sources.values()) {
    for (const table of source.tables.values()) {
      for (const { type } of table.columns.values()) {
        if (type.enumeration === undefined || enums.has(type.scalar)) continue;
        const values = type.enumeration.map(({ value, comment }) => ({
          value,
          description: comment,
          deprecated: undefined,
        }));
        const name = type.scalar as EnumRef['name'];
        enums.set(name, { kind: 'enum', name, description: undefined, values, column: type });
      }
    }
  }
  return enums;
}
