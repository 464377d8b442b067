/** Tests of the path of a request. */
import { describe, expect, test } from 'vitest';
import type { Action, ActionsMetadata } from '../actions-api.ts';
import { handlerState, isHandlerFailure, type PathState, pathText, requestPath } from './request-path.ts';

const action = {
  name: 'place',
  definition: { handler: '{{HANDLERS}}/place', output_type: 'Placed', type: 'mutation' },
  permissions: [{ role: 'user' }],
} as unknown as Action;
const table = { schema: 'shop', name: 'customer' };
const relationships = [
  { name: 'customer', type: 'object', remote_table: table, field_mapping: { customerId: 'id' } },
  { name: 'profile', definition: { to_action: { action: 'profile', arguments: {} } } },
  {
    name: 'parcel',
    definition: { to_remote_schema: { remote_schema: 'carrier', lhs_fields: ['id'], remote_field: {} } },
  },
];
const carried = {
  name: 'weather',
  definition: { to_remote_schema: { remote_schema: 'meteo', lhs_fields: ['region'], remote_field: {} } },
};
const types = { objects: [{ name: 'Placed', fields: [], relationships }] };
const sources = [{ name: 'default', tables: [{ table, remote_relationships: [carried] }] }];
const metadata = { version: 1, actions: [action], types, sources: [], exported: { version: 3, sources } };
const unknown: PathState = { handler: undefined, inconsistent: undefined, remotes: undefined };
const pathOf = (state: Partial<PathState> = {}) =>
  requestPath(action, metadata as unknown as ActionsMetadata, { ...unknown, ...state });

test('the boxes lead to the tabs of the action, and to the pages of what the output is joined to', () => {
  const { steps, joined } = pathOf();
  expect(steps.map(({ kind, to }) => [kind, to])).toEqual([
    ['Client', '/actions/of/place?tab=run'],
    ['Permissions', '/actions/of/place?tab=permissions'],
    ['Handler', '/actions/of/place?tab=handler'],
    ['Output', '/actions/of/place'],
  ]);
  expect(joined.map(({ title, to }) => [title, to])).toEqual([
    ['shop.customer', '/data/default/shop/customer/rows'],
    ['profile', '/actions/of/profile'],
    ['carrier', '/remotes/of/carrier'],
  ]);
});

test('a joined table is followed by the remote schemas that it is joined to', () => {
  expect(pathOf().joined[0]?.next).toMatchObject([{ title: 'meteo', detail: 'shop.customer.weather' }]);
});

describe('a box is marked', () => {
  test('where its relationship is inconsistent, with the reason', () => {
    const inconsistent = [
      {
        type: 'action_relationship',
        name: 'customer',
        path: '$.custom_types.objects[0].relationships[0]',
        reason: 'Inconsistent object: no such column',
        definition: {},
      },
    ] as unknown as NonNullable<PathState['inconsistent']>;
    const states = pathOf({ inconsistent }).joined.map(({ state }) => state);
    expect(states).toEqual([{ tone: 'bad', word: 'Inconsistent', about: 'no such column' }, undefined, undefined]);
  });

  test('where its remote schema is not available', () => {
    const state = { tone: 'bad' as const, word: 'Unreachable' };
    expect(pathOf({ remotes: new Map([['carrier', state]]) }).joined[2]?.state).toEqual(state);
  });

  test('where its handler failed', () => {
    expect(handlerState(0, undefined).word).toBe('No failure in the last hour');
    expect(handlerState(2, 'timeout')).toEqual({ tone: 'bad', word: '2 failures in the last hour', about: 'timeout' });
  });
});

test('an error of the request itself is no failure of the handler', () => {
  expect(isHandlerFailure({ code: 'unexpected', path: '$.selectionSet.place' }, 'place')).toBe(true);
  expect(isHandlerFailure({ code: 'validation-failed', path: '$.selectionSet.place' }, 'place')).toBe(false);
  expect(isHandlerFailure({ code: 'unexpected', path: '$.selectionSet.other' }, 'place')).toBe(false);
});

test('the text has every box with its state', () => {
  const handler = handlerState(1, undefined);
  expect(pathText(action, pathOf({ handler }))).toBe(
    'A client calls place. It may be called by: user. The service calls the handler {{HANDLERS}}/place (1 failure in the last hour). ' +
      'The handler returns Placed. The output is joined to: row of shop.customer by Placed.customer, ' +
      'remote schema meteo by shop.customer.weather, action profile by Placed.profile, remote schema carrier by Placed.parcel.',
  );
});
