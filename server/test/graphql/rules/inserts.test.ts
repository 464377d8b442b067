/** Rules of inserts: rows, nested rows, upserts, and the codes of errors of the database. */
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { DE, prove, type Rules, startRules, VF } from './rules-fixture.ts';

let rules: Rules;
beforeAll(async () => {
  rules = await startRules();
});
beforeEach(() => rules.refill());
afterAll(() => rules?.stop());

const CV = { code: 'constraint-violation' } as const;
const check = {
  code: 'permission-error',
  message: 'check constraint of an insert/update permission has failed',
} as const;

describe('an insert', () => {
  const one = (object: string, rest = '') =>
    `mutation { insert_author_one(object: {${object}}${rest}) { id name bio } }`;
  const many = (objects: string, rest = '') =>
    `mutation { insert_author(objects: [${objects}]${rest}) { affected_rows returning { id } } }`;
  const inserted = (affected_rows: number, ...list: number[]) => ({
    data: { insert_author: { affected_rows, returning: list.map((id) => ({ id })) } },
  });
  prove(
    () => rules,
    [
      [
        'returns the row',
        one('id: 4, name: "Dee"'),
        { data: { insert_author_one: { id: 4, name: 'Dee', bio: null } } },
      ],
      [
        'of several rows returns them in their order',
        many('{id: 5, name: "E"}, {id: 4, name: "D"}'),
        inserted(2, 5, 4),
      ],
      ['of no rows runs no SQL', many(''), inserted(0)],
      [
        'of an empty object takes all defaults',
        'mutation { insert_lonely_one(object: {}) { note } }',
        { data: { insert_lonely_one: { note: null } } },
      ],
      [
        'without select permission has no returning',
        'mutation { insert_lonely(objects: {note: "x"}) { returning { note } } }',
        VF,
        { role: 'user' },
      ],
      [
        'without select permission has no insert of one row',
        'mutation { insert_lonely_one(object: {note: "x"}) { note } }',
        VF,
        { role: 'user' },
      ],
      [
        'without select permission counts rows',
        'mutation { insert_lonely(objects: {note: "x"}) { affected_rows } }',
        { data: { insert_lonely: { affected_rows: 1 } } },
        { role: 'user' },
      ],
      ['needs its rows', 'mutation { insert_author { affected_rows } }', VF],
      ['rejects null rows', 'mutation { insert_author(objects: null) { affected_rows } }', VF],
      ['rejects a null row', many('null'), VF],
      [
        'rejects a column that does not exist',
        one('id: 4, none: 1'),
        { ...VF, message: "field 'none' not found in type: 'author_insert_input'" },
      ],
      [
        'rejects a column without permission',
        one('id: 101, name: "x", is_admin: true'),
        { ...VF, message: "field 'is_admin' not found in type: 'author_insert_input'" },
        { role: 'user' },
      ],
      [
        'rejects a preset column',
        one('id: 101, name: "x", age: 5'),
        { ...VF, message: "field 'age' not found in type: 'author_insert_input'" },
        { role: 'user' },
      ],
      [
        'of a taken key',
        one('id: 1, name: "x"'),
        {
          ...CV,
          message: 'Uniqueness violation. duplicate key value violates unique constraint "author_pkey"',
          path: '$.selectionSet.insert_author_one.args.object',
        },
      ],
      [
        'of several rows with a taken key',
        many('{id: 1, name: "x"}'),
        { ...CV, path: '$.selectionSet.insert_author.args.objects' },
      ],
      [
        'without a required column',
        one('id: 4'),
        { ...CV, message: 'Not-NULL violation. null value in column "name"' },
      ],
      [
        'with a reference to no row',
        'mutation { insert_article_one(object: {author_id: 99}) { id } }',
        { ...CV, message: 'Foreign key violation. ' },
      ],
      [
        'against the CHECK of the table',
        'mutation { insert_article_one(object: {likes: -1}) { id } }',
        { code: 'permission-error', message: 'Check constraint violation. ' },
      ],
      [
        'against the check of the permission',
        one('id: 4, name: "x"'),
        { ...check, path: '$.selectionSet.insert_author_one.args.object' },
        { role: 'user' },
      ],
      [
        'of which one row is against the check',
        many('{id: 101, name: "x"}, {id: 4, name: "y"}'),
        { ...check, path: '$.selectionSet.insert_author.args.objects' },
        { role: 'user' },
      ],
      ['with a value that the database rejects', one('id: 4, name: "x", born: "never"'), DE],
    ],
  );

  test('sets the presets of the permission', async () => {
    await rules.check([
      '',
      one('id: 101, name: "x"'),
      { data: { insert_author_one: { id: 101, name: 'x', bio: null } } },
      { role: 'user' },
    ]);
    await rules.check(['', '{ author_by_pk(id: 101) { age } }', { data: { author_by_pk: { age: 18 } } }]);
  });
});

