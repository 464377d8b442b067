/**
 * The partitions of the log of calls: one for each day (UTC), created ahead and dropped as a whole. Two more have no single day: the
 * log of the versions before partitions (`_before`), and the calls of days that have no partition (`_default`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';

/** Days after the present one that have a partition. */
const DAYS_AHEAD = 3;

/** A partition is created or dropped when no other transaction uses the log at that moment. */
const attempts = { most: 20, pauseMs: 50 };

const open = fixedStatement(['ahead'], ['done'], ({ ahead }) => sql`select joinery.open_log_days(${ahead}) as done`);

/** Creates the missing partitions. Where other transactions use the log, a later call does. Nodes can call it at the same time. */
export async function openLogDays(query: Query): Promise<void> {
  await attempt(async () => (await open.row(query, { ahead: DAYS_AHEAD }))?.done === 't');
}

export interface LogPartition {
  readonly name: string;
  /** Whether all its calls are older than the limit. */
  readonly isExpired: boolean;
  /** Whether it is of a day that has ended and may have no calls. */
  readonly isEmptied: boolean;
  /** Whether it is not of one day. */
  readonly isMixed: boolean;
}

/** A larger partition is not searched for calls: after the deletion of all, vacuum makes it small. */
const SMALL_BYTES = 2 ** 20;

const partitions = fixedStatement(['days', 'small'], ['name', 'expired', 'emptied', 'mixed'], ({ days, small }) => {
  return sql`select p.name, ${days}::double precision > 0 and p.ends_at <= clock_timestamp() - ${days} * interval '1 day' as expired,
      p.ends_at <= clock_timestamp() - interval '1 day'
        and pg_relation_size(to_regclass('joinery.' || quote_ident(p.name))) <= ${small} as emptied,
      p.starts_at is null or p.starts_at = '-infinity' as mixed
    from joinery.log_partitions() p order by p.ends_at`;
});

/** @param days the age in days at which a call is expired; 0 for no limit */
export async function readLogPartitions(query: Query, days: number): Promise<readonly LogPartition[]> {
  const rows = await partitions.rows(query, { days, small: SMALL_BYTES });
  return rows.map(({ name, expired, emptied, mixed }) => ({
    name: name ?? '',
    isExpired: expired === 't',
    isEmptied: emptied === 't',
    isMixed: mixed === 't',
  }));
}

const drop = fixedStatement(['name', 'ifEmpty'], ['done'], ({ name, ifEmpty }) => {
  return sql`select joinery.drop_log_partition(${name}, ${ifEmpty}) as done`;
});

/** Drops the partition if it is expired, or ended and without calls. Where other transactions use the log, a later call does. */
export async function dropLogPartition(query: Query, { name, isExpired }: LogPartition): Promise<void> {
  await attempt(async () => (await drop.row(query, { name, ifEmpty: !isExpired }))?.done === 't');
}

async function attempt(work: () => Promise<boolean>): Promise<void> {
  for (let left = attempts.most; left > 0; left -= 1) {
    if (await work()) return;
    await sleep(attempts.pauseMs * (0.5 + Math.random()));
  }
}
