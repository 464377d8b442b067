/** Commands on native queries and logical models. All functions throw Failure. */
import type { Client } from '../../api/client.ts';
import type { ModelEntry, QueryEntry } from './native-draft.ts';

/** Tracks a native query, in place of `before`. */
export async function saveQuery(
  client: Client,
  source: string,
  query: QueryEntry,
  before: QueryEntry | undefined,
  basedOn: number | undefined,
): Promise<void> {
  const args = { source, type: 'query', ...query };
  if (before === undefined) {
    await client.command('pg_track_native_query', JSON.stringify(args));
    return;
  }
  const untrack = { type: 'pg_untrack_native_query', args: { source, root_field_name: before.root_field_name } };
  const track = { type: 'pg_track_native_query', args };
  await client.command('bulk_atomic', JSON.stringify([untrack, track]), { basedOn });
}

/** Tracks a logical model with its permissions, in place of `before`. */
export async function saveModel(
  client: Client,
  source: string,
  model: ModelEntry,
  before: ModelEntry | undefined,
  basedOn: number | undefined,
): Promise<void> {
  const track = { type: 'pg_track_logical_model', args: { source, ...model } };
  if (before === undefined) {
    await client.command('pg_track_logical_model', JSON.stringify(track.args));
    return;
  }
  const untrack = { type: 'pg_untrack_logical_model', args: { source, name: before.name } };
  await client.command('bulk_atomic', JSON.stringify([untrack, track]), { basedOn });
}

export async function untrackQuery(client: Client, source: string, name: string): Promise<void> {
  await client.command('pg_untrack_native_query', JSON.stringify({ source, root_field_name: name }));
}

export async function untrackModel(client: Client, source: string, name: string): Promise<void> {
  await client.command('pg_untrack_logical_model', JSON.stringify({ source, name }));
}
