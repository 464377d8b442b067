/** Contexts whose statements and HTTP calls are part of a trace. */
import { tracedHttpClient } from '../../base/http-client/observed-http-client.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { tracedDatabase } from '../../postgres/client/pool.ts';
import type { ExecuteContext } from './context.ts';

type Traceable = Pick<ExecuteContext, 'database' | 'own' | 'httpClient'>;

/** Returns the context with databases and an HTTP client that record child spans of `span`, if there is one. */
export function withinSpan<Context extends Traceable>(context: Context, span: Span | undefined): Context {
  if (span === undefined) return context;
  const { database, own } = context;
  // A trace that is not recorded is propagated, but has no spans of its own.
  const httpClient = tracedHttpClient(span, context.httpClient);
  if (!span.recorded) return { ...context, httpClient };
  return {
    ...context,
    database: (source) => tracedDatabase(span, database(source)),
    own: own && tracedDatabase(span, own),
    httpClient,
  };
}
