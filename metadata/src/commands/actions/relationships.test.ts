/** Tests of edits of relationships of object types, and of renamed tables and sources in their targets. */
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../document/document.ts';
import { exportMetadata } from '../../document/export.ts';
import { emptyMetadata, type Metadata } from '../../metadata.ts';
import { SourceName } from '../../names.ts';
import { runEdit } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { commands } from '../registry.ts';
import { renameTable } from '../rename/table.ts';

type Call = readonly [type: string, args: unknown];

const user = { name: 'user', type: 'object', remote_table: 'user', field_mapping: { id: 'id' } };
const toSource = (more: object) => ({
  name: 'found',
  definition: { to_source: { source: 'default', relationship_type: 'array', ...more } },
});
const forms = [
  toSource({ table: { schema: 'shop', name: 'line' }, field_mapping: { id: 'order_id' } }),
  toSource({ function: 'search', field_mapping: { id: 'term' } }),
  {
    name: 'found',
    definition: {
      to_remote_schema: {
        remote_schema: 'carrier',
        lhs_fields: ['id'],
        remote_field: { shipment: { arguments: { order: '$id' } } },
      },
    },
  },
  { name: 'found', definition: { to_action: { action: 'find', arguments: { id: '$id', deep: { kind: 1 } } } } },
];
const types: Call = ['set_custom_types', { objects: [{ name: 'Result', fields: [{ name: 'id', type: 'Int!' }] }] }];
const create = (relationship: object): Call => ['create_action_relationship', { type_name: 'Result', ...relationship }];

function run(...calls: readonly Call[]): Metadata {
  return calls.reduce((metadata, [type, args]) => {
    const command = commands.get(type);
    if (command === undefined) throw new Error(`no command ${type}`);
    return runEdit(command, args, metadata);
  }, emptyMetadata);
}

function errorOf(...calls: readonly Call[]): { code: string; path: string; message: string } {
  try {
    run(types, ...calls);
  } catch (error) {
    if (error instanceof EditError) return { code: error.code, path: error.path, message: error.message };
    throw error;
  }
  throw new Error('no error was thrown');
}

function relationshipsOf(metadata: Metadata): unknown {
  return exportMetadata(metadata).custom_types?.objects?.[0]?.relationships;
}

describe('create_action_relationship', () => {
  test('adds a relationship in the form of its definition', () => {
    expect(relationshipsOf(run(types, create(user)))).toEqual([
      { ...user, remote_table: { schema: 'public', name: 'user' } },
    ]);
  });

  test.each(forms)('accepts every target of a relationship, and exports it unchanged: %j', (form) => {
    const metadata = run(types, create(user), create(form));
    const exported = exportMetadata(metadata);
    expect(relationshipsOf(metadata)).toHaveLength(2);
    expect(exportMetadata(readDocument(JSON.parse(JSON.stringify(exported)), emptyMetadata))).toEqual(exported);
  });

  test.each([
    ['an unknown type', { ...user, type_name: 'Other' }, 'not-exists', '$.type_name'],
    ['an unknown target', { name: 'x', definition: { to_nothing: {} } }, 'parse-failed', '$.definition.to_nothing'],
    ['both forms', { ...user, definition: forms[3]?.definition }, 'parse-failed', '$.type'],
    ['no mapping', { ...user, field_mapping: {} }, 'parse-failed', '$.field_mapping'],
    [
      'an empty batch',
      { name: 'x', definition: { to_action: { action: 'find', batch: { max_size: 0 } } } },
      'parse-failed',
      '$.definition.to_action.batch.max_size',
    ],
  ])('rejects %s', (_what, args, code, path) => {
    expect(errorOf(['create_action_relationship', { type_name: 'Result', ...args }])).toMatchObject({ code, path });
  });

  test('rejects a duplicate name', () => {
    expect(errorOf(create(user), create(user))).toMatchObject({ code: 'already-exists', path: '$.name' });
  });
});

describe('update_action_relationship', () => {
  const other = { name: 'other', type: 'array', remote_table: 'line', field_mapping: { id: 'order_id' } };

  test('replaces a relationship at its position', () => {
    const edited = { ...forms[1], name: 'user' };
    const metadata = run(types, create(user), create(other), [
      'update_action_relationship',
      { type_name: 'Result', ...edited },
    ]);
    expect(relationshipsOf(metadata)).toMatchObject([
      { definition: { to_source: { function: { name: 'search' } } } },
      { name: 'other' },
    ]);
  });

  test('renames it, with or without another definition', () => {
    const rename = { type_name: 'Result', name: 'user', new_name: 'owner' };
    expect(relationshipsOf(run(types, create(user), ['update_action_relationship', rename]))).toMatchObject([
      { name: 'owner', type: 'object' },
    ]);
    const both = { ...rename, type: 'array', remote_table: 'line', field_mapping: { id: 'order_id' } };
    expect(relationshipsOf(run(types, create(user), ['update_action_relationship', both]))).toMatchObject([
      { name: 'owner', type: 'array', remote_table: { name: 'line' } },
    ]);
  });

  test.each([
    ['an unknown relationship', { name: 'unknown', new_name: 'x' }, 'not-exists', '$.name'],
    ['a new name in use', { name: 'user', new_name: 'other' }, 'already-exists', '$.new_name'],
    ['no change at all', { name: 'user' }, 'parse-failed', '$.type'],
  ])('rejects %s', (_what, args, code, path) => {
    const update: Call = ['update_action_relationship', { type_name: 'Result', ...args }];
    expect(errorOf(create(user), create(other), update)).toMatchObject({ code, path });
  });
});

test('drop_action_relationship removes one relationship and preserves the others', () => {
  const drop: Call = ['drop_action_relationship', { type_name: 'Result', name: 'user' }];
  expect(relationshipsOf(run(types, create(user), create(forms[1] ?? {}), drop))).toMatchObject([{ name: 'found' }]);
  expect(errorOf(drop)).toMatchObject({ code: 'not-exists', path: '$.name' });
});

test('updates the targets of relationships when a table or a source is renamed', () => {
  const metadata = run(types, create(forms[0] ?? {}));
  const line = { schema: 'shop', name: 'line' };
  const renamed = renameTable(metadata, SourceName.parse('default'), [{ from: line, to: { ...line, name: 'item' } }]);
  expect(relationshipsOf(renamed)).toMatchObject([{ definition: { to_source: { table: { name: 'item' } } } }]);
  const moved = run(
    ['pg_add_source', { name: 'old', configuration: { connection_info: { database_url: 'postgres://x' } } }],
    types,
    create(toSource({ source: 'old', function: 'search', field_mapping: { id: 'term' } })),
    ['rename_source', { name: 'old', new_name: 'new' }],
  );
  expect(relationshipsOf(moved)).toMatchObject([{ definition: { to_source: { source: 'new' } } }]);
});
