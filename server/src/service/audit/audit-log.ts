/**
 * The audit log in the database of the service. A row is written after its command has ended, in a transaction of its own,
 * and the response does not wait for it: the log contains failed commands, and cannot slow or fail a command. Rows of the
 * last moment are lost where the process is killed; a normal stop writes them.
 */
import type { AuditEntry } from '@joinery/metadata/api/audit';
import { createFailureLog } from '../../base/failure-log.ts';
import { createPeriodicTask } from '../../base/periodic-task.ts';
import { storableJson } from '../../base/storable-text.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';

/** A row without its id. */
export type NewAuditEntry = Omit<AuditEntry, 'id' | 'outcome'>;

export interface AuditLog {
  readonly retentionDays: number;
  /** Writes the entry soon. */
  add(entry: NewAuditEntry): void;
  /** Resolves when the entries so far are written, or could not be. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface AuditLogSettings {
  readonly query: Query;
  readonly observe: Observe;
  /** Days that entries are retained. */
  readonly retentionDays: number;
}

/** Entries that wait while the database is unreachable; later ones are lost. */
const MAX_WAITING = 10_000;
const BATCH = 500;
const RETRY_MS = 5_000;
const CLEAN_EVERY_MS = 3_600_000;

const insert = fixedStatement(['rows'], [], ({ rows }) => {
  return sql`insert into joinery.audit_log
      (at, author, address, request_id, command, arguments, code, error, duration_ms)
    select at, author, address, request_id, command, arguments, code, error, duration_ms
    from json_to_recordset(${rows}::json) as given (
      at timestamptz, author text, address text, request_id text, command text, arguments text, code text, error text,
      duration_ms integer
    )`;
});

const deleteExpired = fixedStatement(['days'], [], ({ days }) => {
  return sql`delete from joinery.audit_log where at < clock_timestamp() - ${days} * interval '1 day'`;
});

export function createAuditLog({ query, observe, retentionDays }: AuditLogSettings): AuditLog {
  const failureLog = createFailureLog(observe, 'audit log');
  const waiting: NewAuditEntry[] = [];
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      // Errors quote what PostgreSQL cannot store, such as NUL; one such row would block all later ones.
      await insert.run(query, { rows: storableJson(batch) });
      waiting.splice(0, batch.length);
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    writing ??= write()
      .then(failureLog.recovered, (error: unknown) => {
        failureLog.failed(error);
        timer = setTimeout(flush, RETRY_MS);
        timer.unref();
      })
      .finally(() => {
        writing = undefined;
      });
    return writing;
  }

  const cleaning = createPeriodicTask(
    () => deleteExpired.run(query, { days: retentionDays }).then(() => undefined, failureLog.failed),
    CLEAN_EVERY_MS,
  );
  return {
    retentionDays,
    add: (entry) => {
      if (waiting.length >= MAX_WAITING) return;
      waiting.push(entry);
      if (writing === undefined) void flush();
    },
    flush: async () => {
      await writing;
      if (waiting.length > 0) await flush();
    },
    start: () => void cleaning.start(),
    stop: async () => {
      await cleaning.stop();
      await writing;
      await flush();
      clearTimeout(timer);
    },
  };
}
