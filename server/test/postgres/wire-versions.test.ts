/** The client with each version of PostgreSQL that is installed: authentication, TLS, statements and notifications. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import { listen } from '../../src/postgres/client/listen.ts';
import { createDatabase, type Database } from '../../src/postgres/client/pool.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import {
  createCertificate,
  hasOpenssl,
  startVersion,
  type VersionServer,
  versions,
} from '../support/database/version-server.ts';
import { freePort } from '../support/http/free-port.ts';
import { until } from '../support/until.ts';

function open(url: string, poolSize = 1): Database {
  return createDatabase({ url, poolSize, statementTimeoutMs: 0, prepare: true, applicationName: 'wire versions' });
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = open(url);
  return work(database).finally(() => database.close());
}

/** Returns the user and whether the connection is encrypted; the reason where it is rejected. */
function connectionOf(url: string): Promise<string> {
  const text = 'select current_user, ssl from pg_stat_ssl where pid = pg_backend_pid()';
  return withDatabase(url, (database) =>
    database.query({ text, values: [] }).then(
      ({ rows }) => rows[0]?.join(' ') ?? '',
      (error: unknown) => JSON.stringify(fromPostgres(error).internal),
    ),
  );
}

describe.each(versions())('PostgreSQL %s', (_version, folder) => {
  let server: VersionServer;
  beforeAll(async () => {
    server = startVersion(folder(), await freePort());
  });
  afterAll(() => server.stop());

  const address = (user: string, parameters = ''): string =>
    `postgres://${user}@127.0.0.1:${server.port}/postgres?${parameters}`;

  test.each(['clear', 'md5', 'scram'])('accepts the password of the method %s, with TLS and without', async (user) => {
    expect(await connectionOf(address(`${user}:secret`, 'sslmode=disable'))).toBe(`${user} f`);
    expect(await connectionOf(address(`${user}:secret`, 'sslmode=require'))).toBe(`${user} t`);
  });

  test.each(['clear', 'md5', 'scram'])('rejects a wrong password of the method %s', async (user) => {
    expect(await connectionOf(address(`${user}:wrong`))).toMatch(/password authentication failed.*28P01/);
    expect(await connectionOf(address(user))).toMatch(/requests a password for user/);
  });

  test('binds SCRAM to the certificate of the server, where the URL permits and requires it', async () => {
    expect(await connectionOf(address('scram:secret', 'sslmode=require&channel_binding=require'))).toBe('scram t');
    expect(await connectionOf(address('scram:secret', 'sslmode=require&channel_binding=disable'))).toBe('scram t');
    expect(await connectionOf(address('scram:secret', 'sslmode=disable&channel_binding=require'))).toMatch(/binding/);
    for (const user of ['clear', 'md5']) {
      expect(await connectionOf(address(`${user}:secret`, 'sslmode=require&channel_binding=require'))).toMatch(
        /binding/,
      );
    }
  });

  test('checks the certificate with verify-full', async () => {
    const certificate = join(server.directory, 'server.crt');
    const parameters = `sslmode=verify-full&sslrootcert=${certificate}`;
    const named = address('scram:secret', parameters).replace('127.0.0.1', 'localhost');
    expect(await connectionOf(named)).toBe('scram t');
    expect(await connectionOf(address('scram:secret', 'sslmode=verify-full'))).toMatch(/certificate/);
  });

  test('accepts a connection on its Unix socket', async () => {
    const host = encodeURIComponent(server.directory);
    const url = `postgres:///postgres?host=${host}&port=${server.port}&user=scram&password=secret`;
    expect(
      await withDatabase(url, (database) => database.query({ text: 'select current_user', values: [] })),
    ).toMatchObject({
      rows: [['scram']],
    });
    const wrong = `postgres:///postgres?host=${host}&port=${server.port + 1}&user=joinery`;
    expect(await connectionOf(wrong)).toMatch(/ENOENT/);
  });

  test('runs prepared statements with values of each kind, and returns text', () =>
    withDatabase(server.url, async (database) => {
      const text = 'select $1::int, $2::text, $3::bool, $4::text[], $5::jsonb, $6::bytea, $7::text';
      const values = [1, 'é"\\', true, ['a', null, '"'], { a: [1] }, Buffer.from([0, 255]), null];
      for (let round = 0; round < 2; round += 1) {
        const { rows, fields, command, rowCount } = await database.query({
          text,
          values,
          name: database.prepared(text),
        });
        expect(rows).toEqual([['1', 'é"\\', 't', '{a,NULL,"\\""}', '{"a": [1]}', '\\x00ff', null]]);
        expect(fields.map(({ typeOid }) => typeOid)).toEqual([23, 25, 16, 1009, 3802, 17, 25]);
        expect({ command, rowCount }).toEqual({ command: 'SELECT', rowCount: 1 });
      }
    }));

  test('returns large rows whole', () =>
    withDatabase(server.url, async (database) => {
      const text = `select repeat('é', $1::int) from generate_series(1, 3)`;
      const { rows } = await database.query({ text, values: [3_000_000] });
      expect(rows.map(([value]) => value?.length)).toEqual([3_000_000, 3_000_000, 3_000_000]);
    }));

  test('reports errors with their fields, and runs the next statement', () =>
    withDatabase(server.url, async (database) => {
      await database.query({ text: 'create table entry (id int primary key)', values: [] });
      const insert = { text: 'insert into entry values ($1::int)', values: ['1'], name: database.prepared('insert') };
      expect(await database.query(insert)).toMatchObject({ command: 'INSERT', rowCount: 1 });
      await expect(database.query(insert)).rejects.toMatchObject({
        code: '23505',
        severity: 'ERROR',
        constraint: 'entry_pkey',
        table: 'entry',
        detail: expect.stringContaining('already exists'),
      });
      const several = { text: 'select 1; select 2 as two', values: [] };
      expect(await database.query(several)).toMatchObject({ rows: [['2']], fields: [{ name: 'two' }] });
    }));

  test.each([
    ['alone', undefined],
    ['as a prepared statement', 'copy_in'],
  ])('rejects COPY from the client %s, and runs the next statement', (_case, name) =>
    withDatabase(server.url, async (database) => {
      await database.query({ text: 'create table if not exists copied (id int)', values: [] });
      const copy = database.query({ text: 'copy copied from stdin', values: [], name });
      await expect(copy).rejects.toMatchObject({
        message: expect.stringContaining('COPY FROM STDIN is not supported'),
      });
      expect(await database.query({ text: 'copy (select 1) to stdout', values: [] })).toMatchObject({ rows: [] });
      expect((await database.query({ text: 'select 3', values: [] })).rows).toEqual([['3']]);
    }),
  );

  test('cancels a statement over TLS and without', async () => {
    for (const mode of ['require', 'disable']) {
      await withDatabase(address('joinery', `sslmode=${mode}`), async (database) => {
        const signal = new Cancellation();
        const result = database.query({ text: `select 'cancel ${mode}' from pg_sleep(60)`, values: [] }, { signal });
        result.catch(() => undefined);
        const text = `select 1 from pg_stat_activity where query like '%cancel ${mode}%' and pid <> pg_backend_pid()`;
        await withDatabase(server.url, (observer) =>
          until('the statement runs', async () => (await observer.query({ text, values: [] })).rows.length > 0),
        );
        signal.abort();
        await expect(result).rejects.toMatchObject({ status: 499 });
        expect((await database.query({ text: 'select 1', values: [] })).rows).toEqual([['1']]);
      });
    }
  });

  test('delivers notifications', async () => {
    const received: string[] = [];
    const onNotify = (channel: string, payload: string): unknown => received.push(`${channel}: ${payload}`);
    const listener = await listen({ url: server.url, channels: ['news'], onNotify, onReconnect: () => undefined });
    expect(listener.available).toBe(true);
    await withDatabase(server.url, (database) => database.query({ text: `notify news, 'é'`, values: [] }));
    await until('the notification arrives', () => received.length > 0);
    expect(received).toEqual(['news: é']);
    await listener.close();
  });
});

