/** Query tags: comments on SQL statements that name the operation, without more prepared statements. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commentOf } from '../../src/execute/context/query-tags.ts';
import { nextData, subscribe } from '../subscriptions/notes-service.ts';
import { connectedClient, type FrameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table note (id int primary key, body text not null);
  insert into note values (1, 'one'), (2, 'two');
  create view prepared as select name, statement from pg_prepared_statements;
`;

let service: TestService;
let client: FrameClient | undefined;

beforeAll(async () => {
  // All statements use the one connection, whose prepared statements the view shows.
  service = await startService({ JOINERY_POOL_SIZE: '1' }, { sql });
  await service.command('track_table', 'note');
  await service.command('track_table', 'prepared');
  await service.command('create_select_permission', {
    table: 'note',
    role: 'user',
    permission: { columns: '*', filter: { id: 'X-Service-User-Id' } },
  });
}, 60_000);

beforeEach(() => service.command('set_query_tags', { source_name: 'default' }));

afterEach(async () => {
  await client?.close();
  client = undefined;
});

afterAll(() => service.stop());

/** Returns the prepared statements whose text contains `part`. */
async function prepared(part: string): Promise<readonly string[]> {
  const document = 'query ($part: String!) { prepared(where: { statement: { _like: $part } }) { statement } }';
  const { data } = (await service.graphql(document, {}, { part: `%${part}%` })) as {
    data: { prepared: { statement: string }[] };
  };
  return data.prepared.map(({ statement }) => statement);
}

test('the comment has the root fields, the hash and the name of the operation', async () => {
  await service.graphql('query Plain { first: note { id } note_aggregate { aggregate { count } } }');
  expect(await prepared('=Plain')).toEqual([
    expect.stringMatching(
      / \/\* field_name=first,note_aggregate, parameterized_query_hash=[0-9a-f]{16}, operation_name=Plain \*\/$/,
    ),
  ]);
});

test('an anonymous operation has no operation_name', async () => {
  await service.graphql('{ anonymous: note { id } }');
  expect(await prepared('field_name=anonymous,')).toEqual([expect.not.stringContaining('operation_name')]);
});

test('requests that differ in values and sessions share one prepared statement', async () => {
  const document = 'query Shared($id: Int!) { note(where: { id: { _gt: $id } }) { id body } }';
  for (let id = 0; id < 10; id += 1) {
    const user = { 'x-service-role': 'user', 'x-service-user-id': String(id), 'x-request-id': `request-${id}` };
    await service.graphql(document, user, { id });
  }
  expect(await prepared('operation_name=Shared')).toHaveLength(1);
});

test('operations with new names and equal SQL add at most four prepared statements', async () => {
  for (let number = 0; number < 10; number += 1) {
    expect(await service.graphql(`query Renamed_${number} { renamed: note { body } }`)).toMatchObject({ data: {} });
  }
  expect(await prepared('operation_name=Renamed')).toHaveLength(4);
});

test('with request ids no statement is prepared', async () => {
  await service.command('set_query_tags', { source_name: 'default', omit_request_id: false });
  const id = 'a*/b; drop table note; --';
  expect(await service.graphql('query WithId { note { id } }', { 'x-request-id': id })).toEqual({
    data: { note: [{ id: 1 }, { id: 2 }] },
  });
  expect(await prepared('operation_name=WithId')).toEqual([]);
});

test('statements of mutations have the comment', async () => {
  await service.graphql('mutation Add { insert_note_one(object: { id: 3, body: "three" }) { id } }');
  await service.graphql('mutation Remove { delete_note_by_pk(id: 3) { id } }');
  expect(await prepared('operation_name=Add')).toEqual([expect.stringContaining('/* field_name=insert_note_one, ')]);
  expect(await prepared('operation_name=Remove')).toHaveLength(1);
});

test('the statement of a subscription has no operation_name, and its subscribers share it', async () => {
  client = await connectedClient(service.url, {});
  subscribe(client, 'subscription One { polled: note(order_by: { id: asc }) { id } }', {}, 'one');
  expect(await nextData(client)).toEqual({ polled: [{ id: 1 }, { id: 2 }] });
  subscribe(client, 'subscription Two { polled: note(order_by: { id: asc }) { id } }', {}, 'two');
  expect(await nextData(client)).toEqual({ polled: [{ id: 1 }, { id: 2 }] });
  expect(await prepared('field_name=polled,')).toEqual([
    expect.stringMatching(/ \/\* field_name=polled, parameterized_query_hash=[0-9a-f]{16} \*\/$/),
  ]);
});

describe('set_query_tags', () => {
  const exported = async () => {
    const { sources } = (await service.command('export_metadata', {})) as { sources: { query_tags?: unknown }[] };
    return sources[0]?.query_tags;
  };

  test('stores its defaults, and a disabled source has no comments', async () => {
    expect(await exported()).toEqual({ disabled: false, format: 'standard', omit_request_id: true });
    await service.command('set_query_tags', { source_name: 'default', disabled: true });
    expect(await exported()).toEqual({ disabled: true, format: 'standard', omit_request_id: true });
    await service.graphql('query Untagged { untagged: note { id } }');
    expect(await prepared('field_name=untagged')).toEqual([]);
  });

  test.each([
    [{ source_name: 'none' }, 'not-exists', '$.args.source_name'],
    [{ source_name: 'default', format: 'json' }, 'parse-failed', '$.args.format'],
  ])('rejects %j with %s', async (args, code, path) => {
    const { body } = await service.post('/v1/metadata', { type: 'set_query_tags', args });
    expect(body).toMatchObject({ code, path });
  });
});

describe('commentOf', () => {
  const tags = [
    ['request_id', "a*/ '; drop table x; /*é--\n"],
    ['field_name', 'shop.orders,b'],
  ] as const;

  test.each([
    [
      'standard',
      'select 1 /* request_id=a%2A%2F%20%27%3B%20drop%20table%20x%3B%20%2F%2A%C3%A9--%0A, field_name=shop.orders,b */',
    ],
    [
      'standard_prepended',
      '/* request_id=a%2A%2F%20%27%3B%20drop%20table%20x%3B%20%2F%2A%C3%A9--%0A, field_name=shop.orders,b */ select 1',
    ],
    [
      'sqlcommenter',
      "select 1 /*field_name='shop.orders%2Cb',request_id='a%2A%2F%20%27%3B%20drop%20table%20x%3B%20%2F%2A%C3%A9--%0A'*/",
    ],
  ] as const)('escapes the ends of comments in the format %s', (format, text) => {
    expect(commentOf(tags, { format })('select 1')).toBe(text);
  });
});
