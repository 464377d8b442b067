/** Random SDL of actions and of permissions on remote schemas, valid and damaged. */
import { type Named, readActionsSdl, SdlError, type TypeKind } from '@joinery/metadata/sdl/actions';
import { printSignature, printType } from '@joinery/metadata/sdl/print-actions';
import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { readPermission } from '../../../src/model/remote/permissions.ts';
import { fuzz, unhurried } from '../seed.ts';
import { damaged } from './json-texts.ts';

const name = fc.constantFrom('a', 'b', 'c', 'Name', '_x', 'type', 'input', 'query', 'implements');
const type = fc.constantFrom('Int', 'String!', '[Int!]!', '[[ID]]', 'Kind', 'Point');
const prose = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab "\\\n#{}é\u{1F600}'), minLength: 1, maxLength: 12 }),
  fc.constantFrom('"""', 'a\\', '"', ' leading', 'trailing ', '\n', ' \n a', 'a\n  b\n c', 'tab\tx', '"""" \\"""'),
);
const described = { description: prose };
const reason = { deprecation_reason: prose };
const jsonDefault = fc.oneof(
  fc.constantFrom(0, 1, -5, 2147483648, 1.5, 1e-7, true, null, '', 'x', '"\\\n'),
  fc.array(fc.constantFrom(1, 2), { maxLength: 3 }),
  fc.constantFrom({ x: 1 }, { x: 1, y: [true] }),
);
const members = <Member>(of: fc.Arbitrary<Member>, key: (member: Member) => unknown) =>
  fc.uniqueArray(of, { minLength: 1, maxLength: 4, selector: key });
const field = fc.record({ name, ...described, type, ...reason }, { requiredKeys: ['name', 'type'] });
/** The default of an enum is one of its values. */
const input = fc
  .record({ name, ...described, type, ...reason, default_value: jsonDefault }, { requiredKeys: ['name', 'type'] })
  .map((one) => (one.type === 'Kind' && 'default_value' in one ? { ...one, default_value: 'A' } : one));
const enumValue = fc.record({ value: name, ...described, ...reason }, { requiredKeys: ['value'] });
const fields = members(field, (one) => one.name);

const optionally = { requiredKeys: ['name' as const] };
const anyType: fc.Arbitrary<{ readonly kind: TypeKind; readonly type: Named }> = fc.oneof(
  fc.record({ name, ...described }, optionally).map((one) => ({ kind: 'scalars' as const, type: one })),
  fc
    .record(
      { name, ...described, values: members(enumValue, (one) => one.value) },
      { requiredKeys: ['name', 'values'] },
    )
    .map((one) => ({ kind: 'enums' as const, type: one })),
  fc
    .record({ name, ...described, fields: members(input, (one) => one.name) }, { requiredKeys: ['name', 'fields'] })
    .map((one) => ({ kind: 'input_objects' as const, type: one })),
  fc
    .record(
      { name, ...described, implements: fc.constantFrom(['A'], ['A', 'B']), fields },
      { requiredKeys: ['name', 'fields'] },
    )
    .map((one) => ({ kind: 'objects' as const, type: one })),
  fc
    .record({ name, ...described, fields }, { requiredKeys: ['name', 'fields'] })
    .map((one) => ({ kind: 'interfaces' as const, type: one })),
  fc
    .record({ name, ...described, types: fc.constantFrom(['A'], ['A', 'B']) }, { requiredKeys: ['name', 'types'] })
    .map((one) => ({ kind: 'unions' as const, type: one })),
);
const context = { enums: new Set(['Kind']), inputs: new Map(), kept: new Map() };

test('a printed type of actions is read as the same type', unhurried, () => {
  fc.assert(
    fc.property(anyType, ({ kind, type: written }) => {
      expect(readActionsSdl(printType(kind, written, context)).types[kind]).toEqual([written]);
    }),
    fuzz(3_000),
  );
});

const signature = fc.record(
  {
    type: fc.constantFrom('query', 'mutation'),
    arguments: members(input, (one) => one.name),
    output_type: type,
    ...described,
  },
  { requiredKeys: ['type', 'arguments', 'output_type'] },
);
const actionsSdl = fc
  .tuple(fc.array(anyType, { maxLength: 3 }), signature)
  .map(([all, action]) =>
    [
      ...all.map(({ kind, type: one }) => printType(kind, one, context)),
      `type Query {\n${printSignature('act', action, context)}\n}`,
    ].join('\n\n'),
  );

test('the SDL of actions is read or rejected with line and column', unhurried, () => {
  fc.assert(
    fc.property(fc.oneof(damaged(actionsSdl, '{}()[]!:@"#\n\\ =|&'), fc.string({ unit: 'binary' })), (sdl) => {
      try {
        readActionsSdl(sdl);
      } catch (error) {
        expect(error).toBeInstanceOf(SdlError);
      }
    }),
    fuzz(3_000),
  );
});

const upstream = buildSchema(`
  enum Kind { A B }
  input Point { x: Int!, y: Int = 1, kind: Kind, more: [Point!] }
  interface Node { id: ID! }
  type Item implements Node { id: ID!, name(size: Int, at: Point, in: [Kind!]): String, next: Item }
  union Any = Item
  type Query { item(id: ID!, at: Point, kinds: [Kind]): Item, any: [Any!] }
  type Mutation { put(at: Point!): Item }
`);
const preset = fc.constantFrom(
  ...[
    '',
    '@preset',
    '@preset(value: 1)',
    '@preset(value: "X-Service-User-Id")',
    '@preset(value: {x: 1})',
    '@preset(value: [A, C])',
  ],
  ...[
    '@preset(value: {x: "x-service-a", more: [{x: 1}]})',
    '@preset(value: null, static: true)',
    '@preset(value: A, static: 1, b: 2)',
  ],
  '@preset(value: 99999999999999999999)',
);
const permission = fc
  .tuple(
    preset,
    preset,
    preset,
    fc.constantFrom('Int', 'Int!', '[Int]', 'Kind', 'Missing'),
    fc.subarray([0, 1, 2, 3, 4, 5, 6]),
  )
  .map(([one, other, third, scalar, chosen]) => {
    const parts = [
      'enum Kind { A B C }',
      `input Point { x: ${scalar} ${one}, kind: Kind ${other}, more: [Point!] ${third} }`,
      'interface Node { id: ID! }',
      `type Item implements Node { id: ID!, name(size: Int ${one}, at: Point ${other}, in: [Kind!] ${third}): String }`,
      'union Any = Item | Missing',
      'schema { query: Query mutation: Item }',
      'scalar Int type Item { a: Int } extend type Item { b: Int }',
    ];
    return `${parts.filter((_part, at) => chosen.includes(at)).join('\n')} type Query { item(id: ID! ${third}, kinds: [Kind] ${one}): Item }`;
  });

test(
  'the SDL of a permission on a remote schema results in types or in problems that name what is wrong',
  unhurried,
  () => {
    fc.assert(
      fc.property(fc.oneof(permission, damaged(permission, '{}()[]!:@"#\n\\ =|&A1')), (sdl) => {
        const { permitted, problems } = readPermission(sdl, upstream, 'x-service-');
        expect(problems.length > 0 || permitted.has('Query')).toBe(true);
      }),
      fuzz(3_000),
    );
  },
);
