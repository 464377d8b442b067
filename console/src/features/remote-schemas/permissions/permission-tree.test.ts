import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { checkPermission } from './permission-sdl.ts';
import { permissionTree, withChoice, withPreset } from './permission-tree.ts';

const schema = buildSchema(`
  schema { query: Root mutation: Change }
  "All root fields"
  type Root { parcels(owner: ID!, size: Size, first: Int): [Parcel!]! secret: Secret named: Named }
  type Change { send(parcel: Sent!): Parcel }
  type Parcel implements Named { "The name" name: String! to: Place }
  interface Named { name: String! }
  type Place { code: String }
  type Secret { key: String parcel: Parcel }
  enum Size { S L }
  input Sent { code: String note: String }
`);

const withRoot = (text: string, member: string, type = 'Root') => withChoice(text, schema, { type, member }, true);
const withoutRoot = (text: string, member: string) => withChoice(text, schema, { type: 'Root', member }, false);

test('choosing a root field adds the types that it needs', () => {
  const sdl = withRoot(withRoot('', 'named'), 'send', 'Change');
  expect(sdl).toContain('type Root {\n  named: Named\n}');
  expect(sdl).toContain('type Parcel implements Named {\n  name: String!\n  to: Place\n}');
  expect(sdl).toContain('input Sent');
  expect(sdl).not.toContain('Secret');
  expect(checkPermission(sdl, schema)).toEqual([]);
  const chosen = permissionTree(sdl, schema)?.flatMap(({ name, members }) =>
    members.filter(({ isChosen }) => isChosen).map((one) => `${name}.${one.name}`),
  );
  expect(chosen).toContain('Root.named');
  expect(chosen).not.toContain('Root.parcels');
});

test('preserves edited SDL when a root field is added or removed', () => {
  const written = `type Root { parcels(owner: ID! @preset(value: "x-service-user-id")): [Parcel!]! }
    type Parcel { name: String! }`;
  const more = withRoot(written, 'secret');
  expect(more).toContain('parcels(owner: ID! @preset(value: "x-service-user-id")): [Parcel!]!\n  secret: Secret');
  expect(more).toContain('type Parcel {\n  name: String!\n}');
  expect(more).toContain('type Secret');
  const less = withoutRoot(more, 'secret');
  expect(less).not.toContain('Secret');
  expect(less).toContain('@preset');
  expect(withoutRoot(less, 'parcels')).toBe('');
});

test('removes a field of a type with the types that only it needs, and an argument or a value alone', () => {
  const all = withRoot('', 'parcels');
  const withoutPlace = withChoice(all, schema, { type: 'Parcel', member: 'to' }, false);
  expect(withoutPlace).not.toContain('Place');
  const withoutFirst = withChoice(withoutPlace, schema, { type: 'Root', member: 'parcels', argument: 'first' }, false);
  expect(withoutFirst).toContain('parcels(owner: ID!, size: Size)');
  const withoutLarge = withChoice(withoutFirst, schema, { type: 'Size', member: 'L' }, false);
  expect(withoutLarge).toContain('enum Size {\n  S\n}');
  expect(checkPermission(withoutLarge, schema)).toEqual([]);
  expect(withChoice(withoutLarge, schema, { type: 'Parcel', member: 'to' }, true)).toContain('type Place');
});

test('sets, shows and removes the preset of an argument and of an input field, as a value of its type', () => {
  const at = (argument: string) => ({ type: 'Root', member: 'parcels', argument });
  const presets = [
    ['owner', 'x-service-user-id', '@preset(value: "x-service-user-id")'],
    ['size', 'S', '@preset(value: S)'],
    ['first', '10', '@preset(value: 10)'],
  ] as const;
  const all = withRoot('', 'parcels');
  for (const [argument, text, written] of presets) {
    const sdl = withPreset(all, schema, at(argument), text);
    expect(sdl).toContain(written);
    const [root] = permissionTree(sdl, schema) ?? [];
    expect(root?.members[0]?.inputs.find(({ name }) => name === argument)?.preset).toBe(text);
    expect(withPreset(sdl, schema, at(argument), undefined)).toBe(all);
  }
  const sent = withRoot('', 'send', 'Change');
  expect(withPreset(sent, schema, { type: 'Sent', member: 'note' }, 'from us')).toContain(
    'note: String @preset(value: "from us")',
  );
});

test('does not change invalid SDL', () => {
  expect(permissionTree('type Root {', schema)).toBeUndefined();
  expect(withRoot('type Root {', 'secret')).toBe('type Root {');
});