describe('a nested insert', () => {
  const author = (members: string) =>
    `mutation { insert_author(objects: {id: 4, name: "D", ${members}}) { affected_rows returning { articles(order_by: {title: asc}) { title } detail { phone } } } }`;
  const article = (members: string) =>
    `mutation { insert_article(objects: {title: "new", ${members}}) { affected_rows returning { author { id name } } } }`;
  const result = (affected_rows: number, articles: string[], phone?: string) => ({
    data: {
      insert_author: {
        affected_rows,
        returning: [{ articles: articles.map((title) => ({ title })), detail: phone === undefined ? null : { phone } }],
      },
    },
  });
  prove(
    () => rules,
    [
      ['of an array relationship', author('articles: {data: [{title: "a"}, {title: "b"}]}'), result(3, ['a', 'b'])],
      ['of one row that is not in a list', author('articles: {data: {title: "a"}}'), result(2, ['a'])],
      ['of an empty list', author('articles: {data: []}'), result(1, [])],
      ['that is null', author('articles: null'), result(1, [])],
      [
        "of an object relationship whose key is the row's own",
        article('author: {data: {id: 4, name: "D"}}'),
        { data: { insert_article: { affected_rows: 2, returning: [{ author: { id: 4, name: 'D' } }] } } },
      ],
      [
        'that is deep',
        article('author: {data: {id: 4, name: "D", articles: {data: [{title: "a"}]}}}'),
        { data: { insert_article: { affected_rows: 3, returning: [{ author: { id: 4, name: 'D' } }] } } },
      ],
      [
        'rejects a column that the parent determines',
        author('articles: {data: {title: "a", author_id: 1}}'),
        {
          ...VF,
          message: 'cannot insert "author_id" columns as their values are already being determined by parent insert',
        },
      ],
      [
        'rejects a column that an object relationship determines',
        article('author_id: 1, author: {data: {id: 4, name: "D"}}'),
        {
          ...VF,
          message: 'cannot insert object relationship "author" as "author_id" column values are already determined',
        },
      ],
      [
        'rolls back the parent',
        author('articles: {data: [{title: "one"}]}'),
        { ...CV, path: '$.selectionSet.insert_author.args.objects[0].articles.data' },
      ],
      [
        'rolls back an object of the row',
        article('author: {data: {id: 1, name: "D"}}'),
        { ...CV, path: '$.selectionSet.insert_article.args.objects[0].author.data' },
      ],
      [
        'with a conflict clause',
        author(
          'articles: {data: [{title: "one"}], on_conflict: {constraint: article_title_key, update_columns: [author_id]}}',
        ),
        result(2, ['one']),
      ],
      [
        'that skips rows',
        author('articles: {data: [{title: "one"}, {title: "z"}], on_conflict: {constraint: article_title_key}}'),
        result(2, ['z']),
      ],
      [
        'below a skipped row is rejected',
        'mutation { insert_author(objects: {id: 1, name: "x", articles: {data: {title: "a"}}}, on_conflict: {constraint: author_pkey}) { affected_rows } }',
        {
          code: 'not-supported',
          message: 'since insert to table "author" affects zero rows',
        },
      ],
      [
        'above a skipped row is rejected',
        'mutation { insert_article(objects: {title: "a", author: {data: {id: 1, name: "x"}, on_conflict: {constraint: author_pkey}}}) { affected_rows } }',
        {
          code: 'not-supported',
          message: 'cannot proceed to insert object relation "author" since insert to table "author" affects zero rows',
        },
      ],
      [
        'above an updated row takes its key',
        'mutation { insert_article(objects: {title: "a", author: {data: {id: 1, name: "x"}, on_conflict: {constraint: author_pkey, update_columns: [name]}}}) { affected_rows returning { author { name } } } }',
        { data: { insert_article: { affected_rows: 2, returning: [{ author: { name: 'x' } }] } } },
      ],
      ['needs the member data', author('articles: {}'), { ...VF, message: "missing required field 'data'" }],
      [
        'is offered to a role with insert permission on its target',
        'mutation { insert_article(objects: {likes: 1, author: {data: {id: 101, name: "x"}, on_conflict: {constraint: author_pkey}}}) { affected_rows } }',
        { data: { insert_article: { affected_rows: 2 } } },
        { role: 'user' },
      ],
      [
        'obeys the check of its own table',
        'mutation { insert_author(objects: {id: 101, name: "D", articles: {data: {likes: 5000}}}) { affected_rows } }',
        { ...check, path: '$.selectionSet.insert_author.args.objects[0].articles.data' },
        { role: 'user' },
      ],
    ],
  );
});

