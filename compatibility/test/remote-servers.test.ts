/** Tests of remote schemas on GraphQL Yoga and Apollo Server, unmodified. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HandlerServer, startHandlerServer } from '../../server/test/support/http/handler-server.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { type ForeignServer, startApollo, startYoga } from './remote-servers.ts';

const sql = `
  create table person (id int primary key, film text, note text);
  insert into person values (1, '1', 'one'), (2, '3', 'two'), (3, null, 'three'), (4, '0', 'four');
  create function notes_of(of int) returns setof person language sql stable as 'select * from person where id = of';
`;
const readerSdl = `
  type Film { id: ID! title: String }
  input Filter { owner: Int! @preset(value: "x-service-user-id") title: String }
  type Query { film(id: ID!): Film echo(filter: Filter!): String }
`;
const reader = { 'x-service-role': 'reader', 'x-service-user-id': '7' };

describe.each([
  ['GraphQL Yoga', startYoga],
  ['Apollo Server', startApollo],
])('a remote schema on %s', (_make, start) => {
  let upstream: ForeignServer;
  let handler: HandlerServer;
  let service: TestService;

  beforeAll(async () => {
    upstream = await start();
    handler = await startHandlerServer({
      '/favourite': () => ({ filmId: '2', others: ['1', '3'] }),
      '/profile': ({ body }) => ({ text: `profile of ${(body.input as { id: number }).id}` }),
    });
    service = await startService({ JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' }, { migrated: true, sql });
    await service.command('track_table', { table: 'person' });
    await service.command('track_function', { function: 'notes_of' });
    await service.command('add_remote_schema', { name: 'films', definition: { url: upstream.url } });
    await service.command('add_remote_schema_permissions', {
      remote_schema: 'films',
      role: 'reader',
      definition: { schema: readerSdl },
    });
    const toFilm = (key: string, lhs: string) => ({
      to_remote_schema: {
        remote_schema: 'films',
        lhs_fields: [lhs],
        remote_field: { film: { arguments: { id: `$${key}` } } },
      },
    });
    await service.command('create_remote_relationship', {
      table: 'person',
      name: 'seen',
      definition: toFilm('film', 'film'),
    });
    await service.command('set_custom_types', {
      objects: [
        {
          name: 'Favourite',
          fields: [
            { name: 'filmId', type: 'ID!' },
            { name: 'others', type: '[ID!]!' },
          ],
        },
        { name: 'Profile', fields: [{ name: 'text', type: 'String' }] },
      ],
    });
    await service.command('create_action', {
      name: 'favourite',
      definition: { type: 'query', handler: `${handler.url}/favourite`, output_type: 'Favourite!' },
    });
    await service.command('create_action', {
      name: 'profile',
      definition: {
        type: 'query',
        handler: `${handler.url}/profile`,
        output_type: 'Profile',
        arguments: [{ name: 'id', type: 'Int!' }],
      },
    });
    await service.command('create_action_relationship', {
      type_name: 'Favourite',
      name: 'film',
      definition: toFilm('filmId', 'filmId'),
    });
    const fromPerson = (name: string, definition: unknown) =>
      service.command('create_remote_schema_remote_relationship', {
        remote_schema: 'films',
        type_name: 'Person',
        name,
        definition,
      });
    await fromPerson('row', {
      to_source: {
        source: 'default',
        table: 'person',
        relationship_type: 'object',
        field_mapping: { id: 'id' },
      },
    });
    await fromPerson('notes', {
      to_source: {
        source: 'default',
        function: 'notes_of',
        relationship_type: 'array',
        field_mapping: { id: 'of' },
      },
    });
    await fromPerson('profile', { to_action: { action: 'profile', arguments: { id: '$id' } } });
  });
  afterAll(async () => {
    await Promise.all([upstream.close(), handler.close(), service.stop()]);
  });

  test('runs queries with variables, fragments, interfaces and unions', async () => {
    const query = `query ($ids: [ID!]!) {
      films(ids: $ids) { ...f director { name } } items { __typename id ... on Book { pages } ... on Film { year } }
      find(text: "x") { __typename ... on Film { ...f } ... on Book { title } } nothing: film(id: 0) { id }
    } fragment f on Film { id title }`;
    expect(await service.graphql(query, {}, { ids: ['2', '1'] })).toEqual({
      data: {
        films: [
          { id: '2', title: 'film 2', director: { name: 'director 2' } },
          { id: '1', title: 'film 1', director: { name: 'director 1' } },
        ],
        items: [
          { __typename: 'Film', id: '1', year: 1991 },
          { __typename: 'Book', id: 'b', pages: 100 },
        ],
        find: [
          { __typename: 'Book', title: 'a book' },
          { __typename: 'Film', id: '2', title: 'film 2' },
        ],
        nothing: null,
      },
    });
  });

  test('runs mutations, applies argument defaults, and receives the role', async () => {
    expect(await service.graphql('mutation { rename(id: "5", title: "new \\"name\\"") { id title } }')).toEqual({
      data: { rename: { id: '5', title: 'new "name"' } },
    });
    const result = (await service.graphql('{ echo(filter: { owner: 1 }) whoami }')) as {
      data: { echo: string; whoami: string };
    };
    expect(JSON.parse(result.data.echo)).toEqual({ filter: { owner: 1, order: 'NEW' } });
    expect(result.data.whoami).toBe('admin');
  });

  test('returns its errors beside its data, with their extensions and under the aliases of the client', async () => {
    expect(await service.graphql('{ all: films(ids: ["1", "3"]) { id by: director { name } } person { id } }')).toEqual(
      {
        data: {
          all: [
            { id: '1', by: { name: 'director 1' } },
            { id: '3', by: null },
          ],
          person: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }],
        },
        errors: [
          {
            message: 'no director',
            path: ['all', 1, 'by'],
            extensions: expect.objectContaining({ code: 'LOST' }) as unknown,
          },
        ],
      },
    );
    expect(await service.graphql('{ strict }')).toMatchObject({
      data: null,
      errors: [{ path: ['strict'] }],
    });
  });

  test('is the target of joins from tables and from actions', async () => {
    const before = upstream.requests.length;
    expect(
      await service.graphql(
        '{ person(order_by: { id: asc }) { id seen { title director { name } } } favourite { others film { title } } }',
      ),
    ).toMatchObject({
      data: {
        person: [
          { id: 1, seen: { title: 'film 1', director: { name: 'director 1' } } },
          { id: 2, seen: { title: 'film 3', director: null } },
          { id: 3, seen: null },
          { id: 4, seen: null },
        ],
        favourite: { others: ['1', '3'], film: { title: 'film 2' } },
      },
      errors: [{ message: 'no director', path: ['person', 1, 'seen', 'director'] }],
    });
    expect(upstream.requests.length - before).toBe(2);
  });

  test('its types join tables, functions and actions, which join it again', async () => {
    expect(
      await service.graphql(
        `{ films(ids: ["1", "2"]) { director {
          name row { note seen { title } } notes { note } profile { text }
        } } }`,
      ),
    ).toEqual({
      data: {
        films: [
          {
            director: {
              name: 'director 1',
              row: { note: 'one', seen: { title: 'film 1' } },
              notes: [{ note: 'one' }],
              profile: { text: 'profile of 1' },
            },
          },
          {
            director: {
              name: 'director 2',
              row: { note: 'two', seen: { title: 'film 3' } },
              notes: [{ note: 'two' }],
              profile: { text: 'profile of 2' },
            },
          },
        ],
      },
    });
  });

  test('applies the permission of a role, with its presets', async () => {
    const result = (await service.graphql('{ film(id: 1) { title } echo(filter: { title: "x" }) }', reader)) as {
      data: { film: unknown; echo: string };
    };
    expect(result.data.film).toEqual({ title: 'film 1' });
    expect(JSON.parse(result.data.echo)).toEqual({ filter: { owner: 7, title: 'x', order: 'NEW' } });
    expect(await service.graphql('{ film(id: 1) { year } }', reader)).toMatchObject({
      errors: [{ message: "field 'year' not found in type: 'Film'" }],
    });
    expect(await service.graphql('{ items { id } }', reader)).toHaveProperty('errors');
  });

  test('applies a customization of its names', async () => {
    await service.command('add_remote_schema', {
      name: 'renamed',
      definition: {
        url: upstream.url,
        customization: {
          root_fields_namespace: 'cinema',
          type_names: { prefix: 'C', mapping: { Film: 'Movie' } },
          field_names: [
            { parent_type: 'Query', mapping: { film: 'movie' } },
            { parent_type: 'Person', prefix: 'the_', mapping: { id: 'number' } },
          ],
        },
      },
    });
    expect(
      await service.graphql(
        `{ cinema {
          movie(id: 4) { __typename title director { __typename number the_name } }
          find(text: "x") { __typename ... on Movie { year } }
        } }`,
      ),
    ).toEqual({
      data: {
        cinema: {
          movie: {
            __typename: 'Movie',
            title: 'film 4',
            director: { __typename: 'CPerson', number: 4, the_name: 'director 4' },
          },
          find: [{ __typename: 'CBook' }, { __typename: 'Movie', year: 1992 }],
        },
      },
    });
    await service.command('remove_remote_schema', { name: 'renamed' });
  });

  test('is introspected unchanged, and again on a reload', async () => {
    await service.command('reload_remote_schema', { name: 'films' });
    const result = (await service.command('introspect_remote_schema', { name: 'films' })) as {
      data: { __schema: { types: { name: string }[] } };
    };
    expect(result.data.__schema.types.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Film', 'Book', 'Found', 'Order']),
    );
    expect(await service.command('get_remote_schema_status', {})).toMatchObject({
      remote_schemas: [{ name: 'films', status: 'current' }],
    });
  });
});
