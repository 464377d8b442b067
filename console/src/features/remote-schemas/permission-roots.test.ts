import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { chosenRoots, rootFields, withoutRoot, withRoot } from './permission-roots.ts';
import { checkPermission } from './permission-sdl.ts';

const schema = buildSchema(`
  schema { query: Root mutation: Change }
  "All root fields"
  type Root { parcels(owner: ID!, size: Size): [Parcel!]! secret: Secret named: Named }
  type Change { send(parcel: Sent!): Parcel }
  type Parcel implements Named { "The name" name: String! to: Place }
  interface Named { name: String! }
  type Place { code: String }
  type Secret { key: String parcel: Parcel }
  enum Size { S L }
  input Sent { code: String }
`);

test('selecting a root field adds the types that it needs', () => {
  expect(rootFields(schema).map(({ path }) => path)).toEqual([
    'Root.parcels',
    'Root.secret',
    'Root.named',
    'Change.send',
  ]);
  const sdl = withRoot(withRoot('', schema, 'Root.named'), schema, 'Change.send');
  expect(sdl).toContain('type Root {\n  named: Named\n}');
  expect(sdl).toContain('type Parcel implements Named {\n  name: String!\n  to: Place\n}');
  expect(sdl).toContain('input Sent');
  expect(sdl).not.toContain('Secret');
  expect(checkPermission(sdl, schema)).toEqual([]);
  expect([...(chosenRoots(sdl, schema) ?? [])].sort()).toEqual(['Change.send', 'Root.named']);
});

test('preserves edited SDL when a root field is added or removed', () => {
  const written = `type Root { parcels(owner: ID! @preset(value: "x-service-user-id")): [Parcel!]! }
    type Parcel { name: String! }`;
  const more = withRoot(written, schema, 'Root.secret');
  expect(more).toContain('parcels(owner: ID! @preset(value: "x-service-user-id")): [Parcel!]!\n  secret: Secret');
  expect(more).toContain('type Parcel {\n  name: String!\n}');
  expect(more).toContain('type Secret');
  const less = withoutRoot(more, schema, 'Root.secret');
  expect(less).not.toContain('Secret');
  expect(less).toContain('@preset');
  expect(withoutRoot(less, schema, 'Root.parcels')).toBe('');
});

test('does not change invalid SDL', () => {
  expect(chosenRoots('type Root {', schema)).toBeUndefined();
  expect(withRoot('type Root {', schema, 'Root.secret')).toBe('type Root {');
  expect(withoutRoot('type Root {', schema, 'Root.secret')).toBe('type Root {');
});
