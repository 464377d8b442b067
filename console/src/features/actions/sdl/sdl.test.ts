import { expect, test } from 'vitest';
import { mergeTypes, printAction, printTypes, readActionSdl, readTypesSdl } from './sdl.ts';

const types = {
  objects: [
    {
      name: 'Placed',
      fields: [{ name: 'customerId', type: 'Int!', deprecation_reason: 'use customer' }],
      relationships: [
        {
          name: 'customer',
          type: 'object' as const,
          remote_table: { schema: 'public', name: 'customer' },
          field_mapping: { customerId: 'id' },
        },
      ],
    },
    { name: 'Other', fields: [{ name: 'id', type: 'Int' }] },
  ],
  input_objects: [{ name: 'Order', fields: [{ name: 'kind', type: 'Kind!' }] }],
  enums: [{ name: 'Kind', values: [{ value: 'small' }, { value: 'large' }] }],
  scalars: [],
};
const action = {
  name: 'place',
  definition: { arguments: [{ name: 'order', type: 'Order!' }], output_type: 'Placed', handler: 'http://x' },
};

test('parses the printed SDL of an action and its types to the same definitions', () => {
  expect(readActionSdl(printAction(action, types))).toEqual({
    name: 'place',
    type: 'mutation',
    arguments: [{ name: 'order', type: 'Order!' }],
    output_type: 'Placed',
  });
  const written = printTypes(action, types);
  expect(written).not.toContain('Other');
  expect(written).toContain('@deprecated(reason: "use customer")');
  const read = readTypesSdl(written);
  if ('problem' in read) throw new Error(read.problem);
  expect(mergeTypes(types, read)).toEqual(types);
});

test('preserves members that SDL cannot express, removes omitted ones, and keeps other types', () => {
  const read = readTypesSdl('type Placed { customerId: Int! note: String } interface Named { name: String }');
  if ('problem' in read) throw new Error(read.problem);
  const merged = mergeTypes(types, read) as unknown as typeof types & { readonly interfaces: readonly unknown[] };
  expect(merged.objects[0]?.relationships).toEqual(types.objects[0]?.relationships);
  expect(merged.objects[0]?.fields).toEqual([
    { name: 'customerId', type: 'Int!' },
    { name: 'note', type: 'String' },
  ]);
  expect(merged.objects[1]).toEqual(types.objects[1]);
  expect(merged.interfaces).toEqual([{ name: 'Named', fields: [{ name: 'name', type: 'String' }] }]);
});

test.each([
  ['type Mutation {\n  place(: Int\n}', 'in line 2'],
  ['type Mutation { a: Int b: Int }', 'one field'],
  ['type Thing { a: Int }', 'Query or Mutation'],
  ['type Query { a: Int @lazy }', '@lazy'],
  ['', 'empty'],
])('rejects %j: %s', (text, problem) => {
  expect(readActionSdl(text)).toEqual({ problem: expect.stringContaining(problem) });
});

test('prints and parses defaults of all kinds', () => {
  const given = [
    { name: 'a', type: 'bigint', default_value: 5 },
    { name: 'b', type: '[Kind]', default_value: ['small', null] },
    { name: 'c', type: 'In', default_value: { kind: 'large', note: 'say "x"', at: 1.5, on: false } },
  ];
  const known = {
    ...types,
    input_objects: [{ name: 'In', fields: [{ name: 'kind', type: 'Kind' }] }],
  };
  const sdl = printAction({ name: 'x', definition: { output_type: 'Int', handler: 'h', arguments: given } }, known);
  expect(sdl).toContain('c: In = {kind: large, note: "say \\"x\\"", at: 1.5, on: false}');
  expect(readActionSdl(sdl)).toMatchObject({ arguments: given });
});
