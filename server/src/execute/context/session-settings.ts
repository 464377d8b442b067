/**
 * Settings of PostgreSQL that SQL of the database reads in mutations, under the names of Hasura v2: `hasura.user` has the session
 * variables as JSON, `hasura.tracecontext` the trace.
 */
import type { SourceName } from '@joinery/metadata/names';
import type { Session } from '../../auth/session.ts';
import { printJson } from '../../base/json-value.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import type { PlannedOperation } from '../../plan/operation.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { sessionVariables } from '../action/handler/handler-request.ts';
import type { ExecuteSettings } from './context.ts';

/**
 * Returns the databases of the sources for an operation. Mutations run in a transaction with the settings, in sources whose SQL
 * may read them: elsewhere, a single statement needs no transaction.
 */
export function withSessionSettings(
  database: (source: SourceName) => Database,
  { plan, prepared }: Pick<PlannedOperation, 'plan' | 'prepared'>,
  { session, span }: { readonly session: Session; readonly span?: Span | undefined },
  { sessionPrefix }: Pick<ExecuteSettings, 'sessionPrefix'>,
): (source: SourceName) => Database {
  if (plan.kind !== 'mutation') return database;
  const { sources } = prepared.roleSchema.model;
  return (name) => {
    const source = sources.get(name);
    // Events of triggers contain the session variables.
    const isRead = source?.readsSession === true || (source?.eventTriggers?.size ?? 0) > 0;
    if (!isRead) return database(name);
    return inTransactions(database(name), sessionSettings(session, span, { sessionPrefix }));
  };
}

/** Returns the settings by name. */
export function sessionSettings(
  session: Session,
  span: Span | undefined,
  { sessionPrefix }: Pick<ExecuteSettings, 'sessionPrefix'>,
): Readonly<Record<string, string>> {
  const trace = traceContext(span);
  // A caller cannot set the depth.
  const { [depthVariable(sessionPrefix)]: _sent, ...variables } = sessionVariables(session, { sessionPrefix });
  const { eventDepth } = session;
  const depth = eventDepth === undefined ? {} : { [depthVariable(sessionPrefix)]: String(eventDepth) };
  return {
    'hasura.user': printJson({ ...variables, ...depth }),
    ...(trace !== undefined && { 'hasura.tracecontext': printJson(trace) }),
  };
}

/** The session variable in `hasura.user` with the number of events whose targets led to a change. */
export function depthVariable(sessionPrefix: string): string {
  return `${sessionPrefix}event-depth`;
}

/** Returns the trace of the span as Hasura v2 writes it; undefined without one. */
function traceContext(span: Span | undefined): Readonly<Record<string, string>> | undefined {
  const parent = span?.headers().find(([name]) => name === 'traceparent')?.[1];
  const [, trace_id, span_id, flags] = parent?.split('-') ?? [];
  if (trace_id === undefined || span_id === undefined) return undefined;
  return { trace_id, span_id, sampling_state: flags === '01' ? '1' : '0' };
}

function inTransactions(database: Database, settings: Readonly<Record<string, string>>): Database {
  return {
    ...database,
    query: (run, options) => database.transaction((query) => query(run, options), { role: options?.role, settings }),
    transaction: (work, options) => database.transaction(work, { ...options, settings }),
  };
}
