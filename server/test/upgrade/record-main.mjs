// Records a database as a version writes it, for databases.test.ts: node server/test/upgrade/record-main.mjs CHECKOUT NAME
// CHECKOUT is a folder with the source and the dependencies of that version. Needs PostgreSQL 15 (JOINERY_TEST_POSTGRES_PROGRAMS for another folder).
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const [checkout, name] = process.argv.slice(2);
if (name === undefined) throw new Error('usage: record-main.mjs CHECKOUT NAME');
const programs = process.env.JOINERY_TEST_POSTGRES_PROGRAMS ?? '/usr/lib/postgresql/15/bin';
const { module: scene } = await runnerImport(fileURLToPath(new URL('scene.ts', import.meta.url)), {
  configFile: false,
});

const calls = [];
const handlers = createServer((request, response) => {
  calls.push(request.url);
  const failed = request.url === '/broken';
  request.resume().on('end', () => {
    response.writeHead(failed ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(failed ? { message: 'broken' } : { author_id: 1, note: 'found' }));
  });
});
await new Promise((resolve) => handlers.listen(0, '127.0.0.1', resolve));
const { port: handlersPort } = handlers.address();

/** Runs `check` until it returns something, for at most 150 seconds. */
async function until(what, check) {
  const end = Date.now() + 150_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`not within 150 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const freePort = async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
};

// The server rejects to run as root.
const root = process.getuid?.() === 0;
const owner = root ? { uid: 65534, gid: 65534 } : {};
const run = (program, ...args) =>
  execFileSync(join(programs, program), args, {
    ...owner,
    cwd: '/',
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const folder = mkdtempSync(join(tmpdir(), 'joinery-record-'));
if (root) chownSync(folder, 65534, 65534);
const data = join(folder, 'data');
run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '-N');
const databasePort = await freePort();
const postgres = spawn(
  join(programs, 'postgres'),
  ['-D', data, '-p', databasePort, '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'],
  { ...owner, stdio: 'ignore' },
);
const url = `postgres://postgres@127.0.0.1:${databasePort}/postgres`;
const psql = (sql) => run('psql', url, '-qAtc', sql);
await until('PostgreSQL accepts queries', () => {
  try {
    return psql('select 1');
  } catch {
    return undefined;
  }
});

const port = await freePort();
// The module runner resolves dynamic imports only until its module has ended.
const entry = join(folder, 'entry.ts');
writeFileSync(
  entry,
  `import { start } from '${checkout}/server/src/main.ts';
  const service = await start({ environment: process.env });
  process.on('SIGTERM', async () => {
    await service.stop('the database is recorded');
    process.exit(0);
  });
  await new Promise(() => undefined);`,
);
const runner = `import { runnerImport } from 'vite';
  await runnerImport('${entry}', {
    root: '${checkout}', configFile: false, logLevel: 'error',
    resolve: { alias: [{ find: /^@joinery\\/metadata\\/(.*)$/, replacement: '${checkout}/metadata/src/$1.ts' }] },
  });`;
const service = spawn(process.execPath, ['--input-type=module', '-e', runner], {
  cwd: fileURLToPath(new URL('../../../', import.meta.url)),
  env: {
    PATH: process.env.PATH,
    JOINERY_DATABASE_URL: url,
    JOINERY_PORT: String(port),
    JOINERY_HOST: '127.0.0.1',
    HANDLERS: `http://127.0.0.1:${handlersPort}`,
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
let ended = false;
const exited = new Promise((resolve) => {
  service.on('exit', () => {
    ended = true;
    resolve();
  });
});
try {
  const base = `http://127.0.0.1:${port}`;
  await until('the service is healthy', async () => {
    if (ended) throw new Error('the service has ended');
    return fetch(`${base}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  const post = async (path, body) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const called = (path) => until(`the handler is called at ${path}`, () => calls.includes(path));
  const { rejected, captures, metadata } = await scene.writeScene({ post, called });
  await until(
    'the outcomes are stored',
    () => !psql(`select count(*) from joinery.scheduled_events where schedule_at < now()`).startsWith('1'),
  );
  service.kill('SIGTERM');
  await exited;
  psql(scene.pendingRow);
  const target = new URL('databases/', import.meta.url);
  const version = Number(psql('select max(version) from joinery.migrations'));
  writeFileSync(
    new URL(`${name}.json`, target),
    `${JSON.stringify({ schema: version, rejected, captures, metadata }, null, 2)}\n`,
  );
  writeFileSync(
    new URL(`${name}.sql`, target),
    // Without comments and commands of psql.
    run('pg_dump', url, '--no-owner', '--inserts', '--rows-per-insert=100')
      .replace(/^(?:--|\\).*\n/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trimStart(),
  );
  process.stdout.write(`recorded ${name}: schema version ${version}; rejected: ${rejected.join('; ') || 'none'}\n`);
} finally {
  service.kill('SIGKILL');
  postgres.kill('SIGINT');
  await new Promise((resolve) => postgres.on('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
  handlers.close();
}
process.exit(0);
