/** A PgBouncer in transaction mode in front of the server of the tests, as Debian's package has it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseUser, giveTo } from '../../../src/postgres/embedded/user.ts';
import { freePort } from '../http/free-port.ts';

export interface Pooler {
  /** `host:port` */
  readonly address: string;
  stop(): void;
}

const program = '/usr/sbin/pgbouncer';

/** Throws where it is not installed: whoever asks for the mode wants it. */
export async function startPgBouncer(serverUrl: string): Promise<Pooler> {
  if (!existsSync(program)) throw new Error(`${program} is not there; install Debian's package pgbouncer`);
  const directory = mkdtempSync(join(tmpdir(), 'joinery-pgbouncer-'));
  const { hostname, port, username, password } = new URL(serverUrl);
  const own = await freePort();
  const users = join(directory, 'users.txt');
  writeFileSync(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`, { mode: 0o600 });
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(settings, settingsOf({ host: hostname, port: port || '5432', own, users, directory }));
  // It does not run as root.
  const user = chooseUser(join(directory, 'data'), directory);
  if (user !== undefined) giveTo(directory, user);
  const child = spawn(program, ['-q', settings], { ...user, cwd: directory, stdio: 'ignore' });
  const stop = (): void => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await untilUp(child, own, join(directory, 'log'));
  } catch (error) {
    stop();
    throw error;
  }
  return { address: `127.0.0.1:${own}`, stop };
}

interface Place {
  readonly host: string;
  readonly port: string;
  readonly own: number;
  readonly users: string;
  readonly directory: string;
}

/** Few connections to each database, many databases: each test has one of its own. */
function settingsOf({ host, port, own, users, directory }: Place): string {
  return `[databases]
* = host=${host} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
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

async function untilUp(child: ChildProcess, port: number, log: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) {
      throw new Error(`PgBouncer ended: ${existsSync(log) ? readFileSync(log, 'utf8') : `code ${child.exitCode}`}`);
    }
    if (await answers(port)) return;
    await sleep(50);
  }
  throw new Error('PgBouncer does not listen');
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (up: boolean) => () => {
      socket.destroy();
      resolve(up);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}
