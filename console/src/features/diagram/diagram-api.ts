/** Data of the diagram besides the metadata. All functions throw Failure. */
import type { SuggestedRelationship } from '@joinery/metadata/api/catalog';
import type { Client } from '../../api/client.ts';
import { rejectionOf } from '../../api/failure.ts';
import { type PrimaryKeys, primaryKeysOf } from './diagram-model.ts';

/** Lists both directions of each foreign key between tracked tables, with or without a relationship. */
export async function readForeignKeys(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly SuggestedRelationship[]> {
  const args = { source, omit_tracked: false };
  return (await client.command('pg_suggest_relationships', args, { signal })).relationships;
}

/** One statement for all tables instead of a request per table. */
const primaryKeysSql = `
select s.nspname, t.relname, c.attname
from pg_catalog.pg_constraint k
join pg_catalog.pg_class t on t.oid = k.conrelid
join pg_catalog.pg_namespace s on s.oid = t.relnamespace
cross join unnest(k.conkey) with ordinality as part (number, place)
join pg_catalog.pg_attribute c on c.attrelid = t.oid and c.attnum = part.number
where k.contype = 'p'
order by s.nspname, t.relname, part.place`;

export async function readPrimaryKeys(client: Client, source: string, signal: AbortSignal): Promise<PrimaryKeys> {
  const args = { source, sql: primaryKeysSql, read_only: true };
  const response = await client.post('/v2/query', JSON.stringify({ type: 'run_sql', args }), {}, signal);
  if (response.status !== 200) throw rejectionOf(response.status, response.body);
  const { result } = response.body as { result: readonly (readonly string[])[] | null };
  return primaryKeysOf(result?.slice(1) ?? []);
}
