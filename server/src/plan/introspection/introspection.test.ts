import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { modelFixture, user } from '../../../test/support/model/sample-model.ts';
import { LazySchema } from '../../schema/lazy-schema.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { defaultInputLimits } from '../document/input-limits.ts';
import { planOperation, prepare } from '../operation.ts';
import { type IntrospectionResults, planInSlices } from './introspection.ts';

function fixture(query = getIntrospectionQuery()) {
  const own = roleSchema(modelFixture().model, user);
  const plan = (introspections?: IntrospectionResults) =>
    planOperation(prepare(own, query, undefined), undefined, undefined, {
      limits: defaultInputLimits,
      introspections,
    }).plan;
  return { schema: own.schema, plan };
}

test('a result is created before the operation is planned, and once for each schema', async () => {
  const { plan } = fixture();
  const first = planInSlices(plan);
  expect(first).toBeInstanceOf(Promise);
  const second = planInSlices(plan);
  const known = await first;
  expect(planInSlices(plan)).toEqual(known);
  expect(await second).toEqual(known);
  expect(planInSlices(fixture().plan)).toBeInstanceOf(Promise);
});

test('all results of an operation are created', async () => {
  const { plan } = fixture(
    '{ a: __schema { types { name } } b: __type(name: "author") { name } c: __type(name: "no") { name } }',
  );
  const { roots } = await planInSlices(plan);
  expect(roots.map(({ alias, kind }) => [alias, kind])).toEqual([
    ['a', 'constant'],
    ['b', 'constant'],
    ['c', 'constant'],
  ]);
  expect(roots).toEqual(
    fixture(
      '{ a: __schema { types { name } } b: __type(name: "author") { name } c: __type(name: "no") { name } }',
    ).plan().roots,
  );
});

test('introspection creates no types in the schema that requests use', () => {
  const { plan, schema } = fixture();
  if (!(schema instanceof LazySchema)) throw new Error('expected a lazy schema');
  plan();
  expect(schema.forAllTypes()).not.toBe(schema);
  schema.getTypeMap();
  expect(schema.forAllTypes()).toBe(schema);
});

test('an error of another part of the plan is that of the operation', async () => {
  const { plan } = fixture(
    '{ __schema { types { name } } a: author { id } a: author { name } b: author { id } b: article { id } }',
  );
  await expect(async () => planInSlices(plan)).rejects.toThrow('one of them an alias');
});
