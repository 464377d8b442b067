import { buildSchema, type GraphQLNamedType } from 'graphql';
import { expect, test } from 'vitest';
import { sameType } from './same-type.ts';

/** The type `T` of a schema. */
function typeOf(sdl: string): GraphQLNamedType {
  const type = buildSchema(
    `type Query { id: ID } scalar S interface N { id: ID } interface M { id: ID } type A { a: Int } type B { b: Int } ${sdl}`,
  ).getType('T');
  if (type === undefined) throw new Error(`no type T in ${sdl}`);
  return type;
}

test.each([
  ['descriptions', '"one" type T { "of it" a: Int }', 'type T { a: Int }'],
  ['directives', 'enum T { A B @deprecated }', 'enum T { A B }'],
  ['the order of fields', 'type T { a: Int b: Int }', 'type T { b: Int a: Int }'],
  ['the order of arguments', 'type T { a(x: Int, y: S): Int }', 'type T { a(y: S, x: Int): Int }'],
  ['the order of values', 'enum T { A B }', 'enum T { B A }'],
  ['the order of members', 'union T = A | B', 'union T = B | A'],
  ['the order of interfaces', 'type T implements N & M { id: ID }', 'type T implements M & N { id: ID }'],
  ['the order of input fields', 'input T { a: Int b: Int }', 'input T { b: Int a: Int }'],
  ['the URL of a scalar', 'scalar T @specifiedBy(url: "https://example.org")', 'scalar T'],
  ['defaults of nullable inputs', 'input T { a: Int = 1 }', 'input T { a: Int }'],
])('types that differ in %s are equal', (_difference, one, other) => {
  expect(sameType(typeOf(one), typeOf(other))).toBe(true);
});

test.each([
  ['their kind', 'type T { a: Int }', 'input T { a: Int }'],
  ['their kind of output', 'type T { a: Int }', 'interface T { a: Int }'],
  ['the name of a value', 'enum T { A }', 'enum T { B }'],
  ['the name of a member', 'union T = A', 'union T = B'],
  ['the name of an interface', 'type T implements N { id: ID }', 'type T implements M { id: ID }'],
  ['the name of a field', 'type T { a: Int }', 'type T { b: Int }'],
  ['the name of an argument', 'type T { a(x: Int): Int }', 'type T { a(y: Int): Int }'],
  ['the name of an input field', 'input T { a: Int }', 'input T { b: Int }'],
  ['a default of a required argument', 'type T { a(x: Int! = 1): Int }', 'type T { a(x: Int!): Int }'],
  ['one member at a time', 'input T @oneOf { a: Int }', 'input T { a: Int }'],
  ['a field', 'type T { a: Int b: Int }', 'type T { a: Int }'],
  ['the type of a field', 'type T { a: Int }', 'type T { a: Int! }'],
  ['an argument', 'type T { a(x: Int): Int }', 'type T { a: Int }'],
  ['the type of an argument', 'type T { a(x: Int): Int }', 'type T { a(x: [Int]): Int }'],
  ['a value', 'enum T { A }', 'enum T { A B }'],
  ['a member', 'union T = A', 'union T = A | B'],
  ['an interface', 'type T implements N { id: ID }', 'type T { id: ID }'],
  ['an input field', 'input T { a: Int }', 'input T { a: Int b: Int }'],
  ['a default of a required input', 'input T { a: Int! = 1 }', 'input T { a: Int! }'],
])('types that differ in %s are not equal', (_difference, one, other) => {
  expect(sameType(typeOf(one), typeOf(other))).toBe(false);
});
