/** How often PostgreSQL plans the prepared statements that read lists of values: merged reads, joins and mutations. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '../../src/postgres/client/pool.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';
import { metadata, sql } from './merged-fixture.ts';

let db: TestDatabase;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  db = await testDatabase({ sql });
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});
afterAll(() => db?.drop());

/** PostgreSQL plans a prepared statement for the values of its first runs, and then decides. */
const CUSTOM_PLANS = 5;
const RUNS = 12;

/** Returns an engine with one connection, and how often that connection planned each statement with `unnest`. */
async function connected(): Promise<{ engine: Engine; customPlans: () => Promise<readonly number[]> }> {
  const settings = { poolSize: 1, statementTimeoutMs: 20_000, prepare: true, applicationName: 'list plans' };
  const database = createDatabase({ url: db.url, ...settings });
  opened.push(database);
  const engine = await startEngine({ metadata, databases: { default: database, other: database }, merging: 'always' });
  opened.push(engine);
  return {
    engine,
    customPlans: async () => {
      const text = `select custom_plans from pg_prepared_statements
        where statement like 'select%unnest(%' and custom_plans + generic_plans >= ${RUNS}`;
      return (await database.query({ text, values: [] })).rows.map(([count]) => Number(count));
    },
  };
}

test.each([
  ['merged reads', 'query ($id: Int!) { author_by_pk(id: $id) { name articles { title author { name } } } }', 1],
  ['joins', 'query ($id: Int!) { author(where: { id: { _eq: $id } }) { reviews { id } first_review { id } } }', 3],
  [
    'mutations',
    'mutation ($id: Int!) { update_author_by_pk(pk_columns: { id: $id }, _set: { email: null }) { name articles { author { name } } } }',
    1,
  ],
])('lists of few values are planned for their values in the first runs only: %s', async (_what, query, statements) => {
  const { engine, customPlans } = await connected();
  for (let run = 0; run < RUNS; run += 1) {
    const requests = [1, 2].map((id) => engine.execute({ query, variables: { id } }));
    for (const { body } of await Promise.all(requests)) expect(body).toContain('"data"');
  }
  expect(await customPlans()).toEqual(new Array(statements).fill(CUSTOM_PLANS));
});
