/**
 * Databases that are not PostgreSQL. They are PostgreSQL here with a `version()` of another product before that of the
 * system, so that the tests cover what the service does when it recognizes the product, and not the product.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../../src/main.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { connectionTo } from '../support/service/two-sources.ts';

let other: TestDatabase;
let service: TestService;

beforeAll(async () => {
  const version = 'CockroachDB CCL v26.1.0 (x86_64-pc-linux-gnu)';
  other = await testDatabase({
    sql: `create schema product; create table public.item (id int primary key, name text);
      create function product.version() returns text language sql as $$ select '${version}' $$;`,
  });
  const name = new URL(other.url).pathname.slice(1);
  const setting = `alter database ${name} set search_path = product, pg_catalog, public`;
  await other.database.query({ text: setting, values: [] });
  service = await startService();
  await service.command('pg_add_source', {
    name: 'other',
    configuration: connectionTo(other.url),
    customization: { root_fields: { prefix: 'other_' } },
  });
});
afterAll(async () => {
  await service.stop();
  await other.drop();
});

test('the service does not start with a metadata database that is not PostgreSQL', async () => {
  const environment = { JOINERY_DATABASE_URL: other.url, JOINERY_PORT: '0', JOINERY_LOG_LEVEL: 'silent' };
  await expect(start({ environment })).rejects.toThrow(
    /^the schema joinery in database ".*" \(JOINERY_DATABASE_URL\) needs PostgreSQL, and the database is CockroachDB/,
  );
});

test('the tables of such a source can be queried', async () => {
  await service.command('pg_track_table', { source: 'other', table: 'item' });
  expect(await service.graphql('{ other_item { id } }')).toEqual({ data: { other_item: [] } });
});

test('an event trigger on such a source is rejected with the product', async () => {
  const trigger = {
    source: 'other',
    name: 'watch',
    table: 'item',
    webhook: 'http://127.0.0.1:1',
    insert: { columns: '*' },
  };
  await expect(service.command('pg_create_event_trigger', trigger)).rejects.toThrow(
    'an event trigger needs PostgreSQL, and the database is CockroachDB',
  );
});

test('an error of the catalog of such a source names the product', async () => {
  await other.database.query({
    text: `create function product.unnest(anyarray) returns setof anyelement language plpgsql as $$ begin raise 'unknown function'; end $$`,
    values: [],
  });
  const reloaded = JSON.stringify(await service.command('reload_metadata', { reload_sources: true }));
  await other.database.query({ text: 'drop function product.unnest(anyarray)', values: [] });
  await service.command('reload_metadata', { reload_sources: true });
  expect(reloaded).toContain('the catalog of CockroachDB cannot be read as that of PostgreSQL: unknown function');
});
