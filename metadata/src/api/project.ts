/** The API of `joinery console` and `joinery dev` below `/project`: the changes of the console as files of a project. */

/** A file before and after a change, with its path relative to the project. Undefined where it does not exist. */
export interface FileChange {
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A migration that a change writes. */
export interface ProjectMigration {
  readonly source: string;
  /** Digits; migrations are ordered by it. */
  readonly version: string;
  readonly name: string;
}

export interface ProjectChange {
  readonly id: number;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** Example: `pg_track_table public.author`. */
  readonly title: string;
  /** `elsewhere`: changes of the metadata that another client made, written together with the next change. */
  readonly origin: 'console' | 'elsewhere';
  readonly migrations: readonly ProjectMigration[];
  readonly files: readonly FileChange[];
  /** Why the change cannot be undone; undefined for the change that "undo" reverts. */
  readonly cannotUndo?: string | undefined;
}

export interface ProjectState {
  /** Name of the folder. */
  readonly name: string;
  readonly folder: string;
  readonly endpoint: string;
  /** The branch that is checked out; undefined without a repository. */
  readonly branch?: string | undefined;
  /** The files that an export would change; a change of the console is rejected while there are any. */
  readonly differences: readonly FileChange[];
  /** Why the files cannot be compared, such as an error in one of them. */
  readonly problem?: string | undefined;
  /** The changes since the start of the command, newest first. */
  readonly changes: readonly ProjectChange[];
}

/** How a command with SQL becomes a migration: the member `migration` of a command, which the service ignores. */
export interface MigrationRequest {
  /** False runs the SQL without a migration. Default: whether the SQL changes the schema. */
  readonly write?: boolean | undefined;
  /** Letters, digits, `_`, `-` and `.`. Default: derived from the SQL. */
  readonly name?: string | undefined;
  /** Default: derived from the SQL. */
  readonly down?: string | undefined;
}

/** The request of `/project/preview`. */
export interface PreviewRequest {
  readonly type: string;
  readonly args: unknown;
  readonly migration?: MigrationRequest | undefined;
}

/** What a command would write. */
export interface ProjectPreview {
  /** Undefined where the files are known after the change only. */
  readonly files?: readonly FileChange[] | undefined;
  readonly migrations: readonly MigrationDraft[];
}

export interface MigrationDraft {
  readonly source: string;
  readonly name: string;
  readonly up: string;
  readonly down: string;
  /** The statements of `up` that `down` does not undo. */
  readonly withoutUndo: readonly string[];
}
