/** Bounds the waits of changes of triggers for locks: writers of a table wait behind each session that waits for its lock. */
import { ServiceError } from '../../base/errors.ts';
import type { RelationName } from '../../postgres/catalog/catalog-row.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { fixedStatement, queryRows, runStatement } from '../../postgres/sql/rows.ts';
import { ident, type Sql, sql, value } from '../../postgres/sql/sql.ts';

/** Milliseconds that a command waits for a lock. */
export const COMMAND_LOCK_MS = 3_000;
/** Milliseconds that a repair waits for a lock; it is made again later. */
export const REPAIR_LOCK_MS = 500;
/** Milliseconds of the waits that follow one in vain, in the same transaction: the locks of other tables are held meanwhile. */
export const LATER_LOCK_MS = 100;

const [LOCK_NOT_AVAILABLE, DEADLOCK] = ['55P03', '40P01'];

/** Whether the statement has waited for a lock in vain: for too long, or for a session that waits for this one. */
export function isLocked(error: unknown): boolean {
  return isPostgresError(error) && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK);
}

/** Sets the longest wait for each lock until the transaction or its savepoint ends. */
export async function setLockTimeout(query: Query, ms: number): Promise<void> {
  await runStatement(query, sql`select set_config('lock_timeout', ${value(`${ms}ms`)}, true)`);
}

/** Runs `work` with the longest wait for each lock. Where it fails, the transaction must be rolled back. */
export async function withLockTimeout<T>(query: Query, ms: number, work: () => Promise<T>): Promise<T> {
  const [row] = await queryRows(query, sql`select current_setting('lock_timeout') as former`, ['former']);
  await setLockTimeout(query, ms);
  const result = await work();
  await runStatement(query, sql`select set_config('lock_timeout', ${value(row?.former ?? '0')}, true)`);
  return result;
}

/**
 * Excludes other changes of the triggers of an owner until the transaction ends. A command locks the metadata before; a repair, which
 * does not lock it, may therefore not wait for it longer than the command waits here.
 */
export async function lockOwner(query: Query, owner: string, ms: number): Promise<void> {
  try {
    await withLockTimeout(query, ms, () =>
      runStatement(query, sql`select pg_advisory_xact_lock(1785687923, hashtext(${value(owner)}))`),
    );
  } catch (error) {
    if (!isLocked(error)) throw error;
    const message = 'the event triggers of the source are being changed by another node; try again';
    throw new ServiceError('concurrent-update', message, { path: '$.args', cause: error });
  }
}

/**
 * Excludes claims, outcomes and other changes of stored triggers until the transaction ends. Claims and outcomes share the advisory lock
 * while they wait for rows of `joinery.triggers`: a change of rows takes it before. Tables of users are locked before both.
 */
export async function lockStored(query: Query): Promise<void> {
  try {
    await runStatement(query, sql`select pg_advisory_xact_lock(1785687922, 1)`);
    await runStatement(query, sql`select from joinery.triggers t order by t.number for update`);
  } catch (error) {
    if (!isLocked(error)) throw error;
    const message = 'the events of the source are being claimed, removed or redelivered for long; try again';
    throw new ServiceError('concurrent-update', message, { path: '$.args', cause: error });
  }
}

/** The error of a change of a trigger that waited for the lock of its table in vain. */
export function lockedError(trigger: string, { schema, name }: RelationName, cause: unknown): ServiceError {
  const message =
    `event trigger "${trigger}" cannot be changed: another transaction locks the table "${schema}"."${name}"; ` +
    'end that transaction (pg_locks and pg_stat_activity list it) or try again when it has ended';
  return new ServiceError('concurrent-update', message, { path: '$.args', cause });
}

/** Locks a table. A role that may create triggers on it, and nothing else, cannot lock it: then the change of the trigger does. */
export async function lockTable(query: Query, { schema, name }: RelationName, mode: Sql): Promise<void> {
  const found = await lockable.row(query, { schema, name });
  if (found?.may_lock !== 't') return;
  const only = found.partitioned === 't' ? sql`` : sql`only `;
  await runStatement(query, sql`lock table ${only}${ident(schema, name)} in ${mode} mode`);
}

const lockable = fixedStatement(['schema', 'name'], ['may_lock', 'partitioned'], ({ schema, name }) => {
  return sql`select c.relkind = 'p' as partitioned,
      c.relkind in ('r', 'p') and has_schema_privilege(s.oid, 'usage') and has_table_privilege(c.oid, 'update, delete, truncate') as may_lock
    from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
    where s.nspname = ${schema} and c.relname = ${name}`;
});

/** The order in which tables are locked. */
export function byName(one: RelationName, other: RelationName): number {
  const [left, right] = [one, other].map(({ schema, name }) => JSON.stringify([schema, name]));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
