/** GraphQL scalars by the alternative names that PostgreSQL has for types. */
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
