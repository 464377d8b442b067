import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { describe, expect, test } from 'vitest';
import type { Operation } from './access.ts';
import { suggestedPermissions } from './suggested-permissions.ts';

const session = { prefix: 'x-hasura-', variables: ['x-hasura-user-id'] };

function column(name: string, type = 'int4', more: Partial<ColumnInfo> = {}): ColumnInfo {
  const usual = { nullable: true, has_default: false, default: null, generated: false, identity: null };
  return { name, type, sql_type: type, ...usual, writable: true, comment: null, ...more };
}

function table(name: string, columns: readonly ColumnInfo[], more: Partial<TableInfo> = {}): TableInfo {
  return {
    table: { schema: 'public', name },
    kind: 'table',
    comment: null,
    estimated_rows: null,
    insertable: true,
    updatable: true,
    deletable: true,
    columns,
    computed_keys: [],
    primary_key: ['id'],
    unique_keys: [],
    foreign_keys: [],
    tracked: true,
    enum: false,
    changed: false,
    ...more,
  };
}

function offered(info: TableInfo, operation: Operation = 'select'): readonly string[] {
  return suggestedPermissions(info, operation, session).permissions.map(({ label, condition }) =>
    condition === '' ? label : `${label}: ${condition}`,
  );
}

describe('suggested permissions', () => {
  test.each(['user_id', 'userId', 'owner_id', 'author_id', 'created_by', 'customer_uuid', 'uid'])(
    'suggest own rows for a column %s',
    (name) => {
      expect(offered(table('note', [column('id'), column(name)]))).toEqual([
        `Own rows: ${name} equals x-hasura-user-id`,
        'All rows',
      ]);
    },
  );

  test('suggest own rows for a column that references a table of people', () => {
    const key = { constraint: 'k', columns: { written_from: 'id' }, table: { schema: 'public', name: 'users' } };
    const info = table('note', [column('id'), column('written_from')], { foreign_keys: [key] });
    expect(offered(info)).toEqual(['Own rows: written_from equals x-hasura-user-id', 'All rows']);
  });

  test('suggest the own row of a table of people by its primary key only', () => {
    const info = table('users', [column('id', 'uuid'), column('author_id')]);
    expect(offered(info)).toEqual(['Own rows: id equals x-hasura-user-id', 'All rows']);
  });

  test('suggest rows of a tenant by a session variable with the name of the column', () => {
    expect(offered(table('note', [column('id'), column('tenantId', 'uuid')]))).toEqual([
      'Rows of the tenant: tenantId equals X-Hasura-Tenant-Id',
      'All rows',
    ]);
  });

  test('suggest all rows only where no column has a type of keys and the name of an owner', () => {
    expect(offered(table('note', [column('id'), column('owner', 'jsonb'), column('username', 'text')]))).toEqual([
      'All rows',
    ]);
  });

  test('select no columns whose names are those of secrets, and list them', () => {
    const names = ['id', 'user_id', 'password_hash', 'apiKey', 'hashtag', 'passenger'];
    const found = suggestedPermissions(
      table(
        'note',
        names.map((name) => column(name)),
      ),
      'select',
      session,
    );
    expect(found.secrets).toEqual(['password_hash', 'apiKey']);
    expect(found.permissions[0]?.permission).toEqual({
      columns: ['id', 'user_id', 'hashtag', 'passenger'],
      filter: { user_id: { _eq: 'x-hasura-user-id' } },
    });
  });

  const own = { user_id: { _eq: 'x-hasura-user-id' } };
  test.each([
    ['insert', { columns: ['text'], check: own, set: { user_id: 'x-hasura-user-id' } }],
    ['update', { columns: ['text'], filter: own, check: own }],
    ['delete', { filter: own }],
  ] as const)(
    'of %s on own rows keep the rows own, and leave out generated columns and keys',
    (operation, permission) => {
      const info = table('note', [
        column('id', 'int4', { identity: 'by default' }),
        column('user_id'),
        column('text', 'text'),
        column('words', 'int4', { generated: true, writable: false }),
      ]);
      expect(suggestedPermissions(info, operation, session).permissions[0]?.permission).toEqual(permission);
    },
  );
});
