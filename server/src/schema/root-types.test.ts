import { ADMIN_ROLE } from '@joinery/metadata/names';
import { GraphQLObjectType, GraphQLSchema, printType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { modelFixture, stranger, user } from '../../test/support/model/sample-model.ts';
import type { Model } from '../model/model.ts';
import { assembleSchema } from './assemble.ts';
import { createRegistry } from './registry.ts';
import { LazyRootType } from './root-types.ts';
import { allRoots } from './roots.ts';

const { model } = modelFixture();
const models: readonly (readonly [string, Model])[] = [
  ['plain', model],
  ['with Apollo Federation', { ...model, apolloFederation: true }],
];
const cases = models.flatMap(([name, one]) => [ADMIN_ROLE, user, stranger].map((role) => ({ name, one, role })));

/** The schema whose root fields are created at once. */
function eagerSchema(of: Model, role: (typeof cases)[number]['role']): GraphQLSchema {
  const registry = createRegistry({ model: of, role, backend: false }, new Map());
  const { query, mutation, subscription, types } = allRoots(registry);
  const root = (name: string, fields: typeof query) =>
    Object.keys(fields).length === 0
      ? undefined
      : new GraphQLObjectType({ name, fields, ...(name === 'mutation_root' && { description: 'mutation root' }) });
  return new GraphQLSchema({
    query: root('query_root', query),
    mutation: root('mutation_root', mutation),
    subscription: root('subscription_root', subscription),
    types,
    directives: [],
  });
}

describe.each(cases)('the $name schema of $role', ({ one, role }) => {
  const schema = assembleSchema(one, role, false);
  const all = assembleSchema(one, role, false).getTypeMap();

  test('has the fields that are created at once, in their order', () => {
    if (one.apolloFederation || role === stranger) return;
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const eager = eagerSchema(one, role);
    const same = [eager.getQueryType(), eager.getMutationType(), eager.getSubscriptionType()];
    expect(roots.map((type) => type && printType(type))).toEqual(same.map((type) => type && printType(type)));
    const types = Object.values(eager.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
    for (const type of types) {
      const lazy = schema.getType(type.name);
      expect(lazy && printType(lazy)).toBe(printType(type));
    }
  });

  test('finds each type by its name, before any field is used', () => {
    for (const [name, type] of Object.entries(all)) {
      const found = assembleSchema(one, role, false).getType(name);
      expect(found && printType(found), name).toBe(printType(type));
    }
  });

  test('creates the same root fields one by one', () => {
    for (const kind of ['query_root', 'mutation_root', 'subscription_root']) {
      const whole = all[kind];
      if (!(whole instanceof LazyRootType)) continue;
      const own = assembleSchema(one, role, false);
      const root = [own.getQueryType(), own.getMutationType(), own.getSubscriptionType()].find(
        (type) => type?.name === kind,
      );
      for (const field of Object.values(whole.getFields())) {
        const single = root?.getFields()[field.name];
        expect([single?.name, String(single?.type), single?.args.map((one) => `${one.name}: ${one.type}`)]).toEqual([
          field.name,
          String(field.type),
          field.args.map((one) => `${one.name}: ${one.type}`),
        ]);
        expect(root?.getFields()[field.name]).toBe(single);
      }
      expect(Object.keys(root?.getFields() ?? {})).toEqual(Object.keys(whole.getFields()));
    }
  });

  test('has no fields of other names', () => {
    const fields = schema.getQueryType()?.getFields();
    for (const name of ['nothing', 'constructor', '__proto__', 'toString', '']) expect(fields?.[name]).toBeUndefined();
    expect(schema.getType('nothing')).toBeUndefined();
  });
});

test.each(['author_bool_exp', 'author_insert_input', 'author_order_by', 'Int_comparison_exp', 'order_by'])(
  'a variable of type %s does not create all types',
  (name) => {
    const schema = assembleSchema(model, ADMIN_ROLE, false);
    expect(schema.getType(name)?.name).toBe(name);
    expect(schema.forAllTypes()).not.toBe(schema);
  },
);