describe('an upsert', () => {
  const upsert = (object: string, conflict: string) =>
    `mutation { insert_author_one(object: {${object}}, on_conflict: {${conflict}}) { id name bio } }`;
  const many = (conflict: string) =>
    `mutation { insert_author(objects: [{id: 1, name: "new"}, {id: 4, name: "D"}], on_conflict: {${conflict}}) { affected_rows returning { id name } } }`;
  prove(
    () => rules,
    [
      [
        'updates the listed columns',
        upsert('id: 1, name: "x", bio: "y"', 'constraint: author_pkey, update_columns: [bio]'),
        { data: { insert_author_one: { id: 1, name: 'Ann', bio: 'y' } } },
      ],
      [
        'on another constraint',
        upsert('id: 9, name: "Ann", bio: "y"', 'constraint: author_name_key, update_columns: bio'),
        { data: { insert_author_one: { id: 1, name: 'Ann', bio: 'y' } } },
      ],
      [
        'without columns returns null',
        upsert('id: 1, name: "x"', 'constraint: author_pkey, update_columns: []'),
        { data: { insert_author_one: null } },
      ],
      [
        'without update_columns returns null',
        upsert('id: 1, name: "x"', 'constraint: author_pkey'),
        { data: { insert_author_one: null } },
      ],
      [
        'counts and returns rows that are not skipped',
        many('constraint: author_pkey, update_columns: []'),
        { data: { insert_author: { affected_rows: 1, returning: [{ id: 4, name: 'D' }] } } },
      ],
      [
        'counts updated rows',
        many('constraint: author_pkey, update_columns: [name]'),
        {
          data: {
            insert_author: {
              affected_rows: 2,
              returning: [
                { id: 1, name: 'new' },
                { id: 4, name: 'D' },
              ],
            },
          },
        },
      ],
      [
        'skips rows that fail its condition',
        upsert('id: 1, name: "x"', 'constraint: author_pkey, update_columns: [name], where: {name: {_eq: "Bob"}}'),
        { data: { insert_author_one: null } },
      ],
      [
        'updates rows that meet its condition',
        upsert('id: 1, name: "x"', 'constraint: author_pkey, update_columns: [name], where: {name: {_eq: "Ann"}}'),
        { data: { insert_author_one: { id: 1, name: 'x', bio: 'writes' } } },
      ],
      [
        'on another constraint than the one that is violated is rejected',
        upsert('id: 1, name: "x"', 'constraint: author_name_key, update_columns: [name]'),
        CV,
      ],
      [
        'needs a constraint',
        upsert('id: 1, name: "x"', 'update_columns: [name]'),
        { ...VF, message: "missing required field 'constraint'" },
      ],
      [
        'rejects a constraint that does not exist',
        upsert('id: 1, name: "x"', 'constraint: none, update_columns: [name]'),
        VF,
      ],
      [
        'rejects a constraint in a string',
        upsert('id: 1, name: "x"', 'constraint: "author_pkey", update_columns: [name]'),
        VF,
      ],
      [
        'rejects a column that does not exist',
        upsert('id: 1, name: "x"', 'constraint: author_pkey, update_columns: [none]'),
        VF,
      ],
      [
        'that is null is an insert',
        'mutation { insert_author_one(object: {id: 1, name: "x"}, on_conflict: null) { id } }',
        CV,
      ],
      [
        'skips rows that the update permission hides',
        upsert('id: 1, name: "x"', 'constraint: author_pkey, update_columns: [name]'),
        { data: { insert_author_one: null } },
        { role: 'user' },
      ],
      [
        'rejects a preset column of the update permission',
        upsert('id: 101, name: "x"', 'constraint: author_pkey, update_columns: [age]'),
        VF,
        { role: 'user' },
      ],
      [
        'in variables',
        'mutation ($c: author_on_conflict) { insert_author_one(object: {id: 1, name: "x"}, on_conflict: $c) { id name } }',
        { data: { insert_author_one: { id: 1, name: 'x' } } },
        { variables: { c: { constraint: 'author_pkey', update_columns: ['name'] } } },
      ],
      [
        'in a variable that is absent is an insert',
        'mutation ($c: author_on_conflict) { insert_author_one(object: {id: 4, name: "x"}, on_conflict: $c) { id } }',
        { data: { insert_author_one: { id: 4 } } },
      ],
    ],
  );
});
