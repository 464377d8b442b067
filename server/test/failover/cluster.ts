/** Three PostgreSQL servers under Patroni with synchronous replication, and etcd for their leader lock. */
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { startHaproxy } from './haproxy.ts';
import { adopt, endAll, ended, isRunning, serverPort, serverUser, signalTrees, startProcess } from './processes.ts';

export const DATABASE = 'shop';
const binaries = '/usr/lib/postgresql/15/bin';

export interface Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
}

export interface Cluster {
  readonly members: readonly Member[];
  /** The port of HAProxy, which forwards to the primary. */
  readonly proxyPort: number;
  /** The folder of the logs of all processes. */
  readonly folder: string;
  /** Returns the member that Patroni's REST API reports as the primary. */
  primary(): Promise<Member>;
  /** Requests a switchover to the synchronous standby. Resolves when Patroni has accepted it. */
  switchover(): Promise<void>;
  /** Kills Patroni and the server of a member without a shutdown. */
  kill(member: Member): Promise<void>;
  /** Starts a member that was killed. */
  restart(member: Member): void;
  /** Pauses the processes of a member (SIGSTOP). */
  pause(member: Member): void;
  resume(member: Member): void;
  /** Resolves when all members run without lag and one of them is the synchronous standby. */
  healthy(): Promise<void>;
  /** Ends all processes and removes their folder, except the logs if `keepLogs` is set. */
  stop(keepLogs: boolean): Promise<void>;
}

/** Times of Patroni in seconds. A failover takes slightly longer than `ttl`. */
const timing = { ttl: 6, loop_wait: 1, retry_timeout: 2 };

interface Running extends Member {
  readonly folder: string;
  patroni: number;
}

const programs = ['/usr/bin/etcd', '/usr/bin/patroni', '/usr/sbin/haproxy', `${binaries}/postgres`];

