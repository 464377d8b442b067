/** Strings are accepted as values of columns of any type, and PostgreSQL parses them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nextData, subscribe } from '../subscriptions/notes-service.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { column, kinds, type StringValues, startStringValues, userHeaders } from './string-values-fixture.ts';

let values: StringValues;
let service: StringValues['service'];
let data: StringValues['data'];
let run: StringValues['run'];

beforeAll(async () => {
  values = await startStringValues();
  ({ service, data, run } = values);
});
afterAll(() => values?.stop());
beforeEach(() => values.refill());

const ids = (...list: number[]) => ({ item: list.map((id) => ({ id })) });

describe('a string for a column of type', () => {
  test.each(kinds.map(([type, text, output], index) => [type, text, output, column(index)] as const))(
    '%s is parsed by PostgreSQL, as a literal and in a variable: %j',
    async (_type, text, output, name) => {
      const literal = await data(
        `mutation { insert_kinds_one(object: {${name}: ${JSON.stringify(text)}}) { ${name} } }`,
      );
      const query = `mutation ($object: kinds_insert_input!) { insert_kinds_one(object: $object) { ${name} } }`;
      const variable = await data(query, { object: { [name]: text } });
      const expected = typeof output === 'bigint' ? expect.objectContaining({ text: String(output) }) : output;
      expect(variable).toEqual({ insert_kinds_one: { [name]: expected } });
      expect(literal).toEqual(variable);
    },
  );
});

describe('a string is accepted as the value of a column', () => {
  const arrays = { tags: '{x,"y z"}', nums: '{4,NULL}' };

  test('in all kinds of updates', async () => {
    const update = `mutation ($set: item_set_input, $inc: item_inc_input) {
      update_item_by_pk(pk_columns: {id: "1"}, _set: $set, _inc: $inc) { n f flag tags nums amount } }`;
    expect(
      await data(update, { set: { ...arrays, flag: 'false', f: '0.5' }, inc: { n: '10', amount: '0.25' } }),
    ).toEqual({
      update_item_by_pk: { n: 11, f: 0.5, flag: false, tags: ['x', 'y z'], nums: [4, null], amount: 1.75 },
    });
    const literal = `mutation { update_item_many(updates: [{where: {id: {_eq: "2"}}, _set: {tags: "{q}"}, _inc: {n: "1"}}]) {
      returning { n tags } } }`;
    expect(await data(literal)).toEqual({ update_item_many: [{ returning: [{ n: 3, tags: ['q'] }] }] });
  });

  test('in variables of scalar and of list types', async () => {
    const insert = `mutation ($id: Int!, $f: Float, $flag: Boolean, $tags: [String!], $nums: [Int!]) {
      insert_item_one(object: {id: $id, f: $f, flag: $flag, tags: $tags, nums: $nums}) { id f flag tags nums } }`;
    expect(await data(insert, { id: '9', f: '2.5', flag: 'on', ...arrays })).toEqual({
      insert_item_one: { id: 9, f: 2.5, flag: true, tags: ['x', 'y z'], nums: [4, null] },
    });
  });

  test('in the default value of a variable', async () => {
    expect(
      await data(
        'query ($id: Int = "2", $tags: [String!] = "{c}") { item(where: {id: {_eq: $id}, tags: {_eq: $tags}}) { id } }',
      ),
    ).toEqual(ids(2));
  });

  test('in arguments of a primary key', async () => {
    const read = (id: string) => `${id} { id }`;
    expect(await data(`{ ${read('item_by_pk(id: "1")')} }`)).toEqual({ item_by_pk: { id: 1 } });
    expect(await data(`query ($id: Int!) { ${read('item_by_pk(id: $id)')} }`, { id: '2' })).toEqual({
      item_by_pk: { id: 2 },
    });
    await data('mutation { insert_keyed_one(object: {nums: "{1,2}", note: "n"}) { note } }');
    expect(await data('{ keyed_by_pk(nums: "{1,2}") { nums } }')).toEqual({ keyed_by_pk: { nums: [1, 2] } });
    expect(await data('mutation { delete_item_by_pk(id: "1") { id } }')).toEqual({ delete_item_by_pk: { id: 1 } });
  });

  test.each([
    ['{n: {_eq: "2"}}', [2]],
    ['{n: {_in: ["1", 3]}}', [1, 3]],
    ['{n: {_in: "1"}}', [1]],
    ['{flag: {_eq: "t"}}', [1]],
    ['{f: {_gt: "2"}}', [2]],
    ['{amount: {_nin: ["1.5"]}}', [2]],
    ['{tags: {_eq: "{a,b}"}}', [1]],
    ['{tags: {_in: ["{a,b}", ["c"]]}}', [1, 2]],
    ['{tags: {_in: "{c}"}}', [2]],
    ['{tags: {_contains: "{a}"}}', [1]],
    ['{nums: {_contained_in: "{1,2,3}"}}', [1, 2, 3]],
    ['{doc: {_eq: "s"}}', [2]],
    ['{_not: {_or: [{id: {_lt: "2"}}, {n: {_gte: "3"}}]}}', [2]],
  ])('in the condition %s, as literals and in a variable', async (where, expected) => {
    expect(await data(`{ item(where: ${where}, order_by: {id: asc}) { id } }`)).toEqual(ids(...expected));
    const json = JSON.parse(where.replaceAll(/(\w+):/g, '"$1":'));
    const query = 'query ($where: item_bool_exp!) { item(where: $where, order_by: {id: asc}) { id } }';
    expect(await data(query, { where: json })).toEqual(ids(...expected));
  });

  test('in the condition of an upsert and of a delete', async () => {
    const upsert = (minimum: string) => `mutation { insert_item_one(
      object: {id: "1", tags: "{new}"}, on_conflict: {constraint: item_pkey, update_columns: [tags], where: {n: {_gte: "${minimum}"}}}) { tags } }`;
    expect(await data(upsert('2'))).toEqual({ insert_item_one: null });
    expect(await data(upsert('1'))).toEqual({ insert_item_one: { tags: ['new'] } });
    expect(await data('mutation { delete_item(where: {nums: {_eq: "{3}"}}) { affected_rows } }')).toEqual({
      delete_item: { affected_rows: 1 },
    });
  });

  test('in arguments of functions and of computed fields', async () => {
    const call = 'query ($args: tagged_args!) { tagged(args: $args) { id } }';
    expect(await data(call, { args: { wanted: '{a}', minimum: '1', strict_: 'true' } })).toEqual({
      tagged: [{ id: 1 }],
    });
    expect(await data('{ tagged(args: {wanted: "{c}", minimum: "2"}) { id } }')).toEqual({ tagged: [{ id: 2 }] });
    expect(await data('{ item_by_pk(id: 1) { joined(args: {list: "{x,y}", times: "2"}) } }')).toEqual({
      item_by_pk: { joined: 'x-yx-y' },
    });
  });

  test('in a variable that is used as a list and as an item of a list', async () => {
    const query =
      'query ($a: Int!, $b: [Int!]) { item(where: {_or: [{n: {_in: [$a]}}, {n: {_in: $b}}]}, order_by: {id: asc}) { id } }';
    expect(await data(query, { a: '1', b: ['2', 3] })).toEqual(ids(1, 2, 3));
    expect(await data(query, { a: 1, b: '2' })).toEqual(ids(1, 2));
  });

  test('in the cursor of a stream', async () => {
    const client = await connectedClient(service.url);
    const stream = (variables: string, value: string) => `subscription${variables} {
      item_stream(batch_size: 2, cursor: {initial_value: {id: ${value}}}) { id } }`;
    try {
      subscribe(client, stream(' ($after: Int)', '$after'), { after: '1' }, 'variable');
      expect(await nextData(client)).toEqual({ item_stream: [{ id: 2 }, { id: 3 }] });
      client.send({ id: 'variable', type: 'complete' });
      subscribe(client, stream('', '"2"'), {}, 'literal');
      expect(await nextData(client)).toEqual({ item_stream: [{ id: 3 }] });
    } finally {
      await client.close();
    }
  });

  test('in data commands', async () => {
    await service.command('insert', { table: 'item', objects: [{ id: '5', ...arrays }] });
    expect(
      await service.command('select', { table: 'item', columns: ['id', 'tags', 'nums'], where: { id: '5' } }),
    ).toEqual([{ id: 5, tags: ['x', 'y z'], nums: [4, null] }]);
  });

  test('in the path and the query of a REST endpoint', async () => {
    const get = async (path: string) => (await fetch(`${service.url}/api/rest/${path}`)).json();
    expect(await get('number/2')).toEqual(ids(2));
    expect(await get('by_tags?tags={a,b}')).toEqual(ids(1));
    expect(await get('by_tags?tags=a&tags=b')).toEqual(ids(1));
    expect(await get('by_tags?tags=c')).toEqual(ids(2));
    expect(await get('by_numbers?ns=1&ns=3')).toEqual(ids(1, 3));
  });

  test('in row rules and presets of permissions, as constants and as session variables', async () => {
    const mine = await data('{ item(order_by: {id: asc}) { id } }', {}, userHeaders);
    expect(mine).toEqual(ids(1, 2));
    await run('delete from item where id = 3');
    const insert = 'mutation { insert_item_one(object: {id: "3", n: "50"}) { n owner tags nums flag } }';
    expect(await data(insert, {}, userHeaders)).toEqual({
      insert_item_one: { n: 50, owner: 7, tags: ['a', 'b'], nums: [8, 9], flag: true },
    });
  });
});
