/** Enum tables: metadata command, schema, queries and mutations. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const schema = `
create table color (value text primary key, comment text);
insert into color values ('red', 'warm'), ('blue', null);
create table day (name text primary key);
create table car (id int primary key, color text not null references color, second text references color, day text references day);
insert into car values (1, 'red', 'blue', null), (2, 'blue', null, null);
`;

let service: TestService;
const admin = { 'x-service-role': 'admin' };

beforeAll(async () => {
  service = await startService({}, { sql: schema });
  await service.command('track_table', { table: 'color', is_enum: true });
  for (const table of ['day', 'car']) await service.command('track_table', table);
}, 60_000);

afterAll(() => service.stop());

async function rejected(type: string, args: unknown): Promise<unknown> {
  const { status, body } = await service.post('/v1/query', { type, args }, admin);
  expect(status).toBe(400);
  return body;
}

test('columns with a foreign key to an enum table have the type of its enum', async () => {
  const query = `{
    __type(name: "color_enum") { kind enumValues { name description } }
    comparison: __type(name: "color_enum_comparison_exp") { inputFields { name } }
    car: __type(name: "car") { fields { name type { name ofType { name } } } }
  }`;
  expect(await service.graphql(query, admin)).toMatchObject({
    data: {
      __type: {
        kind: 'ENUM',
        enumValues: [
          { name: 'blue', description: null },
          { name: 'red', description: 'warm' },
        ],
      },
      comparison: { inputFields: ['_eq', '_in', '_is_null', '_neq', '_nin'].map((name) => ({ name })) },
      car: {
        fields: [
          { name: 'color', type: { name: null, ofType: { name: 'color_enum' } } },
          { name: 'day', type: { name: 'String' } },
          { name: 'id' },
          { name: 'second', type: { name: 'color_enum', ofType: null } },
        ],
      },
    },
  });
});

test('conditions and mutations accept values of the enum as literals and as variables', async () => {
  expect(await service.graphql('{ car(where: {color: {_eq: red}}) { id color second } }', admin)).toEqual({
    data: { car: [{ id: 1, color: 'red', second: 'blue' }] },
  });
  const query =
    'query ($some: [color_enum!], $one: color_enum) { car(where: {color: {_in: $some}, second: {_neq: $one}}) { id } }';
  expect(await service.graphql(query, admin, { some: ['red', 'blue'], one: 'red' })).toEqual({
    data: { car: [{ id: 1 }] },
  });
  expect(await service.graphql(query, admin, { some: ['blue'], one: 'blue' })).toEqual({ data: { car: [] } });
  const mutation =
    'mutation ($c: color_enum!) { insert_car_one(object: {id: 3, color: $c, second: red}) { color second } }';
  expect(await service.graphql(mutation, admin, { c: 'blue' })).toEqual({
    data: { insert_car_one: { color: 'blue', second: 'red' } },
  });
});

test('a value that the enum does not have is rejected by validation', async () => {
  expect(await service.graphql('{ car(where: {color: {_eq: green}}) { id } }', admin)).toMatchObject({
    errors: [{ message: expect.stringContaining("expected one of the values ['blue', 'red'] for type 'color_enum'") }],
  });
});

test('new rows become values of the enum when the metadata is reloaded', async () => {
  const values = async () => service.graphql('{ __type(name: "color_enum") { enumValues { name } } }', admin);
  await service.command('run_sql', { sql: "insert into color values ('green')" });
  expect(await values()).toEqual({ data: { __type: { enumValues: [{ name: 'blue' }, { name: 'red' }] } } });
  await service.command('reload_metadata', {});
  expect(await values()).toEqual({
    data: { __type: { enumValues: [{ name: 'blue' }, { name: 'green' }, { name: 'red' }] } },
  });
});

test('set_table_is_enum rejects a table with other columns and a table without rows', async () => {
  expect(await rejected('set_table_is_enum', { table: 'car', is_enum: true })).toMatchObject({
    code: 'invalid-configuration',
    error:
      'Inconsistent object: the table "car" cannot be used as an enum for the following reasons:\n  • the table’s primary key ("id") must have type "text", not type "integer"\n  • the table must have exactly one primary key and optionally one comment column, not 4 columns (color, day, id, second)\n',
  });
  expect(await rejected('set_table_is_enum', { table: 'day', is_enum: true })).toMatchObject({
    error: expect.stringContaining('because the table must have at least one row'),
  });
  expect(await service.post('/v1/query', { type: 'export_metadata', args: {} }, admin)).toMatchObject({
    body: { sources: [{ tables: [{}, { is_enum: true }, {}] }] },
  });
});

test('set_table_is_enum in a bulk uses the rows that its SQL inserted', async () => {
  await service.command('bulk', [
    { type: 'run_sql', args: { sql: "insert into day values ('monday')", check_metadata_consistency: true } },
    { type: 'set_table_is_enum', args: { table: 'day', is_enum: true } },
  ]);
  expect(await service.graphql('{ car(where: {day: {_eq: monday}}) { id } }', admin)).toEqual({ data: { car: [] } });
  await service.command('set_table_is_enum', { table: 'day', is_enum: false });
  expect(await service.graphql('{ car(where: {day: {_eq: "monday"}}) { id } }', admin)).toEqual({ data: { car: [] } });
});

test('a row that is not a GraphQL name makes the enum table inconsistent, and columns keep the type String', async () => {
  await service.command('run_sql', { sql: "insert into color values ('dark-red')" });
  expect(await service.command('reload_metadata', {})).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [
      {
        type: 'table',
        reason:
          'Inconsistent object: the table "color" cannot be used as an enum because the value "dark-red" is not a valid GraphQL enum value name',
      },
    ],
  });
  expect(await service.graphql('{ car(where: {color: {_eq: "red"}}) { id } }', admin)).toEqual({
    data: { car: [{ id: 1 }] },
  });
});
