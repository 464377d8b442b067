/** Tests of edits of actions, custom types, remote schemas and remote relationships. */
import { describe, expect, test } from 'vitest';
import { exportMetadata } from '../../document/export.ts';
import { emptyMetadata, type Metadata } from '../../metadata.ts';
import { runEdit } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { commands } from '../registry.ts';

type Call = readonly [type: string, args: unknown];

function run(calls: readonly Call[]): Metadata {
  return calls.reduce((metadata, [type, args]) => {
    const command = commands.get(type);
    if (command === undefined) throw new Error(`no command ${type}`);
    return runEdit(command, args, metadata);
  }, emptyMetadata);
}

function errorOf(...calls: readonly Call[]): { code: string; path: string } {
  try {
    run(calls);
  } catch (error) {
    if (error instanceof EditError) return { code: error.code, path: error.path };
    throw error;
  }
  throw new Error('no error was thrown');
}

const definition = { handler: 'http://127.0.0.1/place', output_type: 'Result' };
const place: Call = ['create_action', { name: 'place', definition, comment: 'checkout' }];
const allow: Call = ['create_action_permission', { action: 'place', role: 'user' }];

describe('actions', () => {
  test('are exported without defaults and with the members of Hasura v2', () => {
    expect(exportMetadata(run([place, allow])).actions).toEqual([
      {
        name: 'place',
        definition: { ...definition, type: 'mutation', kind: 'synchronous' },
        comment: 'checkout',
        permissions: [{ role: 'user' }],
      },
    ]);
  });

  test('are replaced completely without their comment, and keep their permissions', () => {
    const replaced = { handler: 'http://127.0.0.1/find', output_type: 'Result', type: 'query', timeout: 5 };
    expect(
      exportMetadata(run([place, allow, ['update_action', { name: 'place', definition: replaced }]])).actions,
    ).toEqual([{ name: 'place', definition: replaced, permissions: [{ role: 'user' }] }]);
  });

  test('are dropped with their permissions', () => {
    expect(exportMetadata(run([place, allow, ['drop_action', { name: 'place', clear_data: true }]]))).toEqual(
      exportMetadata(emptyMetadata),
    );
  });

  test('lose a dropped permission, and accept it again', () => {
    const drop: Call = ['drop_action_permission', { action: 'place', role: 'user' }];
    expect(run([place, allow, drop, allow]).actions?.[0]?.permissions).toEqual([{ role: 'user' }]);
  });

  test.each([
    ['a duplicate name', [place, place], 'already-exists', '$.name'],
    ['an invalid GraphQL name', [['create_action', { name: 'a b', definition }]], 'parse-failed', '$.name'],
    [
      'a missing handler',
      [['create_action', { name: 'a', definition: { output_type: 'A' } }]],
      'parse-failed',
      '$.definition.handler',
    ],
    [
      'a negative timeout',
      [['create_action', { name: 'a', definition: { ...definition, timeout: -1 } }]],
      'parse-failed',
      '$.definition.timeout',
    ],
    [
      'a header from a setting of the service',
      [
        [
          'create_action',
          {
            name: 'a',
            definition: { ...definition, headers: [{ name: 'x', value_from_env: 'JOINERY_ADMIN_SECRET' }] },
          },
        ],
      ],
      'parse-failed',
      '$.definition.headers[0].value_from_env',
    ],
    ['an update of an unknown action', [['update_action', { name: 'a', definition }]], 'not-exists', '$.name'],
    ['a removal of an unknown action', [['drop_action', { name: 'a' }]], 'not-exists', '$.name'],
    ['a permission on an unknown action', [allow], 'not-exists', '$.action'],
    ['the same permission twice', [place, allow, allow], 'already-exists', '$'],
    [
      'a removal of an unknown permission',
      [place, ['drop_action_permission', { action: 'place', role: 'user' }]],
      'not-exists',
      '$.role',
    ],
  ] satisfies [string, Call[], string, string][])('rejects %s', (_what, calls, code, path) => {
    expect(errorOf(...calls)).toMatchObject({ code, path });
  });
});

