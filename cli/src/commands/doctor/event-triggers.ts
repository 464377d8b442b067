/** Checks of event triggers: triggers that Hasura v2 captures too, its pending events, and objects that triggers have left. */
import type { EventOrphan } from '@joinery/metadata/api/events/maintenance';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { eventTriggersOf } from '../../project/event-triggers.ts';
import { readRows } from '../migrate/state.ts';
import { type Finding, finding } from './finding.ts';

const mostCounted = 10_000;

/** Reports triggers of the source whose changes Hasura v2 captures, and those with pending events in its catalog. */
export async function checkHasuraTriggers(
  connection: Connection,
  metadata: ExportedMetadata,
  source: string,
): Promise<readonly Finding[]> {
  const check = `database ${source}`;
  const names = eventTriggersOf(metadata, source).map(({ trigger }) => trigger.name);
  if (names.length === 0) return [];
  const [[isHasura, isInstalled] = []] = await readRows(
    connection,
    source,
    `select exists (select from pg_class where oid = to_regclass('hdb_catalog.event_log') and relkind in ('r', 'p')),
       to_regclass('joinery.triggers') is not null`,
  );
  if (isHasura !== 't' || isInstalled !== 't') return [];
  const values = names.map((name) => `('${name.replaceAll("'", "''")}')`).join(', ');
  const rows = await readRows(
    connection,
    source,
    `select w.name, captured.operations, captured.doubled, (
       select count(*) from (
         select from hdb_catalog.event_log e
         where e.trigger_name = w.name and not e.delivered and not e.error and not e.archived limit ${mostCounted + 1}
       ) e
     )
     from (values ${values}) w(name) cross join lateral (
       select coalesce(string_agg(o.operation, ' and ' order by o.operation), '') as operations, bool_or(exists (
         select from joinery.triggers t
         join pg_proc f on f.oid = to_regproc('joinery.joinery_' || t.number || '_' || lower(o.operation))
         where t.name = w.name and strpos(f.prosrc, '"' || p.proname || '"') = 0
       )) as doubled
       from (values ('INSERT'), ('UPDATE'), ('DELETE')) o(operation)
       join pg_proc p on p.pronamespace = to_regnamespace('hdb_catalog')
         and p.proname = 'notify_hasura_' || w.name || '_' || o.operation
       where exists (select from pg_trigger g where g.tgfoid = p.oid and g.tgenabled <> 'D')
     ) captured order by w.name`,
  );
  return rows.flatMap(([name = '', operations = '', doubled, pending]) => {
    const count = Number(pending) > mostCounted ? `more than ${mostCounted}` : String(pending);
    const waiting = Number(pending) === 0 ? '' : `; pending in hdb_catalog.event_log: ${count}`;
    const advice = `run "joinery events triggers adopt ${name}" when Hasura v2 must not deliver them any more: see /docs/from-hasura-move`;
    if (operations === '') {
      if (waiting === '') return [];
      return [
        finding(
          check,
          'warning',
          `event trigger "${name}"${waiting}`,
          `run "joinery events triggers adopt ${name}" to deliver them here`,
        ),
      ];
    }
    const captured = `event trigger "${name}": Hasura v2 captures ${operations}`;
    return [
      doubled === 't'
        ? finding(check, 'problem', `${captured}, and so does this service: both call the webhook${waiting}`, advice)
        : finding(check, 'warning', `${captured}, and this service does not while it does${waiting}`, advice),
    ];
  });
}

export interface OrphanFlags {
  /** Removes the orphans that the service made. */
  readonly remove?: boolean;
  readonly databaseName?: string;
  /** The variable of the service with the URL of a database that it has left. */
  readonly databaseUrlEnv?: string;
}

/** Lists or removes what event triggers have left, in each source or in one database. */
export async function checkOrphans(
  connection: Connection,
  { sources }: ExportedMetadata,
  { remove, databaseName, databaseUrlEnv }: OrphanFlags,
): Promise<readonly Finding[]> {
  if (databaseName !== undefined && databaseUrlEnv !== undefined) {
    throw new CliError('--database-name and --database-url-env exclude each other');
  }
  const names = sources.filter(({ kind }) => kind === 'postgres').map(({ name }) => name);
  const places =
    databaseUrlEnv !== undefined
      ? [{ check: `database of ${databaseUrlEnv}`, place: { database_url: { from_env: databaseUrlEnv } } }]
      : (databaseName === undefined ? names : [databaseName]).map((source) => ({
          check: `database ${source}`,
          place: { source },
        }));
  const findings: Finding[] = [];
  for (const { check, place } of places) {
    const { orphans } = await connection.command('get_event_orphans', place);
    const own = orphans.filter(({ kind }) => kind !== 'hasura_trigger');
    const foreign = orphans.filter(({ kind }) => kind === 'hasura_trigger');
    if (orphans.length === 0) findings.push(finding(check, 'ok', 'event triggers have left nothing in it'));
    if (remove === true && own.length > 0) {
      const args = { ...place, names: [...new Set(own.map(({ name }) => name))] };
      const { removed } = await connection.command('remove_event_orphans', args);
      findings.push(...removed.map((orphan) => finding(check, 'ok', `removed the ${describe(orphan)}`)));
    } else findings.push(...own.map((orphan) => finding(check, 'warning', `has the ${describe(orphan)}`, orphan.sql)));
    findings.push(
      ...foreign.map((orphan) =>
        finding(check, 'warning', `has the ${describe(orphan)}`, `if Hasura v2 does not run any more: ${orphan.sql}`),
      ),
    );
  }
  return findings;
}

const kinds: Readonly<Record<EventOrphan['kind'], string>> = {
  trigger: 'event trigger',
  function: 'capture function',
  table: 'event table',
  schema: 'schema',
  hasura_trigger: 'function of Hasura v2',
};

function describe({ kind, name, table }: EventOrphan): string {
  const on = table === undefined ? '' : ` on table ${table.schema}.${table.name}`;
  return `${kinds[kind]} "${name}"${on}, which no event trigger of the metadata uses`;
}
