/** The results of all statements of SQL, with a limited number of rows each. */
import type { StatementResult } from '@joinery/metadata/api/sources/run-sql';
import { statementsOf } from '@joinery/metadata/sql/statements';
import type { Query, QueryResult } from '../../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../../postgres/sql/rows.ts';
import { sql } from '../../../postgres/sql/sql.ts';

/** Runs SQL whose first `lead` characters are before position `start` of the whole text, to which errors refer. */
type RunPart = (sql: string, start: number, lead: number) => Promise<QueryResult>;

const cursor = 'joinery_run_sql';

/**
 * Runs the statements of `text` one after the other in the transaction of `query`. A statement that only reads is read through a
 * cursor, so that the database sends `maxRows` rows only.
 */
export async function runForResults(text: string, maxRows: number, run: RunPart): Promise<QueryResult[]> {
  const results: QueryResult[] = [];
  for (const { text: statement, start } of statementsOf(text)) {
    if (isRead(statement)) {
      const lead = `declare ${cursor} no scroll cursor for `;
      // Nothing follows the statement, so that an error of unfinished SQL names text of the caller only.
      await run(lead + statement, start, lead.length);
      results.push({ ...(await run(`fetch ${maxRows + 1} from ${cursor}`, start, 0)), command: 'SELECT' });
      await run(`close ${cursor}`, start, 0);
    } else results.push(await run(statement, start, 0));
  }
  return results;
}

/** Whether a cursor can read the statement. Comments before it, and words in texts, only make it run without one. */
function isRead(text: string): boolean {
  const writes = /\b(into|insert|update|delete|merge|for\s+(no\s+key\s+)?update|for\s+(key\s+)?share)\b/i;
  return /^(select|with|values|table)\b/i.test(text) && !writes.test(text);
}

const typeNames = fixedStatement(['oids'], ['oid', 'name'], ({ oids }) => {
  return sql`select oid, pg_catalog.format_type(oid, null) as name from pg_catalog.unnest(${oids}::oid[]) as given (oid)`;
});

/** Returns the results with the names of their types. Reads the names with `query`. */
export async function writeResults(
  results: readonly QueryResult[],
  maxRows: number,
  query: Query,
): Promise<StatementResult[]> {
  const oids = [...new Set(results.flatMap(({ fields }) => fields.map((field) => field.typeOid)))];
  const named = oids.length === 0 ? [] : await typeNames.rows(query, { oids });
  const names = new Map(named.map(({ oid, name }) => [Number(oid), name ?? '']));
  return results.map(({ command, rowCount, fields, rows }) => ({
    command,
    // The tags of `show` and `explain` have no number.
    row_count: fields.length === 0 ? rowCount : Math.min(rows.length, maxRows),
    columns: fields.map(({ name, typeOid }) => ({ name, type: names.get(typeOid) ?? 'unknown' })),
    rows: rows.slice(0, maxRows),
    more: rows.length > maxRows,
  }));
}
