/** Rules of nested inserts by manual relationships and presets, and of permissions for backends. */
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { prove, type Rules, startRules, VF } from './rules-fixture.ts';

const authors = { columns: ['id', 'name'], filter: {} };
const articles = { columns: ['id', 'title', 'author_id', 'likes'], filter: {} };
const select = (role: string, permission: object) => ({ role, permission });
const names = { columns: ['id', 'name'], check: {} };
const backend_only = true;

/** `twin` presets the key of an article to the author 104, `other` to the author 2, `backend` is a backend, `writer` inserts authors only. */
const sources = [
  {
    name: 'default',
    tables: [
      { table: 'color', is_enum: true },
      {
        table: 'author',
        array_relationships: [
          { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
          {
            name: 'manual_articles',
            using: { manual_configuration: { remote_table: 'article', column_mapping: { id: 'author_id' } } },
          },
        ],
        object_relationships: [
          {
            name: 'detail',
            using: {
              manual_configuration: {
                remote_table: 'detail',
                column_mapping: { id: 'id' },
                insertion_order: 'after_parent',
              },
            },
          },
        ],
        select_permissions: ['twin', 'other', 'backend', 'writer'].map((role) => select(role, authors)),
        insert_permissions: [
          { role: 'twin', permission: names },
          { role: 'other', permission: names },
          { role: 'writer', permission: names },
          { role: 'backend', permission: names },
        ],
        update_permissions: [{ role: 'backend', permission: { columns: ['name'], filter: {}, backend_only } }],
        delete_permissions: [{ role: 'backend', permission: { filter: {}, backend_only } }],
      },
      {
        table: 'article',
        object_relationships: [
          {
            name: 'author',
            using: { manual_configuration: { remote_table: 'author', column_mapping: { author_id: 'id' } } },
          },
          {
            name: 'first_author',
            using: {
              manual_configuration: {
                remote_table: 'author',
                column_mapping: { author_id: 'id' },
                insertion_order: 'before_parent',
              },
            },
          },
        ],
        select_permissions: ['twin', 'other', 'backend'].map((role) => select(role, articles)),
        insert_permissions: [
          { role: 'twin', permission: { columns: ['title'], check: {}, set: { author_id: 104, likes: 7 } } },
          { role: 'other', permission: { columns: ['title'], check: {}, set: { author_id: 2 } } },
          { role: 'backend', permission: { columns: ['title', 'author_id'], check: {}, backend_only } },
        ],
      },
      { table: 'detail' },
    ],
  },
];

let rules: Rules;
beforeAll(async () => {
  rules = await startRules({ sources });
});
beforeEach(() => rules.refill());
afterAll(() => rules?.stop());

const author = (members: string) =>
  `mutation { insert_author(objects: {id: 104, name: "D", ${members}}) { affected_rows returning { articles { title likes author_id } } } }`;
const inserted = (affected_rows: number, ...rows: object[]) => ({
  data: { insert_author: { affected_rows, returning: [{ articles: rows }] } },
});

describe('a nested insert of a manual relationship', () => {
  const article = (members: string) =>
    `mutation { insert_article(objects: {title: "new", ${members}}) { affected_rows returning { author_id author { name } } } }`;
  const ofArticle = {
    data: { insert_article: { affected_rows: 2, returning: [{ author_id: 104, author: { name: 'D' } }] } },
  };
  prove(
    () => rules,
    [
      ['comes before its row without insertion_order', article('author: {data: {id: 104, name: "D"}}'), ofArticle],
      ['comes before its row by before_parent', article('first_author: {data: {id: 104, name: "D"}}'), ofArticle],
      [
        'comes after its row by after_parent',
        'mutation { insert_author_one(object: {id: 104, name: "D", detail: {data: {phone: "9"}}}) { detail { id phone } } }',
        { data: { insert_author_one: { detail: { id: 104, phone: '9' } } } },
      ],
      [
        'by after_parent determines the key of its row',
        'mutation { insert_author_one(object: {id: 104, name: "D", detail: {data: {id: 5, phone: "9"}}}) { id } }',
        {
          ...VF,
          message: 'cannot insert "id" columns as their values are already being determined by parent insert',
          path: '$.selectionSet.insert_author_one.args.object.detail.data',
        },
      ],
      [
        'by after_parent is rejected below a row that a conflict skips',
        'mutation { insert_author_one(object: {id: 1, name: "D", detail: {data: {phone: "9"}}}, on_conflict: {constraint: author_pkey}) { id } }',
        {
          code: 'not-supported',
          message: 'cannot proceed to insert object relation "detail" since insert to table "author" affects zero rows',
        },
      ],
      [
        'before its row rejects a key that the row gives',
        article('author_id: 1, author: {data: {id: 104, name: "D"}}'),
        {
          ...VF,
          message: 'cannot insert object relationship "author" as "author_id" column values are already determined',
          path: '$.selectionSet.insert_article.args.objects[0].author',
        },
      ],
      [
        'of several rows has the key of the parent',
        author('manual_articles: {data: [{title: "a"}]}'),
        inserted(2, { title: 'a', likes: null, author_id: 104 }),
      ],
      [
        'that is null is ignored',
        'mutation { insert_article(objects: {title: "new", author: null}) { affected_rows } }',
        { data: { insert_article: { affected_rows: 1 } } },
      ],
      [
        'reports an error of the database with the path of the relationship',
        'mutation { insert_author_one(object: {id: 104, name: "D", articles: {data: {title: "one"}}}) { id } }',
        { code: 'constraint-violation', path: '$.selectionSet.insert_author_one.args.object.articles.data' },
      ],
    ],
  );
});

describe('a nested insert of a role', () => {
  prove(
    () => rules,
    [
      [
        'without insert permission on the target is not offered',
        author('articles: {data: {title: "a"}}'),
        { ...VF, message: "field 'articles' not found in type: 'author_insert_input'" },
        { role: 'writer' },
      ],
      [
        'sets the presets of the target',
        author('articles: {data: {title: "a"}}'),
        inserted(2, { title: 'a', likes: 7, author_id: 104 }),
        { role: 'twin' },
      ],
      [
        'rejects a preset column of the target',
        author('articles: {data: {title: "a", likes: 1}}'),
        { ...VF, message: "field 'likes' not found in type: 'article_insert_input'" },
        { role: 'twin' },
      ],
      [
        'rejects a preset that differs from the key of the parent',
        author('articles: {data: {title: "a"}}'),
        { code: 'permission-error', path: '$.selectionSet.insert_author.args.objects[0].articles' },
        { role: 'other' },
      ],
    ],
  );
});

describe('a permission for backends', () => {
  const insert = 'mutation { insert_article(objects: {title: "new"}) { affected_rows } }';
  const update = 'mutation { update_author(where: {}, _set: {name: "x"}) { affected_rows } }';
  const remove = 'mutation { delete_author(where: {id: {_eq: 3}}) { affected_rows } }';
  const nested = author('articles: {data: {title: "a"}}');
  const absent = (field: string) => ({ ...VF, message: `field '${field}' not found in type: 'mutation_root'` });
  prove(
    () => rules,
    [
      ['to insert is absent for others', insert, absent('insert_article'), { role: 'backend' }],
      ['to update is absent for others', update, absent('update_author'), { role: 'backend' }],
      ['to delete is absent for others', remove, absent('delete_author'), { role: 'backend' }],
      [
        'to insert is used by backends',
        insert,
        { data: { insert_article: { affected_rows: 1 } } },
        { role: 'backend', backend: true },
      ],
      [
        'to delete is used by backends',
        remove,
        { data: { delete_author: { affected_rows: 1 } } },
        { role: 'backend', backend: true },
      ],
      [
        'to insert nested rows is absent for others',
        nested,
        { ...VF, message: "field 'articles' not found in type: 'author_insert_input'" },
        { role: 'backend' },
      ],
      [
        'to insert nested rows is used by backends',
        nested,
        inserted(2, { title: 'a', likes: null, author_id: 104 }),
        { role: 'backend', backend: true },
      ],
      ['does not restrict admin', insert, { data: { insert_article: { affected_rows: 1 } } }],
      [
        'of one table leaves other fields',
        'mutation { insert_author(objects: {id: 104, name: "D"}) { affected_rows } }',
        { data: { insert_author: { affected_rows: 1 } } },
        { role: 'backend' },
      ],
    ],
  );
});
