/** Metadata commands of custom types, actions and their relationships: results and errors, which change nothing. */
import { ActionName } from '@joinery/metadata/names';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { namedIn } from '../../src/model/actions/type-expression.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  const sql = `
    create table customer (id int primary key, name text, key uuid);
    create table line (order_id int, product text);
  `;
  database = await testDatabase({ migrated: true, sql });
  node = await startServiceCore(database, { environment: { HANDLER: 'http://127.0.0.1:1' } });
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

beforeEach(async () => {
  await node.run('clear_metadata');
  await node.run('track_table', 'customer');
  await node.run('track_table', 'line');
});

const customer = { name: 'customer', type: 'object', remote_table: 'customer', field_mapping: { customerId: 'id' } };

function typesWith(...relationships: readonly object[]) {
  const fields = [
    { name: 'orderId', type: 'Int!' },
    { name: 'customerId', type: 'Int!' },
    { name: 'pairs', type: '[[String!]]' },
  ];
  return { scalars: [], enums: [], input_objects: [], objects: [{ name: 'Placed', fields, relationships }] };
}

const place = {
  name: 'place',
  definition: {
    kind: 'synchronous',
    arguments: [{ name: 'name', type: 'String!' }],
    output_type: 'Placed',
    handler: '{{HANDLER}}/place',
  },
};

const success = { message: 'success' };

function relationshipsOf(action: string): string[] | undefined {
  const output = node.model().actions.get(ActionName.parse(action))?.output;
  const object = output && namedIn(output);
  return object?.kind === 'object' ? [...(node.model().outputJoins.get(object)?.keys() ?? [])] : undefined;
}

describe('set_custom_types and create_action', () => {
  test('make an action whose output has relationships to tables, named by a string or by an object', async () => {
    const remote_table = { schema: 'public', name: 'line' };
    const lines = { name: 'lines', type: 'array', remote_table, field_mapping: { orderId: 'order_id' } };
    expect(await node.run('set_custom_types', typesWith(customer, lines))).toEqual(success);
    expect(await node.run('create_action', place)).toEqual(success);
    expect(await node.run('create_action_permission', { action: 'place', role: 'user' })).toEqual(success);
    expect(relationshipsOf('place')).toEqual(['customer', 'lines']);
    expect([...(node.model().actions.get(ActionName.parse('place'))?.roles ?? [])]).toEqual(['user']);
    expect(node.model().inconsistencies).toEqual([]);
  });

  test.each([
    ['an untracked table', { remote_table: 'nothing' }, 'table "nothing" is not tracked'],
    ['an unknown field', { field_mapping: { nothing: 'id' } }, 'the type has no field "nothing"'],
    ['an unknown column', { field_mapping: { customerId: 'nothing' } }, 'has no column "nothing"'],
    ['a list of lists as key', { field_mapping: { pairs: 'name' } }, 'the field is a list of lists ([[String!]])'],
    [
      'types that cannot be compared',
      { field_mapping: { customerId: 'key' } },
      'the field has type Int, and the column has type uuid',
    ],
    ['an existing name', { name: 'orderId' }, 'a field or relationship "orderId" already'],
    ['an unknown source', { source: 'nowhere' }, 'source "nowhere" does not exist'],
  ])('reject a relationship with %s, and change nothing', async (_what, change, reason) => {
    await node.run('set_custom_types', typesWith(customer));
    await node.run('create_action', place);
    const before = await node.run('export_metadata');
    const error = await node.rejection(
      'set_custom_types',
      typesWith(customer, { ...customer, name: 'other', ...change }),
    );
    expect(error).toMatchObject({
      code: 'invalid-configuration',
      status: 400,
      path: '$.args.objects[0].relationships[1]',
      message: expect.stringContaining(reason),
      internal: [{ type: 'action_relationship', definition: { type: 'object' } }],
    });
    expect(await node.run('export_metadata')).toEqual(before);
    expect(relationshipsOf('place')).toEqual(['customer']);
  });

  test.each([
    ['an unknown type', { objects: [{ name: 'A', fields: [{ name: 'x', type: 'Nothing' }] }] }, '$.args.objects[0]'],
    [
      'an invalid type expression',
      { objects: [{ name: 'A', fields: [{ name: 'x', type: '[Int' }] }] },
      '$.args.objects[0]',
    ],
    ['a duplicate enum value', { enums: [{ name: 'E', values: [{ value: 'a' }, { value: 'a' }] }] }, '$.args.enums[0]'],
    ['a duplicate name', { scalars: [{ name: 'A' }, { name: 'A' }] }, '$.args.scalars[1]'],
    [
      'the name of a table',
      { objects: [{ name: 'customer', fields: [{ name: 'x', type: 'Int' }] }] },
      '$.args.objects[0]',
    ],
  ])('reject types with %s', async (_what, args, path) => {
    expect(await node.rejection('set_custom_types', args)).toMatchObject({
      code: 'invalid-configuration',
      status: 400,
      path,
    });
  });

  test.each([
    ['no fields', { objects: [{ name: 'A', fields: [] }] }, '$.args.objects[0].fields'],
    ['an invalid name', { objects: [{ name: '1A', fields: [{ name: 'x', type: 'Int' }] }] }, '$.args.objects[0].name'],
    [
      'an empty mapping',
      typesWith({ ...customer, field_mapping: {} }),
      '$.args.objects[0].relationships[0].field_mapping',
    ],
    [
      'an unknown relationship type',
      typesWith({ ...customer, type: 'many' }),
      '$.args.objects[0].relationships[0].type',
    ],
  ])('report a parse error for types with %s', async (_what, args, path) => {
    expect(await node.rejection('set_custom_types', args)).toMatchObject({ code: 'parse-failed', status: 400, path });
  });

  test.each([
    ['an unknown output type', { output_type: 'Nothing' }, 'output_type: type "Nothing" is not known'],
    ['an unset variable', { handler: '{{NOWHERE}}/x' }, 'handler: environment variable "NOWHERE" is not set'],
    ['a handler that is not a URL', { handler: 'place' }, 'handler: "place" is not an http or https URL'],
  ])('reject an action with %s', async (_what, change, reason) => {
    await node.run('set_custom_types', typesWith(customer));
    const args = { ...place, definition: { ...place.definition, ...change } };
    expect(await node.rejection('create_action', args)).toMatchObject({
      code: 'invalid-configuration',
      status: 400,
      message: expect.stringContaining(`in action "place": ${reason}`),
    });
    expect(node.model().actions.size).toBe(0);
  });

  test('reject retries of a synchronous action', async () => {
    await node.run('set_custom_types', typesWith());
    const args = { ...place, definition: { ...place.definition, retry_conf: { num_retries: 1 } } };
    expect(await node.rejection('create_action', args)).toMatchObject({ code: 'not-supported', status: 400 });
  });

  test('reject types that lack the output type of an action', async () => {
    await node.run('set_custom_types', typesWith(customer));
    await node.run('create_action', place);
    const error = await node.rejection('set_custom_types', { objects: [] });
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('in action "place": output_type') });
    expect(relationshipsOf('place')).toEqual(['customer']);
  });
});

describe('a table that is the target of an action relationship', () => {
  beforeEach(async () => {
    await node.run('set_custom_types', typesWith(customer));
    await node.run('create_action', place);
  });

  test('cannot be untracked without cascade', async () => {
    expect(await node.rejection('untrack_table', { table: 'customer' })).toMatchObject({
      code: 'dependency-error',
      message: expect.stringContaining('relationship customer of object type Placed'),
    });
    expect(relationshipsOf('place')).toEqual(['customer']);
  });

  test('is untracked with cascade together with the relationship only', async () => {
    expect(await node.run('untrack_table', { table: 'customer', cascade: true })).toMatchObject({
      ...success,
      dropped: [{ type: 'action_relationship', name: 'action_relationship customer in type Placed' }],
    });
    expect(relationshipsOf('place')).toEqual([]);
    expect(node.model().inconsistencies).toEqual([]);
  });

  test('that no longer exists makes the relationship inconsistent and leaves the action', async () => {
    await database.database.query({ text: 'alter table customer rename to client', values: [] });
    try {
      await node.run('reload_metadata');
      expect(relationshipsOf('place')).toEqual([]);
      const listed = node.model().inconsistencies.map(({ type, path }) => [type, path]);
      expect(listed).toContainEqual(['action_relationship', '$.custom_types.objects[0].relationships[0]']);
    } finally {
      await database.database.query({ text: 'alter table client rename to customer', values: [] });
      await node.run('reload_metadata');
    }
    expect(relationshipsOf('place')).toEqual(['customer']);
  });
});

describe('an action relationship', () => {
  const lookup = {
    name: 'lookup',
    definition: {
      type: 'query',
      arguments: [{ name: 'id', type: 'Int!' }],
      output_type: 'Placed',
      handler: '{{HANDLER}}/x',
    },
  };
  const found = {
    type_name: 'Placed',
    name: 'found',
    definition: { to_action: { action: 'lookup', arguments: { id: '$orderId' } } },
  };

  beforeEach(async () => {
    await node.run('set_custom_types', typesWith(customer));
    await node.run('create_action', place);
    await node.run('create_action', lookup);
  });

  test('has its possible columns in get_action_relationship_keys, and the reasons against others', async () => {
    const args = { type_name: 'Placed', table: 'customer' };
    const { fields } = (await node.run('get_action_relationship_keys', args)) as {
      fields: { field: string; columns: unknown[] }[];
    };
    expect(fields.map(({ field }) => field)).toEqual(['orderId', 'customerId', 'pairs']);
    expect(fields[1]).toEqual({
      field: 'customerId',
      type: 'Int!',
      columns: [
        { column: 'id', type: 'int4' },
        { column: 'name', type: 'text', problem: expect.stringContaining('the field has type Int') },
        { column: 'key', type: 'uuid', problem: expect.stringContaining('cannot be compared') },
      ],
    });
    expect(await node.rejection('get_action_relationship_keys', { ...args, type_name: 'Unknown' })).toMatchObject({
      code: 'not-exists',
      path: '$.args.type_name',
    });
    expect(await node.rejection('get_action_relationship_keys', { ...args, table: 'unknown' })).toMatchObject({
      code: 'not-exists',
      path: '$.args.table',
    });
  });

  test('is suggested for tables whose key or columns have the name of a field, unless it exists', async () => {
    expect(await node.run('suggest_action_relationships', { type_name: 'Placed' })).toEqual({
      relationships: [
        {
          name: 'lines',
          type: 'array',
          source: 'default',
          remote_table: { schema: 'public', name: 'line' },
          field_mapping: { orderId: 'order_id' },
        },
      ],
    });
    const more = { ...customer, type_name: 'Placed', field_mapping: { customerId: 'id', orderId: 'id' } };
    await node.run('update_action_relationship', more);
    expect(await node.run('suggest_action_relationships', { type_name: 'Placed' })).toMatchObject({
      relationships: [{ name: 'lines' }],
    });
    await node.run('drop_action_relationship', { type_name: 'Placed', name: 'customer' });
    expect(await node.run('suggest_action_relationships', { type_name: 'Placed' })).toMatchObject({
      relationships: [
        { name: 'customer', type: 'object', remote_table: { name: 'customer' }, field_mapping: { customerId: 'id' } },
        { name: 'lines' },
      ],
    });
    expect(await node.rejection('suggest_action_relationships', { type_name: 'Unknown' })).toMatchObject({
      code: 'not-exists',
      path: '$.args.type_name',
    });
  });

  test('is created, updated, renamed and dropped without set_custom_types', async () => {
    expect(await node.run('create_action_relationship', found)).toEqual(success);
    expect(relationshipsOf('place')).toEqual(['customer', 'found']);
    const edit = {
      type_name: 'Placed',
      name: 'customer',
      new_name: 'buyer',
      definition: {
        to_source: {
          source: 'default',
          table: 'customer',
          relationship_type: 'object',
          field_mapping: { orderId: 'id' },
        },
      },
    };
    expect(await node.run('update_action_relationship', edit)).toEqual(success);
    expect(
      await node.run('update_action_relationship', { type_name: 'Placed', name: 'found', new_name: 'again' }),
    ).toEqual(success);
    expect(relationshipsOf('place')).toEqual(['buyer', 'again']);
    expect(await node.run('drop_action_relationship', { type_name: 'Placed', name: 'buyer' })).toEqual(success);
    expect(relationshipsOf('place')).toEqual(['again']);
    expect(node.model().inconsistencies).toEqual([]);
  });

  test.each([
    ['an unknown action', { action: 'nothing' }, 'action "nothing" does not exist; add it first'],
    ['a mutation', { action: 'place' }, 'action "place" is a mutation; the target of a relationship is a query'],
    [
      'an unknown argument',
      { action: 'lookup', arguments: { nr: 1 } },
      'the action "lookup" has no argument "nr"; use one of "id"',
    ],
    ['an unknown field', { action: 'lookup', arguments: { id: '$nr' } }, '"$nr" is not a field'],
    ['a field of another type', { action: 'lookup', arguments: { id: '$pairs' } }, 'field "pairs" has type'],
    ['a constant of another type', { action: 'lookup', arguments: { id: 'one' } }, '"one" is not a value of type Int!'],
  ])('to %s is rejected with the reason, and changes nothing', async (_what, to_action, reason) => {
    const args = { type_name: 'Placed', name: 'found', definition: { to_action } };
    expect(await node.rejection('create_action_relationship', args)).toMatchObject({
      code: 'invalid-configuration',
      path: '$.args',
      message: expect.stringContaining(reason),
    });
    expect(relationshipsOf('place')).toEqual(['customer']);
  });

  test('prevents that its target action is dropped', async () => {
    await node.run('create_action_relationship', found);
    expect(await node.rejection('drop_action', { name: 'lookup' })).toMatchObject({
      message: expect.stringContaining('relationship "found" of object type "Placed": action "lookup" does not exist'),
    });
    expect(relationshipsOf('place')).toEqual(['customer', 'found']);
  });
});
