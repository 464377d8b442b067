/** Row rules and checks on computed fields. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text not null);
  create table article (id int primary key, author_id int not null references author, published bool not null);
  create function articles_of(author_row author) returns setof article stable language sql
    as $$ select * from article where author_id = author_row.id $$;
  create function loudness(author_row author) returns int stable language sql
    as $$ select length(author_row.name) - length(replace(author_row.name, '!', '')) $$;
  insert into author values (1, 'Ann'), (2, 'Bea'), (3, 'Cid');
  insert into article values (1, 1, true), (2, 2, false);
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  const permit = (role: string, filter: unknown) => ({
    type: 'create_select_permission',
    args: { table: 'author', role, permission: { columns: ['name'], filter } },
  });
  await service.command('bulk', [
    { type: 'track_table', args: 'author' },
    { type: 'track_table', args: 'article' },
    {
      type: 'add_computed_field',
      args: { table: 'author', name: 'works', definition: { function: 'articles_of', table_argument: 'author_row' } },
    },
    {
      type: 'add_computed_field',
      args: { table: 'author', name: 'loudness', definition: { function: 'loudness', table_argument: 'author_row' } },
    },
    permit('quiet', {}),
    ...['insert', 'update'].map((kind) => ({
      type: `create_${kind}_permission`,
      args: {
        table: 'author',
        role: 'quiet',
        permission: {
          columns: ['id', 'name'],
          filter: kind === 'update' ? {} : undefined,
          check: { loudness: { _lt: 2 } },
        },
      },
    })),
    permit('reader', { works: { published: true } }),
    permit('beginner', { _not: { works: {} } }),
  ]);
});

afterAll(() => service?.stop());

test.each([
  ['reader', ['Ann']],
  ['beginner', ['Cid']],
])('the role %s sees the authors that match its rule on the rows of a computed field', async (role, names) => {
  const response = await service.graphql('{ author { name } }', { 'x-service-role': role });
  expect(response).toEqual({ data: { author: names.map((name) => ({ name })) } });
});

test('rejects a rule on a column that the rows of the computed field do not have', async () => {
  const permission = { columns: ['name'], filter: { works: { x: 1 } } };
  const args = { table: 'author', role: 'other', permission };
  const response = await service.post('/v1/query', { type: 'create_select_permission', args });
  expect(response.body).toMatchObject({ code: 'invalid-configuration', path: '$.args.permission.filter.works.x' });
});

describe('a check on a computed field', () => {
  const quiet = { 'x-service-role': 'quiet' };
  const permissionError = (path: string) => ({
    errors: [{ message: expect.any(String), extensions: { code: 'permission-error', path } }],
  });
  const insertAuthors = (objects: string, conflict = '') =>
    `mutation { insert_author(objects: ${objects}${conflict}) { affected_rows returning { name } } }`;

  test('applies to rows that the same statement inserts', async () => {
    expect(await service.graphql(insertAuthors('[{ id: 10, name: "Hi!" }, { id: 11, name: "Hey" }]'), quiet)).toEqual({
      data: { insert_author: { affected_rows: 2, returning: [{ name: 'Hi!' }, { name: 'Hey' }] } },
    });
    const loud = insertAuthors('[{ id: 12, name: "Hey" }, { id: 13, name: "HEY!!" }]');
    expect(await service.graphql(loud, quiet)).toEqual(permissionError('$.selectionSet.insert_author.args.objects'));
  });

  test('applies to rows that an update or an upsert changes', async () => {
    const set = (name: string) =>
      `mutation { update_author_many(updates: [{ where: { name: { _eq: "Hey" } }, _set: { name: "${name}" } }]) { affected_rows } }`;
    expect(await service.graphql(set('Ho!!'), quiet)).toEqual(
      permissionError('$.selectionSet.update_author_many.args.updates[0]'),
    );
    expect(await service.graphql(set('Ho!'), quiet)).toEqual({ data: { update_author_many: [{ affected_rows: 1 }] } });
    const conflict = ', on_conflict: { constraint: author_pkey, update_columns: [name] }';
    expect(await service.graphql(insertAuthors('[{ id: 10, name: "A!!" }]', conflict), quiet)).toEqual(
      permissionError('$.selectionSet.insert_author.args.objects'),
    );
    expect(await service.graphql('{ author(where: { name: { _like: "%!!" } }) { name } }', quiet)).toEqual({
      data: { author: [] },
    });
  });
});
