/** A project with the parts of a usual Hasura v2 project, on a service with the header prefix `X-Hasura-`. */
import { type Handle, startHandlerServer } from '../../server/test/support/http/handler-server.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';

export const adminSecret = 'a secret of the project';
export const ann = '00000000-0000-4000-8000-000000000001';
const bo = '00000000-0000-4000-8000-000000000002';

const sql = `
  create table user_role (value text primary key, comment text);
  insert into user_role values ('editor', 'May publish'), ('reader', null);
  create table users (
    id uuid primary key default gen_random_uuid(), name text not null, email text unique,
    role text not null default 'reader' references user_role, created_at timestamptz not null default now());
  create table posts (
    id serial primary key, title text not null check (title <> ''), body text, author_id uuid not null references users,
    reviewer_id uuid references users, published boolean not null default false, views bigint not null default 0,
    tags jsonb not null default '[]');
  create index on posts (author_id);
`;

const rows = `
  truncate users, posts restart identity;
  insert into users (id, name, email, role) values
    ('${ann}', 'Ann', 'ann@example.com', 'editor'), ('${bo}', 'Bo', null, 'reader');
  insert into posts (title, body, author_id, published, views, tags) values
    ('First', 'One.', '${ann}', true, 7, '["a"]'), ('Draft', null, '${ann}', false, 0, '[]'), ('Other', null, '${bo}', true, 3, '[]');
`;

const own = { author_id: { _eq: 'X-Hasura-User-Id' } };

const metadata = (handler: string) => ({
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        { table: 'user_role', is_enum: true },
        {
          table: 'users',
          array_relationships: [
            { name: 'posts', using: { foreign_key_constraint_on: { table: 'posts', column: 'author_id' } } },
          ],
          select_permissions: [
            { role: 'user', permission: { columns: ['id', 'name', 'role'], filter: {}, allow_aggregations: true } },
          ],
        },
        {
          table: 'posts',
          object_relationships: [
            { name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
            { name: 'reviewer', using: { foreign_key_constraint_on: 'reviewer_id' } },
          ],
          select_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['id', 'title', 'body', 'author_id', 'published', 'views', 'tags'],
                filter: { _or: [{ published: { _eq: true } }, own] },
                allow_aggregations: true,
              },
            },
          ],
          insert_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['title', 'body', 'published', 'tags'],
                check: own,
                set: { author_id: 'x-hasura-user-id' },
              },
            },
          ],
          update_permissions: [{ role: 'user', permission: { columns: ['title', 'body', 'published'], filter: own } }],
          delete_permissions: [{ role: 'user', permission: { filter: own } }],
        },
      ],
    },
  ],
  custom_types: { objects: [{ name: 'Greeting', fields: [{ name: 'text', type: 'String!' }] }] },
  actions: [
    {
      name: 'greet',
      definition: {
        // The CLI of Hasura v2 writes this for every query action.
        kind: '',
        type: 'query',
        handler: `${handler}/greet`,
        output_type: 'Greeting!',
        arguments: [{ name: 'name', type: 'String!' }],
      },
      permissions: [{ role: 'user' }],
    },
  ],
});

const greet: Handle = ({ body }, outgoing) => {
  const { name } = body.input as { name: string };
  if (name !== '') return { text: `Hello ${name}` };
  const error = { message: 'a name is required', extensions: { code: 'no-name' } };
  outgoing.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(error));
  return undefined;
};

export interface Project {
  readonly service: TestService;
  readonly endpoint: string;
  readonly websocket: string;
  /** Headers of the user Ann. */
  readonly user: Readonly<Record<string, string>>;
  /** Writes the initial rows again. */
  reset(): Promise<void>;
  run(sql: string): Promise<readonly (readonly unknown[])[]>;
  stop(): Promise<void>;
}

export async function startProject(): Promise<Project> {
  const handlers = await startHandlerServer({ '/greet': greet });
  const service = await startHasuraService(sql, metadata(handlers.url));
  const run = async (text: string) => (await service.database.database.query({ text, values: [] })).rows;
  const endpoint = `${service.url}/v1/graphql`;
  return {
    service,
    endpoint,
    websocket: endpoint.replace(/^http/, 'ws'),
    user: { 'x-hasura-admin-secret': adminSecret, 'x-hasura-role': 'user', 'x-hasura-user-id': ann },
    reset: async () => {
      await run(rows);
    },
    run,
    stop: async () => {
      await service.stop();
      await handlers.close();
    },
  };
}

/** Starts a service with the settings that clients of Hasura v2 expect, and applies the metadata. */
export async function startHasuraService(
  statements: string,
  args: object,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const settings = {
    JOINERY_HEADER_PREFIX: 'X-Hasura-',
    JOINERY_ADMIN_SECRET: adminSecret,
    JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30',
    JOINERY_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30',
    ...environment,
  };
  const service = await startService(settings, { sql: statements });
  const headers = { 'x-hasura-admin-secret': adminSecret };
  const applied = await service.post('/v1/metadata', { type: 'replace_metadata', args }, headers);
  if (applied.status !== 200) {
    await service.stop();
    throw new Error(`replace_metadata: ${JSON.stringify(applied.body)}`);
  }
  return service;
}
