import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../api/json.ts';
import { allOf, existsIn, type RuleNode, readRule, writeRule } from './rule.ts';

const rules: readonly JsonObject[] = [
  {},
  { id: 1 },
  { id: { _eq: 'X-Service-User-Id' } },
  { id: { $gt: 1, $lt: 9 }, name: { _ne: 'x' } },
  { $or: [{ a: 1 }, { $not: { b: { $in: [1, 2] } } }] },
  { _and: [] },
  { _and: [{ a: { _eq: 1 } }, { a: { _eq: 2 } }, {}] },
  { _or: [{ a: 1, b: { _is_null: true } }, { _and: [{ c: 1 }] }], d: 2 },
  { _not: {} },
  { _not: { _not: { a: 1 } } },
  { _not: { a: 1, b: 2 } },
  { _not: { _or: [{ a: 1 }] } },
  { author: { group: { members: { id: { _eq: 'x-service-user-id' } } }, _not: { banned: { _eq: true } } } },
  { author: {} },
  { _exists: { _table: 'admins', _where: { id: { _ceq: ['$', 'owner_id'] } } } },
  { _exists: { _table: { schema: 'auth', name: 'admins' } } },
  { _exists: { _table: { name: 'admins' }, _where: {} } },
  { tags: { _contains: ['a'] }, meta: { _has_keys_any: ['a'], _cast: { String: { _like: '%a%' } } } },
  { orders_aggregate: { count: { predicate: { _gt: 3 }, filter: { paid: { _eq: true } } } } },
  { a: null, _and: 1, _or: {}, _not: [], _exists: 1, _wrong: { b: 1 } },
  { _or: [1, null, [{ a: 1 }]] },
];

describe('a rule that is read and written again', () => {
  test.each(rules.map((rule) => [JSON.stringify(rule), rule] as const))('%s is the same text', (text, rule) => {
    expect(JSON.stringify(writeRule(readRule(rule)))).toBe(text);
  });

  test('is the same text for random rules', () => {
    const random = numbers(7);
    for (let round = 0; round < 3_000; round += 1) {
      const json = sampleObject(random, 4);
      expect(JSON.stringify(writeRule(readRule(json)))).toBe(JSON.stringify(json));
    }
  });
});

describe('the tree of a rule', () => {
  test('has a comparison for each operator of a column', () => {
    expect(readRule({ id: { _gt: 1, _lt: 9 } }).of).toMatchObject([
      { kind: 'compare', column: 'id', operator: '_gt', value: 1 },
      { kind: 'compare', column: 'id', operator: '_lt', value: 9 },
    ]);
  });

  test('distinguishes a relationship from a column by its value', () => {
    const [first, second, third] = readRule({ a: { _not: { b: 1 } }, c: { _eq: 1 }, d: { e: { _eq: 1 } } }).of;
    expect([first?.kind, second?.kind, third?.kind]).toEqual(['related', 'compare', 'related']);
  });

  test('sets "not" on the negated group', () => {
    expect(readRule({ _not: { _or: [{ a: 1 }] } })).toMatchObject({ mode: 'or', negated: true, of: [{ column: 'a' }] });
  });
});

describe('a tree that was built', () => {
  const compare = (column: string, operator: string, value: unknown, bare = false): RuleNode => ({
    kind: 'compare',
    column,
    operator,
    value,
    bare,
  });

  test.each([
    [
      'two operators of one column in one member',
      [compare('a', '_gt', 1), compare('a', '_lt', 9)],
      { a: { _gt: 1, _lt: 9 } },
    ],
    [
      'a repeated operator in a list',
      [compare('a', '_eq', 1), compare('a', '_eq', 2)],
      { _and: [{ a: { _eq: 1 } }, { a: { _eq: 2 } }] },
    ],
    [
      'a bare value and an operator in one member',
      [compare('a', '_eq', 1, true), compare('a', '_lt', 9)],
      { a: { _eq: 1, _lt: 9 } },
    ],
    [
      'a nested group as a list',
      [compare('a', '_eq', 1), allOf([compare('a', '_eq', 2)])],
      { a: { _eq: 1 }, _and: [{ a: { _eq: 2 } }] },
    ],
    [
      'any row of a table',
      [existsIn({ schema: 'auth', name: 'admins' })],
      { _exists: { _table: { schema: 'auth', name: 'admins' }, _where: {} } },
    ],
  ] satisfies [string, RuleNode[], JsonObject][])('is printed: %s', (_what, nodes, json) => {
    expect(writeRule(allOf(nodes))).toEqual(json);
  });
});

/** Returns a seeded generator of integers from 0 up to `below`. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const names = [
  'a',
  'b',
  '_and',
  '_or',
  '_not',
  '$or',
  '_exists',
  '_table',
  '_where',
  '_eq',
  '_in',
  'c_aggregate',
  'count',
];

function sampleObject(random: (below: number) => number, depth: number): JsonObject {
  const size = random(4);
  return Object.fromEntries(
    Array.from({ length: size }, () => [names[random(names.length)] ?? 'a', someJson(random, depth - 1)]),
  );
}

function someJson(random: (below: number) => number, depth: number): unknown {
  switch (random(depth > 0 ? 7 : 3)) {
    case 0:
      return random(10);
    case 1:
      return 'x-service-user-id';
    case 2:
      return null;
    case 3:
      return Array.from({ length: random(3) }, () => someJson(random, depth - 1));
    default:
      return sampleObject(random, depth);
  }
}
