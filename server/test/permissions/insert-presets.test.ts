/** Column presets of permissions on nested inserts, upserts and updates. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';

const tables = `
  create table author (id int primary key, name text, owner int);
  create table article (id serial primary key, title text unique, author_id int references author);
  create table profile (id serial primary key, about text, author_id int unique references author);
  create table post (id int, tenant text, title text, primary key (id, tenant));
  create table comment (
    id serial primary key, body text, post_id int, tenant text, foreign key (post_id, tenant) references post
  );
  create view story as select id, title, author_id from article;
`;

const rows = `
  truncate author, article, profile, post, comment;
  insert into author values (1, 'Ann', 1), (2, 'Bo', 2);
  insert into post values (1, 'red', 'One'), (1, 'blue', 'Two');
  insert into article (title, author_id) values ('old', 2), ('mine', 1);
`;

const allow = (role: string, permission: unknown) => ({ role, permission });
const userId = 'x-service-user-id';
const all = allow('user', { columns: '*', filter: {} });
const byAuthor = { foreign_key_constraint_on: 'author_id' };

const presetAuthor = { columns: ['title'], set: { author_id: userId }, check: {} };

const metadata = {
  inherited_roles: [{ role_name: 'inherited', role_set: ['user', 'reader'] }],
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'author',
          object_relationships: [
            { name: 'profile', using: { foreign_key_constraint_on: { table: 'profile', column: 'author_id' } } },
          ],
          array_relationships: [
            { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
          ],
          select_permissions: [all],
          insert_permissions: [allow('user', { columns: ['id', 'name'], set: { owner: userId }, check: {} })],
          update_permissions: [allow('user', { columns: ['id', 'name'], set: { owner: userId }, filter: {} })],
        },
        {
          table: 'article',
          object_relationships: [{ name: 'author', using: byAuthor }],
          select_permissions: [all, allow('reader', { columns: '*', filter: {} })],
          insert_permissions: [allow('user', presetAuthor)],
          update_permissions: [allow('user', { columns: ['title'], set: { author_id: userId }, filter: {} })],
        },
        {
          table: 'profile',
          select_permissions: [all],
          insert_permissions: [allow('user', { columns: ['about'], set: { author_id: userId }, check: {} })],
          update_permissions: [allow('user', { columns: ['about'], filter: {} })],
        },
        {
          table: 'post',
          array_relationships: [
            {
              name: 'comments',
              using: { foreign_key_constraint_on: { table: 'comment', columns: ['post_id', 'tenant'] } },
            },
          ],
          select_permissions: [all],
          insert_permissions: [allow('user', { columns: '*', check: {} })],
        },
        {
          table: 'comment',
          object_relationships: [{ name: 'post', using: { foreign_key_constraint_on: ['post_id', 'tenant'] } }],
          select_permissions: [all],
          insert_permissions: [allow('user', { columns: ['body', 'post_id'], set: { tenant: 'red' }, check: {} })],
          update_permissions: [allow('user', { columns: ['body', 'post_id'], set: { tenant: 'red' }, filter: {} })],
        },
        {
          table: 'story',
          object_relationships: [
            {
              name: 'author',
              using: { manual_configuration: { remote_table: 'author', column_mapping: { author_id: 'id' } } },
            },
          ],
          select_permissions: [all],
          insert_permissions: [allow('user', presetAuthor)],
        },
      ],
    },
  ],
};

let db: TestDatabase;
let engine: Engine;
beforeAll(async () => {
  db = await testDatabase({ sql: tables });
  engine = await startEngine({ metadata, databases: { default: db.database } });
  expect(engine.inconsistencies).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});
beforeEach(() => query(rows));

async function query(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await db.database.query({ text, values: [] })).rows;
}

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly path: string };
  }[];
}

async function mutate(mutation: string, options: Partial<EngineRequest> = {}): Promise<Body> {
  const request = { query: `mutation { ${mutation} }`, role: 'user', session: { [userId]: '1' }, ...options };
  return JSON.parse((await engine.execute(request)).body) as Body;
}

/** Asserts that the mutation is rejected with an error at `path` and stores nothing. */
async function expectRejected(mutation: string, path: string, message: string, options: Partial<EngineRequest> = {}) {
  const stored = 'select count(*), (select count(*) from author), (select count(*) from profile) from article';
  const before = await query(stored);
  const { data, errors } = await mutate(mutation, options);
  expect(data).toBeUndefined();
  expect(errors).toEqual([{ message, extensions: { code: 'permission-error', path } }]);
  expect(await query(stored)).toEqual(before);
}

