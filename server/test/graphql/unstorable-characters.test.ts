/** Characters that PostgreSQL cannot store in text: NUL, and halves of surrogate pairs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

let service: TestService;
let handlers: HandlerServer;
const later = '2040-01-01T00:00:00Z';

beforeAll(async () => {
  handlers = await startHandlerServer({
    '/act': () => 'a\0b\ud800c',
    '/unstorable': () => 'unstorable',
    '/reject': (_call, outgoing) => void outgoing.writeHead(400).end('{"message":"unstorable"}'),
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
  for (const name of ['unstorable', 'reject']) {
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

/** Metadata commands, with arguments that contain the text. */
const commands: readonly (readonly [type: string, args: (text: string) => unknown])[] = [
  ['create_scheduled_event', (text) => ({ ...event, webhook: `${event.webhook}${text}` })],
  ['create_scheduled_event', (text) => ({ ...event, comment: text })],
  ['create_scheduled_event', (text) => ({ ...event, key: text })],
  ['create_scheduled_event', (text) => ({ ...event, key: `k1${text.length}`, comment: text })],
  ['create_scheduled_event', (text) => ({ ...event, ordering_key: text })],
  ['create_scheduled_event', (text) => ({ ...event, payload: { [text]: text } })],
  ['create_scheduled_event', (text) => ({ ...event, key: `k2${text.charCodeAt(1)}`, payload: { [text]: text } })],
  ['create_scheduled_event', (text) => ({ ...event, headers: [{ name: 'X-A', value: text }] })],
  ['create_scheduled_event', (text) => ({ ...event, headers: [{ name: 'X-A', value_from_env: text }] })],
  ['create_scheduled_event', (text) => ({ ...event, headers: [{ name: text, value: 'a' }] })],
  ['create_scheduled_event', (text) => ({ ...event, signing: { key_from_env: text } })],
  [
    'create_scheduled_event',
    (text) => ({
      ...event,
      key: `k3${text.charCodeAt(1)}`,
      request_transform: { version: 2, template_engine: 'Kriti', body: { action: 'transform', template: `"${text}"` } },
    }),
  ],
  ['create_scheduled_events', (text) => ({ events: [{ ...event, comment: text }] })],
  ['delete_scheduled_event', (text) => ({ type: 'one_off', key: text })],
  ['update_scheduled_event', (text) => ({ key: text, comment: 'a' })],
  ['get_scheduled_events', (text) => ({ type: 'one_off', comment: text })],
  ['get_scheduled_events', (text) => ({ type: 'one_off', key: text })],
  ['get_scheduled_events', (text) => ({ type: 'one_off', destination: text })],
  ['get_scheduled_events', (text) => ({ type: 'one_off', payload_contains: { a: text } })],
  ['get_scheduled_events', (text) => ({ type: 'cron', trigger_name: text })],
  ['get_scheduled_event_invocations', (text) => ({ type: 'one_off', text: text })],
  ['get_scheduled_event_invocations', (text) => ({ type: 'one_off', key: text })],
  ['get_scheduled_event_invocations', (text) => ({ type: 'one_off', destination: text })],
  ['set_event_destination', (text) => ({ destination: `http://localhost/${text}`, concurrency: 1 })],
  ['set_event_destination', (text) => ({ destination: `http://${text}`, paused: true })],
  ['create_cron_trigger', (text) => ({ ...cron, name: `c1${text.charCodeAt(1)}`, comment: text })],
  ['create_cron_trigger', (text) => ({ ...cron, name: `c2${text.charCodeAt(1)}`, payload: { [text]: text } })],
  ['create_cron_trigger', (text) => ({ ...cron, name: text })],
  ['delete_cron_trigger', (text) => ({ name: text })],
  ['pg_set_table_customization', (text) => ({ table: 'note', configuration: { comment: text } })],
  ['pg_track_table', (text) => ({ source: 'default', table: { schema: text, name: 'note' } })],
  ['pg_get_table_info', (text) => ({ source: 'default', table: { schema: text, name: 'note' } })],
  [
    'pg_create_select_permission',
    (text) => ({
      source: 'default',
      table: 'note',
      role: `r${text.charCodeAt(1)}`,
      permission: { columns: ['id'], filter: { body: { _eq: text } } },
      comment: text,
    }),
  ],
  ['add_remote_schema', (text) => ({ name: text, definition: { url: 'http://localhost:1/' } })],
  [
    'create_rest_endpoint',
    (text) => ({
      name: text,
      url: text,
      methods: ['GET'],
      definition: { query: { collection_name: text, query_name: text } },
    }),
  ],
  [
    'create_query_collection',
    (text) => ({ name: text, definition: { queries: [{ name: text, query: '{ note { id } }' }] } }),
  ],
  ['add_inherited_role', (text) => ({ role_name: text, role_set: [text] })],
];

