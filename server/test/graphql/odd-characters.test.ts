/** Characters that PostgreSQL cannot hold in a text: NUL, and halves of surrogate pairs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

let service: TestService;
let handlers: HandlerServer;
const later = '2040-01-01T00:00:00Z';

beforeAll(async () => {
  handlers = await startHandlerServer({
    '/act': () => 'a\0b\ud800c',
    '/poison': () => 'poison',
    '/refuse': (_call, outgoing) => void outgoing.writeHead(400).end('{"message":"poison"}'),
  });
  service = await startService(
    { HANDLERS: handlers.url },
    { sql: 'create table note (id int primary key, body text, doc jsonb)' },
  );
  await service.command('pg_track_table', { source: 'default', table: 'note' });
  const definition = {
    handler: '{{HANDLERS}}/act',
    arguments: [{ name: 'text', type: 'String' }],
    output_type: 'String',
  };
  await service.command('create_action', { name: 'later', definition: { ...definition, kind: 'asynchronous' } });
  await service.command('create_action', { name: 'soon', definition });
  for (const name of ['poison', 'refuse']) {
    const more = { kind: 'asynchronous', handler: `{{HANDLERS}}/${name}` };
    await service.command('create_action', { name, definition: { ...definition, ...more } });
  }
});
afterAll(async () => {
  await service?.stop();
  await handlers?.close();
});

const event = { webhook: 'http://localhost:1/', schedule_at: later, payload: {} };
const cron = { name: 'c', webhook: 'http://localhost:1/', schedule: '0 0 1 1 *', include_in_metadata: true };

/** Requests by what holds the odd text; those that store it return 200. */
const commands: readonly (readonly [type: string, args: (odd: string) => unknown])[] = [
  ['create_scheduled_event', (odd) => ({ ...event, webhook: `${event.webhook}${odd}` })],
  ['create_scheduled_event', (odd) => ({ ...event, comment: odd })],
  ['create_scheduled_event', (odd) => ({ ...event, key: odd })],
  ['create_scheduled_event', (odd) => ({ ...event, key: `k1${odd.length}`, comment: odd })],
  ['create_scheduled_event', (odd) => ({ ...event, ordering_key: odd })],
  ['create_scheduled_event', (odd) => ({ ...event, payload: { [odd]: odd } })],
  ['create_scheduled_event', (odd) => ({ ...event, key: `k2${odd.charCodeAt(1)}`, payload: { [odd]: odd } })],
  ['create_scheduled_event', (odd) => ({ ...event, headers: [{ name: 'X-A', value: odd }] })],
  ['create_scheduled_event', (odd) => ({ ...event, headers: [{ name: 'X-A', value_from_env: odd }] })],
  ['create_scheduled_event', (odd) => ({ ...event, headers: [{ name: odd, value: 'a' }] })],
  ['create_scheduled_event', (odd) => ({ ...event, signing: { key_from_env: odd } })],
  [
    'create_scheduled_event',
    (odd) => ({
      ...event,
      key: `k3${odd.charCodeAt(1)}`,
      request_transform: { version: 2, template_engine: 'Kriti', body: { action: 'transform', template: `"${odd}"` } },
    }),
  ],
  ['create_scheduled_events', (odd) => ({ events: [{ ...event, comment: odd }] })],
  ['delete_scheduled_event', (odd) => ({ type: 'one_off', key: odd })],
  ['update_scheduled_event', (odd) => ({ key: odd, comment: 'a' })],
  ['get_scheduled_events', (odd) => ({ type: 'one_off', comment: odd })],
  ['get_scheduled_events', (odd) => ({ type: 'one_off', key: odd })],
  ['get_scheduled_events', (odd) => ({ type: 'one_off', destination: odd })],
  ['get_scheduled_events', (odd) => ({ type: 'one_off', payload_contains: { a: odd } })],
  ['get_scheduled_events', (odd) => ({ type: 'cron', trigger_name: odd })],
  ['get_scheduled_event_invocations', (odd) => ({ type: 'one_off', text: odd })],
  ['get_scheduled_event_invocations', (odd) => ({ type: 'one_off', key: odd })],
  ['get_scheduled_event_invocations', (odd) => ({ type: 'one_off', destination: odd })],
  ['set_event_destination', (odd) => ({ destination: `http://localhost/${odd}`, concurrency: 1 })],
  ['set_event_destination', (odd) => ({ destination: `http://${odd}`, paused: true })],
  ['create_cron_trigger', (odd) => ({ ...cron, name: `c1${odd.charCodeAt(1)}`, comment: odd })],
  ['create_cron_trigger', (odd) => ({ ...cron, name: `c2${odd.charCodeAt(1)}`, payload: { [odd]: odd } })],
  ['create_cron_trigger', (odd) => ({ ...cron, name: odd })],
  ['delete_cron_trigger', (odd) => ({ name: odd })],
  ['pg_set_table_customization', (odd) => ({ table: 'note', configuration: { comment: odd } })],
  ['pg_track_table', (odd) => ({ source: 'default', table: { schema: odd, name: 'note' } })],
  ['pg_get_table_info', (odd) => ({ source: 'default', table: { schema: odd, name: 'note' } })],
  [
    'pg_create_select_permission',
    (odd) => ({
      source: 'default',
      table: 'note',
      role: `r${odd.charCodeAt(1)}`,
      permission: { columns: ['id'], filter: { body: { _eq: odd } } },
      comment: odd,
    }),
  ],
  ['add_remote_schema', (odd) => ({ name: odd, definition: { url: 'http://localhost:1/' } })],
  [
    'create_rest_endpoint',
    (odd) => ({
      name: odd,
      url: odd,
      methods: ['GET'],
      definition: { query: { collection_name: odd, query_name: odd } },
    }),
  ],
  [
    'create_query_collection',
    (odd) => ({ name: odd, definition: { queries: [{ name: odd, query: '{ note { id } }' }] } }),
  ],
  ['add_inherited_role', (odd) => ({ role_name: odd, role_set: [odd] })],
];

