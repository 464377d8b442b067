/** Types of extensions whose schema is not on the search path: values are compared by the operators of the extension. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nextData, subscribe } from '../subscriptions/notes-service.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

/** citext is also comparable as text, where upper case differs and comes first. */
const sql = `
  create schema ext;
  create extension citext schema ext;
  create extension ltree schema ext;
  create table parent (code ext.citext primary key, path ext.ltree unique);
  create table child (id int primary key, code ext.citext, path ext.ltree);
  insert into parent values ('a', 'x.a'), ('B', 'x.b'), ('C', 'x.c');
  insert into child values (1, 'A', 'x.a'), (2, 'b', 'x.b'), (3, 'D', 'x.d');
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  for (const table of ['parent', 'child']) await service.command('pg_track_table', { table });
  for (const column of ['code', 'path']) {
    const using = { manual_configuration: { remote_table: 'parent', column_mapping: { [column]: column } } };
    await service.command('pg_create_object_relationship', { table: 'child', name: `by_${column}`, using });
    const to = { source: 'default', table: 'parent', relationship_type: 'object', field_mapping: { [column]: column } };
    const joined = { table: 'child', name: `joined_by_${column}`, definition: { to_source: to } };
    await service.command('pg_create_remote_relationship', joined);
  }
});
afterAll(() => service?.stop());

const dataOf = async (query: string) => {
  const { data, errors } = (await service.graphql(query)) as { data?: unknown; errors?: unknown };
  return errors ?? data;
};

test.each(['by_code', 'by_path', 'joined_by_code', 'joined_by_path'])('rows are related by %s', async (name) => {
  expect(await dataOf(`{ child(order_by: {id: asc}) { ${name} { code } } }`)).toEqual({
    child: [{ [name]: { code: 'a' } }, { [name]: { code: 'B' } }, { [name]: null }],
  });
});

test.each(['by_code', 'by_path'])('conditions and orders follow %s', async (name) => {
  const related = `{ child(where: {${name}: {}}, order_by: {${name}: {code: desc}}) { id } }`;
  expect(await dataOf(related)).toEqual({ child: [{ id: 2 }, { id: 1 }] });
});

test('max and min of citext ignore case', async () => {
  expect(await dataOf('{ parent_aggregate { aggregate { max { code } min { code } } } }')).toEqual({
    parent_aggregate: { aggregate: { max: { code: 'C' }, min: { code: 'a' } } },
  });
});

test.each([
  ['code', 'A'],
  ['path', 'x.a'],
])('a stream by %s has the rows after its cursor', async (column, start) => {
  const client = await connectedClient(service.url);
  const cursor = `cursor: {initial_value: {${column}: "${start}"}}, batch_size: 10`;
  try {
    subscribe(client, `subscription { parent_stream(${cursor}) { code } }`);
    expect(await nextData(client)).toEqual({ parent_stream: [{ code: 'B' }, { code: 'C' }] });
  } finally {
    await client.close();
  }
});
