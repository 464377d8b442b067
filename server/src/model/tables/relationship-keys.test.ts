/** Which foreign keys relationships use. */
import { describe, expect, test } from 'vitest';
import { catalogOf, resolveTables, tableIn } from '../../../test/support/model/catalog.ts';

const catalog = catalogOf({
  author: { columns: { id: 'int4!' } },
  'shop.author': { columns: { id: 'int4!' } },
  press: { columns: { id: 'int4!' } },
  article: {
    columns: { here: 'int4!', there: 'int4!', both: 'int4!', press_id: 'int4!', lost: 'int4!' },
    foreign: [
      'here -> author.id',
      'there -> shop.author.id',
      'both -> author.id',
      'both -> shop.author.id',
      'press_id -> press.id',
      'lost -> author.none',
    ],
  },
});

/** Returns the relationships of the table `author` of the schema public, and the reasons of those that were dropped. */
function resolve(array: readonly object[], object: readonly object[] = []) {
  const model = resolveTables(
    [
      { table: 'author', array_relationships: array },
      { table: { schema: 'shop', name: 'author' } },
      { table: 'press' },
      { table: 'article', object_relationships: object },
    ],
    catalog,
  );
  const names = [...tableIn(model, 'author').relationships.keys()];
  return { names, reasons: model.inconsistencies.map(({ reason }) => reason) };
}

const articles = (columns: string | readonly string[], name = 'articles') => ({
  name,
  using: { foreign_key_constraint_on: { table: 'article', columns } },
});

describe('a relationship by a foreign key of another table', () => {
  test.each(['here', 'both'])('uses the key that refers to its own table, on the column %s', (column) => {
    expect(resolve([articles(column)])).toEqual({ names: ['articles'], reasons: [] });
  });

  test.each([
    ['a table of that name in another schema', 'there', 'the column there'],
    ['another table of its schema', 'press_id', 'the column press_id'],
    ['its own table on fewer columns', ['here', 'both'], 'the columns here, both'],
  ])('does not use a key that refers to %s', (_what, columns, on) => {
    expect(resolve([articles(columns)])).toEqual({
      names: [],
      reasons: [
        `in table "author": in relationship "articles": table "article" has no such foreign key on ${on}; add one, or use manual_configuration to relate the tables`,
      ],
    });
  });
});

test('a foreign key to a column that the target does not show is rejected', () => {
  const { reasons } = resolve([], [{ name: 'author', using: { foreign_key_constraint_on: 'lost' } }]);
  expect(reasons).toEqual(['in table "article": in relationship "author": table "author" has no column "none"']);
});

test('a relationship to one row has no aggregate, whose name another may have', () => {
  const toAuthor = (name: string) => ({ name, using: { foreign_key_constraint_on: 'here' } });
  expect(resolve([], [toAuthor('author_aggregate'), toAuthor('author')]).reasons).toEqual([]);
});
