/** The log of operations and its plan hash, which is equal for operations with the same statements. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pooled } from '../support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process.ts';
import { until } from '../support/until.ts';

const sql = `
  create table author (id int primary key, name text);
  insert into author values (1, 'Ada'), (2, 'Bob');
`;

let database: TestDatabase;
let handler: HandlerServer;
let service: ServiceProcess;

beforeAll(async () => {
  database = await testDatabase({ sql });
  handler = await startHandlerServer({ '/greet': () => ({ text: 'hello', id: 1 }) });
  service = await startServiceProcess({
    JOINERY_DATABASE_URL: pooled(database.url),
    JOINERY_PORT: '0',
    JOINERY_QUERY_LOG: 'true',
    JOINERY_LOG_FORMAT: 'json',
    HANDLER: handler.url,
  });
  await post('/v1/query', { type: 'track_table', args: 'author' });
  const relationship = { name: 'author', type: 'object', remote_table: 'author', field_mapping: { id: 'id' } };
  const fields = [
    { name: 'text', type: 'String!' },
    { name: 'id', type: 'Int!' },
  ];
  const objects = [{ name: 'Greeting', fields, relationships: [relationship] }];
  await post('/v1/query', { type: 'set_custom_types', args: { objects } });
  await post('/v1/query', {
    type: 'create_action',
    args: {
      name: 'greet',
      definition: {
        handler: '{{HANDLER}}/greet',
        type: 'query',
        output_type: 'Greeting!',
        arguments: [{ name: 'name', type: 'String' }],
      },
    },
  });
});

afterAll(async () => {
  await service?.stop();
  await handler?.close();
  await database?.drop();
});

async function post(path: string, body: unknown, requestId = 'setup'): Promise<void> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-role': 'admin', 'x-request-id': requestId },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(await response.text());
}

let requests = 0;

/** Executes the operation and returns its log line. */
async function logged(query: string, variables?: unknown): Promise<Readonly<Record<string, unknown>>> {
  const requestId = `operation-${++requests}`;
  await post('/v1/graphql', { query, variables }, requestId);
  const line = (): string | undefined =>
    service
      .log()
      .split('\n')
      .find((one) => one.includes(`"${requestId}"`) && one.includes('"kind":"operation"') && one.endsWith('}'));
  await until('the operation is in the log', () => line() !== undefined);
  return JSON.parse(line() ?? '');
}

async function planHashOf(query: string, variables?: unknown): Promise<unknown> {
  return (await logged(query, variables)).planHash;
}

describe('planHash', () => {
  const byVariable = 'query ($id: Int!) { author(where: { id: { _eq: $id } }) { id name } }';

  test('has sixteen hexadecimal digits and differs from the hash of the document', async () => {
    const line = await logged(byVariable, { id: 1 });
    expect(line).toMatchObject({ type: 'query', role: 'admin', hash: expect.stringMatching(/^[\da-f]{16}$/) });
    expect(line.planHash).toMatch(/^[\da-f]{16}$/);
    expect(line.planHash).not.toBe(line.hash);
  });

  test('is the same for other values, as variables or literals, and for other documents with the same statement', async () => {
    const hash = await planHashOf(byVariable, { id: 1 });
    expect(await planHashOf(byVariable, { id: 2 })).toBe(hash);
    expect(await planHashOf('{ author(where: { id: { _eq: 2 } }) { id name } }')).toBe(hash);
    expect(
      await planHashOf('query Named { author(where: {id: {_eq: 1}}) { ...f } } fragment f on author { id, name }'),
    ).toBe(hash);
  });

  test('differs for different statements', async () => {
    const hashes = [
      await planHashOf('{ author(where: { id: { _eq: 1 } }) { id name } }'),
      await planHashOf('{ author(where: { id: { _gt: 1 } }) { id name } }'),
      await planHashOf('{ author(where: { id: { _eq: 1 } }) { name id } }'),
      await planHashOf('{ author_aggregate { aggregate { count } } }'),
      await planHashOf('{ __typename }'),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('differs for different selections of actions, joins and mutations, not for different values', async () => {
    const hash = await planHashOf('{ greet(name: "a") { text author { name } } }');
    expect(await planHashOf('query Hello { greet(name: "b") { text author { name } } }')).toBe(hash);
    expect(await planHashOf('{ greet(name: "b") { text author { id } } }')).not.toBe(hash);
    const insert = (id: number, field = 'id') =>
      `mutation { insert_author_one(object: { id: ${id}, name: "x" }) { ${field} } }`;
    const inserted = await planHashOf(insert(10));
    expect(await planHashOf(insert(11))).toBe(inserted);
    expect(await planHashOf(insert(12, 'name'))).not.toBe(inserted);
  });

  test('is absent for an operation that cannot be planned', async () => {
    const line = await logged('{ nothing }');
    expect(line).toMatchObject({ code: 'validation-failed', hash: expect.any(String) });
    expect(line).not.toHaveProperty('planHash');
  });
});

test('all log lines are written before the service ends', async () => {
  const other = await startServiceProcess({
    JOINERY_DATABASE_URL: pooled(database.url),
    JOINERY_PORT: '0',
    JOINERY_QUERY_LOG: 'true',
    JOINERY_LOG_FORMAT: 'json',
    HANDLER: handler.url,
  });
  const send = (requestId: string) =>
    fetch(`${other.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': requestId },
      body: JSON.stringify({ query: '{ author { id } }' }),
    }).then((response) => response.text());
  const ids = Array.from({ length: 20 }, (_, number) => `last-${number}-`);
  await Promise.all(ids.map(send));
  await other.stop();
  for (const id of ids) expect(other.log()).toContain(`"requestId":"${id}"`);
});
