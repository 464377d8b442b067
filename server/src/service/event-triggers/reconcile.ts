/** Makes the triggers in the database of a source those of the metadata. */
import { ServiceError } from '../../base/errors.ts';
import {
  addTrigger,
  captureStatements,
  dropCapture,
  probe,
  probePath,
  removeTrigger,
} from '../../events/capture/capture.ts';
import { readCapturedTable } from '../../events/capture/captured-table.ts';
import type { EventTrigger } from '../../model/types/event-trigger.ts';
import type { RelationName } from '../../postgres/catalog/catalog-row.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { fixedStatement, queryRows, runStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { quoteIdent, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { captureDefinition, captureHash, orderingKeyOf } from './capture-definition.ts';
import { testConstants } from './condition-constants.ts';
import { functionsToYieldTo } from './hasura/hasura-functions.ts';
import {
  byName,
  isLocked,
  LATER_LOCK_MS,
  lockedError,
  lockStored,
  lockTable,
  setLockTimeout,
  withLockTimeout,
} from './locks.ts';

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

export interface Reconciliation {
  /** See `triggerOwner`. */
  readonly owner: string;
  readonly wanted: WantedTriggers;
  /** Milliseconds of the longest wait for the lock of a table. */
  readonly lockMs: number;
  /** The names of triggers that are not changed. */
  readonly except?: ReadonlySet<string>;
  /** Whether triggers that PostgreSQL rejects are returned, and the others changed, rather than the first error thrown. */
  readonly tolerant?: boolean;
  /** Whether the functions are created again also where nothing has changed. */
  readonly recreate?: boolean;
}

export interface Reconciled {
  readonly failures: TriggerFailures;
  /** Whether triggers are left that the metadata does not have, because their tables are locked. */
  readonly isIncomplete: boolean;
  /**
   * Removes what is stored of the removed triggers. It runs last in the transaction: deliveries of the source wait from then until the
   * commit.
   */
  readonly removeStored: () => Promise<void>;
}

/** Errors by the names of triggers. */
export type TriggerFailures = ReadonlyMap<string, ServiceError>;

/**
 * Creates, changes and removes triggers in the transaction of `query`, where the tables of event triggers are installed and the owner is
 * locked. Triggers with an equal definition are not touched, so that their tables are not locked. Throws `invalid-configuration` for a
 * trigger that PostgreSQL rejects, and `concurrent-update` for a locked table; then the transaction must be rolled back.
 */
export async function reconcileTriggers(query: Query, reconciliation: Reconciliation): Promise<Reconciled> {
  return (await prepareTriggers(query, reconciliation))();
}

/**
 * Locks the tables of the triggers that change, drops the functions of those that are removed, and returns the rest of the change. A
 * transaction with several sources prepares all of them first: claims and outcomes wait from the rest of the first change until the
 * commit, and they do not wait for locks of tables then.
 */
export function prepareTriggers(query: Query, reconciliation: Reconciliation): Promise<() => Promise<Reconciled>> {
  return withLockTimeout(query, reconciliation.lockMs, () => prepareAll(query, reconciliation));
}

async function prepareAll(query: Query, reconciliation: Reconciliation): Promise<() => Promise<Reconciled>> {
  const { owner, wanted, lockMs, except = new Set(), tolerant = false, recreate = false } = reconciliation;
  const failures = new Map<string, ServiceError>();
  const rows = await readTriggers.rows(query, { owner });
  const known = new Map(rows.map((row) => [row.name ?? '', row]));
  const strays = rows.filter((row) => !isKnown(wanted, row.name ?? ''));
  const changed = [...wanted.triggers.values()].filter(
    (trigger) => !except.has(trigger.name) && (recreate || changeOf(trigger, known.get(trigger.name)) !== 'none'),
  );
  const removed: PresentTrigger[] = [];
  const steps: { readonly of: Named; readonly stray: PresentTrigger | undefined; work(): Promise<void> }[] = [
    ...changed.map((trigger) => ({
      of: trigger,
      stray: undefined,
      work: async () => {
        const row = known.get(trigger.name);
        if (recreate || changeOf(trigger, row) === 'capture') await lockTables(query, trigger, row);
      },
    })),
    ...strays.map((stray) => ({
      of: named(stray),
      stray,
      work: () => runAll(query, dropCapture(Number(stray.number))),
    })),
  ];
  // In the order of the tables, so that two changes do not wait for each other.
  for (const { of, stray, work } of steps.sort((one, other) => byTable(one.of, other.of))) {
    const failure = await attempt(query, tolerant, of, work);
    if (failure === undefined && stray !== undefined) removed.push(stray);
    if (failure !== undefined && stray === undefined) failures.set(of.name, failure);
  }
  const isIncomplete = removed.length < strays.length;
  return async () => {
    const left = changed.filter(({ name }) => !failures.has(name));
    if (left.length + removed.length > 0) {
      await withLockTimeout(query, lockMs, async () => {
        await lockStored(query);
        for (const [name, failure] of await changeAll(query, left, reconciliation)) failures.set(name, failure);
      });
    }
    const removeStored = (): Promise<void> => removeAll(query, removed, reconciliation);
    return { failures, isIncomplete, removeStored };
  };
}

