/** An operation, or a part of it, whose statements and calls are part of a trace. */
import { tracedHttpClient } from '../../base/http-client/observed-http-client.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { tracedDatabase } from '../../postgres/client/pool.ts';
import type { ExecuteContext } from './context.ts';

type Ways = Pick<ExecuteContext, 'database' | 'own' | 'httpClient'>;

/** The same context with ways to the world that hang what they do below the span; as it is where nothing is traced. */
export function withinSpan<Context extends Ways>(context: Context, span: Span | undefined): Context {
  if (span === undefined) return context;
  const { database, own } = context;
  // Of a trace that is not kept nothing is told but to those who are called.
  const httpClient = tracedHttpClient(span, context.httpClient);
  if (!span.recorded) return { ...context, httpClient };
  return {
    ...context,
    database: (source) => tracedDatabase(span, database(source)),
    own: own && tracedDatabase(span, own),
    httpClient,
  };
}
