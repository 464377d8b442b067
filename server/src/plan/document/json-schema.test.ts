import { buildSchema, type GraphQLInputType, isInputType, parseType, typeFromAST } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readDocument, rootOf } from './documents.ts';
import { createSchemaWriter, type JsonSchema, jsonSchemaDialect, type SchemaDialect } from './json-schema.ts';

const schema = buildSchema(`
  directive @skipless on FIELD
  directive @noskip on FIELD
  scalar smallint  scalar bigint  scalar float8  scalar real  scalar numeric  scalar uuid  scalar date  scalar timestamptz
  scalar json  scalar jsonb  scalar geometry  scalar geography  scalar money
  enum Size { S L }
  input Filter { id: ID!  limit: Int! = 10  size: Size  tags: [String!]  not: Filter }
  input One { two: Two }  input Two { three: Three }  input Three { four: [Four!]! }  input Four { five: Five }  input Five { n: Int }
  input Pair { first: First  three: Three }  input First { three: Three }
  interface Named { name: String! }
  interface Person implements Named { name: String!  born: date }
  type Author implements Named & Person { name: String!  born: date  size: Size  articles: [Article!]!  price: numeric  copies: bigint  score: float8  count: Int }
  type Article { title: String!  author: Author }
  union Entry = Author | Article
  type Query { ratio(x: Float): Int  author: Author  articles: [Article!]!  named: Named  person: Person!  entry: Entry  meta: json }
`);

function inputType(text: string): GraphQLInputType {
  const type = typeFromAST(schema, parseType(text));
  if (!isInputType(type)) throw new Error(`no input type ${text}`);
  return type;
}

/** Returns the schema of a variable, and those of the input objects that it refers to. */
function written(type: string, dialect?: SchemaDialect) {
  const writer = createSchemaWriter(schema, false, dialect);
  return { variable: writer.input(inputType(type)), components: Object.fromEntries(writer.components) };
}

function responseOf(query: string, stringifyNumerics = false, dialect?: SchemaDialect): JsonSchema {
  const document = readDocument(schema, query);
  const [operation] = document.operations;
  if (operation === undefined) throw new Error('no operation');
  const { root } = rootOf(schema, operation);
  return createSchemaWriter(schema, stringifyNumerics, dialect).response(root, operation.selectionSet, document);
}

/** Returns the schema of the first member of the data. */
function memberOf(query: string, ...rest: [boolean?, SchemaDialect?]): JsonSchema {
  const [first] = Object.values(responseOf(query, ...rest).properties as Readonly<Record<string, JsonSchema>>);
  if (first === undefined) throw new Error('no member');
  return first;
}

describe('a variable in OpenAPI 3.0', () => {
  test.each([
    ['Int!', { type: 'integer', format: 'int32' }],
    ['smallint!', { type: 'integer' }],
    ['bigint!', { type: 'integer', format: 'int64' }],
    ['Float!', { type: 'number' }],
    ['float8!', { type: 'number', format: 'double' }],
    ['real!', { type: 'number', format: 'float' }],
    ['numeric!', { type: 'number' }],
    ['Boolean!', { type: 'boolean' }],
    ['String!', { type: 'string' }],
    ['ID!', { type: 'string' }],
    ['uuid!', { type: 'string', format: 'uuid' }],
    ['date!', { type: 'string', format: 'date' }],
    ['timestamptz!', { type: 'string', format: 'date-time' }],
    ['json!', {}],
    ['jsonb!', {}],
    ['geometry!', { type: 'object' }],
    ['geography!', { type: 'object' }],
    ['money!', { type: 'string', description: 'money' }],
    ['Size!', { type: 'string', enum: ['S', 'L'] }],
    ['[Int!]!', { type: 'array', items: { type: 'integer', format: 'int32' } }],
    ['Filter!', { $ref: '#/components/schemas/Filter' }],
  ])('of the type %s has the schema %j', (type, expected) => {
    expect(written(type).variable).toEqual(expected);
  });

  test.each([
    ['String', { type: 'string', nullable: true }],
    ['[String]', { type: 'array', items: { type: 'string', nullable: true }, nullable: true }],
    ['json', {}],
    ['Filter', { allOf: [{ $ref: '#/components/schemas/Filter' }], nullable: true }],
  ])('of the nullable type %s can be null: %j', (type, expected) => {
    expect(written(type).variable).toEqual(expected);
  });
});

