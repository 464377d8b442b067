/** The inputs and dependencies for the execution of one operation. Types only. */
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { Headers, Session } from '../../auth/session.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Environment } from '../../base/environment.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { HandlerResponse, HandlerState } from '../action/handler/handler-state.ts';
import type { Changes } from '../live/changes.ts';
import type { Merging } from '../merge/merging.ts';
import type { Failures, FieldError } from '../response/field-errors.ts';

export interface ExecuteContext {
  readonly session: Session;
  /** The headers of the client's request, with names in lower case. */
  readonly headers: Headers;
  /** The document as the client sent it. */
  readonly query: string;
  /** The name of the operation, which remote schemas receive too. */
  readonly operationName?: string | undefined;
  /** Collects the values of `Set-Cookie` that remote schemas return. */
  readonly cookies?: string[] | undefined;
  /** After coercion. A variable that was not given and has no default is absent. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Throws if there is no source with the name. */
  readonly database: (source: SourceName) => Database;
  /** The parent of the spans of statements, and the databases without it; undefined where statements are not traced. */
  readonly tracing?: { readonly span: Span; readonly database: ExecuteContext['database'] } | undefined;
  /** Merges reads of several requests. Undefined where those of this operation run alone. */
  readonly merging?: Merging | undefined;
  /** The database with the schema `joinery`, which contains the log of asynchronous actions. */
  readonly own?: Database | undefined;
  /** Whether the errors of asynchronous actions include `internal`. */
  readonly showInternal?: boolean;
  /** Called when a remote schema rejects a request that is valid for its introspected schema. */
  readonly suspectRemoteSchema?: ((remote: RemoteSchemaName) => void) | undefined;
  readonly httpClient: HttpClient;
  /** Shared by all operations of the process. */
  readonly handlers: HandlerState;
  readonly environment: Environment;
  readonly settings: ExecuteSettings;
  readonly observe: Observe;
  /** Receives the committed changes of mutations. */
  readonly changes?: Changes | undefined;
  /** Handler calls of query actions by their input. Equal calls of one request are made once. */
  readonly calls?: Map<string, Promise<HandlerResponse>> | undefined;
  /** Aborted when the client disconnects. Cancels statements and HTTP calls. */
  readonly signal?: Cancellation | undefined;
  /**
   * Receives the statements of a mutation in place of the database. `likely` is the result of the statement if every given
   * row is changed, with nulls for all values.
   */
  readonly record?: ((statement: RecordedStatement, likely: TextRows) => TextRows) | undefined;
  /** Collects errors of fields. If absent, every error is thrown. */
  readonly failures?: Failures | undefined;
}

export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Rows in the text format of PostgreSQL. */
export type TextRows = readonly (readonly (string | null)[])[];

export interface ExecuteSettings {
  /** Whether bigint, numeric and double precision are JSON strings. */
  readonly stringifyNumerics: boolean;
  /** Lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
  /** Whether configured headers of an action override forwarded ones. Otherwise forwarded headers override. */
  readonly configuredHeaderPrecedence: boolean;
  /** The version of the service, as in `joinery/<version>`. */
  readonly version: string;
  /** Maximum size of a handler's response in bytes. */
  readonly maxActionResponseBytes: number;
  /** Maximum number of characters of the result of one statement. Default: no limit. */
  readonly maxResultBytes?: number;
  /** Maximum number of rows of one list of the database, taken from the plan. */
  readonly maxRows?: number;
  /** Maximum size of a remote schema's response in bytes. */
  readonly maxRemoteResponseBytes: number;
  /** Whether errors of a remote schema are ignored if its response has data. Default: false. */
  readonly remoteSchemaPrioritizeData?: boolean;
}

export interface ExecutionResult {
  /** JSON text: `{"data":{...}}`. */
  readonly body: string;
  /** The errors beside the data; see `withErrors`. */
  readonly errors: readonly FieldError[];
  /** Headers for the client, such as the `set-cookie` of a mutation's handler. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}
