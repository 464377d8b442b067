import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test, vi } from 'vitest';
import { rowsOf } from '../../test/support/model/planning.ts';
import { column, compare, modelFixture, tableOf, user } from '../../test/support/model/sample-model.ts';
import { relationKey } from '../postgres/catalog/catalog-types.ts';
import { roleSchema } from '../schema/role-schema.ts';
import { planOperation, prepare } from './operation.ts';
import type { OperationPlan } from './plan/operation.ts';

function planner(query: string) {
  const { model } = modelFixture();
  const schema = roleSchema(model, user);
  return (variables?: Readonly<Record<string, unknown>>): OperationPlan =>
    planOperation(prepare(schema, query, undefined), variables).plan;
}

describe('a document', () => {
  test('is parsed and validated once', () => {
    const schema = roleSchema(modelFixture().model, user);
    const query = 'query a { author { id } } query b { article { id } }';
    expect(prepare(schema, query, 'a')).toBe(prepare(schema, query, 'a'));
    expect(prepare(schema, query, 'b')).not.toBe(prepare(schema, query, 'a'));
  });

  test('is prepared again for another schema', () => {
    const { model } = modelFixture();
    const query = '{ motto }';
    expect(prepare(roleSchema(model, user), query, undefined)).not.toBe(
      prepare(roleSchema(modelFixture().model, user), query, undefined),
    );
  });

  test('is prepared for each role that shares a schema', () => {
    const { model } = modelFixture();
    const roles = ['one', 'other'].map((name) => RoleName.parse(name));
    const [one, other] = roles.map((role) => prepare(roleSchema(model, role), '{ motto }', undefined));
    expect([one?.roleSchema.role, other?.roleSchema.role]).toEqual(roles);
  });

  test('has one operation for an empty name and for none', () => {
    const schema = roleSchema(modelFixture().model, user);
    const query = 'query a { author { id } }';
    expect(prepare(schema, query, '')).toBe(prepare(schema, query, undefined));
    expect(prepare(schema, query, '').name).toBe('a');
  });

  test('builds no types of tables that it does not use', () => {
    const { model, author } = modelFixture();
    const other = tableOf('default', 'other', { id: 'Int!' });
    const values = vi.spyOn(other.relationships, 'values');
    const source = [...model.sources.values()].find(({ name }) => name === author.source);
    if (source === undefined) throw new Error('no source');
    const tables = new Map(source.tables).set(relationKey('public', 'other'), other);
    const request = { model: { ...model, sources: new Map([[source.name, { ...source, tables }]]) }, role: user };
    rowsOf(request, 'query ($w: author_bool_exp, $f: float8) { author(where: $w) { articles { title } } }');
    expect(values).not.toHaveBeenCalled();
  });
});

