import { expect, test } from 'vitest';
import { fakeDatabase } from '../../../test/support/database/fake-database.ts';
import { overLists } from './merge-form.ts';
import { type ComparedPlans, isGoodPlan, mostByPlan } from './plan-check.ts';

/** Plans whose estimated costs are these: of the merged statement, and of that of each request. */
function plans(merged: number, ...alone: readonly number[]): ComparedPlans {
  const database = fakeDatabase(async ({ text, values }) => {
    const cost = text === 'explain (format json) merged' ? merged : alone[Number(values[0])];
    const explained = JSON.stringify([{ Plan: { 'Node Type': 'Result', 'Total Cost': cost } }], undefined, 1);
    return { rows: explained.split('\n').map((line) => [line]), fields: [], rowCount: 0, command: 'EXPLAIN' };
  });
  const form = overLists({ text: 'merged', slots: [{ kind: 'value', value: '' }] });
  return { database, role: undefined, text: 'alone', form, values: alone.map((_, index) => [String(index)]) };
}

test.each([
  ['100 where it is cheap', 400, [40], 100],
  ['fewer the more a request costs', 900, [90], 55],
  ['those of 5,000 where a request costs the limit', 1_000, [100], 50],
  ['1 where a request costs more than the limit', 1_001, [101], 1],
  ['100 where it costs 1.5 times as much as statements alone', 15, [1], 100],
  ['1 where it costs more than that', 15.1, [1], 1],
  ['those by the mean cost of the statements alone', 30, [1, 3], 100],
  ['1 where it costs more than 1.5 times the mean', 30.1, [1, 3], 1],
])(
  'a merged statement has as many requests as its estimated cost for ten permits: %s',
  async (_rule, merged, alone, most) => {
    expect(await mostByPlan(plans(merged, ...alone))).toBe(most);
  },
);

test.each([
  [15, [10, 10], true],
  [15.1, [10, 10], false],
])('a merged statement of joins that costs %d is compared with the mean of %j: %s', async (merged, alone, isGood) => {
  expect(await isGoodPlan(plans(merged, ...alone))).toBe(isGood);
});
