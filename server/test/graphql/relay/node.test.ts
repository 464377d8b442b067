/** Rows by global ids in the Relay schema. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asUser, encoded, type RelayService, relayService } from './relay-fixture.ts';

let service: RelayService;

beforeAll(async () => {
  service = await relayService();
}, 60_000);

afterAll(() => service.stop());

const node = (id: string, selection: string, session?: Readonly<Record<string, string>>) =>
  service.relay(`query ($id: ID!) { node(id: $id) { ${selection} } }`, session, { id });

describe('a node', () => {
  test.each([
    ['of an integer key', '[1, "public", "article", 1]', '... on article { id title }', { title: 'Article 1' }],
    ['of a key with two columns', '[1, "public", "person", "Bo", "O\'Neil"]', '... on person { id age }', { age: 40 }],
    [
      'of a table of another schema',
      '[1, "shop", "item", "11111111-1111-1111-1111-111111111111"]',
      '... on shop_item { id label }',
      { label: 'Lamp' },
    ],
  ])('%s is found by the id that the row returns', async (_, id, selection, row) => {
    expect(await node(encoded(id), selection)).toEqual({ data: { node: { id: encoded(id), ...row } } });
  });

  test('has the fields of the fragments on its type, and __typename', async () => {
    const selection = '__typename id ... on author { name articles { id } } ... on article { title }';
    expect(await node(encoded('[1, "public", "author", 3]'), selection)).toEqual({
      data: {
        node: {
          __typename: 'author',
          id: encoded('[1, "public", "author", 3]'),
          name: 'Author 3',
          articles: [{ id: encoded('[1, "public", "article", 6]') }],
        },
      },
    });
  });

  test('is one statement', async () => {
    const id = encoded('[1,"public","article",2]');
    const body = { query: { query: `{ node(id: "${id}") { id } }` }, is_relay: true };
    const { body: steps } = await service.post('/v1/graphql/explain', body, {});
    expect(steps).toEqual([expect.objectContaining({ field: 'node', sql: expect.stringContaining('article') })]);
  });

  test('is null if the row does not exist', async () => {
    expect(await node(encoded('[1, "public", "author", 99]'), 'id')).toEqual({ data: { node: null } });
  });

  test('is null if the row rule hides it, and found if not', async () => {
    const id = encoded('[1, "public", "author", 1]');
    expect(await node(id, '... on author { name }', asUser(2))).toEqual({ data: { node: null } });
    expect(await node(id, '... on author { name }', asUser(1))).toEqual({ data: { node: { name: 'Author 1' } } });
  });

  test('of a table that the role may not select is an error that does not say whether it exists', async () => {
    const known = await node(encoded('[1, "public", "person", "Ann", "Lee"]'), 'id', asUser(1));
    const unknown = await node(encoded('[1, "public", "nothing", "Ann", "Lee"]'), 'id', asUser(1));
    expect(JSON.stringify(known).replace('person', 'nothing')).toBe(JSON.stringify(unknown));
    expect(known).toMatchObject({ errors: [{ message: "invalid node id: no such table found: 'person'" }] });
  });
});

describe('an id', () => {
  const args = '$.selectionSet.node.args.id';
  test.each([
    ['random', args, 'validation-failed', 'Error in $: not a valid json value'],
    ['{"id": 4}', args, 'validation-failed', 'Error in $: parsing node id failed, expected Array'],
    ['[]', args, 'validation-failed', 'Error in $: unexpected GUID format, found empty list'],
    ['["1", "public", "person"]', args, 'validation-failed', 'needs to start with a version number'],
    ['[2, "public", "author", 1]', args, 'validation-failed', 'unsupported GUID version: 2'],
    ['[1, "public", "person"]', args, 'validation-failed', 'at least one column value'],
    ['[1, 1, "person", 1]', args, 'validation-failed', 'expecting schema name, table name'],
    ['[1, "public", "person", "Ann"]', args, 'validation-failed', "primary key columns ['last_name'] are missing"],
    ['[1, "public", "person", "Ann", "Lee", 2]', args, 'validation-failed', 'unexpected column values [2]'],
    ['[1, "public", "note", "x"]', args, 'validation-failed', "no such table found: 'note'"],
    ['[1, "pg_catalog", "pg_class", 1]', args, 'validation-failed', "no such table found: 'pg_catalog.pg_class'"],
    ['[1, "public", "author", "x"]', '$.selectionSet.node', 'parse-failed', "value of column 'id' in node id:"],
    ['[1, "public", "author", null]', '$.selectionSet.node', 'parse-failed', "value of column 'id' in node id:"],
    ['[1, "public", "author", {"a": 1}]', '$.selectionSet.node', 'parse-failed', "value of column 'id' in node id:"],
    ['[1, "public", "author", "1 or true"]', '$.selectionSet.node', 'parse-failed', "value of column 'id' in node"],
  ])('%s is rejected', async (id, path, code, message) => {
    const text = id === 'random' ? id : encoded(id);
    expect(await node(text, 'id')).toEqual({
      errors: [{ message: expect.stringContaining(message), extensions: { path, code } }],
    });
  });

  test('is given as a literal as well', async () => {
    const id = encoded('[1, "public", "author", 2]');
    expect(await service.relay(`{ a: node(id: "${id}") { id } }`)).toEqual({ data: { a: { id } } });
  });
});

describe('a mutation', () => {
  test('returns rows with global ids', async () => {
    const mutation = `mutation {
      insert_author_one(object: { id: 50, name: "New" }) { id name articles_connection { edges { node { id } } } }
      update_author(where: { id: { _eq: 50 } }, _set: { name: "Newer" }) { affected_rows returning { id name } }
      delete_author_by_pk(id: 50) { id }
    }`;
    const id = encoded('[1, "public", "author", 50]');
    expect(await service.relay(mutation)).toEqual({
      data: {
        insert_author_one: { id, name: 'New', articles_connection: { edges: [] } },
        update_author: { affected_rows: 1, returning: [{ id, name: 'Newer' }] },
        delete_author_by_pk: { id },
      },
    });
  });
});