describe('an input object', () => {
  test('requires its non-null members without a default, and permits no others', () => {
    expect(written('Filter!').components).toEqual({
      Filter: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          limit: { type: 'integer', format: 'int32' },
          size: { type: 'string', enum: ['S', 'L', null], nullable: true },
          tags: { type: 'array', items: { type: 'string' }, nullable: true },
          not: { allOf: [{ $ref: '#/components/schemas/Filter' }], nullable: true },
        },
        required: ['id'],
        additionalProperties: false,
      },
    });
  });

  test('without required members has no empty list of them', () => {
    expect(written('Five!').components.Five).toEqual({
      type: 'object',
      properties: { n: { type: 'integer', format: 'int32', nullable: true } },
      additionalProperties: false,
    });
  });

  test('is a component with all input objects within it, at any depth', () => {
    expect(Object.keys(written('One').components)).toEqual(['One', 'Two', 'Three', 'Four', 'Five']);
  });

  test('is one component for all variables of the writer', () => {
    const writer = createSchemaWriter(schema, false);
    writer.input(inputType('Three'));
    const before = writer.components.get('Four');
    writer.input(inputType('Four'));
    expect(writer.components.get('Four')).toBe(before);
  });
});

describe('a variable in JSON Schema', () => {
  test.each([
    ['Int', { anyOf: [{ type: 'integer', format: 'int32' }, { type: 'null' }] }],
    ['json', {}],
    ['Filter!', { $ref: '#/$defs/Filter' }],
    ['Filter', { anyOf: [{ $ref: '#/$defs/Filter' }, { type: 'null' }] }],
  ])('of the type %s has the schema %j', (type, expected) => {
    expect(written(type, jsonSchemaDialect).variable).toEqual(expected);
  });

  test('refers to input objects of four levels, of which the last has objects of any members', () => {
    const { components } = written('One!', jsonSchemaDialect);
    expect(Object.keys(components)).toEqual(['One', 'Two', 'Three', 'Four']);
    expect(components.Four).toMatchObject({
      properties: {
        five: { anyOf: [{ type: 'object', description: 'The GraphQL input object Five.' }, { type: 'null' }] },
      },
    });
  });
});

describe('an input object at several depths', () => {
  test('is limited by the smallest', () => {
    expect(written('Pair!', jsonSchemaDialect).components.Four).toMatchObject({
      properties: { five: { anyOf: [{ $ref: '#/$defs/Five' }, { type: 'null' }] } },
    });
  });
});

