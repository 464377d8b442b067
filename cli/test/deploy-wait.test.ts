/** Tests of `joinery deploy` as a release job: waiting, without a running service, at the same time as another, and killed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { startService } from '../../server/test/support/service/test-service.ts';
import { until } from '../../server/test/support/until.ts';
import { joinery } from './support/command.ts';
import { RunningCommand, writeFiles } from './support/running-command.ts';

let database: TestDatabase;
let folder: string;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'joinery-deploy-wait-'));
  await writeFiles(folder, project);
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

const tables = `- table: { schema: public, name: song }
  event_triggers:
    - name: song_added
      definition: { enable_manual: false, insert: { columns: '*' } }
      retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 }
      webhook: http://127.0.0.1:9
`;

const project = {
  'config.yaml': 'version: 3\n',
  'metadata/version.yaml': 'version: 3\n',
  'metadata/databases/databases.yaml':
    '- name: default\n  kind: postgres\n  configuration: { connection_info: { database_url: { from_env: JOINERY_DATABASE_URL } } }\n  tables: "!include default/tables/tables.yaml"\n',
  'metadata/databases/default/tables/tables.yaml': tables,
  'migrations/default/100_song/up.sql': 'create table song (id int primary key, name text);\n',
  'seeds/default/1.sql': `insert into song values (1, 'Air') on conflict do nothing;\n`,
};

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  joinery(['deploy', '--project', folder, ...args], environment);

const inProcess = (...args: string[]) => run(['--in-process', ...args], { JOINERY_DATABASE_URL: database.url });

/** Starts the command without waiting for its end. */
const started = (...args: string[]) =>
  new RunningCommand(['deploy', '--project', folder, ...args], { JOINERY_DATABASE_URL: database.url });

async function sql(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await database.database.query({ text, values: [] })).rows;
}

async function serve(listener: RequestListener, port = 0): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  closers.push(async () => server.close());
  return server;
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('joinery deploy --wait', () => {
  it('waits for a service that starts later, and then deploys to it', async () => {
    const server = await serve((_, response) => response.writeHead(503).end('starting'));
    const url = urlOf(server);
    const command = started('--wait', '100', '--endpoint', url);
    await command.until(/Waiting, \d+ s left: http:\S+\/readyz returns status 503: "?starting/);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const service = await startService({ JOINERY_PORT: new URL(url).port }, database);
    closers.push(service.stop);
    expect([await command.ended, command.text]).toEqual([0, expect.stringContaining(`to ${url}.`)]);
    expect(await service.graphql('{ song { id } }')).toEqual({ data: { song: [] } });
  });

  it('ends with code 3 where the service does not respond in time', async () => {
    const server = await serve(() => undefined);
    const url = urlOf(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await run(['--wait', '1', '--endpoint', url])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/cannot connect to .* Waited 1 s \(--wait\)/),
    });
  });

  it('waits for a service of its own version, as during a rolling update', async () => {
    const server = await serve((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"server_type":"joinery","version":"9.0.0"}');
    });
    expect(await run(['--wait', '1', '--endpoint', urlOf(server)])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/has version 9\.0\.0, .* Waited 1 s/),
    });
  });

  it('ends at once with code 1 where the endpoint is another program', async () => {
    const server = await serve((_, response) => response.writeHead(404).end('nothing'));
    expect(await run(['--wait', '600', '--endpoint', urlOf(server)])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not a Joinery service'),
    });
  });

  it('rejects a time that is not a number of seconds', async () => {
    expect(await run(['--wait', '1m'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('must be a number of seconds'),
    });
  });
});

