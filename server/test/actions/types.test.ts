/** Types of actions: interfaces, unions, default values, deprecations and enums of tables. */
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json-value.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';

const sql = `
  create table mood (value text primary key, comment text);
  insert into mood values ('calm', 'quiet'), ('wild', null);
  create table animal (id int primary key, name text, mood text references mood);
  insert into animal values (1, 'Rex', 'wild'), (2, 'Tom', 'calm');
`;

const metadata = (handler: string) => ({
  sources: [
    {
      name: 'default',
      tables: [
        { table: 'mood', is_enum: true },
        { table: 'animal', select_permissions: [{ role: 'keeper', permission: { columns: ['name'], filter: {} } }] },
      ],
    },
  ],
  custom_types: {
    enums: [{ name: 'Size', values: [{ value: 'S', deprecation_reason: 'use M' }, { value: 'M' }] }],
    input_objects: [
      {
        name: 'Search',
        fields: [
          { name: 'text', type: 'String!' },
          { name: 'most', type: 'Int!', default_value: 10 },
          { name: 'size', type: 'Size', default_value: 'M' },
          { name: 'old', type: 'Boolean', deprecation_reason: 'no effect' },
        ],
      },
    ],
    interfaces: [
      {
        name: 'Pet',
        description: 'has a name',
        fields: [
          { name: 'id', type: 'Int!' },
          { name: 'friend', type: 'Pet' },
        ],
      },
    ],
    unions: [{ name: 'Anything', description: 'a result', types: ['Dog', 'Toy'] }],
    objects: [
      {
        name: 'Dog',
        implements: ['Pet'],
        fields: [
          { name: 'id', type: 'Int!' },
          { name: 'friend', type: 'Cat' },
          { name: 'barks', type: 'Boolean!' },
          { name: 'mood', type: 'mood_enum', deprecation_reason: 'use state' },
        ],
        relationships: [{ name: 'row', type: 'object', remote_table: 'animal', field_mapping: { id: 'id' } }],
      },
      {
        name: 'Cat',
        implements: ['Pet'],
        fields: [
          { name: 'id', type: 'Int!' },
          { name: 'friend', type: 'Pet' },
          { name: 'lives', type: 'Int' },
        ],
        relationships: [{ name: 'row', type: 'object', remote_table: 'animal', field_mapping: { id: 'id' } }],
      },
      { name: 'Toy', fields: [{ name: 'price', type: 'Float' }] },
      {
        name: 'Found',
        fields: [
          { name: 'things', type: '[Anything!]!' },
          { name: 'best', type: 'Pet' },
        ],
      },
    ],
  },
  actions: [
    {
      name: 'search',
      output_type: 'Found!',
      arguments: [
        { name: 'by', type: 'Search!' },
        { name: 'mood', type: 'mood_enum', default_value: 'calm' },
        { name: 'lang', type: 'String!', default_value: 'en', deprecation_reason: 'there is one language' },
      ],
    },
    { name: 'pets', output_type: '[Pet]!' },
    { name: 'anything', output_type: 'Anything' },
  ].map(({ name, ...definition }) => ({
    name,
    definition: { type: 'query', handler: `${handler}/${name}`, ...definition },
    permissions: [{ role: 'keeper' }],
  })),
});

const dog = { __typename: 'Dog', id: 1, barks: true, mood: 'wild', friend: { id: 2, lives: 9 } };
const cat = { __typename: 'Cat', id: 2, lives: 9, friend: { ...dog, id: 1 } };

let database: TestDatabase;
let handler: HandlerServer;
let engine: Engine;
let response: unknown;

beforeAll(async () => {
  database = await testDatabase({ sql });
  const reply = () => response;
  handler = await startHandlerServer({ '/search': reply, '/pets': reply, '/anything': reply });
  engine = await startEngine({ metadata: metadata(handler.url), databases: { default: database.database } });
});

afterAll(async () => {
  await Promise.all([engine.close(), handler.close()]);
  await database.drop();
});

interface ActionResult {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string; readonly extensions: object }[];
  readonly statements: number;
}

async function run(
  query: string,
  handlerResponse: unknown,
  variables: object = {},
  role = 'admin',
): Promise<ActionResult> {
  response = handlerResponse;
  handler.reset();
  const { body, statements } = await engine.execute({ query, variables: { ...variables }, role });
  return { ...(parseJson(body) as Omit<ActionResult, 'statements'>), statements: statements.length };
}

test('the metadata of these tests is consistent', () => {
  expect(engine.inconsistencies).toEqual([]);
});