const keyMismatch = (relationship: string, column: string) =>
  `cannot insert ${relationship}: its key differs from the column preset of "${column}"`;

describe('an object relationship whose key column is preset', () => {
  const nested = (author: string) =>
    `insert_article_one(object: {title: "x", author: {data: ${author}}}) { title author_id }`;
  const path = '$.selectionSet.insert_article_one.args.object.author';
  const message = keyMismatch('object relationship "author"', 'author_id');

  test('rejects a new related row with another key than the preset', async () => {
    await expectRejected(nested('{id: 3, name: "Cy"}'), path, message);
  });

  test('rejects an upserted related row with another key than the preset', async () => {
    const upsert =
      'insert_article_one(object: {title: "x", author: {data: {id: 2}, on_conflict: {constraint: author_pkey, update_columns: [id]}}}) { author_id }';
    await expectRejected(upsert, path, message);
  });

  test('accepts a related row whose key is the preset', async () => {
    const upsert =
      'insert_article_one(object: {title: "x", author: {data: {id: 1}, on_conflict: {constraint: author_pkey, update_columns: [id]}}}) { title author_id }';
    expect(await mutate(upsert)).toEqual({ data: { insert_article_one: { title: 'x', author_id: 1 } } });
    expect(await mutate(nested('{id: 7}').replaceAll('"x"', '"y"'), { session: { [userId]: '07' } })).toEqual({
      data: { insert_article_one: { title: 'y', author_id: 7 } },
    });
  });

  test('rejects one row among many whose related row has another key', async () => {
    const many =
      'insert_article(objects: [{title: "x", author: {data: {id: 5}}}, {title: "y", author: {data: {id: 6}}}, {title: "z"}]) { affected_rows }';
    await expectRejected(many, '$.selectionSet.insert_article.args.objects[0].author', message, {
      session: { [userId]: '6' },
    });
  });

  test('sets the preset when an upsert updates an existing row', async () => {
    const upsert =
      'insert_article(objects: {title: "old"}, on_conflict: {constraint: article_title_key, update_columns: [title]}) { returning { author_id } }';
    expect(await mutate(upsert)).toEqual({ data: { insert_article: { returning: [{ author_id: 1 }] } } });
  });

  test('rejects another key for a role that inherits the permission', async () => {
    await expectRejected(nested('{id: 3, name: "Cy"}'), path, message, { role: 'inherited' });
  });

  test('rejects another key for a view', async () => {
    await expectRejected(
      'insert_story_one(object: {title: "x", author: {data: {id: 3}}}) { author_id }',
      '$.selectionSet.insert_story_one.args.object.author',
      message,
    );
  });

  test('rejects a session without the variable of the preset', async () => {
    const { errors } = await mutate(nested('{id: 3}'), { session: {} });
    expect(errors).toMatchObject([{ extensions: { code: 'not-found' } }]);
    expect(await query('select id from author where id > 2')).toEqual([]);
  });
});

