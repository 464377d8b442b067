import { describe, expect, test } from 'vitest';
import { type DraftParts, draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import type { Inconsistency } from '../types/inconsistency.ts';
import { InvalidType, resolveCustomTypes, type TypeLookup } from './custom-types.ts';
import { namedIn, printType } from './type-expression.ts';

function resolve(custom_types: unknown, parts: DraftParts = {}): { types: TypeLookup; reports: Inconsistency[] } {
  const { draft, reports } = draftOf({ ...parts, custom_types });
  return { types: runAtOnce(resolveCustomTypes(draft)), reports };
}

function reasonOf(found: object): string {
  return found instanceof InvalidType ? found.reason : '';
}

/** Returns `Item { id: Int! parts: [Item!] }`, or why the type is not valid. */
function outline(types: TypeLookup, name: string): string {
  const type = types.output(name);
  if (type instanceof InvalidType) return type.reason;
  const object = namedIn(type);
  if (object.kind !== 'object') return `${object.kind} ${object.name}`;
  const fields = [...object.fields.values()].map(
    (field) => `${field.name}: ${printType(field.type, ({ name }) => name)}`,
  );
  return `${object.name} { ${fields.join(' ')} }`;
}

const object = (name: string, fields: Record<string, string>, rest: object = {}) => ({
  name,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
  ...rest,
});

describe('custom types', () => {
  test('are found with their fields, descriptions and values', () => {
    const { types, reports } = resolve({
      scalars: [{ name: 'money_text', description: 'An amount' }],
      enums: [
        {
          name: 'size',
          values: [
            { value: 'S', description: 'small' },
            { value: 'XL', is_deprecated: true },
          ],
        },
      ],
      input_objects: [object('Filter', { size: 'size!', nested: '[Filter!]' }, { description: 'A filter of items' })],
      objects: [object('Item', { id: 'uuid!', size: 'size', price: 'money_text', parts: '[Item!]!' })],
    });
    expect(reports).toEqual([]);
    expect(outline(types, 'Item')).toBe('Item { id: uuid! size: size price: money_text parts: [Item!]! }');
    expect(outline(types, 'money_text')).toBe('scalar money_text');
    const filter = types.input('[Filter!]');
    expect(filter).toMatchObject({ kind: 'list', of: { of: { type: { description: 'A filter of items' } } } });
    const item = types.output('Item');
    expect(item).toMatchObject({ kind: 'named', type: { kind: 'object' } });
    const named = item instanceof InvalidType ? undefined : namedIn(item);
    const size = named?.kind === 'object' ? named.fields.get('size') : undefined;
    expect(size?.type).toMatchObject({
      type: {
        kind: 'enum',
        values: [
          { value: 'S', description: 'small', deprecated: undefined },
          { value: 'XL', description: undefined, deprecated: 'No longer supported' },
        ],
      },
    });
  });

  test('may refer to each other recursively', () => {
    const { types } = resolve({ objects: [object('A', { b: 'B' }), object('B', { as: '[A!]' })] });
    const a = types.output('A');
    const first = a instanceof InvalidType ? undefined : namedIn(a);
    const b = first?.kind === 'object' ? first.fields.get('b') : undefined;
    const second = b && namedIn(b.type);
    const as = second?.kind === 'object' ? second.fields.get('as') : undefined;
    expect(as && namedIn(as.type)).toBe(first);
  });

  test('can use the scalars of PostgreSQL, built in or of the columns of a tracked table', () => {
    const tables = { orders: { status: 'enum order_status', tags: 'String[]' } };
    const fields = { a: 'timestamptz', b: 'order_status!', c: 'jsonb', d: 'int8', e: 'text', f: 'citext' };
    const { types, reports } = resolve({ objects: [object('Item', fields)] }, { tables });
    expect(reports).toEqual([]);
    expect(outline(types, 'Item')).toBe(
      'Item { a: timestamptz b: order_status! c: jsonb d: bigint e: String f: citext }',
    );
  });

  test('that are scalars are replaced by those of PostgreSQL in arguments and outputs, not in fields', () => {
    const { types } = resolve({ scalars: [{ name: 'jsonb' }], objects: [object('Item', { data: 'jsonb' })] });
    expect(types.output('jsonb')).toMatchObject({ type: { origin: 'postgres' } });
    const item = types.output('Item');
    const named = item instanceof InvalidType ? undefined : namedIn(item);
    expect(named?.kind === 'object' && named.fields.get('data')?.type).toMatchObject({ type: { origin: 'custom' } });
  });
});

describe('an invalid type', () => {
  const sound = object('Sound', { id: 'Int' });

  test.each([
    ['an unknown type', object('Bad', { x: 'Nothing' }), /field "x": type "Nothing" is not known; define it/],
    [
      'an invalid type expression',
      object('Bad', { x: '[Int' }),
      /field "x": "\[Int" is not a type expression; write it like/,
    ],
    ['an input type', object('Bad', { x: 'In' }), /field "x": "In" is an input object type; use/],
    [
      'a field twice',
      {
        name: 'Bad',
        fields: [
          { name: 'x', type: 'Int' },
          { name: 'x', type: 'Int' },
        ],
      },
      /field "x" is defined more than once/,
    ],
    ['a name of GraphQL', object('Float', { x: 'Int' }), /the name is taken by GraphQL itself; choose another/],
    ['a name of a table', object('orders', { x: 'Int' }), /taken by table "public.orders" of source "default"/],
    ['a name of a type of a table', object('orders_bool_exp', { x: 'Int' }), /taken by table "public.orders"/],
    ['a name of a type of a column', object('date', { x: 'Int' }), /taken by column "day" of table "public.orders"/],
    ['a name of a comparison', object('date_comparison_exp', { x: 'Int' }), /taken by column "day"/],
    ['a name of the service', object('query_root', { x: 'Int' }), /taken by the service itself/],
    ['a name of another type', object('In', { x: 'Int' }), /taken by the input object type at \$\.custom_types\.input/],
  ])('with %s is dropped with path and reason', (_what, bad, reason) => {
    const input_objects = [object('In', { x: 'Int' })];
    const { types, reports } = resolve(
      { input_objects, objects: [sound, bad] },
      { tables: { orders: { id: 'Int', day: 'date' } } },
    );
    expect(reports).toEqual([
      expect.objectContaining({
        type: 'custom_types',
        path: '$.custom_types.objects[1]',
        code: 'invalid-configuration',
        reason: expect.stringMatching(reason),
        definition: expect.objectContaining({ name: bad.name }),
      }),
    ]);
    expect(outline(types, 'Sound')).toBe('Sound { id: Int }');
  });

  test('of inputs cannot contain an object type', () => {
    const { reports } = resolve({ input_objects: [object('In', { x: '[Sound]' })], objects: [sound] });
    expect(reports.map(({ path, reason }) => [path, reason])).toEqual([
      [
        '$.custom_types.input_objects[0]',
        'input object type "In": field "x": "Sound" is an object type of outputs; use a scalar, an enum or an input object type',
      ],
    ]);
  });

  test.each([
    [
      'an interface without an implementation',
      { interfaces: [object('Pet', { id: 'Int' })] },
      /no object type implements it/,
    ],
    [
      'an object without a field of its interface',
      {
        interfaces: [object('Pet', { id: 'Int', age: 'Int' })],
        objects: [object('Dog', { id: 'Int!' }, { implements: ['Pet'] })],
      },
      /object type "Dog": interface "Pet" has a field "age" of type Int; add it/,
    ],
    [
      'an object with a nullable field that the interface declares non-null',
      { interfaces: [object('Pet', { id: 'Int!' })], objects: [object('Dog', { id: 'Int' }, { implements: ['Pet'] })] },
      /field "id" has type Int, and interface "Pet" has Int!/,
    ],
    [
      'an object of an unknown interface',
      { objects: [object('Dog', { id: 'Int' }, { implements: ['Pet'] })] },
      /implements: "Pet" is not an interface/,
    ],
    [
      'a union with a member that is not an object type',
      { unions: [{ name: 'Any', types: ['Int'] }] },
      /"Int" is not an object type among the custom types/,
    ],
    [
      'a union whose type was dropped',
      { unions: [{ name: 'Any', types: ['Bad'] }], objects: [object('Bad', { x: 'Nothing' })] },
      /union "Any": type "Bad" was dropped; fix it first/,
    ],
    [
      'an input with a union',
      { unions: [{ name: 'Any', types: ['Sound'] }], input_objects: [object('In', { x: 'Any' })] },
      /"Any" is a union of outputs/,
    ],
    [
      'an invalid default',
      { input_objects: [{ name: 'In', fields: [{ name: 'x', type: '[Int!]', default_value: [1, 'two'] }] }] },
      /field "x": default_value\[1\]: Int cannot represent non-integer value: "two"/,
    ],
    [
      'a default that introspection cannot print',
      { input_objects: [{ name: 'In', fields: [{ name: 'x', type: 'json', default_value: { a: 1 } }] }] },
      /default_value: the default of a scalar is a string, a number within the range of a double, true or false/,
    ],
    [
      'a required field that is deprecated',
      { input_objects: [{ name: 'In', fields: [{ name: 'x', type: 'Int!', deprecation_reason: 'old' }] }] },
      /a required input cannot be deprecated; give it a default_value/,
    ],
    [
      'the rows of a table',
      { objects: [object('Bad', { row: 'orders' })] },
      /"orders" is the type of the rows of a table.*relationship to "orders"/,
    ],
  ])('that is %s is dropped with the reason', (_what, written: object & { objects?: object[] }, reason) => {
    const objects = [sound, ...(written.objects ?? [])];
    const { types, reports } = resolve({ ...written, objects }, { tables: { orders: { id: 'Int' } } });
    expect(reports.map((report) => report.reason).join('\n')).toMatch(reason);
    expect(outline(types, 'Sound')).toBe('Sound { id: Int }');
  });

  test('that is an enum with a repeated value or a GraphQL literal is dropped', () => {
    const { types, reports } = resolve({
      enums: [{ name: 'size', values: [{ value: 'S' }, { value: 'S' }, { value: 'true' }] }],
    });
    expect(reports.map(({ reason }) => reason)).toEqual([
      'enum type "size": value "S" is defined more than once; "true" cannot be the value of an enum',
    ]);
    expect(reasonOf(types.input('size'))).toContain('type "size" was dropped; fix it first ($.custom_types.enums[0])');
  });

  test('is dropped with the types that depend on it, each with the cause', () => {
    const { types, reports } = resolve({
      objects: [
        object('Top', { middle: '[Middle!]' }),
        sound,
        object('Middle', { bad: 'Bad' }),
        object('Bad', { x: 'Nothing' }),
      ],
    });
    expect(reports.map(({ name, reason }) => [name, reason])).toEqual([
      [
        'object type Top',
        expect.stringContaining('type "Middle" was dropped; fix it first ($.custom_types.objects[2])'),
      ],
      [
        'object type Middle',
        expect.stringContaining('type "Bad" was dropped; fix it first ($.custom_types.objects[3])'),
      ],
      ['object type Bad', expect.stringContaining('type "Nothing" is not known')],
    ]);
    expect(outline(types, 'Sound')).toBe('Sound { id: Int }');
  });

  test('is dropped with all types of its cycle', () => {
    const { reports } = resolve({ objects: [object('A', { b: 'B', x: 'Nothing' }), object('B', { a: 'A' })] });
    expect(reports.map(({ path }) => path)).toEqual(['$.custom_types.objects[0]', '$.custom_types.objects[1]']);
  });

  test('with the name of an earlier one is dropped', () => {
    const { types, reports } = resolve({ objects: [sound, object('Sound', { other: 'Int' })] });
    expect(reports.map(({ name, path }) => [name, path])).toEqual([
      ['object type Sound at $.custom_types.objects[1]', '$.custom_types.objects[1]'],
    ]);
    expect(outline(types, 'Sound')).toBe('Sound { id: Int }');
  });
});

describe('an output', () => {
  test('may be an object, a scalar, or a list of them, not an enum or an input', () => {
    const { types } = resolve({
      enums: [{ name: 'size', values: [{ value: 'S' }] }],
      input_objects: [object('In', { x: 'Int' })],
      objects: [object('Item', { id: 'Int' })],
    });
    const reasons = ['[[Item!]]!', 'json!', '[String]', 'size', '[In]', 'Nothing'].map((type) =>
      reasonOf(types.output(type)),
    );
    expect(reasons).toEqual([
      '',
      '',
      '',
      expect.stringContaining('enum'),
      expect.stringContaining('input'),
      expect.stringContaining('not known'),
    ]);
  });
});
