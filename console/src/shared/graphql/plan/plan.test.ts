/** Tests of the boxes of a plan. */
import { expect, test } from 'vitest';
import type { ExplainedStep } from '../graphql-api.ts';
import { boxesOf } from './plan.ts';

const scan = { 'Node Type': 'Seq Scan', 'Relation Name': 'customer', 'Plan Rows': 1270 };

test('nests the box of a keyed join in its call, with the PostgreSQL scans', () => {
  const steps: ExplainedStep[] = [
    {
      kind: 'call',
      fields: ['placeOrder'],
      action: 'placeOrder',
      handler: '{{HANDLERS}}/place',
      input: {},
      joins: [
        {
          path: ['placeOrder', 'customer'],
          keys: ['customerId'],
          target: {
            kind: 'statement',
            source: 'default',
            table: 'public.customer',
            columns: ['id'],
            sql: 'select 1',
            parameters: [[null]],
            plan: [{ Plan: { 'Node Type': 'Aggregate', Plans: [scan] } }],
          },
          joins: [],
        },
      ],
    },
  ];
  const [call] = boxesOf(steps);
  expect(call).toMatchObject({ fields: 'placeOrder', title: 'Call of placeOrder at {{HANDLERS}}/place' });
  expect(call?.joins).toMatchObject([
    {
      fields: 'placeOrder.customer',
      title: 'Statement on default',
      facts: [
        'joined by customerId = public.customer (id)',
        'once for all keys',
        'Seq Scan on customer, 1,270 rows expected',
      ],
      text: expect.stringMatching(/^select 1\n-- \$1: \[null\]\n/),
    },
  ]);
});

test('an analyzed statement has the actual rows of all loops and its duration', () => {
  const counted = { ...scan, 'Actual Rows': 2, 'Actual Loops': 3 };
  const plan = [{ Plan: counted, 'Execution Time': 1.234 }];
  const [box] = boxesOf([
    { kind: 'statement', fields: ['a', 'b'], source: 'default', sql: 's', parameters: [], plan, joins: [] },
  ]);
  expect(box).toMatchObject({
    fields: 'a, b',
    facts: ['Seq Scan on customer, 6 rows, 1,270 expected', 'took 1.23 ms'],
  });
});
