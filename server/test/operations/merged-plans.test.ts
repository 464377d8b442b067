/** The comparison of the plan of a merged statement with those of its requests alone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { overLists } from '../../src/execute/merge/merge-form.ts';
import { ESTIMATED_ITEMS, mostByPlan } from '../../src/execute/merge/plan-check.ts';
import { connect } from '../support/database/test-database.ts';
import { startVersion, versions } from '../support/database/version-server.ts';
import { freePort } from '../support/http/free-port.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

/** 99 % of the jobs are done; the others have one of 400 states. */
const sql = `
  create table job (id int primary key, state text not null, owner int not null, note text not null);
  insert into job select n, case when n % 100 > 0 then 'done' else 'open ' || n % 40000 / 100 end, n % 4000, repeat('x', 60)
    from generate_series(1, 40000) n;
  create index on job (state);
  create index on job (owner);
  analyze job;
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  await service.command('track_table', { schema: 'public', name: 'job' });
}, 60_000);
afterAll(() => service?.stop());

interface Explained {
  readonly steps: readonly [
    {
      readonly sql: string;
      readonly parameters: readonly unknown[];
      readonly merged?: { readonly by: string; readonly sql: string };
    },
  ];
}

async function explain(query: string, variables: object) {
  const { body } = await service.post('/v1/graphql/explain', { query: { query, variables }, format: 'tree' });
  const [{ sql: single, parameters, merged }] = (body as Explained).steps;
  return { single, merged: merged?.sql ?? '', by: merged?.by, parameters };
}

function formOf(text: string, values: readonly unknown[]) {
  return overLists({ text, slots: values.map((value) => ({ kind: 'value', value })) });
}

/** Returns how many requests with such variables a merged statement of the query would have. */
async function most(query: string, ...variables: readonly object[]): Promise<number> {
  const explained = await Promise.all(variables.map((one) => explain(query, one)));
  const [{ single = '', merged = '', by } = { single: '', merged: '', by: undefined }] = explained;
  expect(by).toBe('plan');
  const { database } = service.database;
  const values = explained.map((one) => one.parameters);
  const form = formOf(merged, values[0] ?? []);
  return mostByPlan({ database, role: undefined, text: single, form, values });
}

test('a list by an index with few rows for each value is merged', async () => {
  const query = 'query ($o: Int!) { job(where: { owner: { _eq: $o } }, order_by: { id: asc }) { id state } }';
  expect(await most(query, { o: 1 }, { o: 2 }, { o: 3 })).toBeGreaterThan(1);
});

test('a list behind a value of the primary key is merged', async () => {
  const query = 'query ($id: Int!) { job(where: { id: { _gt: $id } }, order_by: { id: asc }, limit: 10) { id } }';
  expect(await most(query, { id: 5 }, { id: 30_000 }, { id: 700 })).toBeGreaterThan(1);
});

test('a condition on a value that most rows have is not merged', async () => {
  const query = 'query ($s: String!) { job(where: { state: { _eq: $s } }, order_by: { id: asc }, limit: 10) { id } }';
  expect(await most(query, { s: 'done' }, { s: 'done' }, { s: 'done' })).toBe(1);
});

test('a count whose condition excludes most rows is not merged', async () => {
  const query = 'query ($s: String!) { job_aggregate(where: { state: { _neq: $s } }) { aggregate { count } } }';
  expect(await most(query, { s: 'done' }, { s: 'done' })).toBe(1);
});

test('a statement that reads a whole table is not merged', async () => {
  const query = 'query ($n: String!) { job(where: { note: { _ilike: $n } }) { id } }';
  expect(await most(query, { n: '%a%' }, { n: '%b%' })).toBe(1);
});

test.each(versions())(
  'PostgreSQL %s estimates the same number of items for lists of any length',
  async (_version, folder) => {
    const query = 'query ($o: Int!) { job(where: { owner: { _eq: $o } }, order_by: { id: asc }) { id state } }';
    const { merged, parameters } = await explain(query, { o: 1 });
    const form = formOf(merged, parameters);
    const server = startVersion(folder(), await freePort());
    const database = connect(server.url, 1);
    try {
      await database.query({ text: sql, values: [] });
      for (const count of [1, 2, 50]) {
        const values = form.values(new Array<readonly unknown[]>(count).fill(parameters));
        const { rows } = await database.query({ text: `explain (format json) ${merged}`, values });
        const scans = /"Node Type": "Function Scan"[^{}]*?"Plan Rows": (\d+)/g;
        const estimates = [...rows.join('').matchAll(scans)].map(([, items]) => Number(items));
        expect(estimates).toEqual([ESTIMATED_ITEMS]);
      }
    } finally {
      await database.close();
      server.stop();
    }
  },
  120_000,
);
