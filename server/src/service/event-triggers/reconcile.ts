/** Makes the triggers in the database of a source those of the metadata. */
import { ServiceError } from '../../base/errors.ts';
import { addTrigger, captureStatements, probe, probePath, removeTrigger } from '../../events/capture/capture.ts';
import { readCapturedTable } from '../../events/capture/captured-table.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { fixedStatement, queryRows, runStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { quoteIdent, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { captureDefinition, captureHash, orderingKeyOf } from './capture-definition.ts';
import { testConstants } from './condition-constants.ts';
import { functionsToYieldTo } from './hasura-functions.ts';

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
  'captures',
] as const;
type PresentTrigger = TextRow<(typeof columns)[number]>;

/** `captures` has the operations whose trigger is on the table, in alphabetical order. A disabled trigger is one, too. */
const present = (
  owner: Sql,
): Sql => sql`select t.number, t.name, t.table_schema, t.table_name, t.definition_hash, t.paused,
    t.outdated_at is not null as outdated, t.debounce_ms, array_to_string(array(
      select o from unnest(array['delete', 'insert', 'update']) o
      where exists (
        select from pg_catalog.pg_trigger g
        join pg_catalog.pg_class c on c.oid = g.tgrelid join pg_catalog.pg_namespace s on s.oid = c.relnamespace
        where g.tgname = format('joinery_%s_%s', t.number, o) and g.tgparentid = 0
          and s.nspname = t.table_schema and c.relname = t.table_name
      )
    ), ',') as captures
  from joinery.triggers t where t.owner = ${owner} order by t.number`;

const readTriggers = fixedStatement(['owner'], columns, ({ owner }) => present(owner));
const lockTriggers = fixedStatement(['owner'], columns, ({ owner }) => sql`${present(owner)} for update of t`);

const writeTrigger = fixedStatement(['number', 'schema', 'name', 'hash', 'paused', 'debounceMs'], [], (trigger) => {
  return sql`update joinery.triggers set table_schema = ${trigger.schema}, table_name = ${trigger.name},
      definition_hash = ${trigger.hash}, paused = ${trigger.paused}, debounce_ms = ${trigger.debounceMs}
    where number = ${trigger.number}`;
});

/** Not `to_regclass`, which in a transaction may not see a table that another session has created. */
const isInstalled = fixedStatement([], ['installed'], () => {
  return sql`select exists (
    select from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
    where s.nspname = 'joinery' and c.relname = 'triggers'
  ) as installed`;
});

/** Whether the tables of event triggers exist in the database. */
export async function hasTriggerTables(query: Query): Promise<boolean> {
  return (await isInstalled.row(query, {}))?.installed === 't';
}

/** Returns the numbers of the triggers of the owner by name; none where the tables of event triggers do not exist. */
export async function triggerNumbers(query: Query, owner: string): Promise<ReadonlyMap<string, number>> {
  if (!(await hasTriggerTables(query))) return new Map();
  const numbers = sql`select t.name, t.number from joinery.triggers t where t.owner = ${value(owner)}`;
  const rows = await queryRows(query, numbers, ['name', 'number']);
  return new Map(rows.map(({ name, number }) => [name ?? '', Number(number)]));
}

const INSUFFICIENT_PRIVILEGE = '42501';
const LOCK_NOT_AVAILABLE = '55P03';

export interface Reconciliation {
  /** See `triggerOwner`. */
  readonly owner: string;
  readonly wanted: WantedTriggers;
  /** The names of triggers that are not changed. */
  readonly except?: ReadonlySet<string>;
  /** Whether triggers that PostgreSQL rejects are returned, and the others changed, rather than the first error thrown. */
  readonly tolerant?: boolean;
  /** Whether the functions are created again also where nothing has changed. */
  readonly recreate?: boolean;
}

/** Errors by the names of triggers. */
export type TriggerFailures = ReadonlyMap<string, ServiceError>;

/** Returns the numbers of the triggers of other owners. */
export async function foreignNumbers(query: Query, owner: string): Promise<readonly number[]> {
  const rows = await queryRows(query, sql`select t.number from joinery.triggers t where t.owner <> ${value(owner)}`, [
    'number',
  ]);
  return rows.map(({ number }) => Number(number));
}

