import { describe, expect, test } from 'vitest';
import type { InheritedRole } from '../../shared/roles/known-names.ts';
import { accessOf, ancestorsOf, canCount, type Operation, type PermittedTable } from './access.ts';

const columns = ['id', 'name', 'email'];
const inherited: readonly InheritedRole[] = [
  { role_name: 'lead', role_set: ['clerk', 'reader'] },
  { role_name: 'head', role_set: ['lead', 'head'] },
];
const table: PermittedTable = {
  select_permissions: [
    { role: 'reader', permission: { columns: '*', filter: {} } },
    { role: 'clerk', permission: { columns: ['id', 'name'], filter: { id: { _eq: 1 } } } },
    { role: 'guest', permission: { columns: '*', filter: {}, query_root_fields: [] } },
  ],
  insert_permissions: [
    { role: 'clerk', permission: { check: {} } },
    { role: 'reader', permission: { check: {}, columns: ['id'], backend_only: true } },
  ],
  update_permissions: [{ role: 'clerk', permission: { columns, filter: {}, check: { id: { _gt: 0 } } } }],
  delete_permissions: [{ role: 'clerk', permission: { filter: {} } }],
};

describe('effective permissions of a role', () => {
  test.each([
    ['admin', 'delete', { level: 'full', from: 'admin', about: '' }],
    ['reader', 'select', { level: 'full', from: 'own', about: '' }],
    ['clerk', 'select', { level: 'partial', from: 'own', about: 'by a rule, 2 of 3 columns' }],
    ['clerk', 'insert', { level: 'full', from: 'own', about: '' }],
    ['reader', 'insert', { level: 'partial', from: 'own', about: '1 of 3 columns, backends only' }],
    ['clerk', 'update', { level: 'partial', from: 'own', about: 'by a rule' }],
    ['clerk', 'delete', { level: 'full', from: 'own', about: '' }],
    ['reader', 'delete', { level: 'none', from: 'none', about: '' }],
    ['lead', 'select', { level: 'full', from: 'inherited', about: 'inherited' }],
    ['head', 'update', { level: 'partial', from: 'inherited', about: 'inherited' }],
    ['guest', 'select', { level: 'partial', from: 'own', about: 'some root fields' }],
    ['unknown', 'select', { level: 'none', from: 'none', about: '' }],
  ] satisfies [string, Operation, object][])('%s, %s', (role, operation, access) => {
    expect(accessOf(table, operation, role, inherited, columns)).toEqual(access);
  });

  test('the search of inherited permissions ends for a circle of roles', () => {
    const circle = [
      { role_name: 'a', role_set: ['b'] },
      { role_name: 'b', role_set: ['a'] },
    ];
    expect(accessOf(table, 'select', 'a', circle, columns).level).toBe('none');
    expect(ancestorsOf('a', circle)).toEqual(['b']);
  });
});

test('finds direct and indirect parent roles', () => {
  expect(ancestorsOf('head', inherited)).toEqual(['lead', 'clerk', 'reader']);
});

test.each([
  [{ allow_aggregations: true }, true],
  [{ allow_aggregations: true, query_root_fields: ['select'] }, false],
  [{ allow_aggregations: true, query_root_fields: ['select_aggregate'] }, true],
  [{}, false],
] as const)('a role with the permission %j may count rows: %s', (permission, expected) => {
  expect(
    canCount(
      { select_permissions: [{ role: 'clerk', permission: { columns: [], filter: {}, ...permission } }] },
      'clerk',
    ),
  ).toBe(expected);
  expect(canCount({}, 'clerk')).toBe(false);
});
