/** What is wrong with a project, with its files or with the service that it speaks to. */

/** Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Fault {
  readonly message: string;
  readonly place?: Place | undefined;
  /** Of the catalogue of errors. */
  readonly code?: string | undefined;
  /** JSON path into what was sent. */
  readonly path?: string | undefined;
}

/** The message names the file and, where known, line and column; one line for each fault. */
export class ProjectError extends Error {
  readonly faults: readonly Fault[];

  constructor(what: string | Fault | readonly Fault[], options?: ErrorOptions) {
    const faults = typeof what === 'string' ? [{ message: what }] : isList(what) ? what : [what];
    super(faults.map(writeFault).join('\n'), options);
    this.name = 'ProjectError';
    this.faults = faults;
  }
}

/** `metadata/actions.yaml:3:5: what is wrong`. */
export function writeFault({ place, message }: Fault): string {
  return place === undefined ? message : `${place.file}:${place.line}:${place.column}: ${message}`;
}

function isList(what: Fault | readonly Fault[]): what is readonly Fault[] {
  return Array.isArray(what);
}
