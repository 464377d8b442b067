import { describe, expect, test } from 'vitest';
import { readPlan } from './postgres-plan.ts';

const scan = {
  'Node Type': 'Seq Scan',
  Schema: 'public',
  'Relation Name': 'orders',
  Alias: 'o',
  'Total Cost': 80,
  'Plan Rows': 10,
  Filter: '(total > 5)',
};
const lookup = {
  'Node Type': 'Index Scan',
  'Relation Name': 'customers',
  Alias: 'customers',
  'Index Name': 'customers_pkey',
  'Total Cost': 5,
  'Plan Rows': 1,
  'Index Cond': '(id = o.customer_id)',
};
const join = { 'Node Type': 'Nested Loop', 'Join Type': 'Left', 'Total Cost': 100, 'Plan Rows': 10 };
const text = (plan: object, more: object = {}): string => JSON.stringify([{ Plan: plan, ...more }]);

describe('the plan of a statement that was not run', () => {
  const plan = readPlan(text({ ...join, Plans: [scan, lookup] }));

  test('lists the nodes in the order of the text form, with tables, aliases and indexes', () => {
    expect(plan?.nodes.map(({ depth, title }) => [depth, title])).toEqual([
      [0, 'Nested Loop (left)'],
      [1, 'Seq Scan on public.orders o'],
      [1, 'Index Scan on customers (customers_pkey)'],
    ]);
  });

  test('divides the cost between the nodes', () => {
    expect(plan?.nodes.map(({ share }) => share)).toEqual([0.15, 0.8, 0.05]);
  });

  test('has conditions, and no times', () => {
    expect(plan?.nodes[1]).toMatchObject({ details: ['Filter: (total > 5)'], actualRows: undefined, ownMs: undefined });
  });
});

describe('the plan of a statement that was run', () => {
  const measured = (node: object, ms: number, rows: number, loops: number) => ({
    ...node,
    'Actual Total Time': ms,
    'Actual Rows': rows,
    'Actual Loops': loops,
  });
  const plan = readPlan(
    text(
      {
        ...measured(join, 10, 2000, 1),
        Plans: [{ ...measured(scan, 4, 2000, 1), 'Rows Removed by Filter': 50_000 }, measured(lookup, 0.002, 1, 2000)],
      },
      { 'Planning Time': 0.2, 'Execution Time': 10.5 },
    ),
  );

  test('counts rows and time over all loops, without the children of a node', () => {
    expect(plan?.nodes.map(({ actualRows, ownMs }) => [actualRows, ownMs])).toEqual([
      [2000, 2],
      [2000, 4],
      [2000, 4],
    ]);
  });

  test('warns of wrong estimates and of filters that remove most rows', () => {
    expect(plan?.nodes.map(({ warnings }) => warnings)).toEqual([
      ['The estimate is 200 times too small'],
      ['The estimate is 200 times too small', 'The filter removes 50,000 of the rows that are read: consider an index'],
      [],
    ]);
  });

  test('has the times of planning and execution', () => {
    expect(plan).toMatchObject({ planningMs: 0.2, executionMs: 10.5 });
  });
});

test('text that is no plan has none', () => {
  expect(['', '[]', '{"Plan": {}}', '[{"Plan": 1}]'].map(readPlan)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
