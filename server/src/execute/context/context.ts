/** What the run of one operation may use: who asks, with what values, and the ways to the world. Types only. */
import type { RemoteSchemaName, SourceName } from '@joinery/metadata/names';
import type { Headers, Session } from '../../auth/session.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Environment } from '../../base/environment.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { HandlerState } from '../action/handler-state.ts';
import type { Failures, FieldError } from '../response/field-errors.ts';

export interface ExecuteContext {
  readonly session: Session;
  /** Of the client's request, names in lower case. */
  readonly headers: Headers;
  /** The document as the client sent it. */
  readonly query: string;
  /** After coercion; one that was not given and has no default is not there. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Throws when there is no source of that name. */
  readonly database: (source: SourceName) => Database;
  /** The one that holds the schema `joinery`; asynchronous actions are written down there. */
  readonly own?: Database | undefined;
  /** May the caller see `internal` in the errors of asynchronous actions? */
  readonly showInternal?: boolean;
  /** To be called where a remote schema refuses a request that fits what it offered. */
  readonly doubt?: ((remote: RemoteSchemaName) => void) | undefined;
  readonly httpClient: HttpClient;
  /** Shared by all operations of the process. */
  readonly handlers: HandlerState;
  readonly environment: Environment;
  readonly settings: ExecuteSettings;
  readonly observe: Observe;
  /** Calls of this request to handlers of queries by what was asked, so that equal ones are made once. */
  readonly calls?: Map<string, Promise<unknown>> | undefined;
  /** Aborted when the client goes away: statements are cancelled, calls ended. */
  readonly signal?: Cancellation | undefined;
  /**
   * Takes a statement of a mutation in place of the database. `likely` is what it would bring if it changed a row for each
   * that it is given, with nothing in it.
   */
  readonly record?: ((statement: RecordedStatement, likely: TextRows) => TextRows) | undefined;
  /** Where errors beside data are noted; without it every error voids the answer. */
  readonly failures?: Failures | undefined;
}

export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** As PostgreSQL answers. */
export type TextRows = readonly (readonly (string | null)[])[];

export interface ExecuteSettings {
  /** bigint, numeric and double precision as JSON strings. */
  readonly stringifyNumerics: boolean;
  /** Lower case, such as `x-service-`. */
  readonly sessionPrefix: string;
  /** Configured headers of an action win over forwarded ones, not the other way round. */
  readonly configuredHeaderPrecedence: boolean;
  /** Of the service, as in `joinery/<version>`. */
  readonly version: string;
  /** Bytes of a handler's answer; more fails. */
  readonly maxActionResponseBytes: number;
  /** Characters of the result of one statement; more fails. No limit unless given. */
  readonly maxResultBytes?: number;
  /** Rows of one list of the database; that of the plan that is run. */
  readonly maxRows?: number;
  /** Bytes of a remote schema's answer; more fails. */
  readonly maxRemoteResponseBytes: number;
  /** Of a remote schema that answers with data and errors, the data alone counts. False unless given. */
  readonly remoteSchemaPrioritizeData?: boolean;
}

/** What came of an operation. */
export interface ExecutionResult {
  /** JSON text: `{"data":{...}}`. */
  readonly body: string;
  /** What stands beside the data; see `withErrors`. */
  readonly errors: readonly FieldError[];
  /** Headers for the client, such as the `set-cookie` of a mutation's handler. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}
