/** PgBouncer of Debian's package, in transaction mode, in front of the test server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseUser, giveTo } from '../../../src/postgres/embedded/user.ts';
import { freePort } from '../http/free-port.ts';
import { until } from '../until.ts';

export interface Pooler {
  /** `host:port` */
  readonly address: string;
  stop(): void;
}

const program = '/usr/sbin/pgbouncer';

/** Starts PgBouncer. Throws if it is not installed. */
export async function startPgBouncer(serverUrl: string): Promise<Pooler> {
  if (!existsSync(program)) throw new Error(`${program} does not exist; install Debian's package pgbouncer`);
  const directory = mkdtempSync(join(tmpdir(), 'joinery-pgbouncer-'));
  const { hostname, port, username, password } = new URL(serverUrl);
  const listenPort = await freePort();
  const users = join(directory, 'users.txt');
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`, { mode: 0o600 });
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(settings, settingsOf({ host: hostname, port: port || '5432', listenPort, users, directory }));
  // PgBouncer does not run as root.
  const user = chooseUser(join(directory, 'data'), directory);
  if (user !== undefined) giveTo(directory, user);
  const child = spawn(program, ['-q', settings], { ...user, cwd: directory, stdio: 'ignore' });
  const stop = (): void => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await untilListening(child, listenPort, join(directory, 'log'));
  } catch (error) {
    stop();
    throw error;
  }
  return { address: `127.0.0.1:${listenPort}`, stop };
}

interface PgBouncerSettings {
  readonly host: string;
  readonly port: string;
  readonly listenPort: number;
  readonly users: string;
  readonly directory: string;
}

/** Allows few connections to each database, because each test file has its own database. */
function settingsOf({ host, port, listenPort, users, directory }: PgBouncerSettings): string {
  return `[databases]
* = host=${host} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
logfile = ${join(directory, 'log')}
pool_mode = transaction
default_pool_size = 10
max_client_conn = 2000
server_idle_timeout = 5
server_check_query = select 1
`;
}

async function untilListening(child: ChildProcess, port: number, log: string): Promise<void> {
  await until(`PgBouncer accepts connections on port ${port}`, () => {
    if (child.exitCode !== null) {
      throw new Error(`PgBouncer exited: ${existsSync(log) ? readFileSync(log, 'utf8') : `code ${child.exitCode}`}`);
    }
    return acceptsConnections(port);
  });
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (connected: boolean) => () => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}
