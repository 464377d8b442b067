/** What a database of an earlier version contains: tables, metadata of every kind, and events in every state. By HTTP only, so that any version can run it. */

/** An insert of a row and an event of it, which the version that is upgraded has not delivered. */
export const pendingRow = `insert into book (author_id, title) values (1, 'written while no node ran')`;

const tables = `
  create table author (id serial primary key, name text not null unique, user_id int);
  create table book (id serial primary key, author_id int not null references author, title text not null, price numeric);
  insert into author (name, user_id) values ('Ann', 1), ('Ben', 2);
  insert into book (author_id, title, price) values (1, 'One', 10.50), (1, 'Two', null), (2, 'Three', 3);
  create function books_of(author_row author) returns bigint language sql stable as
    $$ select count(*) from book where author_id = author_row.id $$;`;

const now = new Date().toISOString();

/** In order. A version rejects those that it does not have. */
const commands: readonly (readonly [string, object])[] = [
  ['run_sql', { sql: tables }],
  ['pg_track_table', { table: 'author' }],
  ['pg_track_table', { table: 'book' }],
  [
    'pg_create_array_relationship',
    { table: 'author', name: 'books', using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } } },
  ],
  [
    'pg_create_object_relationship',
    { table: 'book', name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
  ],
  ['pg_add_computed_field', { table: 'author', name: 'book_count', definition: { function: 'books_of' } }],
  [
    'pg_create_select_permission',
    {
      table: 'author',
      role: 'user',
      permission: {
        columns: ['id', 'name'],
        filter: { user_id: { _eq: 'X-Service-User-Id' } },
        allow_aggregations: true,
      },
    },
  ],
  [
    'pg_create_select_permission',
    {
      table: 'book',
      role: 'user',
      permission: { columns: '*', filter: { author: { user_id: { _eq: 'X-Service-User-Id' } } }, limit: 10 },
    },
  ],
  [
    'pg_create_insert_permission',
    {
      table: 'book',
      role: 'user',
      permission: {
        columns: ['title', 'author_id'],
        check: { author: { user_id: { _eq: 'X-Service-User-Id' } } },
        set: { price: 1 },
      },
    },
  ],
  [
    'set_custom_types',
    {
      objects: [
        {
          name: 'Found',
          fields: [
            { name: 'author_id', type: 'Int!' },
            { name: 'note', type: 'String' },
          ],
          relationships: [
            {
              name: 'author',
              type: 'object',
              source: 'default',
              remote_table: 'author',
              field_mapping: { author_id: 'id' },
            },
          ],
        },
      ],
    },
  ],
  [
    'create_action',
    {
      name: 'findAuthor',
      definition: {
        kind: 'synchronous',
        type: 'query',
        handler: '{{HANDLERS}}/find',
        arguments: [{ name: 'name', type: 'String!' }],
        output_type: 'Found',
      },
    },
  ],
  ['create_action_permission', { action: 'findAuthor', role: 'user' }],
  [
    'create_action',
    {
      name: 'orderBook',
      definition: {
        kind: 'asynchronous',
        type: 'mutation',
        handler: '{{HANDLERS}}/order',
        arguments: [{ name: 'title', type: 'String!' }],
        output_type: 'Found',
      },
    },
  ],
  [
    'create_query_collection',
    {
      name: 'stored',
      definition: {
        queries: [{ name: 'authors', query: 'query authors { author(order_by: {id: asc}) { name books { title } } }' }],
      },
    },
  ],
  [
    'create_rest_endpoint',
    {
      name: 'authors',
      url: 'authors',
      methods: ['GET'],
      definition: { query: { collection_name: 'stored', query_name: 'authors' } },
    },
  ],
  ['add_inherited_role', { role_name: 'reader', role_set: ['user', 'guest'] }],
  [
    'create_cron_trigger',
    {
      name: 'yearly',
      webhook: '{{HANDLERS}}/cron',
      schedule: '0 0 1 1 *',
      include_in_metadata: true,
      payload: { of: 'year' },
    },
  ],
  [
    'pg_create_event_trigger',
    { name: 'book_written', table: 'book', webhook: '{{HANDLERS}}/row', insert: { columns: '*' }, replace: false },
  ],
  [
    'create_scheduled_event',
    { webhook: '{{HANDLERS}}/hook', schedule_at: now, payload: 'delivered', comment: 'first' },
  ],
  [
    'create_scheduled_event',
    { webhook: '{{HANDLERS}}/broken', schedule_at: now, payload: 'failed', retry_conf: { num_retries: 0 } },
  ],
  [
    'create_scheduled_event',
    {
      webhook: '{{HANDLERS}}/hook',
      schedule_at: '2099-01-01T00:00:00Z',
      payload: 'later',
      headers: [{ name: 'x-shop', value: 'roastery' }],
    },
  ],
];

export interface Scene {
  /** The commands that this version rejected, with its messages. */
  readonly rejected: readonly string[];
  /** Whether the version calls event triggers; the first ones only stored them. */
  readonly captures: boolean;
  readonly metadata: unknown;
}

export interface SceneTarget {
  /** Resolves to the status and the parsed body of the response. */
  post(path: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  /** Resolves when the handler has been called at this path. */
  called(path: string): Promise<void>;
}

/** Writes the scene by the commands that the version has, and waits for the calls of the events that are due. */
export async function writeScene({ post, called }: SceneTarget): Promise<Scene> {
  const rejected: string[] = [];
  const send = async (type: string, args: object): Promise<unknown> => {
    const { status, body } = await post(type === 'run_sql' ? '/v2/query' : '/v1/metadata', { type, args });
    if (status !== 200) rejected.push(`${type}: ${JSON.stringify(body)}`);
    return body;
  };
  for (const [type, args] of commands) await send(type, args);
  await Promise.all(['/hook', '/broken'].map(called));
  const order = { query: 'mutation { orderBook(title: "One") }' };
  const { body } = await post('/v1/graphql', order);
  if (JSON.stringify(body).includes('errors')) rejected.push(`orderBook: ${JSON.stringify(body)}`);
  else await called('/order');
  const sql = (text: string) => post('/v2/query', { type: 'run_sql', args: { sql: text } });
  await sql(`insert into book (author_id, title) values (2, 'Four')`);
  const found = await sql(`select tgname from pg_trigger where tgname like 'joinery%'`);
  const captures = JSON.stringify(found.body).includes('joinery');
  if (captures) await called('/row');
  return { rejected, captures, metadata: await send('export_metadata', {}) };
}
