/** How many rows there are: exactly, or quickly. */
import type { Query } from '../../postgres/client/pool.ts';
import { type Sql, sql } from '../../postgres/sql/sql.ts';
import { estimate, run } from './statements.ts';

/** Up to here an estimate is exact. */
const FEW = 5_000;

export interface Counted {
  readonly count?: number;
  /** Where `count` is an estimate of PostgreSQL's planner. */
  readonly count_is_estimate?: true;
}

/**
 * @param indexed whether reading the first few rows is quick
 * @param rows a select of the rows, of each part at most so many where a number is given
 * @param likely a select of about as many, which the planner can judge better
 */
export async function counted(
  query: Query,
  wanted: boolean | 'estimated',
  indexed: boolean,
  rows: (most?: number) => Sql,
  likely: Sql = rows(),
): Promise<Counted> {
  if (wanted === false) return {};
  if (wanted === true) return { count: await exactly(query, rows()) };
  if (indexed) {
    const count = await exactly(query, rows(FEW + 1));
    if (count <= FEW) return { count };
  }
  return { count: Math.round(await estimate(query, likely)), count_is_estimate: true };
}

async function exactly(query: Query, rows: Sql): Promise<number> {
  const result = await run(query, sql`select count(*) from (${rows}) counted`);
  return Number(result.rows[0]?.[0]);
}