describe('set_custom_types', () => {
  const objects = [
    {
      name: 'Result',
      fields: [{ name: 'id', type: 'Int!' }],
      relationships: [{ name: 'user', type: 'object', remote_table: 'user', field_mapping: { id: 'id' } }],
    },
  ];

  test('replaces all types, and accepts a table as a string or as an object', () => {
    const first: Call = ['set_custom_types', { scalars: [{ name: 'Money' }], enums: [], input_objects: [], objects }];
    const second: Call = ['set_custom_types', { objects }];
    const written = [
      {
        name: 'Result',
        fields: [{ name: 'id', type: 'Int!' }],
        relationships: [
          {
            name: 'user',
            type: 'object',
            remote_table: { name: 'user', schema: 'public' },
            field_mapping: { id: 'id' },
          },
        ],
      },
    ];
    expect(exportMetadata(run([first])).custom_types).toEqual({ objects: written, scalars: [{ name: 'Money' }] });
    expect(exportMetadata(run([first, second])).custom_types).toEqual({ objects: written });
    expect(exportMetadata(run([first, ['set_custom_types', {}]]))).not.toHaveProperty('custom_types');
  });

  test.each([
    ['a type without fields', { objects: [{ name: 'A', fields: [] }] }, '$.objects[0].fields'],
    ['an invalid name', { scalars: [{ name: '__A' }] }, '$.scalars[0].name'],
    [
      'an empty mapping',
      {
        objects: [
          {
            name: 'A',
            fields: [{ name: 'id', type: 'Int' }],
            relationships: [{ name: 'b', type: 'object', remote_table: 'b', field_mapping: {} }],
          },
        ],
      },
      '$.objects[0].relationships[0].field_mapping',
    ],
    [
      'an unknown kind of relationship',
      {
        objects: [
          {
            name: 'A',
            fields: [{ name: 'id', type: 'Int' }],
            relationships: [{ name: 'b', type: 'both', remote_table: 'b', field_mapping: { id: 'id' } }],
          },
        ],
      },
      '$.objects[0].relationships[0].type',
    ],
  ])('rejects %s', (_what, args, path) => {
    expect(errorOf(['set_custom_types', args])).toMatchObject({ code: 'parse-failed', path });
  });
});

describe('remote schemas', () => {
  const add: Call = [
    'add_remote_schema',
    { name: 'carrier', definition: { url: 'http://127.0.0.1/', forward_client_headers: false }, comment: 'parcels' },
  ];

  test('are added, replaced and removed', () => {
    expect(exportMetadata(run([add])).remote_schemas).toEqual([
      { name: 'carrier', definition: { url: 'http://127.0.0.1/' }, comment: 'parcels' },
    ]);
    const update: Call = [
      'update_remote_schema',
      { name: 'carrier', definition: { url_from_env: 'CARRIER', timeout_seconds: 5 } },
    ];
    expect(exportMetadata(run([add, update])).remote_schemas).toEqual([
      { name: 'carrier', definition: { url_from_env: 'CARRIER', timeout_seconds: 5 }, comment: 'parcels' },
    ]);
    expect(exportMetadata(run([add, ['remove_remote_schema', { name: 'carrier' }]]))).not.toHaveProperty(
      'remote_schemas',
    );
  });

  test.each([
    ['is preserved if the update has none', {}, 'parcels'],
    ['is replaced', { comment: 'letters' }, 'letters'],
    ['is removed by null', { comment: null }, undefined],
    ['is removed by an empty string', { comment: '' }, undefined],
  ])('have a comment that %s', (_what, given, comment) => {
    const update: Call = ['update_remote_schema', { name: 'carrier', definition: { url: 'http://a' }, ...given }];
    const expected = { name: 'carrier', definition: { url: 'http://a' }, ...(comment !== undefined && { comment }) };
    expect(exportMetadata(run([add, update])).remote_schemas).toEqual([expected]);
  });

  test('are introspected again if they are new or changed', () => {
    const reread = [{ kind: 'remote', remoteSchema: 'carrier' }];
    expect(commands.get('add_remote_schema')?.parse(add[1]).rereads).toEqual(reread);
  });

  test.each([
    ['a duplicate name', [add, add], 'already-exists', '$.name'],
    ['an empty name', [['add_remote_schema', { name: '', definition: { url: 'http://a' } }]], 'parse-failed', '$.name'],
    ['no URL', [['add_remote_schema', { name: 'a', definition: {} }]], 'parse-failed', '$.definition'],
    [
      'an update of an unknown object',
      [['update_remote_schema', { name: 'a', definition: { url: 'http://a' } }]],
      'not-exists',
      '$.name',
    ],
    ['a removal of an unknown remote schema', [['remove_remote_schema', { name: 'a' }]], 'not-exists', '$.name'],
  ] satisfies [string, Call[], string, string][])('rejects %s', (_what, calls, code, path) => {
    expect(errorOf(...calls)).toMatchObject({ code, path });
  });
});

