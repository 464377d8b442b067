/**
 * Records a database as a version writes it, for databases.test.ts:
 * `node server/test/support/service/run-typescript.mjs server/test/upgrade/record-main.ts CHECKOUT NAME`. CHECKOUT is a folder with the
 * source and the dependencies of that version. Needs PostgreSQL 15; JOINERY_TEST_POSTGRES_PROGRAMS names another folder of programs.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/http/free-port.ts';
import { startHandlerServer } from '../support/http/handler-server.ts';
import { until } from '../support/until.ts';
import { startCheckout } from './checkout-service.ts';
import { pendingRow, writeScene } from './scene.ts';

const [checkout = '', name] = process.argv.slice(3);
if (name === undefined) throw new Error('usage: record-main.ts CHECKOUT NAME');
const programs = process.env.JOINERY_TEST_POSTGRES_PROGRAMS ?? '/usr/lib/postgresql/15/bin';

// The server does not run as root; the user with the least rights owns its files.
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
const folder = mkdtempSync(join(tmpdir(), 'joinery-record-'));
if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(join(programs, program), args, { ...owner, cwd: '/', encoding: 'utf8', maxBuffer: 1e9 });
}

const data = join(folder, 'data');
run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '-N');
const databasePort = await freePort();
const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'];
const postgres = spawn(
  join(programs, 'postgres'),
  ['-D', data, '-p', String(databasePort), '-k', folder, ...settings],
  {
    ...owner,
    stdio: 'ignore',
  },
);
const url = `postgres://postgres@127.0.0.1:${databasePort}/postgres`;
const psql = (sql: string): string => run('psql', url, '-qAtc', sql);
await until('PostgreSQL accepts queries', () => {
  try {
    return psql('select 1');
  } catch {
    return undefined;
  }
});

const found = () => ({ author_id: 1, note: 'found' });
const handlers = await startHandlerServer({
  '/hook': found,
  '/order': found,
  '/row': found,
  '/broken': (_call, outgoing) => {
    outgoing.writeHead(500).end('{"message": "broken"}');
  },
});

const service = await startCheckout(checkout, { JOINERY_DATABASE_URL: url, HANDLERS: handlers.url });

async function post(path: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

try {
  const called = async (path: string): Promise<void> => {
    await until(`the handler is called at ${path}`, () => handlers.calls.some((call) => call.path === path));
  };
  const { rejected, captures, metadata } = await writeScene({ post, called });
  const due = 'select count(*) from joinery.scheduled_events where schedule_at < now()';
  await until('the outcomes are stored', () => psql(due).trim() === '0');
  await service.stop();
  psql(pendingRow);
  const schema = Number(psql('select max(version) from joinery.migrations'));
  const target = new URL('databases/', import.meta.url);
  writeFileSync(
    new URL(`${name}.json`, target),
    `${JSON.stringify({ schema, rejected, captures, metadata }, null, 2)}\n`,
  );
  // Without lines of comments, also those in functions, and without commands of psql.
  const dump = run('pg_dump', url, '--no-owner', '--inserts', '--rows-per-insert=100')
    .replace(/^(?: *--|\\).*\n/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trimStart();
  writeFileSync(new URL(`${name}.sql`, target), dump);
  process.stdout.write(`recorded ${name}: schema version ${schema}; rejected: ${rejected.join('; ') || 'none'}\n`);
} finally {
  await service.stop();
  const stopped = once(postgres, 'exit');
  postgres.kill('SIGINT');
  await stopped;
  rmSync(folder, { recursive: true, force: true });
  await handlers.close();
}