/** Starts the cluster. Throws if a program is not installed. */
export async function startCluster(): Promise<Cluster> {
  const absent = programs.filter((program) => !existsSync(program));
  if (absent.length > 0) {
    throw new Error(
      `${absent.join(', ')} not found; install postgresql-15, patroni, etcd-server, haproxy, python3-etcd`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'joinery-failover-'));
  const user = serverUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const log = (name: string): string => join(folder, `${name}.log`);

  const [etcd, peers] = [await serverPort(), await serverPort()];
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peers}`];
  const etcdArgs = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': clientUrl,
    'advertise-client-urls': clientUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `default=${peerUrl}`,
    'enable-v2': 'true',
  };
  const flags = Object.entries(etcdArgs).map(([name, value]) => `--${name}=${value}`);
  startProcess('/usr/bin/etcd', flags, { log: log('etcd'), user });

  const members: Running[] = [];
  for (const name of ['one', 'two', 'three']) {
    const home = join(folder, name);
    mkdirSync(home, { mode: 0o700 });
    if (user !== undefined) chownSync(home, user.uid, user.gid);
    members.push({ name, port: await serverPort(), restPort: await serverPort(), folder: home, patroni: 0 });
  }
  const start = (member: Running): void => {
    const file = join(folder, `${member.name}.json`);
    writeFileSync(file, JSON.stringify(settingsOf(member, etcd)));
    const child = startProcess('/usr/bin/python3', ['/usr/bin/patroni', file], { log: log(member.name), user });
    member.patroni = child.pid ?? 0;
  };
  const find = ({ name }: Member): Running => {
    const found = members.find((member) => member.name === name);
    if (found === undefined) throw new Error(`no member ${name}`);
    return found;
  };

  async function primary(): Promise<Member> {
    for (const member of members) if (await respondsWith200(member, '/primary')) return member;
    throw new Error('no member is the primary');
  }

  async function healthy(): Promise<void> {
    const all = async (path: string): Promise<number> =>
      (await Promise.all(members.map((member) => respondsWith200(member, path)))).filter(Boolean).length;
    await until('one primary and two standbys run', async () => {
      const counts = await Promise.all(['/primary', '/replica', '/synchronous'].map(all));
      if (counts.join() !== '1,2,1') return false;
      const { members: reported } = await clusterOf(await primary());
      const lagging = reported.filter(({ role, state, lag }) => role !== 'leader' && (lag !== 0 || !isUp(state)));
      return reported.length === members.length && lagging.length === 0;
    });
    for (const member of members) adopt(postmasterOf(member));
  }

  async function stop(keepLogs: boolean): Promise<void> {
    for (const member of members) signalTrees([member.patroni, postmasterOf(member)], 'SIGCONT');
    endAll();
    // A member that was restarted may have started its server meanwhile, which is no process of the rig yet.
    await until('all members have ended', () => {
      const pids = members.flatMap((member) => [member.patroni, postmasterOf(member)]).filter(isRunning);
      signalTrees(pids, 'SIGKILL');
      return pids.length === 0;
    });
    const removed = keepLogs
      ? ['etcd', ...members.map(({ name }) => name)].map((name) => join(folder, name))
      : [folder];
    for (const path of removed) rmSync(path, { recursive: true, force: true });
  }

  try {
    await until('etcd responds', async () => (await fetch(`${clientUrl}/health`).catch(() => undefined))?.ok === true, {
      seconds: 60,
    });
    for (const member of members) start(member);
    await healthy();
    const proxyPort = await startHaproxy({ folder, log: log('haproxy'), user, members });
    return {
      members,
      proxyPort,
      folder,
      primary,
      healthy,
      stop,
      switchover: async () => {
        const leader = await primary();
        const { members: reported } = await clusterOf(leader);
        const candidate = reported.find(({ role }) => role === 'sync_standby')?.name;
        await post(leader, '/switchover', { leader: leader.name, candidate });
      },
      kill: async (member) => {
        const found = find(member);
        const pids = [found.patroni, postmasterOf(found)];
        signalTrees(pids, 'SIGKILL');
        await ended(pids);
      },
      restart: (member) => start(find(member)),
      pause: (member) => signalTrees([find(member).patroni, postmasterOf(find(member))], 'SIGSTOP'),
      resume: (member) => signalTrees([find(member).patroni, postmasterOf(find(member))], 'SIGCONT'),
    };
  } catch (error) {
    endAll();
    throw new Error(`the cluster did not start; its logs are in ${folder}`, { cause: error });
  }
}

function settingsOf({ name, port, restPort, folder }: Running, etcd: number): unknown {
  const trusted = ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  return {
    scope: 'joinery',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // With etcd3, Patroni before 3.0.3 (as in Debian 12) lets a resumed primary take the leader lock from its successor
    // without a comparison, and loses the commits of the successor.
    etcd: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...timing,
        synchronous_mode: true,
        // Only processes are killed. Writes remain in the memory of the operating system, so fsync is not necessary.
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, fsync: 'off' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(folder, 'data'),
      bin_dir: binaries,
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password: 'postgres' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      pg_hba: trusted,
      parameters: { unix_socket_directories: folder },
    },
    watchdog: { mode: 'off' },
  };
}

interface ReportedMember {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag?: number | string;
}

const isUp = (state: string): boolean => state === 'running' || state === 'streaming';

async function clusterOf(member: Member): Promise<{ readonly members: readonly ReportedMember[] }> {
  const response = await fetch(`http://127.0.0.1:${member.restPort}/cluster`, { signal: AbortSignal.timeout(2000) });
  return (await response.json()) as { members: ReportedMember[] };
}

async function respondsWith200(member: Member, path: string): Promise<boolean> {
  const url = `http://127.0.0.1:${member.restPort}${path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}

async function post(member: Member, path: string, body: unknown): Promise<void> {
  const url = `http://127.0.0.1:${member.restPort}${path}`;
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Patroni rejects ${path}: ${text}`);
}

/** Returns the id of the server process; 0 if none runs. */
function postmasterOf({ folder }: Running): number {
  const data = join(folder, 'data');
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    // The file remains after a kill, and its id may belong to another process.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) ? pid : 0;
  } catch {
    return 0;
  }
}
