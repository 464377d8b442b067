import { buildSchema, type GraphQLInputType } from 'graphql';
import { expect, test } from 'vitest';
import type { Session } from '../../auth/session.ts';
import type { ExecuteContext } from '../context/context.ts';
import { withSession } from './session-values.ts';

const schema = buildSchema(`
  scalar Big
  enum Color { RED BLUE }
  type Query {
    field(ints: [Int!], floats: [Float], texts: [String], ids: [ID!], bigs: [Big!], colors: [Color!], grid: [[Int!]!], int: Int): Int
  }
`);

function sent(argument: string, text: string): unknown {
  const args = schema.getQueryType()?.getFields().field?.args ?? [];
  const type = args.find(({ name }) => name === argument)?.type as GraphQLInputType;
  const enumValues = argument === 'colors' ? new Set(['RED']) : undefined;
  const session: Session = { role: 'user' as Session['role'], variables: new Map([['x-service-a', text]]) };
  const context = { variables: {}, session } as ExecuteContext;
  return withSession([{ variable: 'v', name: 'x-service-a', type, enumValues }], context).v;
}

test.each<readonly [argument: string, text: string, value: unknown]>([
  ['ints', '{}', []],
  ['ints', ' { 1 , 2 } ', [1, 2]],
  // The form that a list in a token has as a session variable.
  ['ints', '{"1","2"}', [1, 2]],
  [
    'texts',
    '{"a b","c,d","e\\\\"f\\\\\\\\",g h, NULL ,"NULL"}'.replaceAll('\\\\', '\\'),
    ['a b', 'c,d', 'e"f\\', 'g h', null, 'NULL'],
  ],
  ['grid', '{{1,2},{3}}', [[1, 2], [3]]],
  ['ints', '[1,"2"]', [1, 2]],
  ['ints', '3', [3]],
  ['ids', '[1,"a"]', [1, 'a']],
  ['texts', '[1]', ['1']],
  ['texts', 'a,b', ['a,b']],
  ['floats', '{1.5,NULL}', [1.5, null]],
  ['colors', '{RED}', ['RED']],
  ['int', '-2147483648', -2147483648],
])('a session variable for the argument %s that is %s is sent as %j', (argument, text, value) => {
  expect(sent(argument, text)).toEqual(value);
});

test('numbers in a list keep their digits', () => {
  expect(sent('bigs', '[12345678901234567890]')).toMatchObject([{ text: '12345678901234567890' }]);
});

test.each([
  ['ints', '{1,NULL}'],
  ['ints', '[1.5]'],
  ['ints', '{1,}'],
  ['ints', '{1'],
  ['grid', '{1,{2}}}'],
  ['colors', '{RED,BLUE}'],
  ['int', '2147483648'],
  ['int', '{1}'],
])('a session variable for the argument %s that is %s is rejected', (argument, text) => {
  expect(() => sent(argument, text)).toThrow(expect.objectContaining({ code: 'coercion-error' }));
});
