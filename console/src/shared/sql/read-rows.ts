/** Reads rows by SQL that the console writes, such as queries of the catalog. */
import type { Client } from '../../api/client.ts';

/** Returns the rows without the names of the columns. The SQL cannot write. Throws Failure. */
export async function readRows(
  client: Client,
  source: string,
  sql: string,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const { result } = await client.command('run_sql', { source, sql, read_only: true }, { signal, api: '/v2/query' });
  return (result ?? []).slice(1);
}