describe('remote relationships', () => {
  const order: Call = ['track_table', 'order'];
  const remote_field = { shipment: { arguments: { orderId: '$id' }, field: { status: { arguments: {} } } } };
  const older = { name: 'shipment', hasura_fields: ['id'], remote_schema: 'carrier', remote_field };
  const newer = {
    name: 'parcel',
    definition: { to_remote_schema: { remote_schema: 'carrier', lhs_fields: ['id'], remote_field } },
  };

  test('keep the form of their definition', () => {
    const metadata = run([
      order,
      ['create_remote_relationship', { table: 'order', ...older }],
      ['pg_create_remote_relationship', { source: 'default', table: { schema: 'public', name: 'order' }, ...newer }],
    ]);
    expect(metadata.sources[0]?.tables[0]?.remote_relationships).toEqual([older, newer]);
  });

  test('are replaced and deleted', () => {
    const create: Call = ['create_remote_relationship', { table: 'order', ...older }];
    const update: Call = ['update_remote_relationship', { table: 'order', ...newer, name: 'shipment' }];
    expect(run([order, create, update]).sources[0]?.tables[0]?.remote_relationships).toEqual([
      { ...newer, name: 'shipment' },
    ]);
    const drop: Call = ['delete_remote_relationship', { table: { name: 'order', schema: 'public' }, name: 'shipment' }];
    expect(run([order, create, drop]).sources[0]?.tables[0]?.remote_relationships).toEqual([]);
  });

  test.each([
    [
      'a name that is taken',
      [
        order,
        ['create_remote_relationship', { table: 'order', ...older }],
        ['create_remote_relationship', { table: 'order', ...older }],
      ],
      'already-exists',
      '$.name',
    ],
    [
      'two fields at one level',
      [
        order,
        [
          'create_remote_relationship',
          { table: 'order', ...older, remote_field: { a: { arguments: {} }, b: { arguments: {} } } },
        ],
      ],
      'parse-failed',
      '$.remote_field',
    ],
    ['a missing table', [['create_remote_relationship', older]], 'parse-failed', '$.table'],
    [
      'an update of an unknown object',
      [order, ['update_remote_relationship', { table: 'order', ...older }]],
      'not-exists',
      '$.name',
    ],
    [
      'a removal of an unknown object',
      [order, ['delete_remote_relationship', { table: 'order', name: 'a' }]],
      'not-exists',
      '$.name',
    ],
  ] satisfies [string, Call[], string, string][])('rejects %s', (_what, calls, code, path) => {
    expect(errorOf(...calls)).toMatchObject({ code, path });
  });
});
