/** Tests of the adapter `@auth/hasura-adapter` of Auth.js, unmodified, with the tables of its documentation. */
import type { Adapter } from '@auth/core/adapters';
import { HasuraAdapter } from '@auth/hasura-adapter';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TestService } from '../../server/test/support/service/test-service.ts';
import { adminSecret, startHasuraService } from './project.ts';

const tables = `
  create table provider_type (value text primary key);
  insert into provider_type values ('credentials'), ('email'), ('oauth'), ('oidc');
  create table users (id uuid primary key default gen_random_uuid(), name text, email text unique, "emailVerified" timestamptz, image text);
  create table accounts (
    id uuid primary key default gen_random_uuid(), type text not null references provider_type on update restrict on delete restrict,
    provider text not null, "providerAccountId" text not null, refresh_token text, access_token text, expires_at bigint,
    token_type text, scope text, id_token text, session_state text, "userId" uuid not null references users on delete cascade);
  create table sessions (
    id uuid not null default gen_random_uuid(), "sessionToken" text primary key, "userId" uuid not null references users on delete cascade,
    expires timestamptz not null);
  create table verification_tokens (token text primary key, identifier text not null, expires timestamptz not null);
`;

const user = { object_relationships: [{ name: 'user', using: { foreign_key_constraint_on: 'userId' } }] };
const many = (table: string) => ({
  name: table,
  using: { foreign_key_constraint_on: { column: 'userId', table: { name: table, schema: 'public' } } },
});
const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        { table: { name: 'provider_type', schema: 'public' }, is_enum: true },
        { table: { name: 'accounts', schema: 'public' }, ...user },
        { table: { name: 'sessions', schema: 'public' }, ...user },
        { table: { name: 'users', schema: 'public' }, array_relationships: [many('accounts'), many('sessions')] },
        { table: { name: 'verification_tokens', schema: 'public' } },
      ],
    },
  ],
};

let service: TestService;
let adapter: Required<Adapter>;

beforeAll(async () => {
  service = await startHasuraService(tables, metadata);
  // The adapter writes the query of each error to the console.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  adapter = HasuraAdapter({ endpoint: `${service.url}/v1/graphql`, adminSecret }) as Required<Adapter>;
});
afterAll(async () => {
  vi.restoreAllMocks();
  await service?.stop();
});
beforeEach(() => run('truncate users, accounts, sessions, verification_tokens'));

async function run(text: string): Promise<readonly (readonly unknown[])[]> {
  return (await service.database.database.query({ text, values: [] })).rows;
}

const id = '00000000-0000-4000-8000-00000000000a';
const verified = new Date('2026-01-02T03:04:05.678Z');
const fill = { name: 'Fill Murray', email: 'fill@murray.com', image: 'https://www.fillmurray.com/460/300' };
const given = { id, ...fill, emailVerified: verified };
const account = {
  provider: 'github',
  providerAccountId: '4711',
  type: 'oauth' as const,
  access_token: 'a token',
  expires_at: 1_893_456_000,
  scope: 'user',
  token_type: 'bearer' as const,
};

describe('users', () => {
  test('are created with a date, and found by id and by email', async () => {
    const user = await adapter.createUser(given);
    expect(user).toEqual(given);
    expect(await adapter.getUser(id)).toEqual(given);
    expect(await adapter.getUserByEmail(fill.email)).toEqual(given);
  });

  test('are null if they do not exist', async () => {
    expect(await adapter.getUser(id)).toBeNull();
    expect(await adapter.getUserByEmail('unknown@example.com')).toBeNull();
    expect(await adapter.getUserByAccount({ provider: 'github', providerAccountId: '1' })).toBeNull();
  });

  test('keep the members that an update does not contain', async () => {
    await adapter.createUser(given);
    expect(await adapter.updateUser({ id, name: 'Bill', emailVerified: null })).toEqual({
      ...given,
      name: 'Bill',
      emailVerified: null,
    });
  });

  test('are deleted with their accounts and sessions', async () => {
    await adapter.createUser(given);
    await adapter.linkAccount({ ...account, userId: id });
    await adapter.createSession({ sessionToken: 's1', userId: id, expires: verified });
    await adapter.deleteUser(id);
    expect(await adapter.getUser(id)).toBeNull();
    expect(await adapter.getSessionAndUser('s1')).toBeNull();
    expect(await run('select count(*) from accounts')).toEqual([['0']]);
  });
});

describe('accounts', () => {
  test('are linked with a type of the enum table, and find their user until they are unlinked', async () => {
    await adapter.createUser(given);
    expect(await adapter.linkAccount({ ...account, userId: id })).toMatchObject({ ...account, userId: id });
    const key = { provider: account.provider, providerAccountId: account.providerAccountId };
    expect(await adapter.getUserByAccount(key)).toEqual(given);
    await adapter.unlinkAccount(key);
    expect(await adapter.getUserByAccount(key)).toBeNull();
  });

  test('throw the error of an unknown type', async () => {
    await adapter.createUser(given);
    const unknown = { ...account, type: 'carrier-pigeon' as 'oauth', userId: id };
    await expect(adapter.linkAccount(unknown)).rejects.toThrow(/carrier-pigeon/);
    expect(await run('select count(*) from accounts')).toEqual([['0']]);
  });
});

describe('sessions', () => {
  const session = { sessionToken: 's1', userId: id, expires: verified };

  beforeEach(() => adapter.createUser(given));

  test('are created, and read with their user', async () => {
    expect(await adapter.createSession(session)).toMatchObject(session);
    expect(await adapter.getSessionAndUser('s1')).toMatchObject({ session, user: given });
    expect(await adapter.getSessionAndUser('other')).toBeNull();
  });

  test('are extended and deleted', async () => {
    await adapter.createSession(session);
    const expires = new Date('2030-01-01T00:00:00.000Z');
    expect(await adapter.updateSession({ sessionToken: 's1', expires })).toMatchObject({ ...session, expires });
    expect((await adapter.getSessionAndUser('s1'))?.session.expires).toEqual(expires);
    await adapter.deleteSession('s1');
    expect(await adapter.getSessionAndUser('s1')).toBeNull();
  });
});

test('verification tokens are used once', async () => {
  const token = { token: 'hashed', identifier: fill.email, expires: verified };
  expect(await adapter.createVerificationToken(token)).toEqual(token);
  const key = { token: 'hashed', identifier: fill.email };
  expect(await adapter.useVerificationToken({ ...key, identifier: 'other@example.com' })).toBeNull();
  expect(await adapter.useVerificationToken(key)).toEqual(token);
  expect(await adapter.useVerificationToken(key)).toBeNull();
});

test('a wrong secret throws the message of the service', async () => {
  const other = HasuraAdapter({ endpoint: `${service.url}/v1/graphql`, adminSecret: 'wrong' }) as Required<Adapter>;
  await expect(other.getUser(id)).rejects.toThrow('invalid "x-hasura-admin-secret"/"x-hasura-access-key"');
});
