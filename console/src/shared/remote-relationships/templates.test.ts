import { JoinDefinition } from '@joinery/metadata/schema/relationships';
import { expect, test } from 'vitest';
import { kindOf, templateFor } from './templates.ts';

const exported = {
  sources: [
    { name: 'empty' },
    {
      name: 'shop',
      tables: [{ table: { schema: 'public', name: 'customer' } }],
      functions: [{ function: { schema: 'public', name: 'orders_of' } }],
    },
  ],
  remote_schemas: [{ name: 'carrier' }],
  actions: [
    { name: 'place', definition: { arguments: [] } },
    { name: 'profile', definition: { type: 'query', arguments: [{ name: 'who' }] } },
  ],
};

test.each(['table', 'function', 'remote schema', 'action'] as const)(
  'the template for a %s is a valid definition',
  (kind) => {
    for (const metadata of [exported, {}]) {
      const definition = JSON.parse(templateFor(kind, 'customerId', metadata));
      expect(JoinDefinition.safeParse(definition).success).toBe(true);
      expect(kindOf(definition)).toBe(kind);
    }
  },
);

test('templates use names of the metadata', () => {
  expect(JSON.parse(templateFor('action', 'id', exported))).toEqual({
    to_action: { action: 'profile', arguments: { who: '$id' } },
  });
  expect(templateFor('table', 'id', exported)).toContain('"source": "shop"');
});
