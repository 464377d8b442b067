/** The scalars of PostgreSQL that the types of actions may name without defining them. */
import type { Draft } from './draft.ts';
import type { ScalarRef, TypeFamily } from './model.ts';

/** The five of GraphQL itself. */
export const graphqlScalars: ReadonlyMap<string, ScalarRef> = new Map(
  ['Int', 'Float', 'String', 'Boolean', 'ID'].map((name) => [
    name,
    { kind: 'scalar', name, origin: 'graphql', description: undefined },
  ]),
);

/** PostgreSQL names of types that are one of the five in GraphQL. */
const aliases: Readonly<Record<string, string>> = {
  int: 'Int',
  int4: 'Int',
  integer: 'Int',
  text: 'String',
  varchar: 'String',
  bool: 'Boolean',
  boolean: 'Boolean',
};

const namesOfFamilies: Readonly<Partial<Record<TypeFamily, readonly string[]>>> = {
  number: ['smallint', 'int2', 'bigint', 'int8', 'numeric', 'decimal', 'real', 'float4', 'float8', 'money', 'oid'],
  text: ['bpchar', 'name'],
  citext: ['citext'],
  time: ['date', 'time', 'timetz', 'timestamp', 'timestamptz'],
  interval: ['interval'],
  uuid: ['uuid'],
  bytes: ['bytea'],
  json: ['json'],
  jsonb: ['jsonb'],
  network: ['inet', 'cidr', 'macaddr', 'macaddr8'],
  range: ['int4range', 'int8range', 'numrange', 'daterange', 'tsrange', 'tstzrange'],
  ltree: ['ltree'],
  lquery: ['lquery'],
  ltxtquery: ['ltxtquery'],
  geometry: ['geometry'],
  geography: ['geography'],
  raster: ['raster'],
  other: ['bit', 'varbit', 'xml', 'tsvector', 'tsquery'],
};

/** The family of a Postgres scalar that needs no table to be known. */
export const familyOfScalar: ReadonlyMap<string, TypeFamily> = new Map(
  Object.entries(namesOfFamilies).flatMap(([family, names]) => names.map((name) => [name, family as TypeFamily])),
);

/** By name: what every PostgreSQL has, and what the columns of the tracked tables are made of. */
export function postgresScalars(draft: Draft): ReadonlyMap<string, ScalarRef> {
  const scalars = new Map<string, ScalarRef>();
  const add = (name: string) => {
    if (!scalars.has(name) && !graphqlScalars.has(name)) {
      scalars.set(name, { kind: 'scalar', name, origin: 'postgres', description: undefined });
    }
  };
  for (const name of familyOfScalar.keys()) add(name);
  for (const source of draft.sources.values()) {
    for (const table of source.tables.values()) {
      for (const column of table.columns.values()) add(column.type.scalar);
    }
  }
  for (const [alias, name] of Object.entries(aliases)) {
    const scalar = graphqlScalars.get(name);
    if (scalar !== undefined && !scalars.has(alias)) scalars.set(alias, scalar);
  }
  return scalars;
}
