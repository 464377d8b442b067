/** SQL injection through names: names with SQL syntax are quoted, and names that are invalid in GraphQL are rejected. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fromNow } from '../support/events/delivery-node.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { codeOf, expectVictimUnchanged, oddName, payloads, quotedName } from './payloads.ts';

const sql = `
  create table victim (id int primary key, owner text, note text);
  insert into victim values (1, 'ann'), (2, 'bob'), (3, 'cid');
  create schema ${quotedName};
  create table ${quotedName}.${quotedName} (id int primary key, ${quotedName} text, up int references ${quotedName}.${quotedName});
  insert into ${quotedName}.${quotedName} values (1, 'one', null), (2, 'two', 1);
  create function ${quotedName}."find'; drop"(term text) returns setof ${quotedName}.${quotedName}
    stable language sql as $f$ select * from ${quotedName}.${quotedName} t where t.${quotedName} = $1 $f$;
  create table ${quotedName}.kinds (value text primary key, comment text);
  insert into ${quotedName}.kinds values ('calm', ''';drop table victim;--');
`;
const odd = { schema: oddName, name: oddName };

let service: TestService;

beforeAll(async () => {
  service = await startService({ HOOK: 'http://127.0.0.1:9' }, { sql });
  await service.command('pg_track_table', { table: 'victim' });
});
afterAll(() => service?.stop());
afterEach(() => expectVictimUnchanged(service));

/** Returns the HTTP status and the error code of a metadata command, with its arguments to identify it. */
async function outcomeOf(type: string, args: unknown): Promise<readonly [string, unknown, number, string | undefined]> {
  const { status, body } = await service.post('/v1/metadata', { type, args });
  return [type, args, status, codeOf(body)];
}

test('tables, columns, functions, arguments and roles may have any name that PostgreSQL permits', async () => {
  await service.command('pg_track_table', {
    table: odd,
    configuration: { custom_name: 'odd', column_config: { [oddName]: { custom_name: 'col' } } },
  });
  await service.command('pg_create_object_relationship', {
    table: odd,
    name: 'above',
    using: { foreign_key_constraint_on: 'up' },
  });
  await service.command('pg_create_array_relationship', {
    table: odd,
    name: 'below',
    using: { manual_configuration: { remote_table: odd, column_mapping: { id: 'up' } } },
  });
  const role = { 'x-service-role': oddName };
  const permission = {
    columns: ['id', oddName, 'up'],
    filter: { [oddName]: { _neq: oddName } },
    allow_aggregations: true,
  };
  await service.command('pg_create_select_permission', { table: odd, role: oddName, permission });
  const query = `{
    odd(where: {col: {_eq: "two"}, above: {col: {_eq: "one"}}}, order_by: {above: {col: asc}}, distinct_on: []) { id col above { col } }
    odd_aggregate(where: {below: {col: {_eq: "two"}}}) { aggregate { max { col } } nodes { col below { col } } }
  }`;
  const data = {
    odd: [{ id: 2, col: 'two', above: { col: 'one' } }],
    odd_aggregate: { aggregate: { max: { col: 'one' } }, nodes: [{ col: 'one', below: [{ col: 'two' }] }] },
  };
  expect(await service.graphql(query)).toEqual({ data });
  expect(await service.graphql(query, role)).toEqual({ data });
  const write = `mutation {
    insert_odd_one(object: {id: 3, col: "three"}, on_conflict: {constraint: CONSTRAINT, update_columns: col}) { col }
    update_odd(where: {col: {_eq: "three"}}, _set: {col: "four"}) { returning { col } }
    delete_odd_by_pk(id: 3) { col }
  }`;
  const constraints = (await service.graphql('{ __type(name: "odd_constraint") { enumValues { name } } }')) as {
    data: { __type: { enumValues: { name: string }[] } | null };
  };
  const constraint = constraints.data.__type?.enumValues[0]?.name;
  const text =
    constraint === undefined ? write.replace(/, on_conflict: \{.*?\}/, '') : write.replace('CONSTRAINT', constraint);
  expect(await service.graphql(text)).toEqual({
    data: {
      insert_odd_one: { col: 'three' },
      update_odd: { returning: [{ col: 'four' }] },
      delete_odd_by_pk: { col: 'four' },
    },
  });
  await service.command('pg_track_function', {
    function: { schema: oddName, name: "find'; drop" },
    configuration: { custom_name: 'find' },
  });
  const inconsistencies = JSON.stringify(await service.command('get_inconsistent_metadata', {}));
  expect(inconsistencies).toContain('"is_consistent":true');
  expect(await service.graphql('{ find(args: {term: "two"}) { col } }')).toEqual({ data: { find: [{ col: 'two' }] } });
});