/**
 * Creates, changes and removes triggers in the transaction of `query`, where the tables of event triggers are installed.
 * Triggers with an equal definition are not touched, so that their tables are not locked. Throws `invalid-configuration`
 * for a trigger that PostgreSQL rejects; then the transaction must be rolled back.
 */
export async function reconcileTriggers(query: Query, reconciliation: Reconciliation): Promise<TriggerFailures> {
  const { owner, wanted, except = new Set(), tolerant = false } = reconciliation;
  const failures = new Map<string, ServiceError>();
  const known = new Map<string, PresentTrigger>();
  const removed: number[] = [];
  // Before the rows, for which claims and outcomes wait while they share this lock: see remove_trigger.
  await runStatement(query, sql`select pg_advisory_xact_lock(1785687922, 1)`);
  for (const row of await lockTriggers.rows(query, { owner })) {
    const name = row.name ?? '';
    if (wanted.triggers.has(name)) known.set(name, row);
    else if (!wanted.inconsistent.has(name)) removed.push(Number(row.number));
  }
  const [session] = await queryRows(query, sql`select current_user as role`, ['role']);
  const role = session?.role ?? '';
  for (const trigger of wanted.triggers.values()) {
    if (except.has(trigger.name)) continue;
    const work = (): Promise<void> => reconcileTrigger(query, trigger, known.get(trigger.name), reconciliation);
    const failure = await attempt(query, tolerant, () => located(trigger, role, work));
    if (failure !== undefined) failures.set(trigger.name, failure);
  }
  for (const number of removed) await runStatement(query, removeTrigger(number));
  return failures;
}

/**
 * Runs the work; if `tolerant` in a savepoint, to which an error that belongs to a trigger rolls back. A trigger whose table is locked is
 * left to the next reconciliation.
 */
async function attempt(query: Query, tolerant: boolean, work: () => Promise<void>): Promise<ServiceError | undefined> {
  if (!tolerant) {
    await work();
    return undefined;
  }
  await runStatement(query, sql`savepoint joinery_trigger`);
  try {
    await work();
    await runStatement(query, sql`release savepoint joinery_trigger`);
    return undefined;
  } catch (error) {
    const isLocked = isPostgresError(error) && error.code === LOCK_NOT_AVAILABLE;
    const isFailure = error instanceof ServiceError && error.code === 'invalid-configuration';
    if (!isLocked && !isFailure) throw error;
    await runStatement(query, sql`rollback to savepoint joinery_trigger`);
    return isFailure ? error : undefined;
  }
}

/** Whether the triggers in the database differ from those of the metadata. Locks nothing. */
export async function differs(query: Query, { owner, wanted }: Reconciliation): Promise<boolean> {
  const rows = await readTriggers.rows(query, { owner });
  const known = new Map(rows.map((row) => [row.name ?? '', row]));
  const isStray = (name: string): boolean => !wanted.triggers.has(name) && !wanted.inconsistent.has(name);
  if ([...known.keys()].some(isStray)) return true;
  return [...wanted.triggers.values()].some((trigger) => changeOf(trigger, known.get(trigger.name)) !== 'none');
}

/** `settings`: members of `joinery.triggers` only. */
type Change = 'none' | 'settings' | 'capture';

function changeOf(trigger: EventTrigger, known: PresentTrigger | undefined): Change {
  if (known === undefined || known.definition_hash !== captureHash(trigger) || known.outdated === 't') return 'capture';
  if (known.captures !== [...trigger.operations.keys()].sort().join()) return 'capture';
  const debounceMs = trigger.debounce === undefined ? null : String(trigger.debounce.windowMs);
  return known.debounce_ms === debounceMs && (known.paused === 't') === trigger.isPaused ? 'none' : 'settings';
}

async function reconcileTrigger(
  query: Query,
  trigger: EventTrigger,
  known: PresentTrigger | undefined,
  { owner, recreate }: Reconciliation,
): Promise<void> {
  const change = recreate ? 'capture' : changeOf(trigger, known);
  if (change === 'none') return;
  const number = known === undefined ? await add(query, trigger, owner) : Number(known.number);
  if (change === 'capture') await capture(query, trigger, number, known);
  const { schema, name } = trigger.table;
  const debounceMs = trigger.debounce?.windowMs ?? null;
  const hash = captureHash(trigger);
  await writeTrigger.run(query, { number, schema, name, hash, paused: trigger.isPaused, debounceMs });
}

