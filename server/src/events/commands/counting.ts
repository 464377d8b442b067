/** Counts rows exactly, or by an estimate of the planner. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { queryRows } from '../../postgres/sql/rows.ts';
import { type Sql, sql } from '../../postgres/sql/sql.ts';

/** Counts up to this number are exact. */
const EXACT_LIMIT = 5_000;

export interface Counted {
  readonly count?: number;
  /** Set if `count` is an estimate of PostgreSQL's planner. */
  readonly count_is_estimate?: true;
}

/**
 * @param indexed whether reading the first rows is fast
 * @param rows returns a SELECT of the rows, with at most `most` rows of each branch
 * @param likely a SELECT of about as many rows that the planner estimates better
 */
export async function counted(
  query: Query,
  mode: boolean | 'estimated',
  indexed: boolean,
  rows: (most?: number) => Sql,
  likely: Sql = rows(),
): Promise<Counted> {
  if (mode === false) return {};
  if (mode === true) return { count: await countRows(query, rows()) };
  if (indexed) {
    const count = await countRows(query, rows(EXACT_LIMIT + 1));
    if (count <= EXACT_LIMIT) return { count };
  }
  return { count: Math.round(await estimate(query, likely)), count_is_estimate: true };
}

async function countRows(query: Query, rows: Sql): Promise<number> {
  const [row] = await queryRows(query, sql`select count(*) as count from (${rows}) counted`, ['count']);
  return Number(row?.count);
}

/** Returns the planner's estimate of the number of rows. */
async function estimate(query: Query, statement: Sql): Promise<number> {
  const [row] = await queryRows(query, sql`explain (format json) ${statement}`, ['QUERY PLAN']);
  const plans = JSON.parse(row?.['QUERY PLAN'] ?? '[]') as readonly {
    readonly Plan?: { readonly 'Plan Rows'?: number };
  }[];
  return plans[0]?.Plan?.['Plan Rows'] ?? 0;
}