test('the data commands quote the names of columns and reject unknown names', async () => {
  const select = { table: odd, columns: ['id', 'up'], where: { up: { $gt: 0 } }, order_by: '-id' };
  expect(await service.command('select', select)).toEqual([{ id: 2, up: 1 }]);
  for (const text of payloads) {
    for (const [type, args, code] of [
      ['select', { table: 'victim', columns: [text] }, 'not-exists'],
      ['select', { table: 'victim', columns: ['id'], where: { [text]: 1 } }, 'not-exists'],
      ['select', { table: 'victim', columns: ['id'], order_by: text }, 'not-exists'],
      ['select', { table: text, columns: ['id'] }, 'not-exists'],
      ['update', { table: 'victim', where: { id: 0 }, $set: { [text]: 1 } }, 'not-exists'],
      ['insert', { table: 'victim', objects: [{ [text]: 1 }] }, 'not-exists'],
    ]) {
      const { status, body } = await service.post('/v1/query', { type, args });
      expect([args, status, codeOf(body)]).toEqual([args, 400, code]);
    }
  }
});

describe.each(payloads)('%j', (text) => {
  test('is rejected as a name in the metadata', async () => {
    const table = 'victim';
    const using = { manual_configuration: { remote_table: 'victim', column_mapping: { id: 'id' } } };
    const mapping = { manual_configuration: { remote_table: 'victim', column_mapping: { [text]: text } } };
    for (const [type, args, code] of [
      ['pg_track_table', { table: text }, 'invalid-configuration'],
      ['pg_track_table', { table: { schema: text, name: text } }, 'invalid-configuration'],
      ['pg_set_table_customization', { table, configuration: { custom_name: text } }, 'parse-failed'],
      [
        'pg_set_table_customization',
        { table, configuration: { custom_root_fields: { select: text } } },
        'parse-failed',
      ],
      [
        'pg_set_table_customization',
        { table, configuration: { column_config: { owner: { custom_name: text } } } },
        'parse-failed',
      ],
      ['pg_create_object_relationship', { table, name: text, using }, 'parse-failed'],
      ['pg_create_array_relationship', { table, name: 'rel', using: mapping }, 'invalid-configuration'],
      [
        'pg_create_array_relationship',
        { table, name: 'rel', using: { foreign_key_constraint_on: { table: text, column: text } } },
        'invalid-configuration',
      ],
      ['pg_track_function', { function: text }, 'invalid-configuration'],
      ['pg_add_computed_field', { table, name: text, definition: { function: text } }, 'parse-failed'],
      [
        'pg_create_select_permission',
        { table, role: 'r', permission: { columns: [text], filter: {} } },
        'invalid-configuration',
      ],
      [
        'pg_create_select_permission',
        { table, role: 'r', permission: { columns: '*', filter: { [text]: { _eq: 1 } } } },
        'invalid-configuration',
      ],
      [
        'pg_create_select_permission',
        { table, role: 'r', permission: { columns: '*', filter: { id: { [text]: 1 } } } },
        'invalid-configuration',
      ],
      [
        'pg_create_insert_permission',
        { table, role: 'r', permission: { columns: '*', check: {}, set: { [text]: 1 } } },
        'invalid-configuration',
      ],
      ['pg_set_table_is_enum', { table: text, is_enum: true }, 'not-exists'],
      [
        'create_action',
        { name: text, definition: { handler: 'http://127.0.0.1:9', output_type: 'String' } },
        'parse-failed',
      ],
      ['set_custom_types', { objects: [{ name: text, fields: [{ name: 'a', type: 'Int' }] }] }, 'parse-failed'],
      ['pg_update_source', { name: text, customization: {} }, 'not-exists'],
      ['pg_update_source', { name: 'default', customization: { root_fields: { prefix: text } } }, 'parse-failed'],
      ['pg_update_source', { name: 'default', customization: { type_names: { prefix: text } } }, 'parse-failed'],
      ['pg_update_source', { name: 'default', customization: { root_fields: { namespace: text } } }, 'parse-failed'],
      [
        'create_rest_endpoint',
        { name: text, url: text, methods: ['GET'], definition: { query: { collection_name: text, query_name: text } } },
        'invalid-configuration',
      ],
    ] as const) {
      expect(await outcomeOf(type, args)).toEqual([type, args, 400, code]);
    }
    expect(await service.graphql('{ victim(where: {id: {_eq: 1}}) { owner } }')).toEqual({
      data: { victim: [{ owner: 'ann' }] },
    });
  });

  test('is a value in every member of a scheduled event and in searches for it', async () => {
    const payload = { [text]: text };
    const created = (await service.command('create_scheduled_event', {
      webhook: '{{HOOK}}/x',
      schedule_at: fromNow(3_600_000),
      payload,
      comment: text,
      key: text.slice(0, 60),
      headers: [{ name: 'x-odd', value: text.replace(/[^\x20-\x7e]|[{}]/g, '') }],
    })) as { event_id: string };
    const list = async (search: object) =>
      (await service.command('get_scheduled_events', { type: 'one_off', ...search })) as { events: { id: string }[] };
    for (const search of [{ comment: text }, { payload_contains: payload }, { key: text.slice(0, 60) }]) {
      expect((await list(search)).events.map(({ id }) => id)).toEqual([created.event_id]);
    }
    expect((await list({ destination: text })).events).toEqual([]);
    for (const [search, code] of [
      [{ from: text }, 'parse-failed'],
      [{ until: text }, 'parse-failed'],
      [{ after: text }, 'parse-failed'],
      [{ after: Buffer.from(`${text} ${created.event_id}`).toString('base64url') }, 'parse-failed'],
      [{ after: Buffer.from(`2026-01-01T00:00:00 ${text}`).toString('base64url') }, 'parse-failed'],
      [{ after: Buffer.from(`2026-99-99T99:99:99 ${created.event_id}`).toString('base64url') }, 'data-exception'],
      [{ status: [text] }, 'parse-failed'],
      [{ order_by: { column: text } }, 'parse-failed'],
      [{ order_by: { column: 'id', type: text } }, 'parse-failed'],
      [{ limit: text }, 'parse-failed'],
    ] as const) {
      const args = { type: 'one_off', ...search };
      expect(await outcomeOf('get_scheduled_events', args)).toEqual(['get_scheduled_events', args, 400, code]);
    }
    for (const [type, args, status, code] of [
      ['get_scheduled_event', { type: 'one_off', event_id: text }, 400, 'parse-failed'],
      ['delete_scheduled_event', { type: 'one_off', event_id: text }, 200, undefined],
      ['get_scheduled_event_invocations', { type: 'one_off', event_id: text }, 200, undefined],
      ['get_scheduled_event_invocations', { type: 'cron', trigger_name: text }, 200, undefined],
      ['delete_cron_trigger', { name: text }, 400, 'not-exists'],
    ] as const) {
      expect(await outcomeOf(type, args)).toEqual([type, args, status, code]);
    }
    await service.command('delete_scheduled_event', { type: 'one_off', event_id: created.event_id });
  });
});