describe.runIf(hasOpenssl())('the certificate of the server', () => {
  let server: VersionServer;
  let admin: Database;
  beforeAll(async () => {
    const [[, folder] = []] = versions();
    server = startVersion(folder?.() ?? '', await freePort());
    admin = open(server.url);
  });
  afterAll(async () => {
    await admin.close();
    server.stop();
  });

  test.each([
    ['RSA and SHA-512', ['-newkey', 'rsa:2048', '-sha512']],
    ['ECDSA and SHA-384', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-sha384']],
    ['RSASSA-PSS and SHA-256', ['-newkey', 'rsa:2048', '-sigopt', 'rsa_padding_mode:pss', '-sha256']],
  ])('is hashed for the channel binding with %s', async (kind, parameters) => {
    createCertificate(server.directory, parameters);
    await admin.query({ text: 'select pg_reload_conf()', values: [] });
    // Verified, because the earlier certificate is in use until the server has applied the reload.
    const root = `sslmode=verify-ca&sslrootcert=${encodeURIComponent(join(server.directory, 'server.crt'))}`;
    const url = `postgres://scram:secret@127.0.0.1:${server.port}/postgres?${root}&channel_binding=require`;
    await until(`the server accepts ${kind}`, async () => (await connectionOf(url)) === 'scram t');
  });
});