const texts = [
  ['NUL', 'a\0b'],
  ['half a surrogate pair', 'a\ud800b'],
] as const;

describe.each(texts)('%s', (_name, text) => {
  it.each(commands)(
    'in the arguments of %s (%o) is stored or rejected as an error of the caller',
    async (type, args) => {
      const { status, body } = await service.post('/v1/metadata', { type, args: args(text) });

      expect({ status, body }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 500) });
      expect(body).not.toMatchObject({ code: 'unexpected' });
    },
  );

  it.each([
    ['run_sql', { sql: `select '${text}'` }],
    ['insert', { table: 'note', objects: [{ id: 1, body: text }] }],
  ])('in the arguments of %s is stored or rejected as an error of the caller', async (type, args) => {
    const { status, body } = await service.post('/v1/query', { type, args });
    expect({ status, body }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 500) });
  });

  it('in the transform of an event is rejected with the path', async () => {
    const body = { action: 'transform', template: `"${text}"` };
    const request_transform = { version: 2, template_engine: 'Kriti', body };
    const args = { ...event, request_transform };
    const rejected = { code: 'parse-failed', path: '$.args.request_transform' };
    expect(await service.post('/v1/metadata', { type: 'create_scheduled_event', args })).toMatchObject({
      status: 400,
      body: rejected,
    });
  });

  it.each([
    ['comment', { comment: text }],
    ['webhook', { webhook: `http://localhost:1/${text}` }],
  ])('in the %s of a cron trigger is rejected with the path', async (member, more) => {
    const args = { ...cron, ...more };
    const { status, body } = await service.post('/v1/metadata', { type: 'create_cron_trigger', args });
    expect({ status, body }).toMatchObject({ status: 400, body: { path: `$.args.${member}` } });
  });

  it.each([
    ['a value', 'mutation ($text: String) { insert_note_one(object: {id: 2, body: $text}) { id } }'],
    ['a filter', 'query ($text: String) { note(where: {body: {_eq: $text}}) { id } }'],
    ['the input of an action', 'query ($text: String) { soon(text: $text) }'],
  ])('in %s of GraphQL is accepted or rejected as an error of the caller', async (_what, query) => {
    const { status, body } = await service.post('/v1/graphql', { query, variables: { text } });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/unexpected/);
  });

  it('is sent to the handler of an asynchronous action and returned in its output', async () => {
    const mutation = 'mutation ($text: String) { later(text: $text) }';
    const submitted = (await service.graphql(mutation, {}, { text })) as { data: { later: string } };
    expect(submitted).toMatchObject({ data: { later: expect.any(String) } });
    const query = 'query ($id: uuid!) { later(id: $id) { output errors } }';
    await expect
      .poll(async () => service.graphql(query, {}, { id: submitted.data.later }))
      .toEqual({ data: { later: { output: 'a\0b\ud800c', errors: null } } });
    expect(handlers.calls.at(-1)?.body).toMatchObject({ input: { text: text } });
  });
});

it.each([['unstorable'], ['reject']])(
  'an asynchronous action whose result PostgreSQL rejects ends with data-exception (%s)',
  async (name) => {
    await service.database.database.query({
      text: `create or replace function reject() returns trigger language plpgsql as $$
        begin
          if concat(new.response_payload, new.errors) like '%unstorable%' then
            raise exception 'too large' using errcode = '54000';
          end if;
          return new;
        end $$;
      create or replace trigger reject before update on joinery.action_log for each row execute function reject()`,
      values: [],
    });
    const { data } = (await service.graphql(`mutation { ${name} }`)) as { data: Readonly<Record<string, string>> };
    await expect
      .poll(async () => service.graphql(`{ ${name}(id: "${data[name]}") { output errors } }`))
      .toMatchObject({ data: { [name]: { output: null, errors: { code: 'data-exception' } } } });
  },
);