async function changeAll(
  query: Query,
  triggers: readonly EventTrigger[],
  reconciliation: Reconciliation,
): Promise<TriggerFailures> {
  const { owner, tolerant = false } = reconciliation;
  const failures = new Map<string, ServiceError>();
  // Claims may have noted outdated functions meanwhile.
  const known = new Map((await readTriggers.rows(query, { owner })).map((row) => [row.name ?? '', row]));
  const [session] = await queryRows(query, sql`select current_user as role`, ['role']);
  const role = session?.role ?? '';
  for (const trigger of triggers) {
    const work = (): Promise<void> => reconcileTrigger(query, trigger, known.get(trigger.name), reconciliation);
    const failure = await attempt(query, tolerant, trigger, () => located(trigger, role, work));
    if (failure !== undefined) failures.set(trigger.name, failure);
  }
  return failures;
}

/** Those that cannot be removed are removed by a later comparison, because their rows remain. */
async function removeAll(
  query: Query,
  removed: readonly PresentTrigger[],
  { lockMs, tolerant = false }: Reconciliation,
): Promise<void> {
  if (removed.length === 0) return;
  await withLockTimeout(query, lockMs, async () => {
    for (const stray of removed) {
      await attempt(query, tolerant, named(stray), () => runAll(query, [removeTrigger(Number(stray.number))]));
    }
  });
}

function isKnown({ triggers, inconsistent }: WantedTriggers, name: string): boolean {
  return triggers.has(name) || inconsistent.has(name);
}

/** Locks the table of a trigger whose functions change, and the former one, as the change does later. */
async function lockTables(query: Query, trigger: EventTrigger, known: PresentTrigger | undefined): Promise<void> {
  const { table } = trigger;
  const former = known && named(known).table;
  const moved = former !== undefined && (former.schema !== table.schema || former.name !== table.name);
  const captured = known?.captures?.split(',').filter((operation) => operation !== '') ?? [];
  const operations = new Set<string>(trigger.operations.keys());
  const drops = moved || captured.some((operation) => !operations.has(operation));
  const mode = drops ? sql`access exclusive` : sql`share row exclusive`;
  for (const one of moved ? [former, table].sort(byName) : [table]) await lockTable(query, one, mode);
}

function byTable(one: Named, other: Named): number {
  return byName(one.table, other.table);
}

type Named = Pick<EventTrigger, 'name'> & { readonly table: RelationName };

function named({ name, table_schema: schema, table_name: table }: PresentTrigger): Named {
  return { name: name ?? '', table: { schema: schema ?? '', name: table ?? '' } };
}

async function runAll(query: Query, statements: readonly Sql[]): Promise<void> {
  for (const statement of statements) await runStatement(query, statement);
}

/**
 * Runs the work; if `tolerant` in a savepoint, to which an error that belongs to a trigger rolls back. After a wait for a lock in vain
 * the next ones of the transaction are short.
 */
async function attempt(
  query: Query,
  tolerant: boolean,
  { name, table }: Named,
  work: () => Promise<void>,
): Promise<ServiceError | undefined> {
  if (tolerant) await runStatement(query, sql`savepoint joinery_trigger`);
  try {
    await work();
    if (tolerant) await runStatement(query, sql`release savepoint joinery_trigger`);
    return undefined;
  } catch (thrown) {
    const error = isLocked(thrown) ? lockedError(name, table, thrown) : thrown;
    const isFailure = error instanceof ServiceError && failureCodes.has(error.code);
    if (!tolerant || !isFailure) throw error;
    await runStatement(query, sql`rollback to savepoint joinery_trigger`);
    if (error.code === 'concurrent-update') await setLockTimeout(query, LATER_LOCK_MS);
    return error;
  }
}

const failureCodes: ReadonlySet<string> = new Set(['invalid-configuration', 'concurrent-update']);

/** `outdated`: an event was captured that the functions do not fit, although they are those of the definition. */
export type Difference = 'outdated' | 'changed';

/** Returns the triggers that differ from those of the metadata, by name. Locks nothing. */
export async function differences(
  query: Query,
  { owner, wanted }: Pick<Reconciliation, 'owner' | 'wanted'>,
): Promise<ReadonlyMap<string, Difference>> {
  const rows = await readTriggers.rows(query, { owner });
  const known = new Map(rows.map((row) => [row.name ?? '', row]));
  const found = new Map<string, Difference>();
  for (const name of known.keys()) {
    if (!isKnown(wanted, name)) found.set(name, 'changed');
  }
  for (const [name, trigger] of wanted.triggers) {
    const row = known.get(name);
    if (changeOf(trigger, row) === 'none') continue;
    const isOutdated = row !== undefined && changeOf(trigger, { ...row, outdated: 'f' }) === 'none';
    found.set(name, isOutdated ? 'outdated' : 'changed');
  }
  return found;
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
  await runAll(query, [...statements, ...captureStatements(definition, captureHash(trigger))]);
  if (trigger.operations.size === 0) return;
  await runStatement(query, sql`savepoint joinery_probe`);
  await runStatement(query, probePath);
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
    if (!isLost && (!isPostgresError(error) || isLocked(error))) throw error;
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