describe('a plan', () => {
  test('is created once for a request without variables', () => {
    const plan = planner('{ author { id } }');
    expect(plan()).toBe(plan());
    expect(plan(undefined)).toBe(plan({}));
  });

  test('is valid for every value of a scalar variable', () => {
    const plan = planner('query ($id: Int!, $n: Int) { author(where: {id: {_eq: $id}}, limit: $n) { id } }');
    expect(plan({ id: 1, n: 5 })).toBe(plan({ id: 2, n: 6 }));
  });

  test('is valid for every list of scalars', () => {
    const plan = planner('query ($ids: [Int!]) { author(where: {id: {_in: $ids}}) { id } }');
    expect(plan({ ids: [1, 2] })).toBe(plan({ ids: [] }));
  });

  test('differs for a value, null and an absent variable', () => {
    const plan = planner('query ($n: Int) { author(limit: $n) { id } }');
    const [given, isNull, absent] = [plan({ n: 1 }), plan({ n: null }), plan({})];
    expect(given.roots[0]).toMatchObject({ rows: { limit: { kind: 'variable', name: 'n' } } });
    expect(isNull.roots[0]).toMatchObject({ rows: { limit: undefined } });
    expect(new Set([given, isNull, absent]).size).toBe(3);
    expect(plan({ n: 2 })).toBe(given);
    expect(plan({ n: null })).toBe(isNull);
    expect(plan({})).toBe(absent);
  });

  test('differs for each value of a variable that determines the selection', () => {
    const { model, author, rules } = modelFixture();
    const request = { model, role: user };
    const query = 'query ($w: author_bool_exp) { author(where: $w) { id } }';
    const first = rowsOf(request, query, { w: { id: { _eq: 1 } } });
    const second = rowsOf(request, query, { w: { id: { _gt: 1 } } });
    const id = column(author, 'id');
    expect(first.where).toEqual({
      kind: 'and',
      of: [rules.author, compare(id, { kind: 'constant', value: 1 })],
    });
    expect(second.where).toEqual({
      kind: 'and',
      of: [rules.author, compare(id, { kind: 'constant', value: 1 }, '_gt')],
    });
    expect(rowsOf(request, query, { w: { id: { _eq: 1 } } })).toBe(first);
  });

  test('differs for each value of @include and @skip', () => {
    const plan = planner('query ($flag: Boolean!) { author { id @skip(if: $flag) name @include(if: $flag) } }');
    const [yes, no] = [plan({ flag: true }), plan({ flag: false })];
    expect(yes.roots[0]).toMatchObject({ rows: { fields: [{ alias: 'name' }] } });
    expect(no.roots[0]).toMatchObject({ rows: { fields: [{ alias: 'id' }] } });
    expect(plan({ flag: true })).toBe(yes);
  });

  test('depends on a variable as soon as a later request settles it', () => {
    const plan = planner(
      'query ($flag: Boolean!, $w: author_bool_exp) { author { id } a: author(where: $w) @include(if: $flag) { id } }',
    );
    const without = plan({ flag: false, w: { id: { _eq: 1 } } });
    const withOne = plan({ flag: true, w: { id: { _eq: 1 } } });
    const withTwo = plan({ flag: true, w: { id: { _eq: 2 } } });
    expect(without.roots).toHaveLength(1);
    expect(withOne.roots[1]).not.toEqual(withTwo.roots[1]);
    expect(plan({ flag: true, w: { id: { _eq: 1 } } })).toBe(withOne);
  });

  test('is rejected with a negative limit, in a literal or a variable', () => {
    const plan = planner('query ($n: Int) { author(limit: $n) { id } }');
    expect(plan({ n: 5 })).toBeDefined();
    expect(() => plan({ n: -5 })).toThrow('unexpected negative value');
    expect(() => planner('{ author(offset: -1) { id } }')()).toThrow(
      expect.objectContaining({ path: '$.selectionSet.author.args.offset' }),
    );
  });

  test('is returned with the coerced variables', () => {
    const { model } = modelFixture();
    const prepared = prepare(
      roleSchema(model, user),
      'query ($a: Int = 3, $b: [Int!]) { author(limit: $a, where: {id: {_in: $b}}) { id } }',
      undefined,
    );
    expect(planOperation(prepared, { b: 7 }).variables).toEqual({ a: 3, b: [7] });
    expect(() => planOperation(prepared, { b: 'x' })).toThrow(expect.objectContaining({ path: '$.variables.b' }));
  });

  test('contains the kind and the name of the operation', () => {
    expect(planner('query first { motto }')()).toMatchObject({ kind: 'query', name: 'first' });
    expect(planner('{ motto }')()).toMatchObject({ kind: 'query', name: undefined });
  });

  test('has the limit of rows, except of a mutation', () => {
    const { model } = modelFixture();
    const limitOf = (query: string, maxRows?: number) => {
      const prepared = prepare(roleSchema(model, ADMIN_ROLE), query, undefined);
      return planOperation(prepared, undefined, maxRows).plan.maxRows;
    };
    expect(limitOf('{ author { id } }', 7)).toBe(7);
    expect(limitOf('{ article { id } }')).toBeUndefined();
    expect(limitOf('mutation { delete_author(where: {}) { affected_rows } }', 7)).toBeUndefined();
  });

  test('is not cached with a long introspection result', () => {
    const names = Array.from({ length: 60 }, (_, index) => `a${index}: types { name kind description }`).join(' ');
    const long = planner(`{ __schema { ${names} } }`);
    expect(long()).toEqual(long());
    expect(long()).not.toBe(long());
    const short = planner('{ __type(name: "author") { name } }');
    expect(short()).toBe(short());
  });

  test('is rejected with variables that the operation does not declare', () => {
    expect(() => planner('{ motto }')({ a: 1 })).toThrow('unexpected variables in variableValues: a');
  });

  test.each([
    ['an error of validation', 'query ($n: Int) { author(limit: $n) { nothing } }', "field 'nothing' not found"],
    [
      'an error of planning',
      '{ author(distinct_on: id, order_by: {name: asc}) { id } }',
      '"distinct_on" columns must match',
    ],
  ])('is rejected with %s', (_what, query, message) => {
    expect(() => planner(query)()).toThrow(message);
  });

  test('is rejected if variables are nested deeper than the stack', () => {
    let where: unknown = {};
    for (let depth = 0; depth < 20_000; depth += 1) where = { _not: where };
    const plan = planner('query ($w: author_bool_exp) { author(where: $w) { id } }');
    expect(() => plan({ w: where })).toThrow('nested too deeply');
  });

  test('is rejected if nested fragments select too many fields', () => {
    const levels = Array.from(
      { length: 20 },
      (_, index) =>
        `fragment F${index} on author { a: articles { author { ...F${index + 1} } } b: articles { author { ...F${index + 1} } } }`,
    );
    const query = `{ author { ...F0 } } ${levels.join(' ')} fragment F20 on author { id }`;
    expect(() => planner(query)()).toThrow('the operation selects more than 20000 fields');
  });
});

describe('a subscription', () => {
  const plan = (query: string) => planner(`subscription ${query}`)();

  test('has one root field, with a fragment or an alias', () => {
    expect(plan('{ a: author { id } }')).toMatchObject({ kind: 'subscription', roots: [{ alias: 'a' }] });
    expect(plan('{ ... on subscription_root { author { id } } author { name } }').roots).toHaveLength(1);
  });

  test.each([
    ['several root fields', '{ author { id } article { id } }'],
    ['several root fields of introspection', '{ a: __typename b: __typename }'],
    ['no root field', '{ author @skip(if: true) { id } }'],
  ])('is rejected with %s', (_what, query) => {
    expect(() => plan(query)).toThrow(
      expect.objectContaining({
        code: 'validation-failed',
        message: 'subscriptions must select one top level field',
      }),
    );
  });

  test('is rejected with introspection', () => {
    expect(() => plan('{ __typename }')).toThrow(
      expect.objectContaining({
        code: 'not-supported',
        message: 'Introspection at root field level is not supported over subscriptions',
      }),
    );
  });
});
