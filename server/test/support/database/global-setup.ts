/**
 * Starts the PostgreSQL server of the test run, in a temporary folder, unless JOINERY_TEST_DATABASE_URL names one. With
 * JOINERY_TEST_POSTGRES_PROGRAMS it is that of the programs in this folder, otherwise the embedded one.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { lockHolder } from '../../../src/postgres/embedded/lock.ts';
import { freePort } from '../http/free-port.ts';
import { startPgBouncer } from './pgbouncer.ts';
import { connect } from './test-database.ts';
import { startVersion } from './version-server.ts';

const prefix = 'joinery-test-run-';

/** Settings without durability: the databases are dropped after the run. */
const fast = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '400',
  autovacuum: 'off',
};

/** With JOINERY_TEST_POOLER=pgbouncer the tested services reach the server through PgBouncer in transaction mode. */
export async function setup(): Promise<() => Promise<void>> {
  const stopServer = await startServer();
  const stopPooler = await startPooler().catch(async (error: unknown) => {
    await stopServer?.();
    throw error;
  });
  return async () => {
    stopPooler?.();
    await stopServer?.();
  };
}

async function startPooler(): Promise<(() => void) | undefined> {
  const kind = process.env.JOINERY_TEST_POOLER;
  if (kind === undefined || kind === '') return undefined;
  if (kind !== 'pgbouncer') throw new Error(`JOINERY_TEST_POOLER is "${kind}"; the only pooler is "pgbouncer"`);
  const pooler = await startPgBouncer(process.env.JOINERY_TEST_DATABASE_URL ?? '');
  process.env.JOINERY_TEST_POOLER_ADDRESS = pooler.address;
  return pooler.stop;
}

async function startServer(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.JOINERY_TEST_DATABASE_URL !== undefined) return undefined;
  const { JOINERY_TEST_POSTGRES_PROGRAMS: programs } = process.env;
  if (programs !== undefined) {
    const server = startVersion(programs, await freePort(), fast);
    const admin = connect(server.url, 1);
    await admin.query({ text: 'alter role scram superuser', values: [] });
    await admin.close();
    // Another role than `joinery`, which would create tables in the schema of its name, and one with a password.
    process.env.JOINERY_TEST_DATABASE_URL = server.url.replace('//joinery@', '//scram:secret@');
    return async () => server.stop();
  }
  await removeLeftovers();
  const directory = mkdtempSync(join(tmpdir(), prefix));
  const postgres = await startEmbedded({ directory, settings: fast }).catch((error: unknown) => {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  });
  process.env.JOINERY_TEST_DATABASE_URL = postgres.url;
  return async () => {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Stops the servers of runs that were killed. `startEmbedded` adopts a server that runs on its folder. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const directory = join(tmpdir(), name);
    try {
      // A folder without a lock file may be of a run that is starting; it is small and can remain.
      if (!readdirSync(directory).includes('lock') || lockHolder(directory) !== undefined) continue;
      await (await startEmbedded({ directory, settings: fast })).stop();
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Another run removes the folder at the same time.
    }
  }
}
