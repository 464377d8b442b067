import { ADMIN_ROLE } from '@joinery/metadata/names';
import { GraphQLObjectType, GraphQLString, parse, ScalarLeafsRule, validate } from 'graphql';
import { expect, test, vi } from 'vitest';
import { modelFixture } from '../../test/support/model/sample-model.ts';
import { LazySchema } from './lazy-schema.ts';
import { roleSchema } from './role-schema.ts';

function lazy() {
  const fields = vi.fn(() => ({ name: { type: GraphQLString } }));
  const hidden = new GraphQLObjectType({ name: 'hidden', fields });
  const query = new GraphQLObjectType({
    name: 'query_root',
    fields: { plain: { type: GraphQLString }, hidden: { type: hidden } },
  });
  const find = (name: string) => (name === 'hidden' ? hidden : undefined);
  return {
    schema: new LazySchema({ query, mutation: undefined, subscription: undefined, types: [], directives: [], find }),
    hidden,
    fields,
  };
}

test('a type is created when a request uses it', () => {
  const { schema, fields } = lazy();
  expect(validate(schema, parse('{ plain }'), [ScalarLeafsRule])).toEqual([]);
  expect(schema.getType('String')).toBe(GraphQLString);
  expect(fields).not.toHaveBeenCalled();
});

test('the type map has all types, and they are the same objects', () => {
  const { schema, hidden } = lazy();
  expect(schema.getTypeMap().hidden).toBe(hidden);
  expect(schema.getType('nothing')).toBeUndefined();
});

test('a scalar that only columns have is found by its name', () => {
  const { schema } = roleSchema(modelFixture().model, ADMIN_ROLE);
  const bigint = schema.getType('bigint');
  expect(bigint).toBeDefined();
  expect(schema.getTypeMap().bigint).toBe(bigint);
});
