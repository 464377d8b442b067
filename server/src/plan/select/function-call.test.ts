import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { errorsOf, planOf, rowsOf } from '../../../test/support/model/planning.ts';
import { argumentOf, functionOf, routineOf, withFunctions } from '../../../test/support/model/routines.ts';
import { user } from '../../../test/support/model/sample-model.ts';
import type { CallArgument, FunctionCall } from '../plan/query.ts';
import { bareCall } from './function-call.ts';

const optional = { hasDefault: true };
const row = argumentOf('author', 'Int', { from: 'row' });
const session = argumentOf('session', 'json', { from: 'session' });

const { model } = withFunctions(({ article }) => [
  functionOf(article, routineOf('recent')),
  functionOf(
    article,
    routineOf('named', argumentOf('a', 'Int'), argumentOf('b', 'String', optional), argumentOf('c', 'Int', optional)),
  ),
  functionOf(
    article,
    routineOf(
      'unnamed',
      argumentOf('', 'Int', { field: 'arg_1', ...optional }),
      argumentOf('', 'Int', { field: 'arg_2', ...optional }),
    ),
  ),
  functionOf(article, routineOf('tenant', session, argumentOf('a', 'Int'))),
  functionOf(article, routineOf('last', argumentOf('a', 'Int', optional), session)),
  functionOf(article, { ...routineOf('random'), isVolatile: true }),
]);
const request = { model, role: user };

function callOf(text: string, variables?: Readonly<Record<string, unknown>>): FunctionCall {
  const { from } = rowsOf(request, text.startsWith('query') ? text : `{ ${text} { id } }`, variables);
  if (from === undefined || from.kind === 'native') throw new Error('expected a function call');
  return from;
}

/** Returns the arguments as text: `name=value`, or `value` for those passed by position. */
const argumentsOf = (call: FunctionCall) =>
  call.arguments.map(({ name, value }) => (name ? `${name}=` : '') + printed(value));

function printed(value: CallArgument['value']): string {
  switch (value.kind) {
    case 'constant':
      return JSON.stringify(value.value);
    case 'variable':
      return `$${value.name}`;
    default:
      return value.kind;
  }
}

describe('a function call', () => {
  test('has the types of its arguments', () => {
    expect(callOf('named(args: {a: 1, b: "x"})')).toEqual({
      schema: 'public',
      name: 'named',
      arguments: [
        { name: undefined, type: columnType('Int'), value: { kind: 'constant', value: 1 } },
        { name: undefined, type: columnType('String'), value: { kind: 'constant', value: 'x' } },
      ],
    });
  });

  test.each([
    ['without arguments', 'recent', []],
    ['by position', 'named(args: {a: 1, b: "x", c: 2})', ['1', '"x"', '2']],
    ['by position, whatever their order', 'named(args: {c: 2, b: "x", a: 1})', ['1', '"x"', '2']],
    ['without omitted ones at the end', 'named(args: {a: 1})', ['1']],
    ['by name after an omitted one', 'named(args: {a: 1, c: 2})', ['1', 'c=2']],
    ['with a null', 'named(args: {a: 1, b: null})', ['1', 'null']],
    ['without a name', 'unnamed(args: {arg_1: 1, arg_2: 2})', ['1', '2']],
    ['without omitted ones that have no name', 'unnamed(args: {arg_1: 1})', ['1']],
    ['without any', 'unnamed', []],
    ['with a null for all', 'unnamed(args: null)', []],
    ['with the session variables', 'tenant(args: {a: 1})', ['allSessionVariables', '1']],
    ['with the session variables by name', 'last', ['session=allSessionVariables']],
  ])('passes arguments %s', (_what, text, expected) => {
    expect(argumentsOf(callOf(text))).toEqual(expected);
  });

  test('passes variables, of the argument or of its members', () => {
    const member = 'query ($a: Int) { named(args: {a: $a, c: 2}) { id } }';
    expect(argumentsOf(callOf(member, { a: 1 }))).toEqual(['$a', 'c=2']);
    const whole = 'query ($args: named_args!) { named(args: $args) { id } }';
    expect(argumentsOf(callOf(whole, { args: { a: 1, c: 2 } }))).toEqual(['1', 'c=2']);
  });

  test('may have another result each time if the function is volatile', () => {
    expect(callOf('random')).toEqual({ schema: 'public', name: 'random', arguments: [], isVolatile: true });
  });

  test.each([
    ['named(args: {b: "x"})', '.args.args: Non default arguments cannot be omitted; give "a"'],
    ['unnamed(args: {arg_2: 2})', '.args.args: Only last set of positional arguments can be omitted; give "arg_1"'],
    ['tenant(args: {a: "x"})', '.args.args.a: invalid input syntax for type integer: "x"'],
  ])('is rejected: %s', (text, error) => {
    const [name] = text.split('(');
    expect(errorsOf(request, `{ ${text} { id } }`)).toEqual([`$.selectionSet.${name}${error}`]);
  });
});

describe('a function is called', () => {
  test.each([
    ['for a list of rows', '{ recent { id } }', { kind: 'rows', shape: 'list', rows: { from: { name: 'recent' } } }],
    [
      'for aggregates',
      '{ recent_aggregate(limit: 2) { aggregate { count } } }',
      {
        kind: 'aggregate',
        aggregate: { rows: { from: { name: 'recent' }, limit: { value: 2 } }, parts: [{ kind: 'aggregate' }] },
      },
    ],
  ])('%s', (_what, text, expected) => {
    expect(planOf(request, text).roots).toMatchObject([expected]);
  });

  test('for pages of rows', () => {
    expect(planOf({ ...request, relay: true }, '{ recent_connection(first: 1) { __typename } }').roots).toMatchObject([
      { kind: 'connection', connection: { rows: { from: { name: 'recent' } }, page: { end: 'first' } } },
    ]);
  });

  test('for one row', () => {
    const one = withFunctions(({ article }) => [functionOf(article, routineOf('latest'), { returnsSet: false })]);
    expect(planOf({ model: one.model, role: user }, '{ latest { id } }').roots).toMatchObject([
      { kind: 'rows', shape: 'single', rows: { from: { name: 'latest' }, rowLimit: undefined } },
    ]);
  });
});

describe('a call without arguments from the caller', () => {
  test('passes the row and the session variables, and no optional argument', () => {
    const call = bareCall(routineOf('full_name', row, argumentOf('separator', 'String', optional), session));
    expect(argumentsOf(call)).toEqual(['row', 'session=allSessionVariables']);
  });

  test('is rejected if an argument has no default', () => {
    expect(() => bareCall(routineOf('full_name', row, argumentOf('separator', 'String')))).toThrow(
      expect.objectContaining({
        code: 'not-supported',
        message: 'Non default arguments cannot be omitted; give "separator"',
        path: '$',
      }),
    );
  });
});
