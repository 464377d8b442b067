/** Why an edit cannot be made: a code of the catalogue, a path into the arguments, a message for the caller. */

export type EditErrorCode =
  | 'already-exists'
  | 'already-tracked'
  | 'already-untracked'
  | 'not-exists'
  | 'not-supported'
  | 'parse-failed';

export class EditError extends Error {
  readonly code: EditErrorCode;
  /** JSON path relative to the arguments: `$` is the whole of them, `$.table` one of them. */
  readonly path: string;

  constructor(code: EditErrorCode, message: string, path = '$') {
    super(message);
    this.name = 'EditError';
    this.code = code;
    this.path = path;
  }

  /** The same error with `prefix` (such as `$.tables[1]`) in front of its path. */
  under(prefix: string): EditError {
    return new EditError(this.code, this.message, prefix + this.path.slice(1));
  }
}
