import { describe, expect, test } from 'vitest';
import { modelFixture, stranger, user } from '../../../test/support/model/sample-model.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { createSchemaWriter } from './json-schema.ts';
import { canonicalText, holdsOperation, problemsOf, storedVariables } from './stored.ts';
import { storedShape } from './stored-shape.ts';

const { model } = modelFixture();
const schema = roleSchema(model, user);
/** Nested more deeply than the stack. */
const deep = `${'{a'.repeat(20_000)}${'}'.repeat(20_000)}`;

describe('the errors of a stored operation', () => {
  test.each([
    ['are empty if it is valid', '{ author { id } }', []],
    [
      'are all validation errors with their paths',
      '{ author { foo bar } }',
      [
        "$.selectionSet.author.selectionSet.foo: field 'foo' not found in type: 'author'",
        "$.selectionSet.author.selectionSet.bar: field 'bar' not found in type: 'author'",
      ],
    ],
    [
      'are the syntax error',
      '{ author',
      ['$.query: not a valid graphql query: Expected Name, found <EOF> (line 1, column 9)'],
    ],
    ['report excessive nesting', deep, ['$: a value of the request or of a response is nested too deeply']],
  ])('%s', (_rule, text, errors) => {
    expect(problemsOf(schema, text)).toEqual(errors);
  });
});

describe('a stored text', () => {
  test.each([
    ['holds a mutation', 'mutation { a }', 'mutation', true],
    ['holds a subscription', 'subscription { a }', 'subscription', true],
    ['holds a mutation after other operations', 'query A { a } mutation B { a }', 'mutation', true],
    ['that holds a subscription holds no mutation', 'subscription { a }', 'mutation', false],
    ['that holds a query holds no mutation', '{ a }', 'mutation', false],
    ['that holds a fragment holds no mutation', 'fragment A on b { a }', 'mutation', false],
    ['that cannot be parsed holds no mutation', 'mutation { a', 'mutation', false],
    ['that is empty holds no mutation', '', 'mutation', false],
    ['that is nested too deeply holds no mutation', `mutation ${deep}`, 'mutation', false],
  ] as const)('%s', (_rule, text, kind, expected) => {
    expect(holdsOperation(text, kind)).toBe(expected);
  });
});

test('a stored text is parsed once, with the same result', () => {
  const text = 'mutation Twice { a }';
  expect([holdsOperation(text, 'mutation'), holdsOperation(text, 'mutation')]).toEqual([true, true]);
});

describe('a variable of a stored operation', () => {
  const variable = (declaration: string) => storedVariables(schema, `query (${declaration}) { author { id } }`);

  test.each([
    ['$a: String', { name: 'a', type: 'String', required: false, list: false, form: 'text' }],
    ['$a: Int!', { name: 'a', type: 'Int!', required: true, list: false, form: 'number' }],
    ['$a: Int! = 1', { name: 'a', type: 'Int!', required: false, list: false, form: 'number' }],
    ['$a: [uuid!]!', { name: 'a', type: '[uuid!]!', required: true, list: true, form: 'text' }],
    ['$a: [Boolean]', { name: 'a', type: '[Boolean]', required: false, list: true, form: 'boolean' }],
    ['$a: Float', { name: 'a', type: 'Float', required: false, list: false, form: 'number' }],
    ['$a: jsonb', { name: 'a', type: 'jsonb', required: false, list: false, form: 'json' }],
    ['$a: author_bool_exp', { name: 'a', type: 'author_bool_exp', required: false, list: false, form: 'json' }],
    ['$a: order_by', { name: 'a', type: 'order_by', required: false, list: false, form: 'text' }],
  ])('%s is described as %j', (declaration, expected) => {
    expect(variable(declaration)).toEqual([expected]);
  });

  test.each([
    ['of a type that the role does not have is omitted', '$a: missing, $b: Int', ['b']],
    ['of an output type is omitted', '$a: author, $b: [author!]', []],
  ])('%s', (_rule, declaration, names) => {
    expect(variable(declaration).map(({ name }) => name)).toEqual(names);
  });

  test.each([
    [
      'is that of the first operation',
      'fragment F on author { id } query A($a: Int) { a } query B($b: Int) { a }',
      ['a'],
    ],
    ['does not exist without declarations', '{ author { id } }', []],
    ['does not exist in a text that cannot be parsed', 'query ($a: Int) {', []],
    ['does not exist in a text without an operation', 'fragment F on author { id }', []],
  ])('%s', (_rule, text, names) => {
    expect(storedVariables(schema, text).map(({ name }) => name)).toEqual(names);
  });
});

describe('the canonical text of an operation', () => {
  test.each([
    ['has no insignificant characters', '# all\nquery A {\n  a,  b(x: 1)\n}', 'query A{a b(x:1)}'],
    ['has no keyword for an anonymous query', 'query { a }', '{a}'],
    ['has no __typename beside other fields', '{ __typename a { b __typename c } }', '{a{b c}}'],
    ['preserves __typename as the only field', '{ a { __typename } }', '{a{__typename}}'],
    ['preserves fragments beside __typename', '{ __typename ...A ... on b { c } }', '{...A ...on b{c}}'],
    ['is the text if that cannot be parsed', '{ a # cut', '{ a # cut'],
    ['is empty if the text is', '', ''],
    ['has control characters in escaped form', '{a(x:"\x7f\x7f")}', '{a(x:"\\u007F\\u007F")}'],
  ])('%s', (_rule, text, expected) => {
    expect(canonicalText(text)).toBe(expected);
  });

  test('is the same at each call', () => {
    const text = 'query Again { a __typename }';
    expect([canonicalText(text), canonicalText(text)]).toEqual(['query Again{a}', 'query Again{a}']);
  });
});

describe('the shape of a stored operation', () => {
  const writer = createSchemaWriter(schema.schema, false);

  test('is its kind, its name, its variables with their schemas, and the schema of its data', () => {
    const text = 'query Names($id: Int!, $limit: Int = 5) { author(where: {id: {_eq: $id}}, limit: $limit) { name } }';
    expect(storedShape(schema, text, writer)).toMatchObject({
      kind: 'query',
      operationName: 'Names',
      variables: [
        { name: 'id', required: true, schema: { type: 'integer', format: 'int32' } },
        { name: 'limit', required: false, schema: { type: 'integer', format: 'int32', nullable: true } },
      ],
      response: { properties: { author: { type: 'array' } }, required: ['author'] },
    });
  });

  test('has no name and no variables if the operation has none', () => {
    expect(storedShape(schema, 'subscription { author { name } }', writer)).toMatchObject({
      kind: 'subscription',
      operationName: undefined,
      variables: [],
    });
  });

  test.each([
    ['is not valid', '{ author { foo } }'],
    ['cannot be parsed', '{ author {'],
    ['does not exist', 'fragment A on author { id }'],
    ['has a root type that the role does not have', 'mutation { insert_author { id } }'],
  ])('is undefined if the operation %s', (_rule, text) => {
    expect(storedShape(schema, text, writer)).toBeUndefined();
  });

  test('is undefined for a role without permission', () => {
    const other = roleSchema(model, stranger);
    const shape = storedShape(other, '{ author { id } }', createSchemaWriter(other.schema, false));
    expect(shape).toBeUndefined();
  });
});
