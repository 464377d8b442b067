/** Tests of the roles for completion. */
import { expect, test } from 'vitest';
import { rolesIn } from './roles.ts';

test('lists admin, then the roles of permissions and inherited roles', () => {
  const metadata = {
    sources: [{ tables: [{ select_permissions: [{ role: 'user', permission: {} }], table: { name: 'role' } }] }],
    actions: [{ name: 'a', permissions: [{ role: 'app' }] }],
    inherited_roles: [{ role_name: 'both', role_set: ['user', 'app'] }],
  };
  expect(rolesIn(metadata)).toEqual(['admin', 'app', 'both', 'user']);
  expect(rolesIn(undefined)).toEqual(['admin']);
});
