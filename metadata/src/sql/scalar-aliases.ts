/** Names that PostgreSQL has for types beside those of the schema. */

/** Other names that PostgreSQL has for types, and the scalar that each is in GraphQL. */
export const scalarAliases: Readonly<Record<string, string>> = {
  int: 'Int',
  int4: 'Int',
  integer: 'Int',
  float4: 'Float',
  real: 'Float',
  text: 'String',
  varchar: 'String',
  bool: 'Boolean',
  boolean: 'Boolean',
  int2: 'smallint',
  int8: 'bigint',
  decimal: 'numeric',
};
