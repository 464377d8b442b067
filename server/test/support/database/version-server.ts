/** PostgreSQL servers of several versions: the installed package, Debian's packages, and JOINERY_TEST_POSTGRES_FOLDERS. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findInstalled, prepareBinaries } from '../../../src/postgres/embedded/binaries.ts';
import { chooseUser, giveTo } from '../../../src/postgres/embedded/user.ts';

export interface VersionServer {
  /** Of the superuser `joinery`, who needs no password. */
  readonly url: string;
  /** The folder of the Unix socket and of the certificate, `server.crt` and `server.key`. */
  readonly directory: string;
  readonly port: number;
  stop(): void;
}

const debian = '/usr/lib/postgresql';
/** A self-signed certificate for `localhost`, without its ending. */
const certificate = fileURLToPath(new URL('../http/certificates/self-signed', import.meta.url));

/** Returns the folders of programs by the names of their versions. */
export function versions(): readonly (readonly [string, () => string])[] {
  const installed = findInstalled();
  const folders = [
    ...(process.env.JOINERY_TEST_POSTGRES_FOLDERS?.split(':') ?? []),
    ...(existsSync(debian) ? readdirSync(debian).map((name) => join(debian, name, 'bin')) : []),
  ].filter((folder) => existsSync(join(folder, 'initdb')));
  return [
    [installed.build, () => dirname(prepareBinaries(chooseUser('', ''), installed).initdb)],
    ...folders.map((folder) => [versionOf(folder), () => folder] as const),
  ];
}

function versionOf(folder: string): string {
  return (
    /\d[\d.]*/.exec(spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout)?.[0] ?? folder
  );
}

/**
 * Starts a server with TLS and these settings, whose users `clear`, `md5` and `scram` have the password `secret` for these methods.
 *
 * @param folder the folder of the programs
 */
export function startVersion(
  folder: string,
  port: number,
  more: Readonly<Record<string, string>> = { fsync: 'off' },
): VersionServer {
  const directory = mkdtempSync(join(tmpdir(), 'joinery-version-'));
  const data = join(directory, 'data');
  const user = chooseUser(data, directory);
  if (user !== undefined) giveTo(directory, user);
  const run = (program: string, args: readonly string[], input?: string): void => {
    // The server inherits pipes and keeps them open, so that spawnSync would wait for it.
    const stdio = program === 'pg_ctl' ? 'ignore' : 'pipe';
    const result = spawnSync(join(folder, program), args, { ...user, cwd: directory, encoding: 'utf8', stdio, input });
    if (result.status !== 0) throw new Error(`${program} failed: ${result.stderr ?? result.error?.message ?? ''}`);
  };
  const stop = (): void => {
    if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', ['stop', '-D', data, '-m', 'immediate', '-w']);
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    run('initdb', ['-D', data, '-U', 'joinery', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
    const users = `set password_encryption = 'scram-sha-256'; create role clear login password 'secret';
      create role scram login password 'secret'; set password_encryption = 'md5'; create role md5 login password 'secret';`;
    run('postgres', ['--single', '-D', data, 'postgres'], users.replaceAll('\n', ' ').replaceAll(';', ';\n'));
    for (const kind of ['crt', 'key']) copyFileSync(`${certificate}.${kind}`, join(directory, `server.${kind}`));
    chmodSync(join(directory, 'server.key'), 0o600);
    if (user !== undefined) giveTo(directory, user);
    writeFileSync(join(data, 'pg_hba.conf'), rules);
    const settings = [
      `port=${port}`,
      `unix_socket_directories=${directory}`,
      'listen_addresses=127.0.0.1',
      ...Object.entries(more).map(([name, text]) => `${name}=${text}`),
    ];
    const tls = [`ssl=on`, `ssl_cert_file=${directory}/server.crt`, `ssl_key_file=${directory}/server.key`];
    const options = [...settings, ...tls].map((setting) => `-c ${setting}`).join(' ');
    run('pg_ctl', ['start', '-D', data, '-o', options, '-l', join(directory, 'log'), '-w']);
    return { url: `postgres://joinery@127.0.0.1:${port}/postgres`, directory, port, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

const rules = `local all joinery trust
local all all scram-sha-256
host all joinery 127.0.0.1/32 trust
host all clear 127.0.0.1/32 password
host all md5 127.0.0.1/32 md5
host all all 127.0.0.1/32 scram-sha-256
`;

const program = 'openssl';

/** Whether certificates can be created. */
export function hasOpenssl(): boolean {
  return spawnSync(program, ['version']).status === 0;
}

/** Writes a self-signed certificate for `localhost`; `parameters` select its key and its signature. */
export function createCertificate(directory: string, parameters: readonly string[]): void {
  const files = ['-keyout', join(directory, 'server.key'), '-out', join(directory, 'server.crt')];
  const args = ['req', '-x509', '-nodes', '-days', '2', '-subj', '/CN=localhost', ...parameters, ...files];
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`);
  const user = chooseUser(join(directory, 'data'), directory);
  if (user !== undefined) giveTo(directory, user);
}