const odds = [
  ['NUL', 'a\0b'],
  ['half a surrogate pair', 'a\ud800b'],
] as const;

describe.each(odds)('%s', (_name, odd) => {
  it.each(commands)(
    'in the arguments of %s (%o) is stored or rejected as the error of the caller',
    async (type, args) => {
      const { status, body } = await service.post('/v1/metadata', { type, args: args(odd) });

      expect({ status, body }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 500) });
      expect(body).not.toMatchObject({ code: 'unexpected' });
    },
  );

  it.each([
    ['run_sql', { sql: `select '${odd}'` }],
    ['insert', { table: 'note', objects: [{ id: 1, body: odd }] }],
  ])('in the arguments of %s is stored or rejected as the error of the caller', async (type, args) => {
    const { status, body } = await service.post('/v1/query', { type, args });
    expect({ status, body }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 500) });
  });

  it('in the transform of an event is rejected with its place', async () => {
    const body = { action: 'transform', template: `"${odd}"` };
    const request_transform = { version: 2, template_engine: 'Kriti', body };
    const args = { ...event, request_transform };
    const rejected = { code: 'parse-failed', path: '$.args.request_transform' };
    expect(await service.post('/v1/metadata', { type: 'create_scheduled_event', args })).toMatchObject({
      status: 400,
      body: rejected,
    });
  });

  it.each([
    ['comment', { comment: odd }],
    ['webhook', { webhook: `http://localhost:1/${odd}` }],
  ])('in the %s of a cron trigger is rejected with its place', async (member, more) => {
    const args = { ...cron, ...more };
    const { status, body } = await service.post('/v1/metadata', { type: 'create_cron_trigger', args });
    expect({ status, body }).toMatchObject({ status: 400, body: { path: `$.args.${member}` } });
  });

  it.each([
    ['a value', 'mutation ($odd: String) { insert_note_one(object: {id: 2, body: $odd}) { id } }'],
    ['a filter', 'query ($odd: String) { note(where: {body: {_eq: $odd}}) { id } }'],
    ['the input of an action', 'query ($odd: String) { soon(text: $odd) }'],
  ])('in %s of GraphQL is taken or rejected as the error of the caller', async (_what, query) => {
    const { status, body } = await service.post('/v1/graphql', { query, variables: { odd } });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/unexpected/);
  });

  it('reaches an asynchronous action and comes back from its handler', async () => {
    const mutation = 'mutation ($odd: String) { later(text: $odd) }';
    const submitted = (await service.graphql(mutation, {}, { odd })) as { data: { later: string } };
    expect(submitted).toMatchObject({ data: { later: expect.any(String) } });
    const query = 'query ($id: uuid!) { later(id: $id) { output errors } }';
    await expect
      .poll(async () => service.graphql(query, {}, { id: submitted.data.later }), { timeout: 20_000 })
      .toEqual({ data: { later: { output: 'a\0b\ud800c', errors: null } } });
    expect(handlers.calls.at(-1)?.body).toMatchObject({ input: { text: odd } });
  });
});

it.each([['poison'], ['refuse']])(
  'an asynchronous action whose result PostgreSQL rejects ends as failed (%s)',
  async (name) => {
    await service.database.database.query({
      text: `create or replace function reject() returns trigger language plpgsql as $$
        begin
          if concat(new.response_payload, new.errors) like '%poison%' then
            raise exception 'too large' using errcode = '54000';
          end if;
          return new;
        end $$;
      create or replace trigger reject before update on joinery.action_log for each row execute function reject()`,
      values: [],
    });
    const { data } = (await service.graphql(`mutation { ${name} }`)) as { data: Readonly<Record<string, string>> };
    await expect
      .poll(async () => service.graphql(`{ ${name}(id: "${data[name]}") { output errors } }`), { timeout: 20_000 })
      .toMatchObject({ data: { [name]: { output: null, errors: { code: 'data-exception' } } } });
  },
);
