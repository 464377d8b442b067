/** Errors of edits: an error code, a path into the arguments and a message. */

export type EditErrorCode =
  | 'already-exists'
  | 'already-tracked'
  | 'already-untracked'
  | 'constraint-violation'
  | 'dependency-error'
  | 'invalid-params'
  | 'not-exists'
  | 'not-found'
  | 'not-supported'
  | 'parse-failed'
  | 'unexpected-payload';

export class EditError extends Error {
  readonly code: EditErrorCode;
  /** JSON path relative to the arguments: `$.table` is an argument. */
  readonly path: string;

  constructor(code: EditErrorCode, message: string, path = '$') {
    super(message);
    this.name = 'EditError';
    this.code = code;
    this.path = path;
  }

  /** Returns the same error with `prefix`, such as `$.tables[1]`, before its path. */
  under(prefix: string): EditError {
    return new EditError(this.code, this.message, prefix + this.path.slice(1));
  }
}
