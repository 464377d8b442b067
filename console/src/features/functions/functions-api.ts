/** Commands on functions. All functions throw Failure. */
import type { SourceFunction } from '@joinery/metadata/api/catalog';
import type { Client } from '../../api/client.ts';
import type { TableName } from '../../shared/sources/table-paths.ts';

export async function readFunctions(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly SourceFunction[]> {
  return client.command('pg_get_source_functions', { source }, { signal });
}

export type Exposure = 'query' | 'mutation';

export async function trackFunction(
  client: Client,
  source: string,
  { schema, name }: TableName,
  exposedAs: Exposure,
): Promise<void> {
  const configuration = { exposed_as: exposedAs };
  await client.command('pg_track_function', { source, function: { schema, name }, configuration });
}

export async function untrackFunction(client: Client, source: string, { schema, name }: TableName): Promise<void> {
  await client.command('pg_untrack_function', { source, function: { schema, name } });
}

export async function setFunctionRole(
  client: Client,
  source: string,
  { schema, name }: TableName,
  role: string,
  granted: boolean,
): Promise<void> {
  const type = granted ? 'pg_create_function_permission' : 'pg_drop_function_permission';
  await client.command(type, { source, function: { schema, name }, role });
}

/** Formats `top_customers(most int4 = …): many customer`. */
export function signatureOf({ name, arguments: taken, returns, returns_set }: SourceFunction): string {
  const list = taken.map(
    (one) => `${one.name === '' ? '' : `${one.name} `}${one.type}${one.has_default ? ' = …' : ''}`,
  );
  return `${name}(${list.join(', ')}): ${returns_set ? 'rows' : 'a row'} of ${returns.name}`;
}
