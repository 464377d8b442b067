/** The members of custom types, and how types that depend on dropped types are reported. */
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { type DraftParts, draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import type { InputNamed, OutputNamed } from '../types/action.ts';
import { InvalidType, resolveCustomTypes } from './custom-types.ts';
import { namedIn } from './type-expression.ts';

const typed = (name: string, fields: Readonly<Record<string, string>>, more: object = {}) => ({
  name,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
  ...more,
});
const id = { id: 'Int' };

function resolve(
  custom_types: object,
  parts: DraftParts = {},
  change?: (draft: ReturnType<typeof draftOf>['draft']) => void,
) {
  const { draft, reports } = draftOf({ ...parts, custom_types });
  change?.(draft);
  const types = runAtOnce(resolveCustomTypes(draft));
  const output = (name: string): OutputNamed | string => {
    const type = types.output(name);
    return type instanceof InvalidType ? type.reason : namedIn(type);
  };
  const input = (name: string): InputNamed | string => {
    const type = types.input(name);
    return type instanceof InvalidType ? type.reason : namedIn(type);
  };
  return { types, output, input, reports, reasons: reports.map(({ reason }) => reason) };
}

describe('the fields of an object type', () => {
  test('have descriptions and deprecations, if they are written', () => {
    const fields = [
      { name: 'id', type: 'Int', description: 'its number', deprecation_reason: 'old' },
      { name: 'other', type: 'Int', description: null, deprecation_reason: null },
    ];
    const { output } = resolve({ objects: [{ name: 'Item', fields, description: 'An item' }] });
    const item = output('Item');
    if (typeof item === 'string' || item.kind !== 'object') throw new Error('no object type');
    expect([item.description, ...item.fields.values()]).toEqual([
      'An item',
      { name: 'id', type: expect.objectContaining({ kind: 'named' }), description: 'its number', deprecated: 'old' },
      { name: 'other', type: expect.objectContaining({ kind: 'named' }), description: undefined },
    ]);
    expect(Object.keys(item.fields.get('other') ?? {})).not.toContain('deprecated');
  });
});

describe('the fields of an input object type', () => {
  test('have defaults, descriptions and deprecations, if they are written', () => {
    const fields = [
      { name: 'id', type: 'Int!', description: 'its number', default_value: 0, deprecation_reason: 'old' },
      { name: 'other', type: '[In!]' },
    ];
    const { input } = resolve({ input_objects: [{ name: 'In', fields }] });
    const type = input('In');
    if (typeof type === 'string' || type.kind !== 'input') throw new Error('no input object type');
    expect([...type.fields.values()]).toEqual([
      { name: 'id', type: expect.anything(), description: 'its number', defaultValue: 0, deprecated: 'old' },
      {
        name: 'other',
        type: { kind: 'list', of: { kind: 'nonNull', of: { kind: 'named', type } } },
        description: undefined,
      },
    ]);
  });

  test.each([
    ['an object type', 'Item', '"Item" is an object type of outputs'],
    ['an interface', 'Node', '"Node" is an interface of outputs'],
    ['a union', 'Any', '"Any" is a union of outputs'],
  ])('cannot have %s', (_what, type, reason) => {
    const { reasons } = resolve({
      interfaces: [typed('Node', id)],
      unions: [{ name: 'Any', types: ['Item'] }],
      objects: [typed('Item', id, { implements: ['Node'] })],
      input_objects: [typed('In', { x: type })],
    });
    expect(reasons).toEqual([
      `input object type "In": field "x": ${reason}; use a scalar, an enum or an input object type`,
    ]);
  });

  test.each([
    [
      'twice',
      [
        { name: 'x', type: 'Int' },
        { name: 'x', type: 'Int' },
      ],
      'field "x" is defined more than once',
    ],
    [
      'of an unknown type',
      [{ name: 'x', type: 'None' }],
      'field "x": type "None" is not known; define it in the custom types, or use a scalar of PostgreSQL',
    ],
  ])('cannot be defined %s', (_what, fields, reason) => {
    expect(resolve({ input_objects: [{ name: 'In', fields }] }).reasons).toEqual([`input object type "In": ${reason}`]);
  });
});

describe('the values of an enum', () => {
  test('have the reason of their deprecation, or a general one', () => {
    const values = [
      { value: 'A', deprecation_reason: 'old', is_deprecated: true },
      { value: 'B', is_deprecated: true },
      { value: 'C', is_deprecated: false, description: 'c' },
    ];
    const { input } = resolve({ enums: [{ name: 'size', values, description: 'Sizes' }] });
    expect(input('size')).toEqual({
      kind: 'enum',
      name: 'size',
      description: 'Sizes',
      values: [
        { value: 'A', description: undefined, deprecated: 'old' },
        { value: 'B', description: undefined, deprecated: 'No longer supported' },
        { value: 'C', description: 'c', deprecated: undefined },
      ],
    });
  });

  test.each(['true', 'false', 'null'])('cannot be %s', (value) => {
    expect(resolve({ enums: [{ name: 'e', values: [{ value }] }] }).reasons).toEqual([
      `enum type "e": "${value}" cannot be the value of an enum`,
    ]);
  });
});

test.each([
  ['scalars', { name: 'Int' }, 'scalar'],
  ['enums', { name: 'Int', values: [{ value: 'A' }] }, 'enum type'],
  ['input_objects', typed('Int', id), 'input object type'],
  ['objects', typed('Int', id), 'object type'],
  ['unions', { name: 'Int', types: ['Item'] }, 'union'],
])('one of %s is reported with its path and kind', (member, type, kind) => {
  const objects = [typed('Item', id), ...(member === 'objects' ? [type] : [])];
  const { reports } = resolve({ objects, ...(member !== 'objects' && { [member]: [type] }) });
  expect(reports).toMatchObject([
    {
      type: 'custom_types',
      name: `${kind} Int`,
      path: `$.custom_types.${member}[${member === 'objects' ? 1 : 0}]`,
      reason: `${kind} "Int": the name is taken by GraphQL itself; choose another`,
    },
  ]);
});

test('a custom scalar may have the name of a type of columns, not of another type of tables', () => {
  const tables = { orders: { at: 'timestamptz' } };
  const scalars = ['timestamptz', 'timestamptz_comparison_exp', 'orders', 'orders_order_by', 'order_by'];
  const { reports } = resolve({ scalars: scalars.map((name) => ({ name })) }, { tables });
  expect(reports.map(({ name }) => name)).toEqual(scalars.slice(1).map((name) => `scalar ${name}`));
});

test.each([
  ['scalars', { name: 'Item' }, 'scalar'],
  ['enums', { name: 'Item', values: [{ value: 'A' }] }, 'enum type'],
  ['input_objects', typed('Item', id), 'input object type'],
])('a name is taken by the first type, one of %s', (member, first, kind) => {
  const { reports } = resolve({ [member]: [first], objects: [typed('Item', id)] });
  expect(reports).toMatchObject([
    {
      name: 'object type Item at $.custom_types.objects[0]',
      reason: `object type "Item": the name is taken by the ${kind} at $.custom_types.${member}[0]; choose another`,
    },
  ]);
});

describe('a type that depends on a dropped type is dropped', () => {
  const bad = { enums: [{ name: 'size', values: [{ value: 'true' }] }] };
  const cause = 'type "size" was dropped; fix it first ($.custom_types.enums[0])';

  test('as an input object', () => {
    expect(resolve({ ...bad, input_objects: [typed('In', { ...id, x: '[size!]' })] }).reasons[1]).toBe(
      `input object type "In": field "x": ${cause}`,
    );
  });

  test('as an interface, with the object that implements it', () => {
    const interfaces = [typed('Node', { x: 'size' })];
    const objects = [typed('Item', { ...id, x: 'size' }, { implements: ['Node'] })];
    expect(resolve({ ...bad, interfaces, objects }).reasons.slice(1)).toEqual([
      expect.stringContaining('object type "Item": '),
      `interface "Node": field "x": ${cause}`,
    ]);
  });

  test('also if the type of a field is dropped later', () => {
    const objects = [typed('Top', { next: 'Middle' }), typed('Middle', { next: 'Last' }), typed('Last', { x: 'size' })];
    const { reasons, types } = resolve({ ...bad, objects: [typed('Good', id), ...objects] });
    expect(reasons.slice(1)).toEqual([
      'object type "Top": field "next": type "Middle" was dropped; fix it first ($.custom_types.objects[2])',
      'object type "Middle": field "next": type "Last" was dropped; fix it first ($.custom_types.objects[3])',
      `object type "Last": field "x": ${cause}`,
    ]);
    expect(types.objects.map(({ type, path }) => [type.name, path])).toEqual([['Good', '$.custom_types.objects[0]']]);
  });

  test('and cannot be used as an argument or an output', () => {
    const { input, output } = resolve({ ...bad, objects: [typed('Last', { x: 'size' })] });
    expect(input('size')).toBe(cause);
    expect(output('Last')).toBe('type "Last" was dropped; fix it first ($.custom_types.objects[0])');
  });
});

describe('the type of an argument or an output', () => {
  const tables = { orders: { id: 'Int' } };

  test('is not the row type of a table, unless the table is hidden', () => {
    const row =
      '"orders" is the type of the rows of a table, which a handler cannot return; define an object type with the key of the table, and a relationship to "orders" in it';
    expect(resolve({}, { tables }).output('orders')).toBe(row);
    const hidden = resolve({}, { tables }, (draft) => {
      const list = draft.sources.get(DEFAULT_SOURCE)?.tables;
      for (const [key, table] of list ?? []) list?.set(key, { ...table, hidden: true });
    });
    expect(hidden.output('orders')).toMatch(/^type "orders" is not known/);
  });

  test('is a type expression', () => {
    expect(resolve({}).output('[Int')).toBe('"[Int" is not a type expression; write it like Int, String! or [Item!]!');
  });

  test('may be a custom scalar', () => {
    const { input, output } = resolve({ scalars: [{ name: 'Stamp', description: 'A time' }] });
    const scalar = { kind: 'scalar', name: 'Stamp', origin: 'custom', description: 'A time' };
    expect([input('Stamp'), output('Stamp')]).toEqual([scalar, scalar]);
  });

  test('may be a valid type even if a dropped type has the same name', () => {
    const { output } = resolve({ objects: [typed('Item', id), typed('Item', { x: 'None' })] });
    expect(output('Item')).toMatchObject({ kind: 'object' });
  });

  test.each([
    ['output', 'size', '"size" is an enum type; an output is an object type or a scalar'],
    ['output', 'In', '"In" is an input object type; use a scalar, an enum or an object type'],
    ['input', 'Item', '"Item" is an object type of outputs; use a scalar, an enum or an input object type'],
  ] as const)('as %s is not %s', (direction, name, reason) => {
    const resolved = resolve({
      enums: [{ name: 'size', values: [{ value: 'A' }] }],
      input_objects: [typed('In', id)],
      objects: [typed('Item', id)],
    });
    expect(resolved[direction](name)).toBe(reason);
  });
});

test('metadata without custom types has none', () => {
  const { draft, reports } = draftOf({});
  expect([runAtOnce(resolveCustomTypes(draft)).objects, reports]).toEqual([[], []]);
});
