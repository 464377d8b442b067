/** Commands whose caller disconnects: their statements are canceled and rolled back. */
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
  ['SQL that changes tables', 'run_sql', { sql: 'create table created (); select pg_sleep(60) /* marked */' }],
  ['SQL outside of a transaction', 'run_sql', { sql: 'select pg_sleep(60) /* marked */', transaction: false }],
  ['a data command', 'pg_select', { table: 'slow', columns: ['id', 'slowly'] }],
])('cancels %s when the caller disconnects', async (_command, type, args) => {
  const disconnect = new AbortController();
  const response = fetch(`${service.url}/v2/query`, {
    method: 'POST',
    body: JSON.stringify({ type, args }),
    signal: disconnect.signal,
  }).catch((error: unknown) => error);
  const running = `select count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()
    and datname = current_database() and (query like '%marked%' or query like '%slowly%')`;
  await expect.poll(() => count(running)).toBe('1');
  disconnect.abort();
  expect(await response).toBeInstanceOf(Error);
  await expect.poll(() => count(running)).toBe('0');
  expect(await count("select to_regclass('created')")).toBeNull();
  // The next change of the metadata does not wait for the canceled command.
  await service.command('run_sql', { sql: 'comment on table author is null' });
});
