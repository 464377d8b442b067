/** What `run_sql` detects and follows: one row for each kind of change of the database. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  drop schema public cascade;
  create schema public;
  create table author (id int primary key, name text, email text, age int);
  create table article (id int primary key, title text, author_id int constraint written_by references author (id));
  create table alone (id int primary key, note text);
  create view titles as select id, title from article;
  create function search(q text) returns setof article language sql stable as 'select * from article where title = q';
  create function label(person author) returns text language sql stable as 'select person.name';
`;

const source = {
  name: 'default',
  kind: 'postgres',
  configuration: { connection_info: { database_url: { from_env: 'DATABASE' } } },
  tables: [
    {
      table: { schema: 'public', name: 'author' },
      configuration: { column_config: { email: { custom_name: 'mail' } } },
      array_relationships: [
        {
          name: 'articles',
          using: { foreign_key_constraint_on: { column: 'author_id', table: { schema: 'public', name: 'article' } } },
        },
      ],
      computed_fields: [
        { name: 'label', definition: { function: { schema: 'public', name: 'label' }, table_argument: 'person' } },
      ],
      select_permissions: [
        { role: 'user', permission: { columns: ['id', 'name'], filter: { articles: { title: { _eq: 'x' } } } } },
      ],
    },
    {
      table: { schema: 'public', name: 'article' },
      object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
      insert_permissions: [{ role: 'user', permission: { columns: ['id'], check: {}, set: { title: 'new' } } }],
      event_triggers: [
        {
          name: 'changed',
          definition: { enable_manual: false, update: { columns: ['title'] } },
          webhook: 'http://127.0.0.1:1/hook',
          retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
        },
      ],
    },
    {
      table: { schema: 'public', name: 'alone' },
      select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
    },
    { table: { schema: 'public', name: 'titles' } },
  ],
  functions: [{ function: { schema: 'public', name: 'search' } }],
};

let service: TestService;

beforeAll(async () => {
  service = await startService();
});

beforeEach(async () => {
  await service.command('clear_metadata', {});
  await service.command('run_sql', { sql, check_metadata_consistency: false });
  const { sources } = await exported();
  const { configuration } = sources[0] ?? {};
  await service.command('replace_metadata', { version: 3, sources: [{ ...source, configuration }] });
});

afterAll(() => service?.stop());

interface Exported {
  readonly sources: readonly (Omit<typeof source, 'configuration'> & { readonly configuration?: unknown })[];
}

async function exported(): Promise<Exported> {
  return (await service.command('export_metadata', {})) as Exported;
}

/** Runs SQL and returns the metadata of the source afterwards, or the code of the error. */
async function change(text: string, cascade = false) {
  const before = await exported();
  const { status, body } = await service.post('/v2/query', { type: 'run_sql', args: { sql: text, cascade } });
  const after = await exported();
  if (status === 200) return JSON.stringify(after.sources[0]);
  expect(after).toEqual(before);
  return (body as { readonly code: string }).code;
}

describe('follows without cascade', () => {
  it.each([
    ['a dropped table', 'drop table alone', [], ['"alone"']],
    ['a renamed table', 'alter table author rename to writer', ['"writer"', '"articles"'], ['"author"}']],
    ['a renamed table that relationships name', 'alter table article rename to post', ['"name":"post"'], ['"article"']],
    ['a table in another schema', 'create schema other; alter table alone set schema other', ['"schema":"other"'], []],
    ['a renamed column in permissions', 'alter table author rename name to title', ['"title"'], ['"name","']],
    ['a renamed column in presets', 'alter table article rename title to head', ['"head":"new"'], ['"title":"new"']],
    ['a renamed column in triggers', 'alter table article rename title to head', ['"columns":["head"]'], []],
    ['a renamed column in filters', 'alter table article rename title to head', ['{"head":{"_eq":"x"}}'], []],
    ['a renamed column in relationships', 'alter table article rename author_id to by', ['"by"'], ['author_id']],
    ['a renamed column with a custom name', 'alter table author rename email to box', ['"box":{"custom_name"'], []],
    ['a dropped column with a custom name', 'alter table author drop email', [], ['custom_name']],
    ['a new type of a column', 'alter table author alter age type bigint', ['"articles"'], []],
    [
      'a foreign key that is created again',
      'alter table article drop constraint written_by; alter table article add foreign key (author_id) references author',
      ['"articles"', '"author_id"'],
      [],
    ],
    ['a dropped function', 'drop function search', [], ['"search"']],
    ['a renamed function, as dropped', 'alter function search rename to seek', [], ['"search"', '"seek"']],
    [
      'a replaced function',
      `create or replace function search(q text) returns setof article language sql stable as 'select * from article'`,
      ['"search"'],
      [],
    ],
    ['a replaced view', 'create or replace view titles as select id, title, author_id from article', ['"titles"'], []],
    ['a comment', `comment on table author is 'people'`, ['"articles"'], ['people']],
    [
      'a default and a constraint',
      'alter table author alter age set default 1, alter age set not null',
      ['"author"'],
      [],
    ],
    ['a new table, which is not tracked', 'create table more (id int)', ['"author"'], ['"more"']],
  ])('%s: %s', async (_rule, text, present, absent) => {
    const after = await change(text);
    // The name of the source, which an error does not have.
    expect(after).toContain('"default"');
    for (const part of present) expect(after).toContain(part);
    for (const part of absent) expect(after).not.toContain(part);
  });
});

describe('requires cascade, which removes the dependents', () => {
  it.each([
    ['a dropped table that others use', 'drop table article cascade', ['"article"', '"articles"', '"search"', '"x"']],
    ['a dropped column in a permission', 'alter table author drop name cascade', ['"columns":["id","name"]']],
    ['a dropped column in a filter', 'drop function search; alter table article drop title cascade', ['"_eq":"x"']],
    ['a dropped foreign key', 'alter table article drop constraint written_by', ['"articles"', '"author_id"']],
    ['a dropped function of a computed field', 'drop function label', ['"label"']],
    ['a renamed function of a computed field', 'alter function label rename to title', ['"label"']],
  ])('%s: %s', async (_rule, text, removed) => {
    expect(await change(text)).toBe('dependency-error');
    const after = await change(text, true);
    for (const part of removed) expect(after).not.toContain(part);
    expect(after).toContain('"alone"');
  });
});

describe('rejects with not-supported, also with cascade', () => {
  it.each([
    ['a tracked function that becomes volatile', 'alter function search volatile'],
    ['a function of a computed field that becomes volatile', 'alter function label volatile'],
    [
      'an overload of a tracked function',
      `create function search(q int) returns setof article language sql as 'table article'`,
    ],
    [
      'an overload of a function of a computed field',
      `create function label(q int) returns text language sql as 'select null'`,
    ],
  ])('%s: %s', async (_rule, text) => {
    expect(await change(text)).toBe('not-supported');
    expect(await change(text, true)).toBe('not-supported');
  });
});

describe('differs from Hasura v2', () => {
  it('keeps a table that is dropped and created again with its columns', async () => {
    expect(await change('drop table alone; create table alone (id int primary key, note text)')).toContain('"alone"');
  });

  it('accepts a new type of a column that a filter compares while the comparison is valid', async () => {
    expect(await change('drop view titles; alter table article alter title type varchar(100)')).toContain('"_eq":"x"');
  });

  it('keeps a permission with all columns if a column is dropped', async () => {
    expect(await change('alter table alone drop note')).toContain('"columns":"*"');
  });
});
