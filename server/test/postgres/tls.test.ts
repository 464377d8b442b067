/** Encrypted connections: the modes of `sslmode` as in libpq, and cancellation over TLS. */
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { connect } from '../support/database/test-database.ts';
import { until } from '../support/until.ts';

/** A self-signed certificate for `localhost`. */
const certificate = fileURLToPath(new URL('../support/http/certificates/self-signed.crt', import.meta.url));
const key = fileURLToPath(new URL('../support/http/certificates/self-signed.key', import.meta.url));

const directory = join(mkdtempSync(join(tmpdir(), 'joinery-tls-')), '.joinery');
const plain = process.env.JOINERY_TEST_DATABASE_URL ?? '';
let server: EmbeddedPostgres;

/** Starts a server that accepts TLS connections only. */
beforeAll(async () => {
  await (await startEmbedded({ directory, settings: { fsync: 'off' } })).stop();
  const data = join(directory, 'postgres', 'data');
  const { uid, gid } = statSync(data);
  copyFileSync(certificate, join(data, 'server.crt'));
  copyFileSync(key, join(data, 'server.key'));
  writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all all scram-sha-256\n');
  for (const name of ['server.crt', 'server.key']) {
    chmodSync(join(data, name), 0o600);
    chownSync(join(data, name), uid, gid);
  }
  server = await startEmbedded({ directory, settings: { fsync: 'off', ssl: 'on' } });
});
afterAll(async () => {
  await server.stop();
  rmSync(join(directory, '..'), { recursive: true, force: true });
});

function url(base: string, parameters: Readonly<Record<string, string>>, host?: string): string {
  const target = new URL(base);
  if (host !== undefined) target.hostname = host;
  for (const [name, text] of Object.entries(parameters)) target.searchParams.set(name, text);
  return target.href;
}

/** Whether the connection is encrypted. */
async function encrypted(target: string): Promise<boolean> {
  const database = connect(target, 1);
  const text = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
  return database
    .query({ text, values: [] })
    .then(({ rows }) => rows[0]?.[0] === 't')
    .finally(() => database.close());
}

describe('a server that requires TLS', () => {
  test.each([
    ['no sslmode', {}],
    ['prefer', { sslmode: 'prefer' }],
    ['require, which checks no certificate', { sslmode: 'require' }],
    ['verify-ca with its certificate', { sslmode: 'verify-ca', sslrootcert: certificate }],
  ])('accepts a connection with %s', async (_mode, parameters) => {
    expect(await encrypted(url(server.url, parameters))).toBe(true);
  });

  test('accepts a connection with verify-full if the certificate is trusted and contains the host', async () => {
    const parameters = { sslmode: 'verify-full', sslrootcert: certificate };
    expect(await encrypted(url(server.url, parameters, 'localhost'))).toBe(true);
    await expect(encrypted(url(server.url, parameters))).rejects.toMatchObject({ code: 'busy' });
  });

  test.each([
    ['verify-full with an untrusted certificate', { sslmode: 'verify-full' }],
    ['disable', { sslmode: 'disable' }],
  ])('rejects a connection with %s', async (_mode, parameters) => {
    await expect(encrypted(url(server.url, parameters))).rejects.toMatchObject({ code: 'busy' });
  });

  test('cancels a statement when its signal is aborted', async () => {
    const database = connect(url(server.url, { sslmode: 'require' }), 1);
    const signal = new Cancellation();
    const result = database.query({ text: 'select pg_sleep(30)', values: [] }, { signal });
    result.catch(() => undefined);
    const observer = connect(url(server.url, { sslmode: 'require' }), 1);
    const text = `select pid from pg_stat_activity where query = 'select pg_sleep(30)' and state = 'active'`;
    await until('the statement runs', async () => (await observer.query({ text, values: [] })).rows.length === 1);
    await observer.close();
    signal.abort();
    await expect(result).rejects.toMatchObject({ status: 499 });
    await database.close();
  });
});

describe('a server without TLS', () => {
  test.each([
    ['no sslmode', {}],
    ['prefer', { sslmode: 'prefer' }],
  ])('accepts a connection with %s', async (_mode, parameters) => {
    expect(await encrypted(url(plain, parameters))).toBe(false);
  });

  test('rejects a connection with require', async () => {
    await expect(encrypted(url(plain, { sslmode: 'require' }))).rejects.toMatchObject({ code: 'busy' });
  });
});
