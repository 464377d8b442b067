/** Tests of literals in documents for remote schemas, which are exact, typed, and cannot change the document. */
import { buildSchema, type GraphQLInputType, parseType, parseValue, typeFromAST, valueFromASTUntyped } from 'graphql';
import { describe, expect, test } from 'vitest';
import { ExactNumber, parseJson } from '../../base/json-value.ts';
import { NoLiteral, printLiteral } from './literal.ts';

const schema = buildSchema(`
  scalar Moment
  enum State { OPEN CLOSED }
  input Near { place: [Float!]! state: State within: Near constructor: Int }
  type Query { a(id: ID): Int }
`);

function typeOf(text: string): GraphQLInputType {
  const type = typeFromAST(schema, parseType(text)) as GraphQLInputType | undefined;
  if (type === undefined) throw new Error(`no type ${text}`);
  return type;
}

const big = new ExactNumber('12345678901234567890');

describe('a literal', () => {
  test.each([
    ['Int', 5, '5'],
    ['Int', -0, '0'],
    ['Int', '-12', '-12'],
    ['Int!', 2147483647, '2147483647'],
    ['Float', 1.5, '1.5'],
    ['Float', 1e21, '1e+21'],
    ['Float', '1.50', '1.50'],
    ['Float', new ExactNumber('0.1000000000000000055511151231257827'), '0.1000000000000000055511151231257827'],
    ['String', 'a', '"a"'],
    ['String', 5, '"5"'],
    ['String', big, '"12345678901234567890"'],
    ['ID', 5, '"5"'],
    ['ID', 'x', '"x"'],
    ['ID', big, '"12345678901234567890"'],
    ['Boolean', true, 'true'],
    ['State', 'OPEN', 'OPEN'],
    ['[State!]', ['OPEN', 'CLOSED'], '[OPEN,CLOSED]'],
    ['[Int]', 5, '[5]'],
    ['[[Int]]', [[1], null], '[[1],null]'],
    ['[Int]', [], '[]'],
    ['Int', null, 'null'],
    [
      'Near',
      { place: [1, '2.5'], state: 'OPEN', within: { place: [] } },
      '{place:[1,2.5],state:OPEN,within:{place:[]}}',
    ],
    ['Moment', 'now', '"now"'],
    ['Moment', big, '12345678901234567890'],
    ['Moment', { a: [1, null, true, 'x'], b: {} }, '{a:[1,null,true,"x"],b:{}}'],
  ])('of type %s for %j is %s', (type, value, literal) => {
    expect(printLiteral(value, typeOf(type))).toBe(literal);
    expect(() => parseValue(literal)).not.toThrow();
  });

  test.each([
    ['Int', 1.5],
    ['Int', 2147483648],
    ['Int', '1 f1: secret'],
    ['Int', '1e3'],
    ['Int', '01'],
    ['Int', '1\n'],
    ['Int', true],
    ['Int!', null],
    ['Float', 'NaN'],
    ['Float', Number.NaN],
    ['Float', '1,5'],
    ['Float', '1.5\n'],
    ['String', true],
    ['String', { a: 1 }],
    ['ID', 1.5],
    ['Boolean', 'true'],
    ['State', 'HIDDEN'],
    ['State', 'OPEN){secret}'],
    ['State', 'constructor'],
    ['[Int!]', [1, null]],
    ['Near', 'x'],
    ['Near', { other: 1 }],
    ['Near', { 'place:[]} x': 1 }],
    ['Near', parseJson('{"__proto__": 1}')],
    ['Moment', { 'a b': 1 }],
    ['Moment', { 'a:1} x': 1 }],
    ['Moment', [() => 1]],
  ])('of type %s rejects %j', (type, value) => {
    expect(() => printLiteral(value, typeOf(type))).toThrow(NoLiteral);
  });

  test('of a string is parsed to the same string with any content', () => {
    const hostile = [
      '") { secret } f9: shipment(code: "',
      '"""block"""',
      'back\\slash \\" and \\u0041 \\n',
      'line\nbreak\r\nand\ttab',
      '\u0000\u0001\u001f\u007f\u2028\u2029\ufeff',
      '# no comment\n',
      '$variable {{TEMPLATE}}',
      '𝒳 🚚 é ß 中',
      '',
    ];
    for (const text of hostile) {
      for (const type of ['String', 'ID', 'Moment', '[String!]']) {
        const literal = printLiteral(text, typeOf(type));
        const read: unknown = valueFromASTUntyped(parseValue(literal));
        expect(Array.isArray(read) ? read[0] : read).toBe(text);
      }
    }
  });
});
