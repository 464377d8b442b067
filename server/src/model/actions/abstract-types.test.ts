import { describe, expect, test } from 'vitest';
import { draftOf } from '../../../test/support/model/draft.ts';
import { runAtOnce } from '../../base/steps.ts';
import type { OutputNamed } from '../types/action.ts';
import { InvalidType, resolveCustomTypes } from './custom-types.ts';
import { namedIn } from './type-expression.ts';

const typed = (name: string, fields: Readonly<Record<string, string>>, more: object = {}) => ({
  name,
  fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })),
  ...more,
});
const id = { id: 'Int' };

function resolve(custom_types: object) {
  const { draft, reports } = draftOf({ custom_types });
  const types = runAtOnce(resolveCustomTypes(draft));
  const find = (name: string): OutputNamed => {
    const type = types.output(name);
    if (type instanceof InvalidType) throw new Error(type.reason);
    return namedIn(type);
  };
  return { find, reasons: reports.map(({ reason }) => reason) };
}

/** Returns the names of the members of an interface or union. */
function membersOf(type: OutputNamed): readonly string[] {
  if (type.kind !== 'abstract') throw new Error(`${type.name} is not abstract`);
  return type.members.map(({ name }) => name);
}

describe('the field of an object has a subtype of that of its interface', () => {
  const outcome = (own: string, wanted: string) =>
    resolve({
      interfaces: [typed('Node', id), typed('Holder', { one: wanted })],
      unions: [{ name: 'Any', types: ['Item', 'Other'] }],
      objects: [
        typed('Item', id, { implements: ['Node'] }),
        typed('Other', id),
        typed('Owner', { one: own }, { implements: ['Holder'] }),
      ],
    }).reasons;

  test.each([
    ['Int', 'Int'],
    ['Int!', 'Int'],
    ['Int!', 'Int!'],
    ['[Int]', '[Int]'],
    ['[Int!]!', '[Int]'],
    ['[[Int!]]', '[[Int]]'],
    ['Item', 'Item'],
    ['Item', 'Node'],
    ['Item!', 'Node'],
    ['[Item!]', '[Node]'],
    ['Item', 'Any'],
    ['Other', 'Any'],
    ['Node', 'Node'],
  ])('%s for %s is accepted', (own, wanted) => {
    expect(outcome(own, wanted)).toEqual([]);
  });

  test.each([
    ['Int', 'Int!'],
    ['String', 'Int'],
    ['[Int]', 'Int'],
    ['Int', '[Int]'],
    ['[Int]', '[Int!]'],
    ['[Int]', '[[Int]]'],
    ['[Int!]', '[String]'],
    ['[Int]', '[Int]!'],
    ['Other', 'Node'],
    ['Node', 'Item'],
    ['Node', 'Any'],
    ['Any', 'Item'],
    ['Other', 'Item'],
    ['Int', 'Node'],
  ])('%s for %s is rejected', (own, wanted) => {
    expect(outcome(own, wanted)).toContain(
      `object type "Owner": field "one" has type ${own}, and interface "Holder" has ${wanted}`,
    );
  });
});

describe('an interface', () => {
  test('has the objects that implement it, each once', () => {
    const { find, reasons } = resolve({
      interfaces: [typed('Node', id)],
      objects: [
        typed('Item', id, { implements: ['Node', 'Node'] }),
        typed('Other', id),
        typed('Third', id, { implements: ['Node'] }),
      ],
    });
    expect(reasons).toEqual([]);
    expect(membersOf(find('Node'))).toEqual(['Item', 'Third']);
    const item = find('Item');
    expect(item.kind === 'object' && item.interfaces?.map(({ name }) => name)).toEqual(['Node']);
  });

  test('does not have dropped objects', () => {
    const { find, reasons } = resolve({
      interfaces: [typed('Node', id)],
      objects: [
        typed('Item', id, { implements: ['Node'] }),
        typed('Bad', { ...id, x: 'None' }, { implements: ['Node'] }),
        typed('Third', id, { implements: ['Node'] }),
      ],
    });
    expect(reasons).toHaveLength(1);
    expect(membersOf(find('Node'))).toEqual(['Item', 'Third']);
  });

  test('needs an implementation', () => {
    expect(resolve({ interfaces: [typed('Node', id)], objects: [typed('Item', id)] }).reasons).toEqual([
      'interface "Node": no object type implements it; write "implements": ["Node"] in one',
    ]);
  });

  test('that was dropped drops the objects that implement it', () => {
    const { reasons } = resolve({
      interfaces: [typed('Node', { ...id, x: 'None' })],
      objects: [typed('Item', id, { implements: ['Node'] })],
    });
    expect(reasons).toEqual([
      'object type "Item": type "Node" was dropped; fix it first ($.custom_types.interfaces[0])',
      expect.stringContaining('interface "Node": field "x": type "None" is not known'),
    ]);
  });

  test.each([
    ['an object', 'Other'],
    ['an unknown type', 'None'],
  ])('is not %s', (_what, name) => {
    expect(resolve({ objects: [typed('Item', id, { implements: [name] }), typed('Other', id)] }).reasons).toEqual([
      `object type "Item": implements: "${name}" is not an interface among the custom types`,
    ]);
  });

  test('has fields that its objects have', () => {
    expect(
      resolve({
        interfaces: [typed('Node', { ...id, tags: '[Int!]' })],
        objects: [typed('Item', id, { implements: ['Node'] })],
      }).reasons,
    ).toEqual(['object type "Item": interface "Node" has a field "tags" of type [Int!]; add it']);
  });
});

describe('a union', () => {
  test('has object types as members', () => {
    const { find } = resolve({
      unions: [{ name: 'Any', types: ['Other', 'Item'], description: 'One of them' }],
      objects: [typed('Item', id), typed('Other', id)],
    });
    expect(find('Any')).toMatchObject({ form: 'union', description: 'One of them', fields: new Map() });
    expect(membersOf(find('Any'))).toEqual(['Other', 'Item']);
  });

  test.each([
    [
      'an unknown type',
      ['Item', 'None'],
      '"None" is not an object type among the custom types; members of a union are object types',
    ],
    [
      'an interface',
      ['Node'],
      '"Node" is not an object type among the custom types; members of a union are object types',
    ],
    ['a type twice', ['Item', 'Item'], 'a type is listed more than once'],
  ])('with %s is dropped', (_what, types, reason) => {
    const { reasons } = resolve({
      unions: [{ name: 'Any', types }],
      interfaces: [typed('Node', id)],
      objects: [typed('Item', id, { implements: ['Node'] })],
    });
    expect(reasons).toEqual([`union "Any": ${reason}`]);
  });
});
