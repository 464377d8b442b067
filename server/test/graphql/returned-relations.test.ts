/** The response of a mutation shows the state after it, also through views and native queries. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
create table author (id int primary key, name text);
create table note (id int primary key, author_id int references author, text text);
create view summary as select author_id, count(*)::int as notes from note group by author_id;
create view plain_note as select id, author_id, text from note;
`;

const manual = (remote_table: string, column_mapping: object) => ({
  manual_configuration: { remote_table, column_mapping },
});

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await testDatabase({ sql });
  service = await startService({}, database);
  const native = {
    root_field_name: 'counted',
    arguments: {},
    returns: 'counted_row',
    code: 'select author_id, count(*)::int as notes from note group by author_id',
  };
  const fields = ['author_id', 'notes'].map((name) => ({ name, type: 'integer', nullable: true }));
  await service.command('replace_metadata', {
    metadata: {
      version: 3,
      sources: [
        {
          name: 'default',
          logical_models: [{ name: 'counted_row', fields }],
          native_queries: [native],
          tables: [
            { table: 'author' },
            { table: 'summary' },
            {
              table: 'note',
              object_relationships: [
                { name: 'summary', using: manual('summary', { author_id: 'author_id' }) },
                {
                  name: 'counted',
                  using: {
                    manual_configuration: {
                      remote_native_query: 'counted',
                      column_mapping: { author_id: 'author_id' },
                    },
                  },
                },
              ],
            },
            {
              table: 'plain_note',
              array_relationships: [{ name: 'notes', using: manual('note', { author_id: 'author_id' }) }],
            },
          ],
        },
      ],
    },
  });
});

beforeEach(async () => {
  const text = `delete from note; delete from author; insert into author values (1, 'Ann'); insert into note values (1, 1, 'one')`;
  await database.database.query({ text, values: [] });
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

test.each([
  [
    'a view of the changed table',
    'insert_note_one(object: { id: 2, author_id: 1 }) { id summary { notes } }',
    { id: 2, summary: { notes: 2 } },
  ],
  [
    'a native query',
    'insert_note_one(object: { id: 2, author_id: 1 }) { id counted { notes } }',
    { id: 2, counted: { notes: 2 } },
  ],
  [
    'the table of a changed view',
    'insert_plain_note_one(object: { id: 2, author_id: 1 }) { id notes(order_by: { id: asc }) { id } }',
    { id: 2, notes: [{ id: 1 }, { id: 2 }] },
  ],
])('through %s', async (_what, field, value) => {
  const { data, errors } = (await service.graphql(`mutation { value: ${field} }`, { 'x-service-role': 'admin' })) as {
    readonly data: unknown;
    readonly errors: unknown;
  };
  expect([errors, data]).toEqual([undefined, { value }]);
});
