/** Reads the triggers that are in the database of a source. */
import type { CapturedOperation, CaptureTrigger } from '../../../src/events/capture/captured-trigger.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { fixedStatement } from '../../../src/postgres/sql/rows.ts';
import { sql } from '../../../src/postgres/sql/sql.ts';

interface PresentTrigger {
  readonly number: number;
  readonly name: string;
  /** The table when the trigger was created. */
  readonly table: CaptureTrigger['table'];
  /** See `captureHash`. */
  readonly hash: string;
  /** Whether events were captured without conditions and columns, because the table had changed or a condition had failed. */
  readonly isOutdated: boolean;
  readonly isPaused: boolean;
  /** The triggers of the database that capture, with the present name of their table. Empty where the table was dropped. */
  readonly captures: readonly PresentCapture[];
}

interface PresentCapture {
  readonly operation: CapturedOperation;
  readonly schema: string;
  readonly table: string;
  /** `O`: enabled, `A`: always, `D`: disabled, `R`: in replicas only. */
  readonly enabled: string;
}

const present = fixedStatement(
  [],
  ['number', 'name', 'schema', 'table', 'hash', 'outdated', 'paused', 'captures'],
  () => sql`select t.number, t.name, t.table_schema as schema, t.table_name as table, t.definition_hash as hash,
      t.outdated_at is not null as outdated, t.paused, (
        select coalesce(json_agg(json_build_object(
          'operation', split_part(g.tgname, '_', 3), 'schema', s.nspname, 'table', c.relname, 'enabled', g.tgenabled
        ) order by g.tgname), '[]')
        from pg_catalog.pg_trigger g
        join pg_catalog.pg_class c on c.oid = g.tgrelid join pg_catalog.pg_namespace s on s.oid = c.relnamespace
        where g.tgparentid = 0 and g.tgfoid = any (array(
          select to_regproc(format('joinery.joinery_%s_%s', t.number, o))::oid from unnest(array['insert', 'update', 'delete']) o
        ))
      ) as captures
    from joinery.triggers t order by t.number`,
);

/** Returns the triggers of the source that are in its database. */
export async function presentTriggers(query: Query): Promise<readonly PresentTrigger[]> {
  return (await present.rows(query, {})).map((row) => ({
    number: Number(row.number),
    name: row.name ?? '',
    table: { schema: row.schema ?? '', name: row.table ?? '' },
    hash: row.hash ?? '',
    isOutdated: row.outdated === 't',
    isPaused: row.paused === 't',
    captures: JSON.parse(row.captures ?? '[]') as PresentCapture[],
  }));
}