describe('a value of an interface or a union', () => {
  test('has the fields, fragments and relationships of its __typename', async () => {
    const query = `{ pets {
      __typename
      id
      ... on Dog { barks row { name } }
      ...cat
      ... on Pet { friend { __typename id ... on Cat { lives } } }
    } }
    fragment cat on Cat { lives row { name } }`;
    const { data, statements } = await run(query, [dog, null, cat]);
    expect(data?.pets).toEqual([
      {
        __typename: 'Dog',
        id: 1,
        barks: true,
        row: { name: 'Rex' },
        friend: { __typename: 'Cat', id: 2, lives: 9 },
      },
      null,
      { __typename: 'Cat', id: 2, lives: 9, row: { name: 'Tom' }, friend: { __typename: 'Dog', id: 1 } },
    ]);
    expect(statements).toBe(2);
  });

  test('of a union has only the fields of its types', async () => {
    const query =
      '{ search(by: { text: "x" }) { things { kind: __typename ... on Toy { price } ... on Dog { mood } } } }';
    const { data } = await run(query, { things: [{ __typename: 'Toy', price: 2 }, dog] });
    expect(data?.search).toEqual({
      things: [
        { kind: 'Toy', price: 2 },
        { kind: 'Dog', mood: 'wild' },
      ],
    });
    expect((await run('{ anything { price } }', null)).errors).toMatchObject([
      { extensions: { code: 'validation-failed' } },
    ]);
    expect((await run('{ anything { __typename } }', null)).data).toEqual({ anything: null });
  });

  test.each([
    ['no __typename', { id: 1 }, 'response.__typename: expected a type of Anything (Dog, Toy), found nothing'],
    [
      'the name of another type',
      { ...cat },
      'response.__typename: expected a type of Anything (Dog, Toy), found "Cat"',
    ],
    ['fields of the wrong type', { ...dog, barks: 'yes' }, 'response.barks: expected Boolean!, found'],
    ['a number in place of an object', 5, 'response: expected Anything, found 5'],
  ])('with %s is rejected with the path', async (_what, handlerResponse, message) => {
    const { data, errors } = await run('{ anything { ... on Dog { id } } }', handlerResponse);
    expect(data ?? null).toBeNull();
    expect(errors?.[0]?.message).toContain(message);
  });

  test('that is not selected is also checked', async () => {
    const { errors } = await run('{ search(by: { text: "x" }) { best { id } } }', { things: [{ __typename: 'Ball' }] });
    expect(errors?.[0]?.message).toContain('response.things[0].__typename: expected a type of Anything');
  });

  test('is introspected with all its types, also if no field refers to them', async () => {
    const { data } = await run(getIntrospectionQuery(), null, {}, 'keeper');
    const { types } = (data as unknown as IntrospectionQuery).__schema;
    const named = (name: string) => types.find((type) => type.name === name);
    const possible = (name: string) =>
      (named(name) as unknown as { possibleTypes: { name: string }[] }).possibleTypes.map((type) => type.name).sort();
    expect(possible('Pet')).toEqual(['Cat', 'Dog']);
    expect(possible('Anything')).toEqual(['Dog', 'Toy']);
    expect(named('Anything')?.description).toBe('a result');
  });
});

describe('the input of a handler', () => {
  const inputOf = () => handler.calls[0]?.body.input;

  test('has the default values of absent members at any depth, and given nulls', async () => {
    await run('{ search(by: { text: "x" }) { best { id } } }', { things: [] });
    expect(inputOf()).toEqual({ by: { text: 'x', most: 10, size: 'M' }, mood: 'calm', lang: 'en' });
    await run('{ search(by: { text: "x", most: 1, size: null }, mood: wild) { best { id } } }', { things: [] });
    expect(inputOf()).toEqual({ by: { text: 'x', most: 1, size: null }, mood: 'wild', lang: 'en' });
  });

  test('has the default values of absent variables', async () => {
    const query = 'query ($by: Search!, $mood: mood_enum) { search(by: $by, mood: $mood) { best { id } } }';
    await run(query, { things: [] }, { by: { text: 'y' } });
    expect(inputOf()).toEqual({ by: { text: 'y', most: 10, size: 'M' }, mood: 'calm', lang: 'en' });
    await run(query, { things: [] }, { by: { text: 'y', most: 3 }, mood: null });
    expect(inputOf()).toEqual({ by: { text: 'y', most: 3, size: 'M' }, mood: null, lang: 'en' });
  });

  test('accepts only the values of an enum of a table', async () => {
    const { errors } = await run('{ search(by: { text: "x" }, mood: angry) { best { id } } }', { things: [] });
    expect(errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    expect(handler.calls).toHaveLength(0);
    const wrong = await run('{ search(by: { text: "x" }) { things { ... on Dog { mood } } } }', {
      things: [{ ...dog, mood: 'angry' }],
    });
    expect(wrong.errors?.[0]?.message).toContain('response.things[0].mood: expected mood_enum (calm, wild)');
  });
});

test('introspection returns default values, deprecations and their reasons', async () => {
  const query = `{
    search: __type(name: "Search") { inputFields(includeDeprecated: true) { name defaultValue isDeprecated deprecationReason } }
    dog: __type(name: "Dog") { fields(includeDeprecated: true) { name deprecationReason } }
    size: __type(name: "Size") { enumValues(includeDeprecated: true) { name deprecationReason } }
    mood: __type(name: "mood_enum") { kind enumValues { name description } }
    root: __type(name: "query_root") { fields { name args(includeDeprecated: true) { name defaultValue deprecationReason } } }
  }`;
  const { data } = await run(query, null);
  expect(data).toMatchObject({
    search: {
      inputFields: [
        { name: 'most', defaultValue: '10' },
        { name: 'old', isDeprecated: true, deprecationReason: 'no effect' },
        { name: 'size', defaultValue: 'M' },
        { name: 'text', defaultValue: null },
      ],
    },
    size: {
      enumValues: [
        { name: 'M', deprecationReason: null },
        { name: 'S', deprecationReason: 'use M' },
      ],
    },
    mood: { kind: 'ENUM', enumValues: [{ name: 'calm', description: 'quiet' }, { name: 'wild' }] },
  });
  const { dog: dogType, root } = data as unknown as Record<string, { fields: { name: string; args: object[] }[] }>;
  expect(dogType?.fields).toContainEqual({ name: 'mood', deprecationReason: 'use state' });
  expect(root?.fields.find(({ name }) => name === 'search')?.args).toEqual([
    { name: 'by', defaultValue: null, deprecationReason: null },
    { name: 'lang', defaultValue: '"en"', deprecationReason: 'there is one language' },
    { name: 'mood', defaultValue: 'calm', deprecationReason: null },
  ]);
});
