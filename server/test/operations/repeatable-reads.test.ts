/** Statements that share connections, and so may run twice, have no effects. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QueryOptions } from '../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';
import { metadata, sql } from './merged-fixture.ts';

let db: TestDatabase;
let engine: Engine;
let sent: (QueryOptions | undefined)[] = [];

const [first, ...others] = metadata.sources;
const native = {
  logical_models: [{ name: 'one_number', fields: [{ name: 'number', type: { scalar: 'integer', nullable: false } }] }],
  native_queries: [{ root_field_name: 'number', code: 'select 1 as number', arguments: {}, returns: 'one_number' }],
};

beforeAll(async () => {
  db = await testDatabase({ sql });
  const database = {
    ...db.database,
    query: (...[run, options]: Parameters<typeof db.database.query>) => {
      sent.push(options);
      return db.database.query(run, options);
    },
  };
  const sources = [{ ...first, ...native }, ...others];
  engine = await startEngine({ metadata: { sources }, databases: { default: database, other: database } });
  expect(engine.inconsistencies).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

test.each([
  ['of tables', '{ author_by_pk(id: 1) { name articles { title label } } }', true],
  ['of a join', '{ author_by_pk(id: 1) { reviews { stars } } }', true],
  ['of a stable function', '{ found(args: { term: "a%" }) { name } }', true],
  ['of a volatile function', '{ any_author(args: { first: 3 }) { name } }', false],
  ['of a table beside a volatile function', '{ author { id } any_author(args: { first: 3 }) { name } }', false],
  ['of a view', '{ inverse(where: { id: { _eq: 1 } }) { value } }', true],
  ['of a view that calls a volatile function', '{ drawn(where: { id: { _eq: 1 } }) { value } }', false],
  ['of a native query', '{ number { number } }', false],
])('whether statements %s may be repeated', async (_case, query, isRepeatable) => {
  sent = [];
  const { body } = await engine.execute({ query });
  expect(body).not.toContain('errors');
  expect(sent.length).toBeGreaterThan(0);
  for (const options of sent) expect(options).toMatchObject({ reads: true, repeatable: isRepeatable });
});
