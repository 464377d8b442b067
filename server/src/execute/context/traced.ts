/** Contexts whose statements and HTTP calls are part of a trace. */
import { tracedHttpClient } from '../../base/http-client/observed-http-client.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { tracedDatabase } from '../../postgres/client/pool.ts';
import type { ExecuteContext } from './context.ts';

type Traceable = Pick<ExecuteContext, 'database' | 'own' | 'httpClient' | 'tracing'>;

/** Returns the context with databases and an HTTP client that record child spans of `span`, if there is one. */
export function withinSpan<Context extends Traceable>(context: Context, span: Span | undefined): Context {
  return span === undefined ? context : { ...context, ...tracedParts(context, span) };
}

/** Returns the members of a context that depend on its span. */
export function tracedParts({ database, own, httpClient, tracing }: Traceable, span: Span | undefined): Traceable {
  if (span === undefined) return { database, own, httpClient, tracing };
  // A trace that is not recorded is propagated, but has no spans of its own.
  const propagating = tracedHttpClient(span, httpClient);
  if (!span.recorded) return { database, own, httpClient: propagating, tracing };
  return {
    database: (source) => tracedDatabase(span, database(source)),
    tracing: { span, database },
    own: own && tracedDatabase(span, own),
    httpClient: propagating,
  };
}