describe('a response', () => {
  test('has the selected fields by their aliases', () => {
    expect(responseOf('{ first: author { name } meta }')).toEqual({
      type: 'object',
      properties: {
        first: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'], nullable: true },
        meta: {},
      },
      required: ['first', 'meta'],
    });
  });

  test('has lists of objects', () => {
    const item = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    expect(memberOf('{ articles { title } }')).toEqual({ type: 'array', items: item });
  });

  test('has nulls in the form of the dialect', () => {
    expect(memberOf('{ author { size } }', false, jsonSchemaDialect)).toEqual({
      anyOf: [
        {
          type: 'object',
          properties: { size: { anyOf: [{ type: 'string', enum: ['S', 'L'] }, { type: 'null' }] } },
          required: ['size'],
        },
        { type: 'null' },
      ],
    });
  });

  test('has the name of the type as a string', () => {
    expect(memberOf('{ entry { __typename } }')).toMatchObject({ properties: { __typename: { type: 'string' } } });
  });

  test.each([
    [false, { type: 'number' }, { type: 'integer', format: 'int64' }, { type: 'number', format: 'double' }],
    [
      true,
      { type: 'string', description: 'numeric' },
      { type: 'string', description: 'bigint' },
      { type: 'string', description: 'float8' },
    ],
  ])('has exact numbers as strings if numerics are stringified: %s', (stringify, price, copies, score) => {
    const nullable = true;
    expect(memberOf('{ author { price copies score count } }', stringify).properties).toEqual({
      price: { ...price, nullable },
      copies: { ...copies, nullable },
      score: { ...score, nullable },
      count: { type: 'integer', format: 'int32', nullable },
    });
  });

  test('has numbers in variables even if numerics are stringified', () => {
    expect(createSchemaWriter(schema, true).input(inputType('numeric!'))).toEqual({ type: 'number' });
  });

  test('satisfies the schemas of all selections of a field', () => {
    const part = (name: string, type: object) => ({ type: 'object', properties: { [name]: type }, required: [name] });
    expect(memberOf('{ articles { title } ...A } fragment A on Query { articles { author { name } } }')).toEqual({
      allOf: [
        { type: 'array', items: part('title', { type: 'string' }) },
        {
          type: 'array',
          items: part('author', { ...part('name', { type: 'string' }), nullable: true }),
        },
      ],
    });
  });

  test('has one schema for equal selections of a field', () => {
    expect(memberOf('{ articles { title title } articles { title } }')).toMatchObject({ type: 'array' });
  });
});

describe('a field of a response', () => {
  /** The members of the first object that every response has. */
  const requiredIn = (query: string) => {
    const member = memberOf(query);
    return member.required ?? [];
  };

  test.each([
    ['is required', '{ author { name } }', ['name']],
    ['with @skip is not required', 'query ($a: Boolean!) { author { born name @skip(if: $a) } }', ['born']],
    ['with @include is not required', 'query ($a: Boolean!) { author { born name @include(if: $a) } }', ['born']],
    ['with another directive is required', '{ author { name @skipless born @noskip } }', ['name', 'born']],
    ['in an inline fragment is required', '{ author { ... { name } } }', ['name']],
    ['in a fragment of its type is required', '{ author { ...A } } fragment A on Author { name }', ['name']],
    ['in a fragment of an interface of its type is required', '{ author { ... on Named { name } } }', ['name']],
    [
      'in a fragment of a union with its type is required',
      '{ author { ... on Entry { __typename } } }',
      ['__typename'],
    ],
    ['in a fragment of one of the types is not required', '{ named { ... on Author { name } } }', []],
    ['in a fragment of an interface of its interface is required', '{ person { ... on Named { name } } }', ['name']],
    ['in a fragment of a narrower interface is not required', '{ named { ... on Person { name } } }', []],
    [
      'in a fragment of one member of a union is not required',
      '{ entry { __typename ... on Article { title } } }',
      ['__typename'],
    ],
    [
      'in a fragment with @include is not required',
      'query ($a: Boolean!) { author { born ...A @include(if: $a) } } fragment A on Author { name }',
      ['born'],
    ],
    [
      'in a fragment within one that is not in every response is not required',
      '{ named { name ... on Author { ... { born } } } }',
      ['name'],
    ],
    [
      'selected once without a condition is required',
      'query ($a: Boolean!) { author { name @skip(if: $a) name } }',
      ['name'],
    ],
  ])('%s', (_rule, query, required) => {
    expect(requiredIn(query)).toEqual(required);
  });

  test('that is not required is still described', () => {
    expect(memberOf('{ entry { ... on Article { title } ... on Author { born } } }')).toEqual({
      type: 'object',
      properties: { title: { type: 'string' }, born: { type: 'string', format: 'date', nullable: true } },
      nullable: true,
    });
  });
});
