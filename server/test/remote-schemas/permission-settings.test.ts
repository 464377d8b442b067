/** Permissions on remote schemas beside the setting that enables them, and those of several remote schemas. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const reader = { 'x-service-role': 'reader' };
const definition = { schema: 'type Query { me(id: Int!): String }' };

let upstream: GraphQLServer;
let service: TestService;
/** Permissions are not enabled. */
let disabled: TestService;
beforeAll(async () => {
  upstream = await startGraphQLServer('type Query { internal: String me(id: Int!): String }', { internal: 'secret' });
  service = await startService({ JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' }, { migrated: true });
  disabled = await startService({}, { migrated: true });
});
afterAll(() => Promise.all([upstream?.close(), service?.stop(), disabled?.stop()]));

test('every role sees the whole remote schema if permissions are not enabled', async () => {
  const remote_schemas = [
    { name: 'blog', definition: { url: upstream.url }, permissions: [{ role: 'reader', definition }] },
  ];
  const metadata = { version: 3, sources: [], remote_schemas };
  await disabled.command('replace_metadata', { metadata, allow_inconsistent_metadata: true });
  expect(await disabled.graphql('{ internal }', reader)).toEqual({ data: { internal: 'secret' } });
});

test('a permission cannot be added if permissions are not enabled', async () => {
  await disabled.command('add_remote_schema', {
    name: 'other',
    definition: { url: upstream.url, customization: { root_fields_namespace: 'other' } },
  });
  const added = disabled.command('add_remote_schema_permissions', {
    remote_schema: 'other',
    role: 'reader',
    definition,
  });
  await expect(added).rejects.toThrow(/only be added when they are enabled.*constraint-violation/);
});

test('a permission for admin is rejected', async () => {
  await service.command('add_remote_schema', { name: 'blog', definition: { url: upstream.url } });
  const args = { remote_schema: 'blog', role: 'admin', definition };
  await expect(service.command('add_remote_schema_permissions', args)).rejects.toThrow(/constraint-violation/);
});

test('a role sees the same type of two remote schemas only with equal permissions', async () => {
  const shared = 'type Page { next: String secret: String }';
  const sharing = await Promise.all([
    startGraphQLServer(`type Query { first: Page } ${shared}`, { first: { next: 'a', secret: 's' } }),
    startGraphQLServer(`type Query { second: Page } ${shared}`, { second: { next: 'b', secret: 's' } }),
  ]);
  const names = ['first', 'second'];
  for (const [index, name] of names.entries()) {
    await service.command('add_remote_schema', { name, definition: { url: sharing[index]?.url } });
  }
  const permit = (remote_schema: string, page: string) =>
    service.command('add_remote_schema_permissions', {
      remote_schema,
      role: 'pager',
      definition: { schema: `type Query { ${remote_schema}: Page } type Page { ${page} }` },
    });
  const as = (query: string) => service.graphql(query, { 'x-service-role': 'pager' });
  await permit('first', 'next: String secret: String');
  await expect(permit('second', 'next: String')).rejects.toThrow(
    'of remote schema \\"second\\" type \\"Page\\" differs from the one that role \\"pager\\" sees of remote schema \\"first\\"',
  );
  expect(await as('{ second { secret } }')).toHaveProperty('errors');
  await service.command('drop_remote_schema_permissions', { remote_schema: 'first', role: 'pager' });
  await permit('first', 'next: String');
  await permit('second', 'next: String');
  expect(await as('{ first { next } second { next } }')).toEqual({
    data: { first: { next: 'a' }, second: { next: 'b' } },
  });
  expect(await as('{ second { secret } }')).toMatchObject({
    errors: [{ message: "field 'secret' not found in type: 'Page'" }],
  });
  for (const name of names) await service.command('remove_remote_schema', { name });
  await Promise.all(sharing.map((one) => one.close()));
});
