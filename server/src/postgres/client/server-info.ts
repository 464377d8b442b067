/** Properties of a server, read when a connection is opened. */
import type pg from 'pg';
import { isPostgresError } from '../sql/errors.ts';

export interface ServerInfo {
  /** The process that serves this connection. */
  readonly pid: number;
  /** Milliseconds as text. */
  readonly statementTimeout: string | undefined;
  /** Whether the server was a standby when the connection was opened. */
  readonly inRecovery: boolean;
  /** Whether `default_transaction_read_only` is on for this user and database. */
  readonly readOnly: boolean;
  /** Undefined where the server has no functions to report it. */
  readonly identity: ServerIdentity | undefined;
}

export interface ServerIdentity {
  /** When the server was started; different for each server and each start. */
  readonly startedAt: string;
  /** Equal for a primary and its standbys. */
  readonly cluster: string;
  /** Eight hexadecimal digits that increase with each promotion; undefined for a standby. */
  readonly timeline: string | undefined;
}

const basic = `pg_is_in_recovery()::text, current_setting('default_transaction_read_only'), pg_backend_pid()::text`;
const identity = `pg_postmaster_start_time()::text, (select system_identifier::text from pg_control_system()),
  case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end`;
/** In milliseconds, which `current_setting` does not give. Slower than the rest together. */
const timeout = `(select setting from pg_catalog.pg_settings where name = 'statement_timeout')`;

/** `withTimeout`: also reads `statementTimeout`. Rejects with the error of pg. */
export async function readServerInfo(client: pg.Client, withTimeout: boolean): Promise<ServerInfo> {
  const wanted = `select ${withTimeout ? timeout : 'null'}, ${basic}`;
  try {
    return toServerInfo(await readRow(client, `${wanted}, ${identity}`));
  } catch (error) {
    if (!isPostgresError(error)) throw error;
    return toServerInfo(await readRow(client, wanted));
  }
}

type InfoRow = readonly (string | null | undefined)[];

async function readRow(client: pg.Client, text: string): Promise<InfoRow> {
  const { rows } = await client.query<(string | null)[]>({ text, rowMode: 'array' });
  return rows[0] ?? [];
}

function toServerInfo([limit, inRecovery, readOnly, pid, startedAt, cluster, timeline]: InfoRow): ServerInfo {
  return {
    pid: Number(pid),
    statementTimeout: limit ?? undefined,
    inRecovery: inRecovery === 'true',
    readOnly: readOnly === 'on',
    identity:
      startedAt == null || cluster == null ? undefined : { startedAt, cluster, timeline: timeline ?? undefined },
  };
}

/** Whether `newer` has replaced `older`, a primary of the same cluster, by a promotion or a restart. */
export function hasReplaced(newer: ServerIdentity, older: ServerIdentity): boolean {
  if (newer.cluster !== older.cluster || newer.startedAt === older.startedAt) return false;
  if (newer.timeline === undefined || older.timeline === undefined) return false;
  return newer.timeline >= older.timeline;
}
