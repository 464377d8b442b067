/**
 * A PostgreSQL server with PostGIS, which the embedded binaries lack: the server at JOINERY_TEST_POSTGIS_URL, or a temporary
 * cluster of Debian's postgresql-15-postgis-3.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseUser, giveTo } from '../../../src/postgres/embedded/user.ts';
import { freePort } from '../http/free-port.ts';

export interface PostgisServer {
  readonly url: string;
  stop(): void;
}

const binaries = '/usr/lib/postgresql/15/bin';
const extension = '/usr/share/postgresql/15/extension/postgis_raster.control';

/** Returns undefined if no server is available, and prints the reason. */
export async function postgisServer(): Promise<PostgisServer | undefined> {
  const url = process.env.JOINERY_TEST_POSTGIS_URL;
  if (url !== undefined) return { url, stop: () => undefined };
  if (!existsSync(join(binaries, 'initdb')) || !existsSync(extension)) {
    process.stderr.write(
      'PostGIS is not tested: set JOINERY_TEST_POSTGIS_URL, or install postgresql-15-postgis-3 from Debian\n',
    );
    return undefined;
  }
  return startCluster();
}

async function startCluster(): Promise<PostgisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'joinery-postgis-'));
  const data = join(directory, 'data');
  const user = chooseUser(data, directory);
  if (user !== undefined) giveTo(directory, user);
  const run = (program: string, ...parameters: string[]): void => {
    const { status, stderr, stdout } = spawnSync(join(binaries, program), parameters, {
      ...user,
      cwd: directory,
      encoding: 'utf8',
      // The server inherits pipes and keeps them open, so that spawnSync would wait for it.
      stdio: program === 'pg_ctl' ? 'ignore' : 'pipe',
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr ?? ''}${stdout ?? ''}`);
  };
  const stop = (): void => {
    if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w');
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    run('initdb', '-D', data, '-U', 'joinery', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
    const port = await freePort();
    const settings = `-p ${port} -k ${directory} -c listen_addresses=127.0.0.1 -c fsync=off`;
    run('pg_ctl', 'start', '-D', data, '-o', settings, '-l', join(directory, 'log'), '-w');
    return { url: `postgres://joinery@127.0.0.1:${port}/postgres`, stop };
  } catch (error) {
    stop();
    throw error;
  }
}
