import { describe, expect, test } from 'vitest';
import { errorsOf, rowsOf } from '../../../test/support/model/planning.ts';
import {
  allow,
  column,
  compare,
  type ModelFixture,
  modelFixture,
  type OpenTable,
  tableOf,
  user,
} from '../../../test/support/model/sample-model.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';

const { model, author, rules } = modelFixture();
const request = { model, role: user, relay: true };
const idOf = (...items: readonly unknown[]) => Buffer.from(JSON.stringify([1, ...items])).toString('base64');
const query = (id: string) => `{ node(id: "${id}") { __typename ... on author { name } ... on article { title } } }`;

/** Returns a request for a model that has these tables too. */
function withTables(source: string, ...tables: readonly OpenTable[]) {
  const fixture: ModelFixture = modelFixture();
  for (const table of tables) allow(table, user, [...table.columns.keys()], everyRow);
  const sources = [...fixture.model.sources.values()].map((one) => {
    const added = tables.map((table) => [relationKey(table.schema, table.name), table] as const);
    return [one.name, one.name === source ? { ...one, tables: new Map([...one.tables, ...added]) } : one] as const;
  });
  return { model: { ...fixture.model, sources: new Map(sources) }, role: user, relay: true };
}

test('selects a row by its key under the row rule, with the fields of its type', () => {
  expect(rowsOf(request, query(idOf('public', 'author', 7)))).toEqual({
    table: author,
    where: { kind: 'and', of: [rules.author, compare(column(author, 'id'), { kind: 'constant', value: 7 })] },
    orderBy: [],
    distinctOn: [],
    limit: undefined,
    rowLimit: undefined,
    offset: undefined,
    fields: [
      { kind: 'constant', alias: '__typename', value: 'author' },
      { kind: 'column', alias: 'name', column: column(author, 'name'), path: undefined },
    ],
  });
});

test('an id in a variable selects the table of its plan', () => {
  const text = 'query ($id: ID!) { node(id: $id) { id } }';
  const tableFor = (name: string) => rowsOf(request, text, { id: idOf('public', name, 7) }).table.name;
  expect([tableFor('author'), tableFor('article')]).toEqual(['author', 'article']);
});

describe('a key', () => {
  test('has the values of its columns in order', () => {
    const pair = tableOf('default', 'pair', { a: 'Int!', b: 'String!' });
    Object.assign(pair, { primaryKey: [...pair.columns.values()] });
    const { where } = rowsOf(
      withTables('default', pair),
      `{ node(id: "${idOf('public', 'pair', 7, 'x')}") { ... on pair { b } } }`,
    );
    expect(where).toEqual({
      kind: 'and',
      of: [
        compare(column(pair, 'a'), { kind: 'constant', value: 7 }),
        compare(column(pair, 'b'), { kind: 'constant', value: 'x' }),
      ],
    });
  });

  test.each([
    ['the text of JSON', '{"a": [1]}', { a: [1] }],
    ['the text of a null of JSON', 'null', null],
  ])('of jsonb is %s', (_what, text, value) => {
    const documents = tableOf('default', 'documents', { body: 'jsonb!' });
    const { where } = rowsOf(
      withTables('default', documents),
      `{ node(id: "${idOf('public', 'documents', text)}") { ... on documents { body } } }`,
    );
    expect(where).toEqual(compare(column(documents, 'body'), { kind: 'constant', value }));
  });

  test.each([
    ['null', null, 'a key cannot be null'],
    ['a value of another type', 'x', 'invalid input syntax for type integer: "x"'],
  ])('is not %s', (_what, value, reason) => {
    expect(() => rowsOf(request, query(idOf('public', 'author', value)))).toThrow(
      expect.objectContaining({
        code: 'parse-failed',
        message: `value of column 'id' in node id: ${reason}`,
        path: '$.selectionSet.node',
      }),
    );
  });
});

test.each([
  ['a table that does not exist', ['public', 'none', 1], "no such table found: 'none'"],
  ['a table of another schema', ['shop', 'author', 1], "no such table found: 'shop.author'"],
  ['a table whose rows the role may not select', ['public', 'pair', 1], "no such table found: 'pair'"],
  ['too many values', ['public', 'author', 1, 2, 'x'], 'unexpected column values [2,"x"]'],
])('rejects an id with %s', (_what, items, reason) => {
  expect(errorsOf(request, query(idOf(...items)))).toEqual([`$.selectionSet.node.args.id: invalid node id: ${reason}`]);
});

test('rejects an id with too few values', () => {
  const triple = tableOf('default', 'triple', { a: 'Int!', b: 'Int!', c: 'Int!' });
  Object.assign(triple, { primaryKey: [...triple.columns.values()] });
  expect(errorsOf(withTables('default', triple), query(idOf('public', 'triple', 1)))).toEqual([
    "$.selectionSet.node.args.id: invalid node id: primary key columns ['b', 'c'] are missing",
  ]);
});

test('rejects an id of tables with one name in several sources', () => {
  const other = { ...tableOf('billing', 'author', { id: 'Int!' }), graphqlName: 'billing_author' };
  const several = withTables('billing', { ...other, connectionRoot: 'other', roots: { ...other.roots, select: 'o' } });
  expect(errorsOf(several, query(idOf('public', 'author', 1)))).toEqual([
    "$.selectionSet.node.args.id: invalid node id: this V1 node id matches more than one table across different sources: 'author' exists in sources ['default', 'billing']",
  ]);
});
