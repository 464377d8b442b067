/** The error class of the service and the catalog of error codes, which docs/errors.md repeats. */

interface CatalogEntry {
  /** HTTP status where real status codes are sent. */
  readonly status: number;
  /** One sentence for the caller. */
  readonly meaning: string;
}

/** Every error code of the service. Action handlers may return other codes. */
export const errorCodes = {
  'access-denied': { status: 401, meaning: 'The caller cannot be authenticated, or may not do this.' },
  'already-exists': { status: 400, meaning: 'An object of this name exists.' },
  'already-tracked': { status: 400, meaning: 'The table is tracked already.' },
  'already-untracked': { status: 400, meaning: 'The table is not tracked.' },
  'bad-request': { status: 400, meaning: 'The HTTP request is malformed.' },
  'batch-limit-exceeded': {
    status: 400,
    meaning: 'The request contains more operations than the caller may send at once.',
  },
  busy: {
    status: 503,
    meaning:
      'The service is shutting down, or its database is not reachable or lacks a resource such as disk space; try again.',
  },
  'coercion-error': {
    status: 400,
    meaning: 'A session variable is no value of the type that a permission uses it for.',
  },
  'concurrent-update': {
    status: 409,
    meaning: 'Another transaction changed the same rows, or locks a table, at the same time; send the request again.',
  },
  conflict: {
    status: 409,
    meaning: 'The metadata has changed since it was read, or the state of the event does not permit the change.',
  },
  'constraint-error': { status: 400, meaning: 'No unique constraint has the columns of a conflict.' },
  'constraint-violation': { status: 400, meaning: 'The values violate a constraint of the database.' },
  'data-exception': { status: 400, meaning: 'A value does not fit the type of its column.' },
  'dependency-error': { status: 400, meaning: 'Other objects depend on this one.' },
  'depth-limit-exceeded': { status: 400, meaning: 'The operation is nested more deeply than the caller may send.' },
  'input-limit-exceeded': {
    status: 400,
    meaning: 'The document or an input value of the request is larger than the caller may send.',
  },
  'invalid-configuration': {
    status: 400,
    meaning: 'The metadata object does not fit the database or the other objects.',
  },
  'invalid-headers': { status: 400, meaning: 'A header is missing or malformed.' },
  'invalid-json': { status: 400, meaning: 'The request body is not valid JSON.' },
  'invalid-jwt': { status: 400, meaning: 'The token of the caller could not be verified.' },
  'invalid-params': { status: 400, meaning: 'A parameter is missing or malformed.' },
  'jwt-invalid-claims': { status: 400, meaning: 'The token does not contain the claims of a session.' },
  'jwt-missing-role-claims': { status: 400, meaning: 'The token does not contain the allowed roles.' },
  'metadata-warnings': {
    status: 400,
    meaning: 'The metadata has members without effect, and warnings are not allowed.',
  },
  'method-not-allowed': { status: 405, meaning: 'The endpoint does not support this HTTP method.' },
  'node-limit-exceeded': { status: 400, meaning: 'The operation selects more fields than the caller may select.' },
  'not-exists': { status: 400, meaning: 'The named object does not exist.' },
  'not-found': { status: 404, meaning: 'The endpoint does not exist or is disabled.' },
  'not-supported': { status: 400, meaning: 'The service does not support what the request uses.' },
  'parse-failed': { status: 400, meaning: 'A value does not have the expected shape.' },
  'payload-too-large': { status: 413, meaning: 'The request body exceeds the limit.' },
  'permission-denied': { status: 400, meaning: 'The role has no permission for this.' },
  'permission-error': { status: 400, meaning: 'The values violate a check of a permission or of the database.' },
  'postgres-error': { status: 400, meaning: 'PostgreSQL rejected a statement of the caller.' },
  'rate-limit-exceeded': { status: 429, meaning: 'The caller has sent too many requests in this minute.' },
  'remote-schema-conflicts': { status: 400, meaning: 'A name of a remote schema conflicts with another.' },
  'remote-schema-error': { status: 400, meaning: 'A remote schema cannot be reached, read or used.' },
  'result-limit-exceeded': { status: 400, meaning: 'The result exceeds the size limit.' },
  'start-failed': {
    status: 400,
    meaning: 'The websocket is not initialized, or the id of the operation is that of a running one.',
  },
  'time-limit-exceeded': { status: 504, meaning: 'The request exceeded the time limit of the role.' },
  timeout: { status: 504, meaning: 'The request exceeded its time limit.' },
  unexpected: { status: 500, meaning: 'An internal error that the caller cannot fix.' },
  'unexpected-payload': {
    status: 400,
    meaning: 'The request body lacks required members, or a command names an object of another kind.',
  },
  'unknown-outcome': {
    // HTTP clients and proxies do not retry this status by themselves.
    status: 500,
    meaning: 'The database did not confirm a change, which may have been made completely, partly or not at all.',
  },
  'validation-failed': { status: 400, meaning: 'The GraphQL request does not fit the schema of the role.' },
} as const satisfies Record<string, CatalogEntry>;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorDetails {
  /** JSON path into the request; `$` for all of it. */
  readonly path?: string;
  /** Status instead of that of the catalog. */
  readonly status?: number;
  /** A JSON value that only admins see. */
  readonly internal?: unknown;
  /** The `extensions` that a handler returned. They replace those of the GraphQL error. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** The code that a handler returned. */
  readonly foreignCode?: string;
  /** The field that the request selected and that the schema of the role lacks. */
  readonly missingField?: MissingField | undefined;
  /** Why the field is missing. Set only where the caller may know. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** A field that a GraphQL type lacks. */
export interface MissingField {
  readonly type: string;
  readonly field: string;
}

/** An error that may be returned to a caller: a code of the catalog, a message and a JSON path. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly path: string;
  readonly status: number;
  readonly internal: unknown;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
  readonly foreignCode: string | undefined;
  readonly missingField: MissingField | undefined;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.path = details.path ?? '$';
    this.status = details.status ?? errorCodes[code].status;
    this.internal = details.internal;
    this.extensions = details.extensions;
    this.foreignCode = details.foreignCode;
    this.missingField = details.missingField;
    this.hint = details.hint;
  }

  /** Returns the error with `prefix` (such as `$.args[1]`) before its path. */
  under(prefix: string): ServiceError {
    return this.#with({ path: prefix + this.path.slice(1) });
  }

  /** Returns the error with a hint. */
  withHint(hint: string): ServiceError {
    return this.#with({ hint });
  }

  #with(details: ErrorDetails): ServiceError {
    return new ServiceError(this.code, this.message, {
      path: this.path,
      status: this.status,
      internal: this.internal,
      cause: this.cause,
      ...(this.extensions && { extensions: this.extensions }),
      ...(this.foreignCode !== undefined && { foreignCode: this.foreignCode }),
      missingField: this.missingField,
      hint: this.hint,
      ...details,
    });
  }
}

