import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { checkPermission } from './permission-sdl.ts';

const schema = buildSchema(`
  schema { query: Root mutation: Change }
  "All root fields"
  type Root { parcels(owner: ID!, size: Size): [Parcel!]! secret: Secret things: Thing }
  type Change { send(parcel: Sent!): Parcel }
  type Parcel implements Named { "The name" name: String! to: Place }
  interface Named { name: String! }
  type Place { code: String }
  type Secret { key: String }
  union Thing = Parcel | Secret
  enum Size { S L }
  input Sent { code: String }
  scalar Moment
`);

test.each([
  ['type Root { parcels(owner: ID!): [Parcel!]! }', ['Parcel: Parcel is used, and must be written as well']],
  ['type Root { nothing: Int }', ['nothing: Root has no field nothing']],
  ['type Root { secret(a: Int): Secret } type Secret { key: String }', ['a: Root.secret takes no argument a']],
  ['type Root { secret: Secret } type Secret { key: String } enum Size { M }', ['M: Size has no value M']],
  [
    'type Root { parcels(owner: ID! @preset(value: "x-service-user-id")): Int } type Unknown { a: Int }',
    ['Int: Root.parcels is [Parcel!]! in the remote schema', 'Unknown: The remote schema has no type Unknown'],
  ],
  ['type Secret { key: String }', ['type Secret { key: String }: The query root Root is missing']],
])('marks the errors in %s', (text, expected) => {
  expect(checkPermission(text, schema).map(({ from, to, message }) => `${text.slice(from, to)}: ${message}`)).toEqual(
    expected,
  );
});
