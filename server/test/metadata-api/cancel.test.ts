/** Commands whose caller goes away: what they run in the database ends with it, and nothing of it stays. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key);
  create function slowly(author) returns int language sql volatile as $$ select pg_sleep(60); select 1 $$;
  create view slow as select id, slowly(author) from author;
  insert into author values (1);`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  await service.command('track_table', 'slow');
});

afterAll(() => service?.stop());

async function count(text: string): Promise<string | null | undefined> {
  return (await service.database.database.query({ text, values: [] })).rows[0]?.[0];
}

test.each([
  ['SQL that reads', 'run_sql', { sql: 'select pg_sleep(60) /* marked */' }],
  ['SQL that changes tables', 'run_sql', { sql: 'create table made (); select pg_sleep(60) /* marked */' }],
  ['SQL outside of a transaction', 'run_sql', { sql: 'select pg_sleep(60) /* marked */', transaction: false }],
  ['a data command', 'pg_select', { table: 'slow', columns: ['id', 'slowly'] }],
])('%s is cancelled', async (_what, type, args) => {
  const leaving = new AbortController();
  const answer = fetch(`${service.url}/v2/query`, {
    method: 'POST',
    body: JSON.stringify({ type, args }),
    signal: leaving.signal,
  }).catch((error: unknown) => error);
  const running = `select count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()
    and datname = current_database() and (query like '%marked%' or query like '%slowly%')`;
  await expect.poll(() => count(running)).toBe('1');
  leaving.abort();
  expect(await answer).toBeInstanceOf(Error);
  await expect.poll(() => count(running)).toBe('0');
  expect(await count("select to_regclass('made')")).toBeNull();
  // The next change does not wait for it.
  await service.command('run_sql', { sql: 'comment on table author is null' });
});
