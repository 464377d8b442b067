/** `joinery doctor --hasura-catalog` and `--remove-hasura-catalog`: views of the schema `hdb_catalog`. */
import type { Connection } from '../../client/connection.ts';
import { readRows } from '../migrate/state.ts';
import { type Finding, finding } from './finding.ts';

interface CatalogState {
  /** The owner of the schema `hdb_catalog`; undefined where there is none. */
  readonly owner: 'Hasura v2' | 'Joinery' | undefined;
  /** Whether the tables of events are in this database. */
  readonly hasEvents: boolean;
}

async function readState(connection: Connection, source: string): Promise<CatalogState> {
  const schema = `to_regnamespace('hdb_catalog')`;
  const [row = []] = await readRows(
    connection,
    source,
    `select ${schema} is not null, coalesce(obj_description(${schema}, 'pg_namespace'), '') like 'Views of Joinery%',
       to_regclass('joinery.scheduled_events') is not null`,
  );
  const [exists, isOwn, hasEvents] = row.map((one) => one === 't');
  return { owner: exists !== true ? undefined : isOwn ? 'Joinery' : 'Hasura v2', hasEvents: hasEvents === true };
}

/** Creates or removes the views in a source. Leaves the catalog of Hasura v2 unchanged, which is a problem. */
export async function changeCatalog(
  connection: Connection,
  source: string,
  change: 'create' | 'remove',
): Promise<readonly Finding[]> {
  const check = `database ${source}`;
  const { owner, hasEvents } = await readState(connection, source);
  if (owner === 'Hasura v2') {
    const message = 'its schema hdb_catalog was created by Hasura v2 and stays as it is';
    return [finding(check, 'problem', message, 'SQL of the project reads the tables of Hasura v2 in it')];
  }
  if (owner === undefined && change === 'remove') return [finding(check, 'ok', 'it has no schema hdb_catalog')];
  const { hasuraCatalogScripts } = await import('@joinery/server/hasura-catalog');
  const args = { sql: hasuraCatalogScripts()[change], source, check_metadata_consistency: false };
  await connection.command('run_sql', args, { api: '/v2/query' });
  if (change === 'remove') {
    const after = await readState(connection, source);
    return after.owner === undefined
      ? [finding(check, 'ok', 'the schema hdb_catalog was removed')]
      : [finding(check, 'ok', 'the views of hdb_catalog were removed; other objects in the schema stay')];
  }
  const shown = hasEvents
    ? 'they show scheduled events, cron events and asynchronous actions of the schema joinery'
    : 'all are empty, because the schema joinery with the events is in another database';
  return [finding(check, 'ok', `the views of hdb_catalog exist; ${shown}`)];
}

/** Reports the schema `hdb_catalog` of a source. */
export async function checkCatalog(connection: Connection, source: string): Promise<readonly Finding[]> {
  const check = `database ${source}`;
  const { owner } = await readState(connection, source);
  if (owner === undefined) return [];
  if (owner === 'Joinery') return [finding(check, 'ok', 'the views of hdb_catalog exist')];
  const advice = 'if Hasura v2 still runs, both call cron triggers: see /docs/from-hasura-move';
  return [finding(check, 'ok', 'it has the catalog of Hasura v2 (hdb_catalog), which stays unchanged', advice)];
}
