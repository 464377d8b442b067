/**
 * How parts of requests and statements that a page shows are completed: "```json part=customer" on action-joins.md is run
 * as the steps of `action-joins.md:customer`. Before a received request is compared, its steps cause it.
 */
import { parse } from 'yaml';
import type { Step } from './fixtures.ts';

type Complete = (text: string) => readonly Step[];

const admin = { 'x-service-role': 'admin' };
const shopDatabase = { connection_info: { database_url: { from_env: 'SHOP_DATABASE_URL' } } };
const user = { 'x-service-role': 'user' };

export const parts: Readonly<Record<string, Complete>> = {
  // The page creates the relationship again, with a command.
  'action-joins.md:relationship': (text) => [
    { type: 'create_action_relationship', args: { type_name: 'OrderResult', ...json(text) } },
    { type: 'drop_action_relationship', args: { type_name: 'OrderResult', name: 'customer' } },
  ],
  'action-joins.md:profile': (text) => [
    { type: 'create_remote_relationship', args: { table: 'users', ...json(text) } },
  ],
  'action-joins.md:batch': () => [
    {
      type: 'update_remote_relationship',
      args: {
        table: 'users',
        name: 'profile',
        definition: { to_action: { action: 'get_profile', arguments: { id: '$user_id' }, batch: { max_size: 100 } } },
      },
    },
    { query: '{ users(order_by: {user_id: asc}) { profile { name } } }', session: user },
  ],
  'action-calls.md:request': (text) => [transformed('user', yaml(text))],
  'action-calls.md:response': (text) => [transformed('profile', yaml(text))],
  'event-targets.md:function': (text) => [
    {
      type: 'create_scheduled_event',
      args: { schedule_at: '2027-09-01T08:00:00Z', payload: { month: '2027-08-01' }, ...json(text) },
    },
  ],
  'event-triggers.md:event': () => [
    {
      query: 'mutation { update_orders_by_pk(pk_columns: {id: 1}, _set: {status: "paid"}) { id } }',
      session: { 'x-service-role': 'clerk', 'x-service-user-id': '7' },
    },
  ],
  'event-triggers.md:outbox': (text) => [
    { type: 'track_table', args: { table: 'outbox' } },
    json(text) as unknown as Step,
  ],
  'event-triggers.md:handled': (text) => [sql(`prepare handle (uuid) as ${text}`)],
  'limits.md:limited': (text) => [
    {
      type: 'create_select_permission',
      args: { table: 'author', role: 'user', permission: { columns: '*', filter: {} } },
    },
    {
      type: 'create_query_collection',
      args: {
        name: 'shop',
        definition: { queries: [{ name: 'authors', query: '{ first: author { id } second: author { id } }' }] },
      },
    },
    { type: 'set_api_limits', args: { node_limit: { global: 3 } } },
    json(text) as unknown as Step,
  ],
  'native-queries.md:relationship': (text) => [
    sql('create table author (id int primary key)'),
    { type: 'track_table', args: { table: 'author' } },
    {
      type: 'pg_track_logical_model',
      args: { source: 'default', name: 'written_article', fields: [{ name: 'author_id', type: 'integer' }] },
    },
    {
      type: 'pg_track_native_query',
      args: {
        source: 'default',
        root_field_name: 'written_articles',
        code: 'select 1 as author_id',
        returns: 'written_article',
        object_relationships: [json(text)],
      },
    },
  ],
  'permissions.md:validate': () => [
    {
      query: 'mutation { insert_users(objects: [{name: "Ann", phone: "999"}]) { affected_rows } }',
      session: { ...user, 'x-service-user-id': '7' },
    },
  ],
  'relay.md:id': (text) => [
    {
      query: `{ node(id: "${base64(text)}") { ... on article { title } } }`,
      session: admin,
      endpoint: '/v1beta1/relay',
    },
  ],
  'relay.md:cursor': (text) => [
    {
      type: 'create_array_relationship',
      args: {
        table: 'article',
        name: 'articles',
        using: { manual_configuration: { remote_table: 'article', column_mapping: { author_id: 'author_id' } } },
      },
    },
    {
      query: `{ article_connection(after: "${base64(text)}", order_by: [{ author: { name: asc } }, { articles_aggregate: { count: asc } }]) { edges { cursor } } }`,
      session: admin,
      endpoint: '/v1beta1/relay',
    },
  ],
  'remote-schemas.md:customization': (text) => [
    {
      type: 'update_remote_schema',
      args: { name: 'carrier', definition: { url: '{{CARRIER_URL}}/graphql', customization: json(text) } },
    },
  ],
  // The calls of a trigger, whose new row is `new`.
  'scheduled-events.md:schedule': (text) => {
    const [schedule = '', ...others] = text.split('\n\n');
    return [
      sql(`
        create function schedule_reminder() returns trigger language plpgsql as $$
          begin ${schedule.replace('select', 'perform')} return new; end $$;
        create trigger schedule_reminder after insert on customer for each row execute function schedule_reminder();
        insert into customer values (7);
        ${others.join('\n')}`),
    ];
  },
  'scheduled-events.md:grant': (text) => [sql(text.replace('app;', 'current_user;'))],
  'sources.md:replica': (text) => [
    { type: 'pg_update_source', args: { name: 'shop', configuration: { ...shopDatabase, ...json(text) } } },
  ],
};

/** An action with transforms. */
function transformed(name: string, transforms: object): Step {
  return {
    type: 'create_action',
    args: {
      name,
      definition: {
        type: 'query',
        arguments: [{ name: 'id', type: 'Int!' }],
        output_type: 'User',
        handler: '{{HANDLERS}}',
        ...transforms,
      },
    },
  };
}

function sql(text: string): Step {
  return { type: 'run_sql', args: { sql: text } };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function json(text: string): Readonly<Record<string, unknown>> {
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

function yaml(text: string): object {
  return parse(text) as object;
}
