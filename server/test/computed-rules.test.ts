/** Row rules that speak of the rows of a computed field. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningService, type TestService } from './running.ts';

const sql = `
  create table author (id int primary key, name text not null);
  create table article (id int primary key, author_id int not null references author, published bool not null);
  create function articles_of(author_row author) returns setof article stable language sql
    as $$ select * from article where author_id = author_row.id $$;
  insert into author values (1, 'Ann'), (2, 'Bea'), (3, 'Cid');
  insert into article values (1, 1, true), (2, 2, false);
`;

let service: TestService;

beforeAll(async () => {
  service = await runningService({}, { sql });
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