describe('nested rows whose key column is both preset and set by the parent row', () => {
  test('are rejected if the key of an array relationship differs from the preset', async () => {
    await expectRejected(
      'insert_author_one(object: {id: 3, articles: {data: [{title: "x"}, {title: "y"}]}}) { id }',
      '$.selectionSet.insert_author_one.args.object.articles',
      keyMismatch('array relationship "articles"', 'author_id'),
    );
  });

  test('are rejected if the key of an object relationship differs from the preset', async () => {
    await expectRejected(
      'insert_author_one(object: {id: 3, profile: {data: {about: "x"}}}) { id }',
      '$.selectionSet.insert_author_one.args.object.profile',
      keyMismatch('object relationship "profile"', 'author_id'),
    );
  });

  test('are rejected if they are upserted with another key than the preset', async () => {
    const conflict = 'on_conflict: {constraint: article_title_key, update_columns: [title]}';
    await expectRejected(
      `insert_author_one(object: {id: 3, articles: {data: [{title: "old"}], ${conflict}}}) { id }`,
      '$.selectionSet.insert_author_one.args.object.articles',
      keyMismatch('array relationship "articles"', 'author_id'),
    );
  });

  test('are stored if the key is the preset', async () => {
    const nested =
      'insert_author_one(object: {id: 3, articles: {data: [{title: "x"}, {}]}}) { articles { title author_id } }';
    expect(await mutate(nested, { session: { [userId]: '3' } })).toEqual({
      data: {
        insert_author_one: {
          articles: [
            { title: 'x', author_id: 3 },
            { title: null, author_id: 3 },
          ],
        },
      },
    });
  });

  test('are rejected if one column of a composite key differs from its preset', async () => {
    const post = (tenant: string) =>
      `insert_post_one(object: {id: 2, tenant: "${tenant}", comments: {data: [{body: "x"}]}}) { comments { post_id tenant } }`;
    await expectRejected(
      post('blue'),
      '$.selectionSet.insert_post_one.args.object.comments',
      keyMismatch('array relationship "comments"', 'tenant'),
    );
    expect(await mutate(post('red'))).toEqual({
      data: { insert_post_one: { comments: [{ post_id: 2, tenant: 'red' }] } },
    });
  });

  test('are rejected if the parent row is nested in the child row and its key differs from the preset', async () => {
    const comment = (tenant: string) =>
      `insert_comment(objects: [{body: "x", post: {data: {id: 3, tenant: "${tenant}"}}}]) { returning { post_id tenant } }`;
    await expectRejected(
      comment('blue'),
      '$.selectionSet.insert_comment.args.objects[0].post',
      keyMismatch('object relationship "post"', 'tenant'),
    );
    expect(await mutate(comment('red'))).toEqual({
      data: { insert_comment: { returning: [{ post_id: 3, tenant: 'red' }] } },
    });
  });

  test('get the presets of the update permission if an upsert updates them', async () => {
    const upsert = `insert_author_one(
      object: {id: 2, articles: {data: [{title: "mine"}], on_conflict: {constraint: article_title_key, update_columns: [title]}}},
      on_conflict: {constraint: author_pkey, update_columns: [name]}
    ) { owner }`;
    expect(await mutate(upsert, { session: { [userId]: '2' } })).toEqual({ data: { insert_author_one: { owner: 2 } } });
    expect(await query("select author_id from article where title = 'mine'")).toEqual([['2']]);
  });
});

describe('a column with a preset', () => {
  test.each([
    ['a row', 'insert_article(objects: [{title: "x", author_id: 2}]) { affected_rows }'],
    ['_set', 'update_article(where: {}, _set: {author_id: 2}) { affected_rows }'],
    ['_inc', 'update_article(where: {}, _inc: {author_id: 2}) { affected_rows }'],
    ['update_many', 'update_article_many(updates: [{where: {}, _set: {author_id: 2}}]) { affected_rows }'],
    [
      'update_columns',
      'insert_article(objects: [{}], on_conflict: {constraint: article_title_key, update_columns: [author_id]}) { affected_rows }',
    ],
  ])('is rejected in %s', async (_argument, mutation) => {
    const { errors } = await mutate(mutation);
    expect(errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
  });

  test('is set in every update of update_many', async () => {
    const many =
      'update_article_many(updates: [{where: {title: {_eq: "old"}}, _set: {title: "o"}}, {where: {title: {_eq: "o"}}, _set: {title: "old"}}]) { returning { author_id } }';
    expect(await mutate(many)).toEqual({
      data: { update_article_many: [{ returning: [{ author_id: 1 }] }, { returning: [{ author_id: 1 }] }] },
    });
  });
});