async function add(query: Query, trigger: EventTrigger, owner: string): Promise<number> {
  const isOrdered = orderingKeyOf(trigger) !== undefined;
  const [added] = await queryRows(query, addTrigger(trigger.name, trigger.table, isOrdered, owner), ['number']);
  return Number(added?.number);
}

async function capture(
  query: Query,
  trigger: EventTrigger,
  number: number,
  known: PresentTrigger | undefined,
): Promise<void> {
  const { table } = trigger;
  const found = await readCapturedTable(query, table);
  if (found === undefined) throw new ServiceError('not-exists', 'the table does not exist');
  const yieldsTo = await functionsToYieldTo(query, trigger);
  const definition = { ...captureDefinition(trigger, number, found), ...(yieldsTo && { yieldsTo }) };
  const moved = known !== undefined && (known.table_schema !== table.schema || known.table_name !== table.name);
  // Drops the triggers on the former table with their functions; its events stay.
  const statements = moved ? captureStatements({ ...definition, operations: {} }, '') : [];
  for (const statement of [...statements, ...captureStatements(definition, captureHash(trigger))])
    await runStatement(query, statement);
  if (trigger.operations.size === 0) return;
  await runStatement(query, sql`savepoint joinery_probe`);
  await runStatement(query, probePath(definition));
  await testConstants(query, trigger);
  await runStatement(query, probe(definition));
  // Restores the search path.
  await runStatement(query, sql`rollback to savepoint joinery_probe`);
  await runStatement(query, sql`release savepoint joinery_probe`);
}

/** Adds the trigger to the error of PostgreSQL, in the format of Hasura v2. */
async function located(trigger: EventTrigger, role: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const isLost = error instanceof ServiceError && error.code === 'not-exists';
    // The next reconciliation finds the table unlocked.
    if (!isLost && (!isPostgresError(error) || error.code === LOCK_NOT_AVAILABLE)) throw error;
    const advice =
      isPostgresError(error) && error.code === INSUFFICIENT_PRIVILEGE
        ? `; an administrator can run: ${privilegeStatement(trigger, role)}`
        : '';
    const message = `Inconsistent object: in table "${trigger.table.name}": in event trigger "${trigger.name}": ${error.message}${advice}`;
    throw new ServiceError('invalid-configuration', message, { path: '$.args', cause: error });
  }
}

/** Returns the statement that lets the role create the trigger. */
function privilegeStatement({ table, onReplication }: EventTrigger, role: string): string {
  const [target, to] = [`${quoteIdent(table.schema)}.${quoteIdent(table.name)}`, quoteIdent(role)];
  // A trigger that fires on replication is enabled by `alter table`.
  return onReplication ? `alter table ${target} owner to ${to};` : `grant select, trigger on table ${target} to ${to};`;
}

/** Changes the owner of triggers, for a source that was renamed. */
export async function renameOwner(query: Query, from: string, to: string): Promise<void> {
  await runStatement(query, sql`update joinery.triggers set owner = ${value(to)} where owner = ${value(from)}`);
}

/**
 * Removes all that was created in the database of a source where no service has triggers any more, and the schema `joinery` if
 * nothing else is in it. In the database of the store the tables of the store stay.
 */
export async function removeTriggerTables(query: Query): Promise<void> {
  const [row] = await queryRows(query, sql`select count(*) as count from joinery.triggers`, ['count']);
  if (row?.count === '0') await runStatement(query, sql`select joinery.remove_trigger_tables()`);
}

/** Whether the owner has triggers in the database, or no owner has. */
export async function isLeftOver(query: Query, owner: string): Promise<boolean> {
  const counts = sql`select count(*) as count, count(*) filter (where owner = ${value(owner)}) as own from joinery.triggers`;
  const [row] = await queryRows(query, counts, ['count', 'own']);
  return row?.count === '0' || row?.own !== '0';
}
