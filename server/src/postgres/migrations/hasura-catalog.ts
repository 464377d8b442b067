/** SQL for projects that read or clean the catalog of Hasura v2. The command line tool runs it on request. */
import { readFileSync } from 'node:fs';

export interface HasuraCatalogScripts {
  /** Creates views of the schema `hdb_catalog`, over the tables of the schema `joinery` where the database has them. */
  readonly create: string;
  /** Drops the views. */
  readonly remove: string;
}

/** Both scripts raise an exception where the schema `hdb_catalog` was created by Hasura v2. */
export function hasuraCatalogScripts(): HasuraCatalogScripts {
  const read = (name: string): string =>
    readFileSync(new URL(`../../../migrations/hasura-catalog/${name}.sql`, import.meta.url), 'utf8');
  return { create: read('create'), remove: read('remove') };
}
