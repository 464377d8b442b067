/** The text of capture functions. */
import { compile, type Sql } from '../../postgres/sql/sql.ts';

/** The name of the current segment in the printed functions. The database divides their text at it and inserts the name. */
export const segmentMark = '\0';

/** Returns the text of SQL without parameters. */
export function text(part: Sql): string {
  const { text: printed, slots } = compile(part);
  if (slots.length > 0) throw new TypeError('the SQL of a capture function cannot have parameters');
  return printed;
}

/** The session variables and the trace of the transaction. */
export const settings = `nullif(current_setting('hasura.user', true), '') as session, nullif(current_setting('hasura.tracecontext', true), '') as trace`;
