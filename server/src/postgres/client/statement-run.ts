/** The execution of one statement: its messages and its rows as text. */
import type { Cancellation } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { type Field, readRow } from '../wire/messages.ts';
import { encodeSimpleQuery, encodeStatement } from '../wire/statement-messages.ts';
import type { Exchange, WireConnection } from '../wire/wire-connection.ts';

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
  /** Maximum bytes of the values of the result. A larger one cancels the statement and rejects with `result-limit-exceeded`. */
  readonly maxLength?: number | undefined;
  /** The role whose share of the pool is used; undefined for the service. Ignored in a transaction, which has its own option. */
  readonly role?: string | undefined;
  /** Whether the statement only reads, so that it has no unknown outcome; false: it may write. Undefined: its text decides. */
  readonly reads?: boolean | undefined;
  /** Whether a statement that reads may be executed twice. Only such statements share connections. */
  readonly repeatable?: boolean | undefined;
  /** Whether the statement has no timeout. */
  readonly unlimited?: boolean | undefined;
  /** The parent span. Without it the statement is not traced. */
  readonly span?: Span | undefined;
  /** Called when the statement has a connection and is sent; several times where it is sent again. */
  readonly sent?: (() => void) | undefined;
}

/**
 * Runs one statement. Without values and name the text may contain several, and the result is that of the last one. Rejects
 * with `busy` when the connection fails, otherwise with the error of the server (see `fromPostgres`).
 */
export type Query = (run: QueryRun, options?: QueryOptions) => Promise<QueryResult>;

/** The prepared statements of a connection. */
export interface PreparedStatements {
  /** Names that were sent, and whether the server has confirmed them. */
  readonly parsed: Map<string, boolean>;
  /** Fields by statement name, so that a statement is described once. */
  readonly fields: Map<string, readonly Field[]>;
  /** Names that the server rejected. They are closed and parsed again. */
  readonly stale: Set<string>;
}

export function createPreparedStatements(): PreparedStatements {
  return { parsed: new Map(), fields: new Map(), stale: new Set() };
}

const noFields: readonly Field[] = [];

/**
 * A statement as an exchange of messages. Without values and name it uses the simple protocol, in which the text may contain
 * several statements.
 */
export abstract class StatementRun implements Exchange {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name: string | undefined;
  readonly isExtended: boolean;
  private readonly prepared: PreparedStatements | undefined;
  private rows: Row[] = [];
  private fields: readonly Field[] = noFields;
  private described = false;
  private tag = '';
  /** Whether the name is sent with its text, and the server has not confirmed it. */
  private parsing = false;
  /** Whether an earlier statement, without a response so far, has sent the text of the name. */
  private assumed = false;
  /** Whether the server may have received any of it. */
  protected sent = false;

  constructor(run: QueryRun, prepared: PreparedStatements | undefined) {
    this.text = run.text;
    this.values = run.values;
    this.name = run.name;
    this.prepared = prepared;
    this.isExtended = run.name !== undefined || run.values.length > 0;
  }

  /** Called when all rows have arrived and the server is ready for the next statement. */
  protected abstract succeed(result: QueryResult): void;
  /** Called when the statement failed. After an error of the server, that is ready for the next statement. */
  protected abstract fail(error: unknown): void;

  encode(): Buffer {
    if (!this.isExtended) {
      this.sent = true;
      return encodeSimpleQuery(this.text);
    }
    const { name, prepared } = this;
    const hasName = name !== undefined && prepared !== undefined;
    const closes = hasName && prepared.stale.size > 0 && prepared.stale.has(name);
    const confirmed = hasName && !closes ? prepared.parsed.get(name) : undefined;
    const known = hasName && !closes ? prepared.fields.get(name) : undefined;
    const parses = confirmed === undefined;
    let messages: Buffer;
    try {
      messages = encodeStatement(this, closes ? 'close' : parses ? 'parse' : 'none', known === undefined);
    } catch (cause) {
      throw new ServiceError('unexpected', 'a value cannot be sent to the database', { cause });
    }
    this.sent = true;
    this.parsing = parses;
    this.assumed = confirmed === false;
    if (known !== undefined) {
      this.described = true;
      this.fields = known;
    }
    if (hasName && parses) {
      prepared.stale.delete(name);
      prepared.fields.delete(name);
      prepared.parsed.set(name, false);
    }
    return messages;
  }

  /** Makes the next run of the name on this connection parse it again. Returns whether the server had confirmed the name. */
  forgetName(): boolean {
    if (this.name !== undefined) this.prepared?.stale.add(this.name);
    return !this.assumed;
  }

  handleParsed(): void {
    this.parsing = false;
    if (this.name !== undefined) this.prepared?.parsed.set(this.name, true);
  }

  handleFields(fields: readonly Field[]): void {
    this.fields = fields;
    this.described = true;
    this.dropRows();
  }

  beginRow(_length: number): boolean {
    return true;
  }

  handleRow(bytes: Buffer, start: number, end: number): void {
    this.rows.push(readRow(bytes, start, end));
  }

  protected dropRows(): void {
    if (this.rows.length > 0) this.rows = [];
  }

  /** Returns the length of the values of a row. */
  protected lengthOfValues(length: number): number {
    return length - 2 - 4 * this.fields.length;
  }

  handleCommand(tag: string): void {
    if (!this.described) {
      this.fields = noFields;
      this.dropRows();
    }
    this.described = false;
    this.tag = tag;
  }

  succeeded(): void {
    if (this.name !== undefined && this.prepared?.fields.has(this.name) === false) {
      this.prepared.fields.set(this.name, this.fields);
    }
    this.succeed({ rows: this.rows, fields: this.fields, ...readTag(this.tag) });
  }

  failed(error: unknown): void {
    // The text was rejected: the name does not exist.
    if (this.parsing && this.name !== undefined) this.prepared?.parsed.delete(this.name);
    this.dropRows();
    this.described = false;
    this.fail(error);
  }

  lost(error: Error): void {
    this.fail(error);
  }
}

/** Runs one statement on a connection that nothing else uses. Rejects with the error of the server or of the connection. */
export function runOn(
  connection: WireConnection,
  { text, values = [] }: Partial<QueryRun> & { readonly text: string },
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    connection.submit(new PlainRun({ text, values }, resolve, reject));
  });
}

class PlainRun extends StatementRun {
  protected readonly succeed: (result: QueryResult) => void;
  protected readonly fail: (error: unknown) => void;

  constructor(run: QueryRun, succeed: (result: QueryResult) => void, fail: (error: unknown) => void) {
    super(run, undefined);
    this.succeed = succeed;
    this.fail = fail;
  }
}

/** Parses a command tag: `INSERT 0 5` is INSERT, 5; `SELECT 5` is SELECT, 5; `CREATE TABLE` is CREATE TABLE, 0. */
function readTag(tag: string): { command: string; rowCount: number } {
  const last = tag.lastIndexOf(' ');
  const rowCount = last === -1 ? Number.NaN : Number(tag.slice(last + 1));
  if (Number.isNaN(rowCount)) return { command: tag, rowCount: 0 };
  return { command: tag.startsWith('INSERT ') ? 'INSERT' : tag.slice(0, last), rowCount };
}
