import { expect, test } from 'vitest';
import { variablesIn } from '../../shared/transforms/transform-result.ts';
import type { Action, CustomTypes } from './actions-api.ts';
import { curlOf, resultQuery, sampleInput, sampleRequest } from './sample.ts';

const types: CustomTypes = {
  objects: [
    {
      name: 'Placed',
      fields: [
        { name: 'id', type: 'Int!' },
        { name: 'parent', type: 'Placed' },
        { name: 'lines', type: '[Thing!]!' },
      ],
    },
    { name: 'Book', fields: [{ name: 'title', type: 'String' }] },
  ],
  unions: [{ name: 'Thing', types: ['Book'] }],
  input_objects: [
    {
      name: 'Order',
      fields: [
        { name: 'kind', type: 'Kind!' },
        { name: 'parent', type: 'Order' },
      ],
    },
  ],
  enums: [{ name: 'Kind', values: [{ value: 'small' }] }],
};
const action: Action = {
  name: 'place',
  definition: {
    arguments: [
      { name: 'order', type: 'Order!' },
      { name: 'at', type: '[timestamptz!]' },
      { name: 'count', type: 'int', default_value: 3 },
    ],
    output_type: 'Placed',
    handler: '{{HANDLERS}}/it$s',
    headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
  },
};

test('fills arguments with values of their types and defaults, and ends circular types', () => {
  const order = { kind: 'small', parent: { kind: 'small', parent: { kind: 'small' } } };
  expect(sampleInput(action, types)).toEqual({ order, at: ['2030-01-31T12:00:00Z'], count: 3 });
});

test('the request names the types of the schema and selects two levels of the response', () => {
  expect(sampleRequest(action, types).query).toBe(
    'mutation Try($order: Order!, $at: [timestamptz!], $count: Int) {\n  place(order: $order, at: $at, count: $count) {\n    id\n    parent {\n      id\n    }\n    lines {\n      __typename\n      ... on Book {\n        title\n      }\n    }\n  }\n}\n',
  );
});

test('requests the ID of an asynchronous action, and its result by ID', () => {
  const { definition } = action;
  const later: Action = { name: 'later', definition: { ...definition, kind: 'asynchronous', arguments: [] } };
  expect(sampleRequest(later, types).query).toBe('mutation Try {\n  later\n}\n');
  expect(resultQuery(later, types)).toContain('later(id: $id) {\n    id\n    created_at\n    errors\n    output {');
});

test('a curl command reads environment variables in the shell', () => {
  const lines = curlOf(action, types, 'x-service-').split('\n');
  expect(lines[0]).toMatch(/^curl -X POST "\$\{HANDLERS\}\/it\\\$s" \\$/);
  expect(lines[2]).toBe('  -H "X-Key: $KEY" \\');
  expect(variablesIn('{{A}}/{{ B }}/{{A}}')).toEqual(['A', 'B']);
});
