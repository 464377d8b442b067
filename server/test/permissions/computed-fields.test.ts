/** Row rules and checks that speak of a computed field. */
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
])('%s sees the authors of whose rows the rule holds', async (role, names) => {
  const answer = await service.graphql('{ author { name } }', { 'x-service-role': role });
  expect(answer).toEqual({ data: { author: names.map((name) => ({ name })) } });
});

test('a rule on a column that those rows do not have is refused', async () => {
  const permission = { columns: ['name'], filter: { works: { x: 1 } } };
  const args = { table: 'author', role: 'other', permission };
  const answer = await service.post('/v1/query', { type: 'create_select_permission', args });
  expect(answer.body).toMatchObject({ code: 'invalid-configuration', path: '$.args.permission.filter.works.x' });
});

describe('a check that asks for a computed field', () => {
  const quiet = { 'x-service-role': 'quiet' };
  const refused = (path: string) => ({
    errors: [{ message: expect.any(String), extensions: { code: 'permission-error', path } }],
  });
  const add = (objects: string, conflict = '') =>
    `mutation { insert_author(objects: ${objects}${conflict}) { affected_rows returning { name } } }`;

  test('holds for rows that are inserted, in the same statement', async () => {
    expect(await service.graphql(add('[{ id: 10, name: "Hi!" }, { id: 11, name: "Hey" }]'), quiet)).toEqual({
      data: { insert_author: { affected_rows: 2, returning: [{ name: 'Hi!' }, { name: 'Hey' }] } },
    });
    const loud = add('[{ id: 12, name: "Hey" }, { id: 13, name: "HEY!!" }]');
    expect(await service.graphql(loud, quiet)).toEqual(refused('$.selectionSet.insert_author.args.objects'));
  });

  test('holds for rows that are changed, by an upsert as well', async () => {
    const set = (name: string) =>
      `mutation { update_author_many(updates: [{ where: { name: { _eq: "Hey" } }, _set: { name: "${name}" } }]) { affected_rows } }`;
    expect(await service.graphql(set('Ho!!'), quiet)).toEqual(
      refused('$.selectionSet.update_author_many.args.updates[0]'),
    );
    expect(await service.graphql(set('Ho!'), quiet)).toEqual({ data: { update_author_many: [{ affected_rows: 1 }] } });
    const conflict = ', on_conflict: { constraint: author_pkey, update_columns: [name] }';
    expect(await service.graphql(add('[{ id: 10, name: "A!!" }]', conflict), quiet)).toEqual(
      refused('$.selectionSet.insert_author.args.objects'),
    );
    expect(await service.graphql('{ author(where: { name: { _like: "%!!" } }) { name } }', quiet)).toEqual({
      data: { author: [] },
    });
  });
});
