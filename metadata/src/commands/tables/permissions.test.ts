import { describe, expect, test } from 'vitest';
import { readDocument } from '../../document/document.ts';
import { dropObjects } from '../../document/drop.ts';
import { exportMetadata } from '../../document/export.ts';
import { emptyMetadata, type Metadata } from '../../metadata.ts';
import { runEdit } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { commands } from '../registry.ts';

type Call = readonly [type: string, args: unknown];

function run(calls: readonly Call[], start: Metadata = emptyMetadata): Metadata {
  return calls.reduce((metadata, [type, args]) => {
    const command = commands.get(type);
    if (command === undefined) throw new Error(`no command ${type}`);
    return runEdit(command, args, metadata);
  }, start);
}

function errorOf(...calls: readonly Call[]): EditError {
  try {
    run(calls);
  } catch (error) {
    if (error instanceof EditError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

const author: Call = ['track_table', 'author'];

function create(kind: string, permission: unknown, role = 'user'): Call {
  return [`create_${kind}_permission`, { table: 'author', role, permission }];
}

const permissions: readonly (readonly [kind: string, permission: unknown, exported: unknown])[] = [
  [
    'insert',
    { backend_only: true, columns: '*', set: { id: 'x-service-user-id' }, check: { id: 1 } },
    { check: { id: 1 }, set: { id: 'x-service-user-id' }, columns: '*', backend_only: true },
  ],
  ['insert', { check: {}, set: {}, backend_only: false }, { check: {} }],
  [
    'update',
    { filter: {}, check: null, columns: ['id'], set: { id: 2 } },
    { columns: ['id'], filter: {}, check: null, set: { id: 2 } },
  ],
  ['delete', { filter: { id: { _gt: 1 } }, backend_only: true }, { filter: { id: { _gt: 1 } }, backend_only: true }],
];

describe('the permission to write', () => {
  test.each(permissions)(
    'to %s is created, exported, read again, commented and dropped: %j',
    (kind, written, exported) => {
      const created = run([author, create(kind, written)]);
      const entry = { role: 'user', permission: exported };
      const document = exportMetadata(created);
      expect(document).toMatchObject({ sources: [{ tables: [{ [`${kind}_permissions`]: [entry] }] }] });
      expect(exportMetadata(readDocument(document, emptyMetadata))).toEqual(document);
      const comment = { table: 'author', role: 'user', type: kind, comment: 'writers' };
      expect(exportMetadata(run([['pg_set_permission_comment', comment]], created))).toMatchObject({
        sources: [{ tables: [{ [`${kind}_permissions`]: [{ ...entry, comment: 'writers' }] }] }],
      });
      const dropped = run([[`pg_drop_${kind}_permission`, { table: 'author', role: 'user' }]], created);
      expect(exportMetadata(dropped)).toEqual(exportMetadata(run([author])));
    },
  );

  test.each([
    [
      'the same role twice',
      [author, create('delete', { filter: {} }), create('delete', { filter: {} })],
      'already-exists',
      '$',
    ],
    ['the admin', [author, create('insert', { check: {} }, 'admin')], 'already-exists', '$'],
    ['no check', [author, create('insert', { columns: '*' })], 'parse-failed', '$.permission.check'],
    ['no columns to update', [author, create('update', { filter: {} })], 'parse-failed', '$.permission.columns'],
    ['no filter', [author, create('delete', {})], 'parse-failed', '$.permission.filter'],
    ['no rows to select', [author, create('select', { columns: '*' })], 'parse-failed', '$.permission.filter'],
    ['no rows to update', [author, create('update', { columns: '*' })], 'parse-failed', '$.permission.filter'],
    ['an unknown member', [author, create('delete', { filter: {}, check: {} })], 'parse-failed', '$.permission.check'],
    [
      'a removal of an unknown permission',
      [author, ['drop_update_permission', { table: 'author', role: 'a' }]],
      'not-exists',
      '$.role',
    ],
  ] satisfies [string, Call[], string, string][])('rejects %s', (_what, calls, code, path) => {
    expect(errorOf(...calls)).toMatchObject({ code, path });
  });

  test('can be defined once for each role', () => {
    const entry = { role: 'user', permission: { filter: {} } };
    const table = { table: 'author', delete_permissions: [entry, entry] };
    const document = { version: 3, sources: [{ name: 'default', tables: [table] }] };
    expect(() => readDocument(document, emptyMetadata)).toThrow(/delete permission for role "user" is defined twice/);
  });

  test('uses the new name of a renamed relationship', () => {
    const using = { manual_configuration: { remote_table: 'author', column_mapping: { boss_id: 'id' } } };
    const renamed = run([
      author,
      ['create_object_relationship', { table: 'author', name: 'boss', using }],
      create('insert', { check: { boss: { id: 1 } } }),
      create('update', { columns: '*', filter: { boss: { id: 1 } }, check: { _not: { boss: {} } } }),
      create('delete', { filter: { boss: { id: 1 } } }),
      ['rename_relationship', { table: 'author', name: 'boss', new_name: 'chief' }],
    ]);
    const [table] = renamed.sources[0]?.tables ?? [];
    expect(table?.insert_permissions?.[0]?.permission).toEqual({ check: { chief: { id: 1 } } });
    expect(table?.update_permissions?.[0]?.permission).toMatchObject({
      filter: { chief: { id: 1 } },
      check: { _not: { chief: {} } },
    });
    expect(table?.delete_permissions?.[0]?.permission).toEqual({ filter: { chief: { id: 1 } } });
  });
});

describe('inherited roles', () => {
  const add = (role_name: string, ...role_set: string[]): Call => ['add_inherited_role', { role_name, role_set }];

  test('are added, replaced, exported in order and dropped', () => {
    const added = run([add('b', 'x'), add('a', 'x', 'y'), add('b', 'y')]);
    expect(exportMetadata(added)).toMatchObject({
      inherited_roles: [
        { role_name: 'a', role_set: ['x', 'y'] },
        { role_name: 'b', role_set: ['y'] },
      ],
    });
    const dropped = run([['drop_inherited_role', { role_name: 'a' }]], added);
    expect(dropped.inherited_roles).toEqual([{ role_name: 'b', role_set: ['y'] }]);
  });

  test.each([
    ['the admin', [add('admin', 'x')], 'already-exists', '$.role_name'],
    ['no parents', [add('a')], 'parse-failed', '$.role_set'],
    ['a removal of an unknown role', [['drop_inherited_role', { role_name: 'a' }]], 'not-exists', '$.role_name'],
  ] satisfies [string, Call[], string, string][])('rejects %s', (_what, calls, code, path) => {
    expect(errorOf(...calls)).toMatchObject({ code, path });
  });

  test('that are inconsistent are dropped, except for different permissions of their parents', () => {
    const added = run([add('a', 'x'), add('b', 'x')]);
    const { metadata, dropped } = dropObjects(added, ['$.inherited_roles[0]', '$.inherited_roles[1].role_set']);
    expect(dropped).toBe(1);
    expect(metadata.inherited_roles).toEqual([{ role_name: 'b', role_set: ['x'] }]);
  });
});
