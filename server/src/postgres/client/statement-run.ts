/** The execution of one statement: sends the protocol messages and collects the rows as text. */
import type { Submittable } from 'pg';
import type { Cancellation } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { encodeParameter } from '../sql/parameters.ts';
import type { PgConnection } from './pg-internals.ts';

export interface Field {
  readonly name: string;
  readonly typeOid: number;
}

/** A row: the text form of each value, in the order of the fields. */
export type Row = (string | null)[];

export interface QueryResult {
  readonly rows: Row[];
  readonly fields: readonly Field[];
  /** Number of rows returned or changed; 0 for other commands. */
  readonly rowCount: number;
  /** The command tag without its numbers: `SELECT`, `INSERT`, `CREATE TABLE`. */
  readonly command: string;
}

export interface QueryRun {
  readonly text: string;
  /** Strings, numbers, booleans and null. An array becomes an array of PostgreSQL. */
  readonly values: readonly unknown[];
  /** Name of the prepared statement; see `Database.prepared`. */
  readonly name?: string | undefined;
}

export interface QueryOptions {
  /** Polled every few milliseconds. Cancels the statement on the server and rejects the call. */
  readonly signal?: Cancellation | undefined;
  /** Maximum characters of the result. A larger one cancels the statement and rejects with `result-limit-exceeded`. */
  readonly maxLength?: number | undefined;
  /** The role whose share of the pool is used; undefined for the service. Ignored in a transaction, which has its own option. */
  readonly role?: string | undefined;
  /** Whether the statement only reads, regardless of its text, so that it has no unknown outcome. */
  readonly reads?: boolean | undefined;
  /** Whether the statement has no timeout. */
  readonly unlimited?: boolean | undefined;
  /** The parent span. Without it the statement is not traced. */
  readonly span?: Span | undefined;
}

/**
 * Runs one statement. Without values and name the text may contain several, and the result is that of the last one. Rejects
 * with `busy` when the connection fails, otherwise with the error of pg (see `fromPostgres`).
 */
export type Query = (run: QueryRun, options?: QueryOptions) => Promise<QueryResult>;

/** The prepared statements of a connection. */
export interface PreparedStatements {
  /** Fields by statement name, so that a statement is described once. */
  readonly fields: Map<string, readonly Field[]>;
  /** Names that the server rejected. They are closed and parsed again. */
  readonly stale: Set<string>;
}

interface FieldMessage {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

const noFields: readonly Field[] = [];

/**
 * Replaces the query class of pg, which creates an emitter, a parser per column and an object per result. Without values
 * and name it uses the simple protocol, in which the text may contain several statements.
 */
export abstract class StatementRun implements Submittable {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name: string | undefined;
  readonly prepared: PreparedStatements;
  private rows: Row[] = [];
  private fields: readonly Field[] = noFields;
  private described = false;
  private tag = '';
  private unsendable: ServiceError | undefined;
  /** Whether the server may have received any of it. */
  protected sent = false;

  constructor(run: QueryRun, prepared: PreparedStatements) {
    this.text = run.text;
    this.values = run.values;
    this.name = run.name;
    this.prepared = prepared;
  }

  /** Called when all rows have arrived and the server is ready for the next statement. */
  protected abstract succeed(result: QueryResult): void;
  /** Called when the statement failed. The server may not be ready for the next one yet. */
  protected abstract fail(error: unknown): void;

  submit(connection: unknown): void {
    const wire = connection as PgConnection;
    this.sent = true;
    if (this.name === undefined && this.values.length === 0) {
      wire.query(this.text);
      return;
    }
    wire.stream.cork();
    try {
      this.send(wire, this.name);
    } finally {
      wire.stream.uncork();
    }
  }

  private send(wire: PgConnection, name: string | undefined): void {
    const known = name === undefined ? undefined : this.knownFields(wire, name);
    if (name === undefined || wire.parsedStatements[name] === undefined) wire.parse({ name, text: this.text });
    try {
      wire.bind({ statement: name, values: this.values, valueMapper: encodeParameter });
    } catch (cause) {
      // Completes the messages that were sent; otherwise the connection would wait forever.
      this.unsendable = new ServiceError('unexpected', 'a value cannot be sent to the database', { cause });
      wire.sync();
      return;
    }
    if (known === undefined) wire.describe({ type: 'P' });
    else {
      this.fields = known;
      this.described = true;
    }
    wire.execute(null);
    wire.sync();
  }

  private knownFields(wire: PgConnection, name: string): readonly Field[] | undefined {
    if (this.prepared.stale.size > 0 && this.prepared.stale.delete(name)) {
      wire.parsedStatements[name] = undefined;
      this.prepared.fields.delete(name);
      wire.close({ type: 'S', name });
    }
    return this.prepared.fields.get(name);
  }

  handleRowDescription(message: FieldMessage): void {
    this.fields = message.fields.map((field) => ({ name: field.name, typeOid: field.dataTypeID }));
    this.described = true;
    if (this.rows.length > 0) this.rows = [];
  }

  handleDataRow(message: { readonly fields: Row }): void {
    this.rows.push(message.fields);
  }

  handleCommandComplete(message: { readonly text: string }): void {
    if (!this.described) {
      this.fields = noFields;
      if (this.rows.length > 0) this.rows = [];
    }
    this.described = false;
    this.tag = message.text;
  }

  handleEmptyQuery(): void {
    this.tag = '';
  }

  handlePortalSuspended(): void {}

  handleCopyInResponse(connection: unknown): void {
    (connection as PgConnection).sendCopyFail('COPY FROM STDIN is not supported');
  }

  handleCopyData(): void {}

  handleError(error: unknown): void {
    this.fail(error);
  }

  handleReadyForQuery(): void {
    if (this.unsendable !== undefined) {
      this.fail(this.unsendable);
      return;
    }
    if (this.name !== undefined && !this.prepared.fields.has(this.name)) {
      this.prepared.fields.set(this.name, this.fields);
    }
    this.succeed({ rows: this.rows, fields: this.fields, ...readTag(this.tag) });
  }
}

/** Parses a command tag: `INSERT 0 5` is INSERT, 5; `SELECT 5` is SELECT, 5; `CREATE TABLE` is CREATE TABLE, 0. */
function readTag(tag: string): { command: string; rowCount: number } {
  const last = tag.lastIndexOf(' ');
  const rowCount = last === -1 ? Number.NaN : Number(tag.slice(last + 1));
  if (Number.isNaN(rowCount)) return { command: tag, rowCount: 0 };
  return { command: tag.startsWith('INSERT ') ? 'INSERT' : tag.slice(0, last), rowCount };
}
