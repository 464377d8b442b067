import { expect, test } from 'vitest';
import { knownTypes } from './known-types.ts';
import { checkSdl, type SdlPart, typesIn } from './sdl-check.ts';

const known = knownTypes(new Map([['customer', 'row']]), { objects: [{ name: 'Placed', fields: [] }] });

/** Formats each mark as its underlined text and message. */
function marks(part: SdlPart, text: string, types = known): readonly string[] {
  return checkSdl(part, text, types).map(({ from, to, message }) => `${text.slice(from, to)}: ${message}`);
}

test('valid SDL has no marks', () => {
  expect(marks('action', 'type Query { find(by: [uuid!]!, note: String = "x"): [Placed!]! }')).toEqual([]);
  const types = `
    interface Named { name: String! }
    type A implements Named { name: String! kind: Kind @deprecated(reason: "no") others: [Thing!] }
    union Thing = A | Placed
    enum Kind { S M }
    input By { kind: Kind = S, at: timestamptz }
    scalar Money`;
  expect(marks('types', types)).toEqual([]);
  expect(marks('types', '# nothing yet')).toEqual([]);
});

test('marks a syntax error at its position', () => {
  expect(marks('action', 'type Query {\n  a(: Int): Int\n}')).toEqual([':: Syntax Error: Expected Name, found ":".']);
  expect(marks('types', 'type A { a: Int')).toEqual(['t: Syntax Error: Expected Name, found <EOF>.']);
});

test.each<[SdlPart, string, readonly string[]]>([
  ['action', 'type Thing { a: Int }', ['Thing: Must be type Query or type Mutation']],
  ['action', 'type Query { a: Int b: Int }', ['b: Int: Must have one field: each action is saved separately']],
  ['action', 'type Query { a(x: Int, x: Int): Int }', ['x: The argument x is declared twice']],
  [
    'action',
    'type Query { a(p: Placed): Int }',
    ['Placed: Placed is an output type; use a scalar, an enum or an input'],
  ],
  ['action', 'type Query { a: Plaecd }', ['Plaecd: There is no type Plaecd: define it under Types, or use a scalar']],
  [
    'action',
    'type Query { a: customer }',
    ['customer: customer is the type of the rows of a table; return its key, and add a relationship to the table'],
  ],
  ['types', 'input A { a: Int } input A { b: Int }', ['A: A is defined twice']],
  ['types', 'enum A { S S }', ['S: The value S is declared twice']],
  ['types', 'type A { a: Int a: Int }', ['a: The field a is declared twice']],
  ['types', 'type Query { a: Int }', ['Query: The action has a field of its own, above']],
  ['types', 'scalar Int', ['Int: Int is a type of GraphQL itself; choose another name']],
  [
    'types',
    'type A { a: In } input In { a: Int }',
    ['In: In is an input, which cannot be an output type; use a scalar, an enum, a type, an interface or a union'],
  ],
  ['types', 'type A { a: Int @lazy }', ['@lazy: @lazy is not known here']],
  ['types', 'type A { a(b: Int): Int }', ['b: Int: Output fields cannot have arguments']],
  ['types', 'union U = Int', ['Int: Int is a scalar; members of a union are types']],
])('marks the errors in the %s %j', (part, text, expected) => {
  expect(marks(part, text)).toEqual(expected);
});

test('a name that may be a type of the database is a warning, because only the service can decide', () => {
  expect(checkSdl('types', 'type A { a: my_domain }', known)).toMatchObject([{ severity: 'warning' }]);
});

test('does not check references while the other text is invalid', () => {
  expect(typesIn('type A {')).toBeUndefined();
  expect(checkSdl('action', 'type Query { a: Nowhere }', undefined)).toEqual([]);
});