describe('joinery deploy --in-process', () => {
  it('applies migrations and metadata without a service, for the nodes that start afterwards', async () => {
    expect(await inProcess('--strict')).toMatchObject({ code: 0, err: '' });
    expect(
      await sql(`select count(*) from pg_trigger where tgrelid = 'song'::regclass and not tgisinternal`),
    ).not.toEqual([['0']]);
    const service = await startService({}, database);
    closers.push(service.stop);
    expect(await service.graphql('{ song { id name } }')).toEqual({ data: { song: [] } });
  });

  it('applies seeds only with --seed', async () => {
    await inProcess();
    expect(await sql('select count(*) from song')).toEqual([['0']]);
    expect(await inProcess('--seed')).toMatchObject({
      code: 0,
      out: expect.stringContaining('seeded default from 1.sql'),
    });
    expect(await sql('select name from song')).toEqual([['Air']]);
  });

  it('prints that there is nothing to do when it is repeated, and changes no table', async () => {
    await inProcess();
    const state = `select (select json_agg(to_json(one)) from joinery.database_migrations as one),
      (select metadata from joinery.metadata), (select max(oid) from pg_class where relname = 'song')`;
    const before = await sql(state);
    expect(await inProcess()).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to do: ') });
    expect(await sql(state)).toEqual(before);
  });

  it('running nodes use the columns of its migrations, also where the metadata is unchanged', async () => {
    await inProcess();
    const service = await startService({}, database);
    closers.push(service.stop);
    await writeFiles(folder, { 'migrations/default/200_length/up.sql': 'alter table song add length int;\n' });
    expect(await inProcess()).toMatchObject({ code: 0 });
    await expect
      .poll(() => service.graphql('{ song { length } }'), { timeout: 30_000 })
      .toEqual({ data: { song: [] } });
  });

  it('two at the same time succeed, and apply each migration once', async () => {
    await writeFiles(folder, {
      'migrations/default/200_log/up.sql': 'create table log (id int);\n',
      'migrations/default/300_row/up.sql': 'insert into log values (1);\n',
    });
    const both = await Promise.all([inProcess('--wait'), inProcess('--wait')]);
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(await sql('select count(*) from log')).toEqual([['1']]);
  });

  it('waits with --wait for a migration without a transaction that another process runs', async () => {
    await inProcess();
    await sql(
      `insert into joinery.database_migrations (version, name, done, parts, running) values (200, 'note', false, 0, true)`,
    );
    await writeFiles(folder, { 'migrations/default/200_note/up.sql': '-- joinery: no-transaction\nselect 1;\n' });
    const command = started('--in-process', '--wait', '100');
    await command.until(/Waiting, \d+ s left: migration 200_note of default started at /);
    await sql('update joinery.database_migrations set done = true, running = false where version = 200');
    expect(await command.ended).toBe(0);
  });

  it('succeeds when it is repeated after it was killed in a migration', async () => {
    const gate = `select pg_advisory_xact_lock(4711);`;
    await writeFiles(folder, { 'migrations/default/200_slow/up.sql': `create table slow (id int);\n${gate}\n` });
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
    await database.database.transaction(async (query) => {
      await query({ text: gate, values: [] });
      const killed = started('--in-process');
      await until('the migration waits for the lock', async () => (await sql(waiting)).length > 0);
      await killed.stop('SIGKILL');
    });
    expect(await inProcess()).toMatchObject({ code: 0, out: expect.stringContaining('applied') });
    expect(await sql('select version from joinery.database_migrations where version > 0 order by 1')).toEqual([
      ['100'],
      ['200'],
    ]);
  });

  it('ends with code 3 where the database is away', async () => {
    const away = { JOINERY_DATABASE_URL: 'postgres://app@127.0.0.1:1/shop' };
    expect(await run(['--in-process', '--wait', '1'], away)).toMatchObject({
      code: 3,
      err: expect.stringContaining('Cannot connect to database "shop"'),
    });
  });

  it('rejects a missing database, and an endpoint beside it', async () => {
    expect(await run(['--in-process'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('set JOINERY_DATABASE_URL, or give --database-url'),
    });
    expect(await run(['--database-url', database.url, '--endpoint', 'http://127.0.0.1:1'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('--endpoint names a running service'),
    });
  });
});
