/**
 * Histories of two nodes whose database has no space left: for its tables, where PostgreSQL rejects statements, and for its log, where
 * PostgreSQL ends. Needs root on Linux, which mounts a small filesystem.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { identifyProcess } from '../../src/postgres/embedded/process-identity.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import { connect, type TestDatabase } from '../support/database/test-database.ts';
import { type BuiltService, startBuiltService } from '../support/service/built-service.ts';
import { until } from '../support/until.ts';
import { type History, listsSql, recordHistory } from './history.ts';
import { testHistory } from './history-rules.ts';

const OPERATIONS = 25;

/** Each append also inserts a row that does not fit into the free space of a page. */
const growth = `create table growth (junk text);
  alter table growth alter junk set storage plain;
  create function grow() returns trigger language plpgsql as
    $$ begin insert into growth values (repeat(md5(random()::text), 200)); return new; end $$;
  create trigger grow before update on list for each row execute function grow();`;

interface SmallDisk {
  readonly folder: string;
  fill(): void;
  free(): void;
  unmount(): void;
}

/** Mounts an empty filesystem of this size; undefined where the process may not. */
function mountSmallDisk(bytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-small-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  chmodSync(folder, 0o777);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => {
      for (;;) {
        try {
          writeFileSync(filler, Buffer.alloc(4_096), { flag: 'a' });
        } catch {
          return;
        }
      }
    },
    free: () => rmSync(filler),
    unmount: () => {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const disk = { tables: mountSmallDisk(48 * 1_024 ** 2), log: mountSmallDisk(96 * 1_024 ** 2) };
const isMountable = disk.tables !== undefined && disk.log !== undefined;
if (!isMountable) process.stderr.write('A full disk is not tested: this process may not mount a filesystem\n');

interface Rig {
  readonly directory: string;
  postgres: EmbeddedPostgres;
  database: TestDatabase['database'];
  readonly nodes: BuiltService[];
}

const settings = { fsync: 'off', autovacuum: 'off', max_wal_size: '32MB', min_wal_size: '32MB' };

/** Prepares the server, and returns the name of the database. */
type Place = (rig: Pick<Rig, 'directory' | 'postgres' | 'database'>) => Promise<string>;

/** Starts two nodes on a server. */
async function startRig(place: Place): Promise<Rig> {
  const directory = mkdtempSync(join(tmpdir(), 'joinery-disk-'));
  const postgres = await startEmbedded({ directory, settings });
  const rig: Rig = { directory, postgres, database: connect(postgres.url), nodes: [] };
  try {
    await prepare(rig, place);
    return rig;
  } catch (error) {
    await endRig(rig);
    throw error;
  }
}

async function prepare(rig: Rig, place: Place): Promise<void> {
  const name = await place(rig);
  await rig.database.close();
  const url = new URL(rig.postgres.url);
  url.pathname = `/${name}`;
  rig.database = connect(url.href);
  await migrate(rig.database);
  await rig.database.query({ text: listsSql + growth, values: [] });
  const environment = { JOINERY_DATABASE_URL: url.href };
  rig.nodes.push(...(await Promise.all([startBuiltService(environment), startBuiltService(environment)])));
}

/** Returns the working directory of the server, which is its data. */
const dataFolder = ({ pid }: EmbeddedPostgres): string => readlinkSync(`/proc/${pid}/cwd`);

async function endRig(rig: Rig | undefined): Promise<void> {
  await Promise.all(rig?.nodes.map((node) => node.kill()) ?? []);
  await rig?.database.close();
  await rig?.postgres.stop();
  if (rig !== undefined) rmSync(rig.directory, { recursive: true, force: true });
}

describe.skipIf(!isMountable)('a disk without space for tables', () => {
  let rig: Rig | undefined;
  let history: History;
  let processes: readonly boolean[];
  beforeAll(async () => {
    const { folder, fill, free } = disk.tables as SmallDisk;
    rig = await startRig(async ({ database, postgres }) => {
      const { uid, gid } = statSync(dataFolder(postgres));
      mkdirSync(join(folder, 'tables'));
      chownSync(join(folder, 'tables'), uid, gid);
      await database.query({ text: `create tablespace small location '${folder}/tables'`, values: [] });
      await database.query({ text: 'create database small template template0 tablespace small', values: [] });
      return 'small';
    });
    const { nodes, database } = rig;
    history = await recordHistory({
      database,
      nodes,
      disturb: async ({ recorder, operations, served }) => {
        await operations(OPERATIONS);
        fill();
        await until('an append is rejected', () => recorder.codes.size > 0);
        await operations(OPERATIONS);
        free();
        await served();
        await operations(OPERATIONS);
        processes = nodes.map((node) => node.ended());
      },
      stop: () => Promise.all(nodes.map((node) => node.stop())),
    });
  }, 600_000);
  afterAll(() => endRig(rig));

  testHistory(() => history);

  test('changes are rejected as busy, and no node ends', () => {
    expect([...history.codes]).toEqual(['busy']);
    expect(processes).toEqual([false, false]);
  });
});

describe.skipIf(!isMountable)('a disk without space for the log of PostgreSQL', () => {
  let rig: Rig | undefined;
  let history: History;
  let processes: readonly boolean[];
  beforeAll(async () => {
    const { folder, fill, free } = disk.log as SmallDisk;
    rig = await startRig(async (started) => {
      const { directory, postgres } = started;
      const log = join(dataFolder(postgres), 'pg_wal');
      await postgres.stop();
      const { uid, gid } = statSync(log);
      cpSync(log, join(folder, 'pg_wal'), { recursive: true });
      spawnSync('chown', ['-R', `${uid}:${gid}`, join(folder, 'pg_wal')]);
      rmSync(log, { recursive: true });
      symlinkSync(join(folder, 'pg_wal'), log);
      started.postgres = await startEmbedded({ directory, settings });
      return 'postgres';
    });
    const { database, directory, nodes, postgres } = rig;
    const port = new URL(postgres.url).port;
    history = await recordHistory({
      database,
      nodes,
      disturb: async ({ operations, served }) => {
        await operations(OPERATIONS);
        fill();
        await until('PostgreSQL has ended', async () => {
          // Starts another file of the log.
          await database.query({ text: 'select pg_switch_wal()', values: [] }).catch(() => undefined);
          return identifyProcess(postgres.pid) === undefined;
        });
        await operations(OPERATIONS);
        free();
        await postgres.stop();
        if (rig !== undefined) rig.postgres = await startEmbedded({ directory, settings: { ...settings, port } });
        await served();
        await operations(OPERATIONS);
        processes = nodes.map((node) => node.ended());
      },
      stop: () => Promise.all(nodes.map((node) => node.stop())),
    });
  }, 600_000);
  afterAll(() => endRig(rig));

  testHistory(() => history);

  test('the nodes connect to the server that was started again', () => {
    expect(processes).toEqual([false, false]);
  });
});

afterAll(() => {
  disk.tables?.unmount();
  disk.log?.unmount();
});
