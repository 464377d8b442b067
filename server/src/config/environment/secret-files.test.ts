import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { effectiveConfig, readSettings } from '../service-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'joinery-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const path = join(folder, `secret-${content.length}`);
  writeFileSync(path, content);
  return path;
}

it('reads a secret from the file that JOINERY_<NAME>_FILE names', () => {
  const { environment } = readSettings({ environment: { JOINERY_METRICS_SECRET_FILE: fileWith('from a file') } });
  expect(environment).toEqual({ JOINERY_METRICS_SECRET: 'from a file' });
});

it.each([
  ['LF', 'secret\n', 'secret'],
  ['CR LF', 'secret\r\n', 'secret'],
  ['one of two', 'secret\n\n', 'secret\n'],
])('removes the final newline of the file: %s', (_, content, expected) => {
  const { environment } = readSettings({ environment: { JOINERY_ADMIN_SECRET_FILE: fileWith(content) } });
  expect(environment.JOINERY_ADMIN_SECRET).toBe(expected);
});

it('masks a secret that was read from a file in the printed configuration', () => {
  const environment = { JOINERY_DATABASE_URL_FILE: fileWith('postgres://app:hunter2@db/shop\n') };
  const printed = effectiveConfig({ environment });
  expect(printed.split('\n')).toContain('JOINERY_DATABASE_URL=postgres://app:***@db/shop');
});

it('gives the file precedence over a variable of Hasura v2', () => {
  const environment = { HASURA_GRAPHQL_ADMIN_SECRET: 'variable', JOINERY_ADMIN_SECRET_FILE: fileWith('file') };
  const read = readSettings({ environment, flags: { hasuraEnv: 'true' } });
  expect(read.environment.JOINERY_ADMIN_SECRET).toBe('file');
});

it('rejects a secret that is set by variable and file', () => {
  const environment = { JOINERY_ADMIN_SECRET: 'one', JOINERY_ADMIN_SECRET_FILE: fileWith('other') };
  expect(() => readSettings({ environment })).toThrow(
    'JOINERY_ADMIN_SECRET and JOINERY_ADMIN_SECRET_FILE are both set; set one of them',
  );
});

it.each([
  ['does not exist', () => join(folder, 'absent'), 'ENOENT'],
  ['is a folder', () => folder, 'not a regular file'],
  ['is endless', () => '/dev/zero', 'not a regular file'],
  ['is too large', () => fileWith('x'.repeat(1_048_577)), '1048577 bytes'],
  ['is empty', () => fileWith('\n'), 'is empty'],
])('rejects a file that %s, with its path', (_, path, reason) => {
  const environment = { JOINERY_JWT_SECRET_FILE: path() };
  expect(() => readSettings({ environment })).toThrow(
    new RegExp(`^JOINERY_JWT_SECRET_FILE: the file ${path()} .*${reason}`),
  );
});

it('rejects a file for a setting that is not a secret', () => {
  expect(() => readSettings({ environment: { JOINERY_PORT_FILE: fileWith('8080') } })).toThrow(
    'JOINERY_PORT_FILE is not a setting: only secrets are read from files; set JOINERY_PORT',
  );
});
