/** Identifies the triggers of a service and a source in a database that several of them may share. */
import type { SourceName } from '@joinery/metadata/names';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement, queryRows, runStatement } from '../../postgres/sql/rows.ts';
import { sql, value } from '../../postgres/sql/sql.ts';

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

const leases = fixedStatement([], ['node'], () => {
  return sql`select l.node from joinery.source_leases l where l.expires_at > clock_timestamp() order by l.node`;
});

const nodes = fixedStatement([], ['id'], () => {
  return sql`select n.id from joinery.nodes n where n.seen_at > clock_timestamp() - interval '20 seconds'`;
});

const hasNodes = fixedStatement([], ['exists'], () => sql`select to_regclass('joinery.nodes') is not null as exists`);

async function nodesIn(query: Query): Promise<readonly string[]> {
  if ((await hasNodes.row(query, {}))?.exists !== 't') return [];
  return (await nodes.rows(query, {})).map(({ id }) => id ?? '');
}

/** Whether a node of another service delivers events of the database or has its metadata in it. */
export async function isUsedByOthers(query: Query, store: Database): Promise<boolean> {
  const own = new Set(await nodesIn(store.query));
  const delivering = (await leases.rows(query, {})).map(({ node }) => node?.split(' ', 1)[0] ?? '');
  return [...delivering, ...(await nodesIn(query))].some((node) => !own.has(node));
}

/** Changes the owner of triggers, for a source that was renamed. */
export async function renameOwner(query: Query, from: string, to: string): Promise<void> {
  await runStatement(query, sql`update joinery.triggers set owner = ${value(to)} where owner = ${value(from)}`);
}

/** Returns the numbers of the triggers of other owners. */
export async function foreignNumbers(query: Query, owner: string): Promise<readonly number[]> {
  const rows = await queryRows(query, sql`select t.number from joinery.triggers t where t.owner <> ${value(owner)}`, [
    'number',
  ]);
  return rows.map(({ number }) => Number(number));
}
