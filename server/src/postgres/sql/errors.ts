/** Maps errors of PostgreSQL to errors of the service. */
import { type ErrorCode, ServiceError, toServiceError } from '../../base/errors.ts';
import { isTooManyRows } from './row-limit.ts';

/** An error that the server returned, as pg throws it. */
export interface PostgresError extends Error {
  /** SQLSTATE, five characters. */
  readonly code: string;
  readonly severity: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  readonly constraint?: string | undefined;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly position?: string | undefined;
  readonly where?: string | undefined;
  readonly routine?: string | undefined;
}

/** Whether the server returned the error, unlike the error of a socket. */
export function isPostgresError(error: unknown): error is PostgresError {
  return error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';
}

/** SQLSTATE of a write in a transaction that is read-only, or on a standby. */
export const READ_ONLY_TRANSACTION = '25006';

/** Classes of SQLSTATE that depend on the values of a statement: it would fail again with the same values. */
const valueClasses = /^(21|22|23|44|54|P0|XX)/;
/** Temporary classes: connection, transaction state, conflict, resources, operator, system. */
const transientClasses = /^(08|25|40|53|55|57|58)/;

/** Whether the values of the statement are the likely cause, so that it may succeed without some of them. */
export function isValueError(error: unknown): boolean {
  return isPostgresError(error) && valueClasses.test(error.code);
}

/** Whether the same statement may succeed later. True also where the server did not respond. */
export function isTransient(error: unknown): boolean {
  return !isPostgresError(error) || transientClasses.test(error.code);
}

interface Meaning {
  readonly code: ErrorCode;
  readonly message: string;
}

const integrity: Readonly<Record<string, string>> = {
  '23001': 'Can not delete or update due to data being referred',
  '23502': 'Not-NULL violation',
  '23503': 'Foreign key violation',
  '23505': 'Uniqueness violation',
  '23P01': 'Exclusion violation',
};

/** Routines of PostGIS that reject invalid shapes. PostgreSQL reports them as internal errors. */
const spatialRoutines: ReadonlySet<string> = new Set(['pg_error', 'pg_parser_errhint']);

/**
 * SQLSTATEs of statements that PostgreSQL also raises for values: the syntax of tsquery, tsvector and jsonpath, and names in
 * regclass. Those of a statement have a position or, within a function, a context.
 */
const namesInValues: ReadonlySet<string> = new Set(['42601', '42602', '42704', '42P01', '42883']);

function isAboutValue({ position, where }: PostgresError): boolean {
  return (
    position === undefined && (where === undefined || /^(?:unnamed )?portal (?:"[^"]*" )?parameter \$\d+/.test(where))
  );
}

function meaningOf(error: PostgresError): Meaning {
  const { code, message } = error;
  const kind = code.slice(0, 2);
  if (code === '23514') return { code: 'permission-error', message: `Check constraint violation. ${message}` };
  // A row policy rejects values. A missing privilege is an error of the setup.
  if (code === '42501' && error.routine === 'ExecWithCheckOptions') return { code: 'permission-error', message };
  if (kind === '23') return { code: 'constraint-violation', message: `${integrity[code] ?? 'Violation'}. ${message}` };
  if (code === '40001') return { code: 'concurrent-update', message: 'serialization failure due to concurrent update' };
  if (code === '40P01') return { code: 'concurrent-update', message: 'deadlock detected; send the request again' };
  // Two rows of one upsert conflict with the same row.
  if (code === '21000') return { code: 'data-exception', message };
  if (isTooManyRows(error)) {
    return {
      code: 'result-limit-exceeded',
      message: 'a list has more rows than you may request at once; request a page of it with "limit" and "offset"',
    };
  }
  if (code === '42P10') {
    return {
      code: 'constraint-error',
      message: 'there is no unique or exclusion constraint on target column(s)',
    };
  }
  // An escape at the end of a pattern.
  if (code === '22025') return { code: 'bad-request', message };
  if (kind === '22') return { code: 'data-exception', message };
  if (namesInValues.has(code) && isAboutValue(error)) return { code: 'data-exception', message };
  if (code === 'XX000' && spatialRoutines.has(error.routine ?? '')) return { code: 'data-exception', message };
  // Program limits: too many columns, too deep for the stack; a limit of the configuration: temp_file_limit.
  if (kind === '54' || code === '53400') {
    return {
      code: 'not-supported',
      message: 'the request exceeds a limit of one statement; request less at a time',
    };
  }
  if (code === '57014') return { code: 'timeout', message: 'the statement ran longer than its limit and was canceled' };
  if (code === READ_ONLY_TRANSACTION) {
    return { code: 'busy', message: 'the database server is a standby and cannot write, as in a failover; try again' };
  }
  if (code === '53100') {
    return { code: 'busy', message: 'the disk of the database server is full; try again when it has free space' };
  }
  if (code === '53000' || code === '53200') {
    return { code: 'busy', message: 'the database server lacks memory or another resource; try again' };
  }
  if (kind === '08' || kind === '57' || code === '53300') {
    return { code: 'busy', message: 'the database is not reachable; try again' };
  }
  return { code: 'unexpected', message: 'database query error' };
}

export interface PostgresErrorContext {
  /** JSON path into the request. */
  readonly path?: string;
  /** The text of the statement, for admins. */
  readonly statement?: string;
}

/**
 * Returns the error for the caller. A ServiceError gets the path; an error of the server is mapped by its SQLSTATE; others
 * are `unexpected`. `internal` contains the error of PostgreSQL and the statement.
 */
export function fromPostgres(error: unknown, context: PostgresErrorContext = {}): ServiceError {
  const path = context.path ?? '$';
  if (error instanceof ServiceError) return path === '$' ? error : error.under(path);
  if (!isPostgresError(error)) {
    const known = toServiceError(error);
    if (known.code !== 'unexpected') return known.under(path);
    return new ServiceError('unexpected', 'database query error', { path, cause: error });
  }
  const { code, message } = meaningOf(error);
  return new ServiceError(code, message, { path, internal: internalOf(error, context.statement), cause: error });
}

/** Returns the error in the format of Hasura v2: `{statement, error: {status_code, message, ...}}`. */
function internalOf(error: PostgresError, statement: string | undefined): unknown {
  return {
    ...(statement !== undefined && { statement }),
    error: {
      exec_status: error.severity === 'FATAL' ? 'BadResponse' : 'FatalError',
      status_code: error.code,
      message: error.message,
      description: error.detail ?? null,
      hint: error.hint ?? null,
    },
  };
}
