import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../api/json.ts';
import { readRule } from '../../../shared/rules/rule.ts';
import type { RuleTable } from '../../../shared/rules/rule-table.ts';
import { asWhere } from './preview-where.ts';

const customer = { schema: 'public', name: 'customer' };
const bare = { computedFields: [], primaryKey: ['id'], estimatedRows: null };
const order: RuleTable = {
  ...bare,
  table: { schema: 'public', name: 'order' },
  columns: [
    { name: 'id', type: 'int4' },
    { name: 'status', type: 'text' },
    { name: 'paid', type: 'bool' },
    { name: 'tags', type: 'jsonb' },
  ],
  relationships: [{ name: 'customer', kind: 'object', target: customer }],
};
const customers: RuleTable = { ...bare, table: customer, columns: [{ name: 'id', type: 'int8' }], relationships: [] };
const terms = {
  prefix: 'x-service-',
  session: { 'x-service-user-id': '7', 'x-service-allowed': '{1,2}', 'x-service-paid': 'true' },
  tableNamed: async () => customers,
};

async function where(rule: JsonObject): Promise<unknown> {
  const found = await asWhere(readRule(rule), order, terms);
  return 'where' in found ? found.where : found.why;
}

describe('a rule as a request of the admin', () => {
  test.each([
    [{}, {}],
    [{ id: { _eq: 'X-Service-User-Id' } }, { id: { _eq: 7 } }],
    [{ status: { _eq: 'X-Service-User-Id' } }, { status: { _eq: '7' } }],
    [{ status: { _like: 'X-%' } }, { status: { _like: 'X-%' } }],
    [{ paid: 'X-Service-Paid' }, { paid: true }],
    [{ id: { _in: 'X-Service-Allowed' } }, { id: { _in: [1, 2] } }],
    [{ id: { _in: ['X-Service-User-Id', 9] } }, { id: { _in: [7, 9] } }],
    [{ tags: { _has_keys_any: 'X-Service-Allowed' } }, { tags: { _has_keys_any: ['1', '2'] } }],
    [{ customer: { id: { _eq: 'x-service-user-id' } } }, { customer: { id: { _eq: 7 } } }],
    [{ _not: { _or: [{ id: 'x-service-user-id' }] } }, { _not: { _or: [{ id: 7 }] } }],
    [{ status: { _is_null: 'X-Service-Paid' } }, { status: { _is_null: true } }],
  ])('%j is %j', async (rule, expected) => {
    expect(await where(rule)).toEqual(expected);
  });

  test.each([
    [{ id: { _eq: 'X-Service-Unknown' } }, /X-Service-Unknown has no value/],
    [{ id: { _eq: 'X-Service-Allowed' } }, /is no value of a column of type int4/],
    [{ id: { _in: 'X-Service-User-Id' } }, /must be a list as PostgreSQL writes it/],
    [{ id: { _ceq: 'status' } }, /compare “id” with another column/],
    [{ _exists: { _table: 'a', _where: {} } }, /_exists/],
    [{ orders_aggregate: { count: { predicate: {} } } }, /“orders_aggregate”/],
    [{ unknown: {} }, /the target of “unknown” is unknown/],
  ])('rejects %j with a reason', async (rule, why) => {
    expect(await where(rule)).toMatch(why);
  });
});
