import { expect, test } from 'vitest';
import { headerName, knownNames } from './known-names.ts';

test('finds roles and session variables in all parts of the metadata', () => {
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

test('writes session variables in the capitalization of headers', () => {
  expect(headerName('x-hasura-', 'user-id')).toBe('X-Hasura-User-Id');
});
