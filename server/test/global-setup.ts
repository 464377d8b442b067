/** One Postgres for the whole test run: the embedded one in a temporary folder, or the one whose URL is given. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/postgres/embedded.ts';
import { lockHolder } from '../src/postgres/embedded-lock.ts';

const prefix = 'joinery-test-run-';

/** Durability costs time, and nobody needs these databases after the run. */
const fast = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '400',
  autovacuum: 'off',
};

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.JOINERY_TEST_DATABASE_URL !== undefined) return undefined;
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

/** A run that was killed leaves its server running; adopting it is the way to stop it. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const directory = join(tmpdir(), name);
    try {
      // Without a lock file it may be a run that is just starting; its folder is small and does not matter.
      if (!readdirSync(directory).includes('lock') || lockHolder(directory) !== undefined) continue;
      await (await startEmbedded({ directory, settings: fast })).stop();
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Another run is clearing it at the same moment.
    }
  }
}
