/** Tests of what roles see of the output of an action. */
import { expect, test } from 'vitest';
import type { Action, ActionsMetadata } from '../actions-api.ts';
import { joinedViews } from './role-view.ts';

const action = { name: 'place', definition: { handler: 'http://a', output_type: '[Placed!]' } } as Action;
const types = {
  objects: [
    {
      name: 'Placed',
      fields: [{ name: 'customerId', type: 'Int' }],
      relationships: [
        {
          name: 'customer',
          type: 'object',
          remote_table: { schema: 'public', name: 'customer' },
          field_mapping: { customerId: 'id' },
        },
        { name: 'profile', definition: { to_action: { action: 'profile', arguments: {} } } },
      ],
    },
  ],
};
const exported = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: { schema: 'public', name: 'customer' },
          select_permissions: [{ role: 'user', permission: { columns: ['id', 'name'], filter: {} } }],
        },
      ],
    },
  ],
  actions: [{ name: 'profile', definition: action.definition, permissions: [{ role: 'clerk' }] }],
  inherited_roles: [{ role_name: 'staff', role_set: ['clerk', 'user'] }],
};
const metadata = { version: 1, actions: [action], types, sources: [], exported } as unknown as ActionsMetadata;

const seenBy = (role: string) => joinedViews(action, metadata, role).map(({ sees, text }) => [sees, text]);

test('a role sees the columns of its select permission, and nothing without one', () => {
  expect(seenBy('user')).toEqual([
    [true, 'id, name'],
    [false, 'may not call profile'],
  ]);
  expect(seenBy('clerk')).toEqual([
    [false, 'no select permission on customer'],
    [true, 'may call profile'],
  ]);
});

test('an inherited role sees what its members see, and admin everything', () => {
  expect(seenBy('staff')).toEqual([
    [true, 'id, name'],
    [true, 'may call profile'],
  ]);
  expect(seenBy('admin')).toEqual([
    [true, 'all columns'],
    [true, 'may call profile'],
  ]);
});

test('links each relationship to the page of its permission', () => {
  expect(joinedViews(action, metadata, 'user').map(({ field, to }) => [field, to])).toEqual([
    ['Placed.customer', '/data/default/public/customer/permissions'],
    ['Placed.profile', '/actions/of/profile?tab=permissions'],
  ]);
});
