import { expect, test } from 'vitest';
import { rolesIn } from './roles.ts';

test('roles of tables, actions, remote schemas and inherited ones are found once', () => {
  const metadata = {
    sources: [{ tables: [{ select_permissions: [{ role: 'user', permission: { filter: { role: 'no' } } }] }] }],
    actions: [{ permissions: [{ role: 'user' }, { role: 'clerk' }] }],
    remote_schemas: [{ permissions: [{ role: 'guest' }] }],
    inherited_roles: [{ role_name: 'both', role_set: ['user', 'other'] }],
  };
  expect(rolesIn(metadata)).toEqual(['both', 'clerk', 'guest', 'other', 'user']);
});
