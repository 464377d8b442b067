/** Makes the triggers in the database of a source those of the metadata. */
import { ServiceError } from '../../base/errors.ts';
import { addTrigger, captureStatements, probe, probePath, removeTrigger } from '../../events/capture/capture.ts';
import { readCapturedTable } from '../../events/capture/captured-table.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { fixedStatement, queryRows, runStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { captureDefinition, captureHash, orderingKeyOf } from './capture-definition.ts';

export interface WantedTriggers {
  /** The consistent triggers of the source by name. */
  readonly triggers: ReadonlyMap<string, EventTrigger>;
  /** The names of inconsistent triggers, which stay as they are in the database. */
  readonly inconsistent: ReadonlySet<string>;
}

const columns = [
  'number',
  'name',
  'table_schema',
  'table_name',
  'definition_hash',
  'paused',
  'outdated',
  'debounce_ms',
] as const;
type PresentTrigger = TextRow<(typeof columns)[number]>;

const readTriggers = fixedStatement([], columns, () => {
  return sql`select t.number, t.name, t.table_schema, t.table_name, t.definition_hash, t.paused,
      t.outdated_at is not null as outdated, t.debounce_ms
    from joinery.triggers t order by t.number for update`;
});

const writeTrigger = fixedStatement(['number', 'schema', 'name', 'hash', 'paused', 'debounceMs'], [], (trigger) => {
  return sql`update joinery.triggers set table_schema = ${trigger.schema}, table_name = ${trigger.name},
      definition_hash = ${trigger.hash}, paused = ${trigger.paused}, debounce_ms = ${trigger.debounceMs}
    where number = ${trigger.number}`;
});

const isInstalled = fixedStatement([], ['installed'], () => {
  return sql`select to_regclass('joinery.triggers') is not null as installed`;
});

/** Whether the tables of event triggers exist in the database. */
export async function hasTriggerTables(query: Query): Promise<boolean> {
  return (await isInstalled.row(query, {}))?.installed === 't';
}

/** Returns the numbers of the triggers by name; none where the tables of event triggers do not exist. */
export async function triggerNumbers(query: Query): Promise<ReadonlyMap<string, number>> {
  if (!(await hasTriggerTables(query))) return new Map();
  const rows = await queryRows(query, sql`select t.name, t.number from joinery.triggers t`, ['name', 'number']);
  return new Map(rows.map(({ name, number }) => [name ?? '', Number(number)]));
}

/**
 * Creates, changes and removes triggers in the transaction of `query`, where the tables of event triggers are installed.
 * Triggers with an equal definition are not touched, so that their tables are not locked. Throws `invalid-configuration`
 * for a trigger that PostgreSQL rejects; then the transaction must be rolled back.
 */
export async function reconcileTriggers(query: Query, wanted: WantedTriggers): Promise<void> {
  const present = new Map<string, PresentTrigger>();
  for (const row of await readTriggers.rows(query, {})) {
    const name = row.name ?? '';
    if (wanted.triggers.has(name)) present.set(name, row);
    else if (!wanted.inconsistent.has(name)) await runStatement(query, removeTrigger(Number(row.number)));
  }
  for (const trigger of wanted.triggers.values()) {
    await located(trigger, () => reconcileTrigger(query, trigger, present.get(trigger.name)));
  }
}

async function reconcileTrigger(
  query: Query,
  trigger: EventTrigger,
  present: PresentTrigger | undefined,
): Promise<void> {
  const { table, isPaused } = trigger;
  const hash = captureHash(trigger);
  const isCaptured = present?.definition_hash === hash && present.outdated === 'f';
  const debounceMs = trigger.debounce?.windowMs ?? null;
  const isDebounced = present?.debounce_ms === (debounceMs === null ? null : String(debounceMs));
  if (isCaptured && isDebounced && (present.paused === 't') === isPaused) return;
  const number = present === undefined ? await add(query, trigger) : Number(present.number);
  if (!isCaptured) await capture(query, trigger, number, present);
  const { schema, name } = table;
  await writeTrigger.run(query, { number, schema, name, hash, paused: isPaused, debounceMs });
}

async function add(query: Query, trigger: EventTrigger): Promise<number> {
  const isOrdered = orderingKeyOf(trigger) !== undefined;
  const [added] = await queryRows(query, addTrigger(trigger.name, trigger.table, isOrdered), ['number']);
  return Number(added?.number);
}

async function capture(
  query: Query,
  trigger: EventTrigger,
  number: number,
  present: PresentTrigger | undefined,
): Promise<void> {
  const { table } = trigger;
  const found = await readCapturedTable(query, table);
  if (found === undefined) throw new ServiceError('not-exists', 'the table does not exist');
  const definition = captureDefinition(trigger, number, found);
  const moved = present !== undefined && (present.table_schema !== table.schema || present.table_name !== table.name);
  // Drops the triggers on the former table with their functions; its events stay.
  const statements = moved ? captureStatements({ ...definition, operations: {} }) : [];
  for (const statement of [...statements, ...captureStatements(definition)]) await runStatement(query, statement);
  if (trigger.operations.size === 0) return;
  await runStatement(query, sql`savepoint joinery_probe`);
  await runStatement(query, probePath(definition));
  await runStatement(query, probe(definition));
  // Restores the search path.
  await runStatement(query, sql`rollback to savepoint joinery_probe`);
  await runStatement(query, sql`release savepoint joinery_probe`);
}

/** Adds the trigger to the error of PostgreSQL, in the format of Hasura v2. */
async function located(trigger: EventTrigger, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isPostgresError(error) && !(error instanceof ServiceError && error.code === 'not-exists')) throw error;
    const message = `Inconsistent object: in table "${trigger.table.name}": in event trigger "${trigger.name}": ${error.message}`;
    throw new ServiceError('invalid-configuration', message, { path: '$.args', cause: error });
  }
}
