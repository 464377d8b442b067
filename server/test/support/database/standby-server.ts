/** A primary and a standby of one PostgreSQL cluster. The standby can be promoted, and can follow the primary. */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareBinaries } from '../../../src/postgres/embedded/binaries.ts';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { openPlace } from '../../../src/postgres/embedded/place.ts';
import { findPostmaster, launch, shutDown } from '../../../src/postgres/embedded/server-process.ts';
import { freePort } from '../http/free-port.ts';
import { until } from '../until.ts';
import { connect } from './test-database.ts';

export interface Server {
  readonly url: string;
  /** `host:port` */
  readonly address: string;
  stop(): Promise<void>;
}

export interface ServerPair {
  readonly primary: Server;
  readonly standby: Server;
  /** Returns a URL with the hosts of `servers` in this order. */
  url(servers: readonly Server[], parameters?: string): string;
  stop(): Promise<void>;
}

const settings = { fsync: 'off', max_connections: '100' };

/** Starts the servers. `sql` runs before the standby is copied from the primary. `streams`: the standby follows the primary. */
export async function startServerPair(sql: string, { streams = false } = {}): Promise<ServerPair> {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-standby-'));
  const first = join(folder, 'primary');
  const second = join(folder, 'standby');
  const draft = await startEmbedded({ directory: first, settings });
  const database = connect(draft.url, 1);
  await database.query({ text: sql, values: [] });
  await database.close();
  await draft.stop();
  cpSync(first, second, { recursive: true });
  // Newer releases of Node.js do not copy the mode of folders.
  chmodSync(join(second, 'postgres', 'data'), 0o700);
  copyOwner(join(first, 'postgres'), join(second, 'postgres'));
  const primary = await startEmbedded({ directory: first, settings });
  const { hostname: host, port, password } = new URL(primary.url);
  const following = {
    primary_conninfo: `host=${host} port=${port} user=postgres password=${password}`,
    wal_receiver_status_interval: '1s',
    wal_retrieve_retry_interval: '100ms',
  };
  const standby = await startStandby(second, streams ? { ...settings, ...following } : settings);
  const running = [
    { url: primary.url, address: new URL(primary.url).host, stop: primary.stop },
    { url: standby.url, address: new URL(standby.url).host, stop: standby.stop },
  ] as const;
  return {
    primary: running[0],
    standby: running[1],
    url: (servers, parameters = '') => {
      const { username, password } = new URL(primary.url);
      const hosts = servers.map(({ address }) => address).join(',');
      return `postgres://${username}:${password}@${hosts}/postgres${parameters}`;
    },
    stop: async () => {
      await Promise.all(running.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startStandby(
  root: string,
  ofServer: Readonly<Record<string, string>>,
): Promise<Pick<Server, 'url' | 'stop'>> {
  const place = openPlace(root);
  const binaries = prepareBinaries(place.runAs);
  const signal = join(place.data, 'standby.signal');
  writeFileSync(signal, '');
  const { uid, gid } = statSync(place.data);
  chownSync(signal, uid, gid);
  const port = await freePort();
  launch(place, binaries, port, ofServer);
  const url = `postgres://postgres:${readFileSync(place.passwordFile, 'utf8').trim()}@127.0.0.1:${port}/postgres`;
  await until(
    () => `the standby accepts queries; its log:\n${readFileSync(place.log, 'utf8')}\n`,
    () => acceptsQueries(url),
  );
  return {
    url,
    stop: async () => {
      const found = existsSync(place.data) ? findPostmaster(place) : undefined;
      if (found !== undefined) await shutDown(found.process, place, binaries);
    },
  };
}

async function acceptsQueries(url: string): Promise<boolean> {
  const database = connect(url, 1);
  return database
    .query({ text: 'select 1', values: [] })
    .then(
      () => true,
      () => false,
    )
    .finally(() => database.close());
}

/** Gives copied files the owner of the originals. */
function copyOwner(from: string, to: string): void {
  const { uid, gid } = statSync(join(from, 'data'));
  for (const path of ['', ...pathsIn(to)]) chownSync(join(to, path), uid, gid);
}

function pathsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }) as string[];
}
