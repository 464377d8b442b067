/** A service with tables for tests of malformed and oversized input. */
import { expect } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const tables = `
  create type mood as enum ('calm', 'cross');
  create table parent (id int primary key, name text unique, size int check (size > 0), code text not null default 'c');
  create table child (
    id int primary key, parent_id int references parent on delete restrict, during int4range,
    exclude using gist (during with &&)
  );
  create table kinds (
    id int primary key, small smallint, whole int, big bigint, exact numeric, number float8, label text, brief varchar(5),
    bytes bytea, plain json, docs jsonb, feel mood, ident uuid, at timestamptz
  );
  create table late (id int primary key, parent_id int references parent deferrable initially deferred);
  create view slow as select 1 as id, pg_sleep(30)::text as nap;
  insert into parent values (1, 'a', 1), (2, 'b', 2);
  insert into child values (1, 1, '[1,5)');
`;

/** Starts a service with these tables and relationships between them in both directions. */
export async function inputService(limits: Readonly<Record<string, string>>): Promise<TestService> {
  const service = await startService(
    { JOINERY_STATEMENT_TIMEOUT: '2000', JOINERY_MAX_BODY_BYTES: '4194304', ...limits },
    { sql: tables },
  );
  for (const table of ['parent', 'child', 'kinds', 'late', 'slow']) await service.command('track_table', table);
  await service.command('create_array_relationship', {
    table: 'parent',
    name: 'children',
    using: { foreign_key_constraint_on: { table: 'child', column: 'parent_id' } },
  });
  await service.command('create_object_relationship', {
    table: 'child',
    name: 'parent',
    using: { foreign_key_constraint_on: 'parent_id' },
  });
  return service;
}

/** Asserts that the service responds and has stored nothing of a rejected request. */
export async function expectUnchanged(service: TestService): Promise<void> {
  const response = await service.graphql('{ parent(order_by: { id: asc }) { id size } kinds { id } late { id } }');
  const rows = [
    { id: 1, size: 1 },
    { id: 2, size: 2 },
  ];
  expect(response).toEqual({ data: { parent: rows, kinds: [], late: [] } });
}

export interface Failure {
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly path: string };
  }[];
}

/** Returns the code and the path of the first error of the response. */
export async function errorOf(
  service: TestService,
  query: string,
  variables?: unknown,
): Promise<readonly (string | undefined)[]> {
  const { errors } = (await service.graphql(query, { 'x-service-role': 'admin' }, variables)) as Failure;
  const [first] = errors ?? [];
  // Messages are limited in length for input of any length.
  expect(first?.message.length).toBeLessThan(10_100);
  return [first?.extensions.code, first?.extensions.path];
}
