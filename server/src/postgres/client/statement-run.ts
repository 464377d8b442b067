/** One statement on its way through a connection: writes the protocol messages, gathers the rows as text. */
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

/** One row in the order of the fields: the text form of each value. */
export type Row = (string | null)[];

export interface QueryResult {
  readonly rows: Row[];
  readonly fields: readonly Field[];
  /** Rows returned or changed; 0 for a command that counts none. */
  readonly rowCount: number;
  /** The command tag without its numbers: `SELECT`, `INSERT`, `CREATE TABLE`. */
  readonly command: string;
}

export interface QueryRun {
  readonly text: string;
  /** Texts, numbers, booleans, null; an array becomes a Postgres array. */
  readonly values: readonly unknown[];
  /** Name to prepare the statement under; see `Database.prepared`. */
  readonly name?: string | undefined;
}

export interface QueryOptions {
  /** Looked at every few milliseconds. Aborted, it cancels the statement on the server; the call then rejects. */
  readonly signal?: Cancellation | undefined;
  /** Most characters of the whole result; more cancels the statement and rejects with `result-limit-exceeded`. */
  readonly maxLength?: number | undefined;
  /** Whose share of the pool it uses; undefined for the service itself. In a transaction, its options say so. */
  readonly role?: string | undefined;
  /** The statement changes nothing, whatever its text looks like: losing its response leaves no doubt about data. */
  readonly reads?: boolean | undefined;
  /** For a statement that may take as long as it does: the statement timeout is not enforced here. */
  readonly unlimited?: boolean | undefined;
  /** What it is run within; it is not traced unless given. */
  readonly span?: Span | undefined;
}

/**
 * Runs one statement. Without values and name the text may hold several, and the result is the last one's. Rejects with
 * `busy` when the connection fails, else with the error of pg (see `fromPostgres`).
 */
export type Query = (run: QueryRun, options?: QueryOptions) => Promise<QueryResult>;

/** What one connection knows of the statements prepared on it. */
export interface PreparedStatements {
  /** Fields by statement name: a statement whose fields are known is not described again. */
  readonly fields: Map<string, readonly Field[]>;
  /** Names to close and parse anew, because the server refused them. */
  readonly stale: Set<string>;
}

interface FieldMessage {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

const noFields: readonly Field[] = [];

/**
 * Stands in for the query class of pg, which makes an emitter, a parser per column and an object per result. Without
 * values and name it goes by the simple protocol, where the text may hold several statements and the last one answers.
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
  /** Whether any of it may have reached the server. */
  protected sent = false;

  constructor(run: QueryRun, prepared: PreparedStatements) {
    this.text = run.text;
    this.values = run.values;
    this.name = run.name;
    this.prepared = prepared;
  }

  /** Every row is there and the server waits for the next statement. */
  protected abstract succeed(result: QueryResult): void;
  /** The statement failed; the server may not have said yet that it is ready for the next. */
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
      // What was sent so far has to be ended, or the connection would wait for ever.
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
    (connection as PgConnection).sendCopyFail('COPY FROM STDIN has no input here');
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

/** `INSERT 0 5` -> INSERT, 5; `SELECT 5` -> SELECT, 5; `CREATE TABLE` -> CREATE TABLE, 0. */
function readTag(tag: string): { command: string; rowCount: number } {
  const last = tag.lastIndexOf(' ');
  const rowCount = last === -1 ? Number.NaN : Number(tag.slice(last + 1));
  if (Number.isNaN(rowCount)) return { command: tag, rowCount: 0 };
  return { command: tag.startsWith('INSERT ') ? 'INSERT' : tag.slice(0, last), rowCount };
}
