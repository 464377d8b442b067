/** The position of a source: while it does not change, no row of its ordinary tables changes. */
import type { Cancellation } from '../../base/cancellation.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Row } from '../../postgres/client/statement-run.ts';
import { endedOnly } from './snapshot.ts';

/**
 * The text of a snapshot contains the id of each running transaction, and the id after the last ended one. A transaction
 * becomes visible when its id is removed from the running ones, so every commit that becomes visible changes the text, and
 * no later text is equal to an earlier one. The position of the write-ahead log does not have this property: it moves when
 * the commit is written, and the transaction becomes visible later, by seconds where it waits for a synchronous standby. A
 * poll in between does not see it, and the position does not move again. All changes of rows have a transaction id, also
 * those of unlogged tables, those of `copy` and those of prepared transactions, which are running until `commit prepared`.
 *
 * Snapshots of a standby do not depend on the transactions of its primary. There, the replayed position is exact: it moves
 * after the record of a commit was applied, which makes the transaction visible.
 *
 * The start time identifies the server. Other members of the PostgreSQL family keep transactions elsewhere.
 *
 * Nodes renew leases and write heartbeats every few seconds, in transactions of one statement each. The ids of the last ones
 * are in the column `xmin` of the rows, so that they are known not to have changed other tables.
 */
function positionWith(housekeeping: readonly string[]): string {
  const known = housekeeping.map((name) => `(select string_agg(h.xmin::text, ',') from ${name} h)`);
  return `
  select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text else pg_current_snapshot()::text end,
    pg_is_in_recovery() || ' ' || extract(epoch from pg_postmaster_start_time()),
    version() ~ '^PostgreSQL [0-9.]+' and version() !~* 'yb-|cockroach|greenplum',
    concat_ws(',', ${['null', ...known].join(', ')})`;
}

/** The tables of leases and heartbeats. Nothing else is written in their transactions. */
const housekeepingTables = ['joinery.nodes', 'joinery.event_leases', 'joinery.source_leases'];
const readHousekeeping = `
  select name from unnest($1::text[]) as name where has_table_privilege(to_regclass(name)::oid, 'select')`;

/**
 * Returns the numbers of the given tables that are ordinary: the rows of a table, its partitions and its children are in
 * this database, and no policy filters them. Catalogs are updated in place, and some access methods and extensions store
 * rows outside of the transactions of this server.
 */
const readOrdinary = `
  with recursive given (number, id) as (
    select g.number, to_regclass(g.name)::oid from unnest($1::text[]) with ordinality as g (name, number)
  ), parts (number, id) as (
    select number, id from given union select p.number, i.inhrelid from parts p join pg_catalog.pg_inherits i on i.inhparent = p.id
  )
  select p.number
  from parts p
    left join pg_catalog.pg_class c on c.oid = p.id
    left join pg_catalog.pg_am a on a.oid = c.relam
  where not exists (select from pg_catalog.pg_extension where extname in ('citus'))
  group by p.number
  having bool_and(coalesce(
    c.relkind in ('r', 'p', 'm') and not c.relrowsecurity and c.relpersistence <> 't'
      and c.relnamespace <> 'pg_catalog'::regnamespace and not c.oid = any ($2::text[]::regclass[])
      and (c.relkind = 'p' or a.amname = 'heap'),
    false))`;

/** Milliseconds after which tables are checked again, and for which errors and several servers disable positions. */
const CHECK_MS = 10_000;
const SEVERAL_MS = 60_000;

export class SourcePosition {
  readonly #database: () => Database | undefined;
  readonly #signal: Cancellation;
  /** By quoted name, whether the table is ordinary. */
  #tables = new Map<string, boolean>();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #server: string | undefined;
  #statement = positionWith([]);
  #housekeeping: readonly string[] = [];
  /** The last position, and the number of changes that are not housekeeping. */
  #snapshot: string | undefined;
  #changes = 0;
  /** Time of `performance.now()` until which no position is read. */
  #disabledUntil = Number.NEGATIVE_INFINITY;

  /** `database` returns undefined while several servers are polled. */
  constructor(database: () => Database | undefined, signal: Cancellation) {
    this.#database = database;
    this.#signal = signal;
  }

  /** Whether a change of the result of a statement that reads these tables changes the position. */
  covers(tables: readonly string[] | undefined): boolean {
    return tables?.every((name) => this.#tables.get(name)) ?? false;
  }

  /**
   * Returns the current position, undefined if it is not known. `tables` are those of all statements that are polled; a
   * change of one of them to another kind of relation changes the position as well.
   */
  async read(tables: ReadonlySet<string>): Promise<string | undefined> {
    const now = performance.now();
    if (tables.size === 0 || now < this.#disabledUntil) return undefined;
    try {
      const database = this.#database();
      if (database === undefined) return undefined;
      if (now - this.#checkedAt >= CHECK_MS || [...tables].some((name) => !this.#tables.has(name))) {
        await this.#check(database, [...tables]);
        this.#checkedAt = now;
      }
      if (![...this.#tables.values()].includes(true)) return undefined;
      const [row] = await this.#rows(database, this.#statement, []);
      const [position = null, server = null, isKnown, known] = row ?? [];
      if (isKnown !== 't' || position === null || server === null) {
        this.#disabledUntil = now + CHECK_MS;
        return undefined;
      }
      const isOther = this.#server !== undefined && this.#server !== server;
      this.#server = server;
      // Behind one address there may be several servers, of which the polled one is not known.
      if (isOther) this.#disabledUntil = now + SEVERAL_MS;
      if (isOther) return undefined;
      const housekeeping = new Set((known ?? '').split(',').map(Number));
      if (position !== this.#snapshot && !endedOnly(housekeeping, this.#snapshot ?? '', position)) this.#changes += 1;
      this.#snapshot = position;
      return `${server} ${this.#changes}`;
    } catch {
      this.#disabledUntil = now + CHECK_MS;
      return undefined;
    }
  }

  async #check(database: Database, names: readonly string[]): Promise<void> {
    const housekeeping = (await this.#rows(database, readHousekeeping, [housekeepingTables])).map(([name]) =>
      String(name),
    );
    const rows = await this.#rows(database, readOrdinary, [names, housekeeping]);
    const ordinary = new Set(rows.map(([number]) => Number(number) - 1));
    if (housekeeping.join() !== this.#housekeeping.join()) this.#statement = positionWith(housekeeping);
    this.#housekeeping = housekeeping;
    this.#tables = new Map(names.map((name, index) => [name, ordinary.has(index)]));
  }

  async #rows(database: Database, text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const signal = this.#signal;
    const run = { text, values, name: database.prepared(text) };
    return (await database.query(run, { reads: true, signal })).rows;
  }
}
