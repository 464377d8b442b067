/** Positions in the write-ahead log of a database server, and the statements that read them. */
import { createHash } from 'node:crypto';
import type { Database } from '../../postgres/client/pool.ts';
import type { QueryOptions } from '../../postgres/client/statement-run.ts';

/** A position that orders the commits of one timeline of one cluster. */
export interface WalPosition {
  /** A hash of the system identifier, which a primary and its standbys share. */
  readonly cluster: string;
  /** Increases with each promotion. */
  readonly timeline: number;
  /** The number of bytes of the log before the position. */
  readonly lsn: bigint;
}

const cluster = 'select system_identifier::text from pg_control_system()';
const timeline = `('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int::text`;

/** The end of what was written, which includes all commits whose response was sent by a server with synchronous_commit on. */
const written = `select (${cluster}), ${timeline}, (pg_current_wal_lsn() - '0/0'::pg_lsn)::text`;
/** The end of what was inserted, which includes all commits, also those that are not flushed yet. */
const inserted = `select (${cluster}), ${timeline}, (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text`;
/**
 * The lowest timeline that the standby may be on: the server updates these some time after it has followed a promotion. A
 * role that may not read `pg_stat_wal_receiver` gets null for it.
 */
const replayed = `select (${cluster}),
  greatest((select timeline_id from pg_control_checkpoint()), (select min_recovery_end_timeline from pg_control_recovery()),
    (select received_tli from pg_stat_wal_receiver))::text,
  case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text end`;

/** Reads the position of a primary. Rejects with the error of the server, such as that of a standby. */
export function readWritten(primary: Database, options?: QueryOptions): Promise<WalPosition> {
  return read(primary, written, options);
}

/** Reads a position of a primary behind all transactions that were committed before the call. Rejects as `readWritten` does. */
export async function readInserted(primary: Database, options?: QueryOptions): Promise<WalPosition> {
  const position = await read(primary, inserted, options);
  // The next record begins behind the header of its page; what is replayed ends before the header.
  const isBehindHeader = position.lsn % PAGE_BYTES === PAGE_HEADER_BYTES;
  return isBehindHeader ? { ...position, lsn: position.lsn - PAGE_HEADER_BYTES } : position;
}

/** Of a server with the usual block size of the log. */
const PAGE_BYTES = 8192n;
/** No record ends at this offset of a page, because what continues behind the header has at least 8 bytes. */
const PAGE_HEADER_BYTES = 24n;

/** Reads the position up to which a standby shows changes. Rejects for a server that is not a standby. */
export function readReplayed(standby: Database, options?: QueryOptions): Promise<WalPosition> {
  return read(standby, replayed, options);
}

async function read(database: Database, text: string, options?: QueryOptions): Promise<WalPosition> {
  const { rows } = await database.query({ text, values: [] }, { ...options, reads: true });
  const [system, id, lsn] = rows[0] ?? [];
  if (typeof lsn !== 'string') throw new Error('the server is not a standby');
  if (typeof system !== 'string' || typeof id !== 'string') throw new Error('the server returns no position');
  return { cluster: shortHash(system), timeline: Number(id), lsn: BigInt(lsn) };
}

/** Whether a server at `position` shows all that `wanted` includes. */
export function includes(position: WalPosition, wanted: WalPosition): boolean {
  return position.cluster === wanted.cluster && position.timeline === wanted.timeline && position.lsn >= wanted.lsn;
}

/** Returns eight hexadecimal digits. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
