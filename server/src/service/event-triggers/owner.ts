/** Identifies the triggers of a service and a source in a database that several of them may share. */
import type { SourceName } from '@joinery/metadata/names';
import type { Database } from '../../postgres/client/pool.ts';
import { queryRows } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';

const installations = new WeakMap<Database, Promise<string>>();

/** Returns the value of `joinery.triggers.owner`. `store`: the database of the metadata. */
export async function triggerOwner(store: Database, source: SourceName): Promise<string> {
  let installation = installations.get(store);
  if (installation === undefined) {
    installation = readInstallation(store);
    installations.set(store, installation);
    // Read again after a failure.
    installation.catch(() => installations.delete(store));
  }
  return `${await installation}/${source}`;
}

async function readInstallation({ query }: Database): Promise<string> {
  const rows = await queryRows(query, sql`select installation_id as id from joinery.catalog_state`, ['id']);
  return rows[0]?.id ?? '';
}
