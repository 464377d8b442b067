/** A database whose statements are part of a trace. */
import type { Span } from '../../base/telemetry/trace.ts';
import type { Database, Query } from './pool.ts';

/** The same database for what happens within a span. */
export function tracedDatabase(span: Span, database: Database): Database {
  const within = (query: Query): Query => {
    return (run, options) => query(run, { ...options, span });
  };
  return {
    ...database,
    query: within(database.query),
    transaction: (work, options) => database.transaction((query) => work(within(query)), options),
    session: (work) => database.session((query) => work(within(query))),
  };
}
