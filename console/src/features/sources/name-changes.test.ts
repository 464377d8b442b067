import type { RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import { expect, test } from 'vitest';
import { changedRoots, nameChanges } from './name-changes.ts';

const removed = { change: 'removed', breaking: true } as const;
const added = { change: 'added', breaking: false } as const;
const roles: readonly RoleSchemaChanges[] = [
  {
    role: 'admin',
    changes: [
      { at: 'Shop_customer', ...added },
      { at: 'customer', ...removed },
      { at: 'query_root.shop_customer', ...added },
      { at: 'query_root.customer', ...removed },
      { at: 'query_root.order(limit:)', ...removed },
      { at: 'mutation_root.insert_customer', ...removed },
    ],
  },
  { role: 'user', changes: [{ at: 'query_root.customer', ...removed }] },
];

test('lists root fields before types, and breaking changes before others', () => {
  expect(nameChanges(roles)[0]?.changes.map(({ at }) => at)).toEqual([
    'query_root.customer',
    'query_root.order(limit:)',
    'mutation_root.insert_customer',
    'query_root.shop_customer',
    'customer',
    'Shop_customer',
  ]);
});

test('lists a root field that several roles lose once, without arguments', () => {
  expect(changedRoots(roles, 'removed')).toEqual(['customer', 'insert_customer']);
  expect(changedRoots(roles, 'added')).toEqual(['shop_customer']);
});