/**
 * Returns a ServiceError as it is. Any other error becomes `unexpected` with a message that reveals no internals and the
 * original as `cause`.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isStackOverflow(error)) {
    return new ServiceError('validation-failed', 'a value of the request or of a response is nested too deeply', {
      cause: error,
    });
  }
  return new ServiceError('unexpected', 'internal error; the log of the service has the details', { cause: error });
}

/** Only deeply nested values overflow the stack: no recursion goes deeper than the value that it processes. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** Messages contain names and values, which may be as long as a request. */
const MOST_CHARACTERS = 10_000;

function truncated(message: string): string {
  return message.length <= MOST_CHARACTERS ? message : `${message.slice(0, MOST_CHARACTERS)}... (cut)`;
}

/** Returns the body of an error response of `/v1/query` and `/v1/metadata`. */
export function errorBody(error: ServiceError, showInternal: boolean): Readonly<Record<string, unknown>> {
  return {
    path: error.path,
    error: truncated(error.message),
    code: error.foreignCode ?? error.code,
    ...(showInternal && error.internal !== undefined && { internal: error.internal }),
  };
}

/** Returns one entry of `errors` in a GraphQL response. */
export function graphqlError(error: ServiceError, showInternal: boolean): Readonly<Record<string, unknown>> {
  const internal = showInternal && error.internal !== undefined ? { internal: error.internal } : {};
  const own = error.extensions ?? { path: error.path, code: error.foreignCode ?? error.code };
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return { message: truncated(error.message), extensions: { ...own, ...hint, ...internal } };
}
