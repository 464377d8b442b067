/** Errors of a project, of its files or of its service, which commands print without a stack trace. */

/** A position in a file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ErrorDetail {
  readonly message: string;
  readonly place?: Place | undefined;
  /** An error code of docs/errors.md. */
  readonly code?: string | undefined;
  /** JSON path into the request. */
  readonly path?: string | undefined;
}

/** The message has one line per detail, with file, line and column where they are known. */
export class CliError extends Error {
  readonly details: readonly ErrorDetail[];

  constructor(what: string | ErrorDetail | readonly ErrorDetail[], options?: ErrorOptions) {
    const details = typeof what === 'string' ? [{ message: what }] : isList(what) ? what : [what];
    super(details.map(formatDetail).join('\n'), options);
    this.name = 'CliError';
    this.details = details;
  }
}

/** Returns `metadata/actions.yaml:3:5: the message`. */
export function formatDetail({ place, message }: ErrorDetail): string {
  return place === undefined ? message : `${place.file}:${place.line}:${place.column}: ${message}`;
}

function isList(what: ErrorDetail | readonly ErrorDetail[]): what is readonly ErrorDetail[] {
  return Array.isArray(what);
}
