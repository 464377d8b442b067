import { expect, test } from 'vitest';
import { headerName, knownNames } from './known-names.ts';

test('roles and session variables are found wherever the metadata name them', () => {
  const metadata = {
    sources: [
      {
        tables: [
          {
            select_permissions: [
              {
                role: 'clerk',
                permission: { filter: { id: { _eq: 'X-Service-Shop' }, role: 'boss' }, columns: ['role'] },
              },
              { role: 'admin' },
            ],
          },
        ],
      },
    ],
    actions: [{ permissions: [{ role: 'buyer' }] }],
    inherited_roles: [{ role_name: 'lead', role_set: ['clerk', 'intern'] }],
  };
  expect(knownNames(metadata, 'x-service-')).toEqual({
    roles: ['buyer', 'clerk', 'intern', 'lead'],
    inherited: [{ role_name: 'lead', role_set: ['clerk', 'intern'] }],
    variables: ['X-Service-Role', 'X-Service-Shop', 'X-Service-User-Id'],
  });
});

test('a session variable is written with capital letters', () => {
  expect(headerName('x-hasura-', 'user-id')).toBe('X-Hasura-User-Id');
});
