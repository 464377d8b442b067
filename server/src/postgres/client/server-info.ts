/** Properties of a server, read when a connection is opened. */
import { isPostgresError } from '../sql/errors.ts';
import type { WireConnection } from '../wire/wire-connection.ts';
import { runOn } from './statement-run.ts';

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

const basic = `pg_is_in_recovery()::text as in_recovery, current_setting('default_transaction_read_only') as read_only,
  pg_backend_pid()::text as pid`;
const identity = `pg_postmaster_start_time()::text as started_at,
  (select system_identifier::text from pg_control_system()) as cluster,
  case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;
/** In milliseconds, which `current_setting` does not give. Slower than the rest together. */
const timeout = `(select setting from pg_catalog.pg_settings where name = 'statement_timeout')`;

/** `withTimeout`: also reads `statementTimeout`. Rejects with the error of the server or of the connection. */
export async function readServerInfo(connection: WireConnection, withTimeout: boolean): Promise<ServerInfo> {
  const wanted = `select ${withTimeout ? timeout : 'null::text'} as statement_timeout, ${basic}`;
  try {
    return await readInfo(connection, `${wanted}, ${identity}`);
  } catch (error) {
    if (!isPostgresError(error)) throw error;
    return readInfo(connection, wanted);
  }
}

async function readInfo(connection: WireConnection, text: string): Promise<ServerInfo> {
  const result = await runOn(connection, { text });
  const [row] = result.rows;
  if (row === undefined) throw new Error('the server returned no row for its properties');
  const values = new Map(result.fields.map(({ name }, index) => [name, row[index] ?? undefined]));
  const startedAt = values.get('started_at');
  const cluster = values.get('cluster');
  const hasIdentity = startedAt !== undefined && cluster !== undefined;
  return {
    pid: Number(values.get('pid')),
    statementTimeout: values.get('statement_timeout'),
    inRecovery: values.get('in_recovery') === 'true',
    readOnly: values.get('read_only') === 'on',
    identity: hasIdentity ? { startedAt, cluster, timeline: values.get('timeline') } : undefined,
  };
}

/** Whether `newer` has replaced `older`, a primary of the same cluster, by a promotion or a restart. */
export function hasReplaced(newer: ServerIdentity, older: ServerIdentity): boolean {
  if (newer.cluster !== older.cluster || newer.startedAt === older.startedAt) return false;
  if (newer.timeline === undefined || older.timeline === undefined) return false;
  return newer.timeline >= older.timeline;
}
