/** The one error of the service, and the catalogue of its codes. A test ties the catalogue to docs/errors.md. */

interface CatalogueEntry {
  /** HTTP status where real status codes are sent. */
  readonly status: number;
  /** What the code tells the caller, one sentence. */
  readonly meaning: string;
}

/** Every code the service itself answers with. Handlers of actions may choose codes of their own. */
export const errorCodes = {
  'access-denied': { status: 401, meaning: 'The caller is not who it says, or may not do this.' },
  'already-exists': { status: 400, meaning: 'An object of this name is there already.' },
  'already-tracked': { status: 400, meaning: 'The table is tracked already.' },
  'already-untracked': { status: 400, meaning: 'The table is not tracked.' },
  'bad-request': { status: 400, meaning: 'The HTTP request itself cannot be read.' },
  'batch-limit-exceeded': {
    status: 400,
    meaning: 'The request holds more operations than the caller may send at once.',
  },
  busy: { status: 503, meaning: 'The service is shutting down, or its database is not reachable; try again.' },
  'concurrent-update': {
    status: 409,
    meaning: 'Another transaction changed the same rows at the same time; send the request again.',
  },
  conflict: {
    status: 409,
    meaning: 'The metadata has changed since it was read, or the event is past what is asked for.',
  },
  'constraint-violation': { status: 400, meaning: 'A constraint of the database refused the values.' },
  'data-exception': { status: 400, meaning: 'A value does not fit the type of its column.' },
  'dependency-error': { status: 400, meaning: 'Other objects depend on this one.' },
  'depth-limit-exceeded': { status: 400, meaning: 'The operation is nested more deeply than the caller may ask.' },
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
  'jwt-invalid-claims': { status: 400, meaning: 'The token does not hold the claims of a session.' },
  'jwt-missing-role-claims': { status: 400, meaning: 'The token does not say which roles it allows.' },
  'metadata-warnings': {
    status: 400,
    meaning: 'The metadata has members without effect, and warnings are not allowed.',
  },
  'method-not-allowed': { status: 405, meaning: 'The endpoint does not take this HTTP method.' },
  'node-limit-exceeded': { status: 400, meaning: 'The operation selects more fields than the caller may ask for.' },
  'not-exists': { status: 400, meaning: 'The named object is not there.' },
  'not-found': { status: 404, meaning: 'The endpoint is not there or is switched off.' },
  'not-supported': { status: 400, meaning: 'The request asks for something the service does not do.' },
  'parse-failed': { status: 400, meaning: 'A value does not have the shape that is expected at its path.' },
  'payload-too-large': { status: 413, meaning: 'The request body is over the limit.' },
  'permission-denied': { status: 400, meaning: 'The role has no permission for this.' },
  'permission-error': { status: 400, meaning: 'A check of a permission or of the database refused the values.' },
  'postgres-error': { status: 400, meaning: 'PostgreSQL refused a statement that the caller wrote.' },
  'rate-limit-exceeded': { status: 429, meaning: 'The caller has sent too many requests in this minute.' },
  'remote-schema-conflicts': { status: 400, meaning: 'A remote schema has a name that is taken.' },
  'remote-schema-error': { status: 400, meaning: 'A remote schema cannot be reached, read or used as asked.' },
  'result-limit-exceeded': { status: 400, meaning: 'The result is larger than the service hands out at once.' },
  'time-limit-exceeded': { status: 504, meaning: 'The request took longer than the role may take.' },
  timeout: { status: 504, meaning: 'The request took longer than its limit.' },
  unexpected: { status: 500, meaning: 'Something failed that the caller cannot mend.' },
  'unexpected-payload': { status: 400, meaning: 'The request body lacks what the endpoint needs.' },
  'unknown-outcome': {
    // Not one of those that HTTP clients and proxies send again by themselves.
    status: 500,
    meaning: 'The database did not confirm a change, which may have happened as a whole, in part or not at all.',
  },
  'validation-failed': { status: 400, meaning: 'The GraphQL request does not fit the schema of the role.' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorDetails {
  /** JSON path into the request, `$` for the whole of it. */
  readonly path?: string;
  /** Status to send instead of the catalogue's. */
  readonly status?: number;
  /** Shown to admins only. Any JSON value. */
  readonly internal?: unknown;
  /** Replaces the whole `extensions` object of a GraphQL error (a handler's own choice). */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** A code from outside the catalogue (a handler's own choice). */
  readonly foreignCode?: string;
  /** What the request named and the schema of its role does not have. */
  readonly missingField?: MissingField | undefined;
  /** Why that is so; set only where the caller may be told. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** A member of a GraphQL type that is not there. */
export interface MissingField {
  readonly type: string;
  readonly field: string;
}

/** An error that may be shown to a caller: a catalogue code, a message that says what to do, a JSON path. */
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

  /** The same error with `prefix` (such as `$.args[1]`) in front of its path. */
  under(prefix: string): ServiceError {
    return this.#with({ path: prefix + this.path.slice(1) });
  }

  /** The same error for a caller who may be told why. */
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
 * The one boundary from unknown to ours. What is not a ServiceError becomes `unexpected` with a message that tells
 * nothing of the inside; the original stays as `cause` for the log.
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

/** Only input of great depth exhausts the stack: no recursion of the service goes deeper than the value it works on. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** Names and values stand in messages, and may be as long as a request. */
const MOST_CHARACTERS = 10_000;

function shown(message: string): string {
  return message.length <= MOST_CHARACTERS ? message : `${message.slice(0, MOST_CHARACTERS)}... (cut)`;
}

/** The body of an error answer on `/v1/query` and `/v1/metadata`. */
export function errorBody(error: ServiceError, showInternal: boolean): Readonly<Record<string, unknown>> {
  return {
    path: error.path,
    error: shown(error.message),
    code: error.foreignCode ?? error.code,
    ...(showInternal && error.internal !== undefined && { internal: error.internal }),
  };
}

/** One entry of `errors` in a GraphQL answer. */
export function graphqlError(error: ServiceError, showInternal: boolean): Readonly<Record<string, unknown>> {
  const internal = showInternal && error.internal !== undefined ? { internal: error.internal } : {};
  const own = error.extensions ?? { path: error.path, code: error.foreignCode ?? error.code };
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return { message: shown(error.message), extensions: { ...own, ...hint, ...internal } };
}
