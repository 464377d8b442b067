/** Columns of type hstore: values in responses, mutations and conditions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hstoreForm } from '../../src/model/predicate/hstore.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create extension hstore;
  create domain labels as hstore;
  create table item (id int primary key, tags hstore, history hstore[], labels labels);
  insert into item values (1, 'a=>1, b=>NULL, "c d"=>"say \\"hi\\" \\\\"', array['x=>y'::hstore], 'l=>1');
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  await service.command('track_table', 'item');
  const permission = { columns: '*', filter: { tags: { _eq: { only: '5' } } } };
  const tagged = { columns: '*', filter: { tags: { _eq: 'X-Service-Tags' } } };
  await service.command('pg_create_select_permission', { table: 'item', role: 'tagged', permission: tagged });
  await service.command('pg_create_select_permission', { table: 'item', role: 'user', permission });
});
afterAll(() => service.stop());

const dataOf = async (query: string, variables: unknown = undefined) => {
  const { data, errors } = (await service.graphql(query, {}, variables)) as { data?: unknown; errors?: unknown };
  return errors ?? data;
};

describe('an hstore', () => {
  test('has the same form in responses and in input', async () => {
    const { item } = (await dataOf('{ item { tags history labels } }')) as { item: readonly object[] };
    expect(item).toEqual([
      { tags: { a: '1', b: null, 'c d': 'say "hi" \\' }, history: [{ x: 'y' }], labels: { l: '1' } },
    ]);
    const insert = 'mutation ($row: item_insert_input!) { insert_item_one(object: $row) { tags history labels } }';
    expect(await dataOf(insert, { row: { id: 2, ...item[0] } })).toEqual({ insert_item_one: item[0] });
  });

  test.each([
    ['an empty object', '{}', {}],
    ['a literal', '{a: "1", b: null}', { a: '1', b: null }],
    ['a literal that contains a variable', '{a: $text}', { a: 'x=>y, "z"' }],
    ['text in the syntax of PostgreSQL', '"a => 1, \\"b c\\"=>NULL"', { a: '1', 'b c': null }],
    ['null', 'null', null],
  ])('is set by an update and an upsert to %s', async (_what, value, tags) => {
    const update = `mutation ($text: String = "x=>y, \\"z\\"") {
      update_item_by_pk(pk_columns: {id: 1}, _set: {tags: ${value}}) { tags }
      insert_item(objects: [{id: 3, tags: ${value}}, {id: 4, tags: {}}], on_conflict: {constraint: item_pkey, update_columns: tags}) {
        returning { tags }
      }
    }`;
    expect(await dataOf(update)).toEqual({
      update_item_by_pk: { tags },
      insert_item: { returning: [{ tags }, { tags: {} }] },
    });
  });

  test('is compared in conditions and row rules', async () => {
    await dataOf('mutation { insert_item_one(object: {id: 5, tags: {only: "5"}}) { id } }');
    expect(await dataOf('{ item(where: {tags: {_eq: {only: "5"}}}) { id } }')).toEqual({ item: [{ id: 5 }] });
    expect(await dataOf('{ item(where: {tags: {_in: [{only: "5"}, "x=>1"]}}) { id } }')).toEqual({ item: [{ id: 5 }] });
    expect(await service.graphql('{ item { id } }', { 'x-service-role': 'user' })).toEqual({
      data: { item: [{ id: 5 }] },
    });
    for (const tags of ['{"only": "5"}', 'only=>5']) {
      const session = { 'x-service-role': 'tagged', 'x-service-tags': tags };
      expect(await service.graphql('{ item { id } }', session)).toEqual({ data: { item: [{ id: 5 }] } });
    }
  });

  test.each(['asc', 'desc'])('sorts the pages of a connection, %s', async (direction) => {
    await dataOf(`mutation {
      insert_item(objects: [{id: 7, tags: {p: "1"}}, {id: 8, tags: {p: "2"}}, {id: 9}],
        on_conflict: {constraint: item_pkey, update_columns: tags}) { affected_rows }
    }`);
    const order = `where: {id: {_in: [7, 8, 9]}}, order_by: {tags: ${direction}}`;
    const { item } = (await dataOf(`{ item(${order}) { tags } }`)) as { item: unknown };
    const pages: unknown[] = [];
    for (let after = ''; pages.length < 3; ) {
      const query = `query ($after: String) {
        item_connection(first: 1, after: $after, ${order}) { edges { cursor node { tags } } }
      }`;
      const variables = after === '' ? {} : { after };
      const { body } = await service.post('/v1beta1/relay', { query, variables });
      expect(body).toMatchObject({ data: { item_connection: { edges: [{}] } } });
      const { data } = body as { data: { item_connection: { edges: readonly { cursor: string; node: unknown }[] } } };
      for (const { cursor, node } of data.item_connection.edges) {
        pages.push(node);
        after = cursor;
      }
    }
    expect(pages).toEqual(item);
  });

  test.each([
    [{ a: 1 }, '.a', 'parse-failed', /holds strings and nulls/],
    [{ 'a b': { c: '1' } }, '["a b"]', 'parse-failed', /holds strings and nulls/],
    ['{"a": "1"}', '', 'data-exception', /expected an object of strings, or a string such as "a=>1", for type hstore/],
    [['a=>1'], '', 'parse-failed', /expected an object of strings.* found a list/],
  ])('is rejected with the path of the invalid value: %j', async (tags, at, code, message) => {
    const insert = 'mutation ($tags: hstore) { insert_item_one(object: {id: 6, tags: $tags}) { id } }';
    expect(await dataOf(insert, { tags })).toMatchObject([
      {
        message: expect.stringMatching(message),
        extensions: { code, path: `$.selectionSet.insert_item_one.args.object.tags${at}` },
      },
    ]);
  });
});

test('hstoreForm accepts the same texts as PostgreSQL', async () => {
  const parts = ['a', '"', '=', '>', '=>', ',', '\\', ' ', '\n', '\u00a0', 'NULL', '"b"', 'a=>1', '\t'];
  const random = randoms(7);
  const texts = Array.from({ length: 2000 }, () =>
    Array.from({ length: random(9) }, () => parts[random(parts.length)]).join(''),
  );
  const check = `create function pg_temp.reads(text text) returns boolean language plpgsql as
    $$ begin perform text::hstore; return true; exception when others then return false; end $$;`;
  const rows = await service.database.database.session(async (query) => {
    await query({ text: check, values: [] });
    return (await query({ text: 'select text, pg_temp.reads(text) from unnest($1::text[]) text', values: [texts] }))
      .rows;
  });
  expect(rows).toHaveLength(texts.length);
  expect(rows.filter(([text, reads]) => hstoreForm.test(text ?? '') !== (reads === 't'))).toEqual([]);
});

test('hstoreForm checks a text of a million pairs', () => {
  const pairs = '"a"=>"1",'.repeat(1_000_000);
  expect(hstoreForm.test(pairs)).toBe(true);
  expect(hstoreForm.test(`${pairs}=`)).toBe(false);
});

/** Returns a generator of pseudo-random integers below `limit`. */
function randoms(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(state / 65_536) % limit;
  };
}
