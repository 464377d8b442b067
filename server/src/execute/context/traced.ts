/** An operation, or a part of it, whose statements and calls are part of a trace. */
import { outboundWithin } from '../../base/http/observed-http-client.ts';
import type { Span } from '../../base/telemetry/trace.ts';
import { databaseWithin } from '../../postgres/client/traced-database.ts';
import type { ExecuteContext } from './context.ts';

type Ways = Pick<ExecuteContext, 'database' | 'own' | 'outbound'>;

/** The same context with ways to the world that hang what they do below the span; as it is where nothing is traced. */
export function withinSpan<Context extends Ways>(context: Context, span: Span | undefined): Context {
  if (span === undefined) return context;
  const { database, own } = context;
  // Of a trace that is not kept nothing is told but to those who are called.
  const outbound = outboundWithin(span, context.outbound);
  if (!span.recorded) return { ...context, outbound };
  return {
    ...context,
    database: (source) => databaseWithin(span, database(source)),
    own: own && databaseWithin(span, own),
    outbound,
  };
}
