/** Runs statements built with the SQL tag whose parameters are all known. */
import type { Query, QueryResult } from '../../postgres/client/statement-run.ts';
import { bind, compile, type Sql } from '../../postgres/sql/sql.ts';

export async function run(query: Query, statement: Sql): Promise<QueryResult> {
  const compiled = compile(statement);
  return query({ text: compiled.text, values: valuesOf(compiled) });
}

/** Returns the planner's estimate of the number of rows. */
export async function estimate(query: Query, statement: Sql): Promise<number> {
  const compiled = compile(statement);
  const { rows } = await query({ text: `explain (format json) ${compiled.text}`, values: valuesOf(compiled) });
  const plans = JSON.parse(rows[0]?.[0] ?? '[]') as readonly { readonly Plan?: { readonly 'Plan Rows'?: number } }[];
  return plans[0]?.Plan?.['Plan Rows'] ?? 0;
}

function valuesOf(compiled: ReturnType<typeof compile>): readonly unknown[] {
  return bind(compiled, { variables: {}, session: new Map(), missing: noSession });
}

function noSession(): never {
  throw new TypeError('these statements have no session variables');
}
