/** Reads that are known as short, so that they share connections. */
import type { Database } from '../../../src/postgres/client/pool.ts';
import type { QueryOptions } from '../../../src/postgres/client/statement-run.ts';
import { until } from '../until.ts';

export const lookup = 'select name from item where id = $1::int';
export const sleep = 'select $1::text from pg_sleep($2::float8)';

/** Runs a prepared read, which may be repeated, and returns the first value of its first row. */
export async function read(
  database: Database,
  text: string,
  values: unknown[],
  options?: QueryOptions,
): Promise<string> {
  const run = { text, values, name: database.prepared(text) };
  const { rows } = await database.query(run, { reads: true, repeatable: true, ...options });
  return String(rows[0]?.[0]);
}

/** Runs a statement until it is known as short. */
export async function warm(database: Database, text: string, values: unknown[]): Promise<void> {
  const { size } = database.stats();
  const unlimited = { unlimited: true };
  const fill = () => database.query({ text: 'select pg_sleep(0.05)', values: [] }, unlimited);
  await Promise.all(Array.from({ length: size }, fill));
  await until('the statement is known as short', async () => {
    for (let count = 0; count < 10; count += 1) await read(database, text, values, unlimited);
    const before = database.stats().pipelined;
    await Promise.all(Array.from({ length: 4 * size }, () => read(database, text, values, unlimited)));
    return database.stats().pipelined > before;
  });
}

/** Numbers from 1, at most 500. */
export const ids = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => (index % 500) + 1);
