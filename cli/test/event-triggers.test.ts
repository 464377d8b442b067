/** Tests of `joinery events triggers` and of the findings of `joinery doctor` on event triggers, as processes. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { hasuraEventTables, hasuraTrigger } from '../../server/test/support/events/hasura-events.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { until } from '../../server/test/support/until.ts';
import { joinery, type Outcome } from './support/command.ts';
import { RunningCommand } from './support/running-command.ts';

let service: TestService;
let former: TestDatabase;
let receiver: Server;
let origin: string;
let status = 200;

beforeAll(async () => {
  receiver = createServer((_request, response) => response.writeHead(status).end('{"received":true}'));
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  former = await testDatabase();
  service = await startService({ FORMER_DATABASE_URL: former.url });
  await sql('create table item (id int primary key, name text)');
  await service.command('pg_track_table', { table: 'item' });
  await create('item_added', { insert: { columns: '*' }, enable_manual: true });
});

afterAll(async () => {
  await service.stop();
  await former.drop();
  receiver.close();
});

const sql = async (text: string): Promise<void> => {
  await service.database.database.query({ text, values: [] });
};
const create = (name: string, more: object): Promise<unknown> =>
  service.command('pg_create_event_trigger', { name, table: 'item', webhook: `${origin}/${name}`, ...more });
const triggers = (...args: string[]): Promise<Outcome> =>
  joinery(['events', 'triggers', ...args, '--endpoint', service.url]);
const doctor = (...args: string[]): Promise<Outcome> => joinery(['doctor', ...args, '--endpoint', service.url]);

it('follows deliveries, lists and shows events, and redelivers failed ones', { timeout: 180_000 }, async () => {
  const tail = new RunningCommand([
    'events',
    'triggers',
    'tail',
    'item_added',
    '--endpoint',
    service.url,
    '-o',
    'json',
  ]);
  status = 500;
  let id = 0;
  // It prints calls after its first poll, so rows are inserted until one is printed.
  const inserting = setInterval(() => {
    id += 1;
    void sql(`insert into item values (${id}, 'a')`);
  }, 1000);
  await tail.until(/"http_status":500/);
  clearInterval(inserting);
  await until(
    'the events have failed',
    async () => !(await triggers('logs', 'item_added', '--status', 'pending')).out.includes('INSERT'),
  );
  status = 200;
  expect(
    await triggers('redeliver', '--trigger', 'item_added', '--data', '{"new":{"id":1}}', '--dry-run'),
  ).toMatchObject({
    code: 0,
    out: '1 event would be delivered again.\n',
  });
  expect(await triggers('redeliver', '--all')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  expect(await triggers('redeliver', '--all', '--yes')).toMatchObject({
    code: 0,
    out: expect.stringContaining('again now'),
  });
  await tail.until(/"http_status":200/);
  expect(await tail.stop()).toBe(0);
  const listed = JSON.parse((await triggers('logs', 'item_added', '--data', '{"new":{"id":1}}', '-o', 'json')).out);
  expect(listed).toMatchObject([{ payload: { op: 'INSERT', data: { new: { id: 1, name: 'a' } } } }]);
  await until('the event is delivered', async () => (await triggers('logs', listed[0].id)).out.includes('delivered '));
  expect((await triggers('logs', listed[0].id)).out).toMatch(/Calls, the newest first:\n.* 200 .*\n.* 500 .*received/);
  expect((await triggers('logs', 'item_added', '--calls', '--limit', '1')).out).toMatch(/^\S+ \d+ \S+ item_added.*\n$/);
  expect(await triggers('redeliver', listed[0].id)).toMatchObject({ code: 0, out: 'Will be delivered again now.\n' });
});

it('lists and shows triggers, pauses and resumes them, and creates manual events', { timeout: 120_000 }, async () => {
  expect(await triggers('pause', 'item_added')).toMatchObject({ code: 0, out: 'Paused item_added.\n' });
  expect((await triggers('list')).out).toMatch(/NAME .*\nitem_added +default +public.item +insert,manual +paused +\d+/);
  const made = await triggers('invoke', 'item_added', '--payload', '{"id":7}', '-o', 'json');
  const { event_id } = JSON.parse(made.out);
  expect((await triggers('logs', event_id)).out).toMatch(/status +pending/);
  expect(await triggers('resume', 'item_added')).toMatchObject({ code: 0, out: 'Resumed item_added.\n' });
  const shown = await triggers('show', 'item_added');
  expect(shown.out).toContain(`${origin}/item_added`);
  expect(JSON.parse((await triggers('show', 'item_added', '-o', 'json')).out)).toMatchObject({
    trigger: { name: 'item_added', paused: false },
    definition: { name: 'item_added', definition: { enable_manual: true } },
  });
});

it('rejects unknown triggers and missing arguments', { timeout: 120_000 }, async () => {
  const outcomes = await Promise.all([
    triggers('show', 'none'),
    triggers('tail', 'none'),
    triggers('redeliver'),
    triggers('redeliver', 'one', '--all'),
    triggers('adopt', 'none'),
    triggers('pause', 'item_added', 'none'),
    triggers('redeliver', '3f0f5f5e-9a35-4a46-9d0e-1d3cfd1d2b77', '--status', 'dead', '--limit', '1'),
    doctor('--remove'),
  ]);
  expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(outcomes.map(({ err }) => err).slice(0, 7)).toEqual([
    expect.stringContaining('"none"'),
    expect.stringContaining('"none"'),
    expect.stringContaining('--trigger'),
    expect.stringContaining('--all'),
    expect.stringContaining('none'),
    expect.stringContaining('"none"'),
    expect.stringContaining('--status, --limit'),
  ]);
  expect((await triggers('list')).out).toContain('active');
});

it('doctor reports triggers that Hasura v2 captures, and adopt switches them', { timeout: 180_000 }, async () => {
  await create('both', { update: { columns: '*' } });
  await sql(
    `${hasuraEventTables}${hasuraTrigger('both', 'item', ['UPDATE'])}${hasuraTrigger('old', 'item', ['DELETE'])}`,
  );
  await create('old', { delete: { columns: '*' } });
  await sql(
    `insert into item values (1001, 'a'); update item set name = 'b' where id = 1001; delete from item where id = 1001`,
  );
  const { findings } = JSON.parse((await doctor('-o', 'json')).out) as {
    findings: { message: string; status: string }[];
  };
  const about = (name: string) => findings.filter(({ message }) => message.includes(`event trigger "${name}"`));
  expect(about('both')).toMatchObject([
    { status: 'problem', message: expect.stringContaining('both call the webhook') },
  ]);
  expect(about('old')).toMatchObject([
    { status: 'warning', message: expect.stringMatching(/Hasura v2 captures DELETE.*does not.*event_log: 1/) },
  ]);
  expect((await triggers('adopt', '--dry-run')).out).toMatch(/default +old +1 +1 +0\nThis was a dry run/);
  expect((await triggers('adopt')).out).toMatch(/default +both +1 +1 +0\n.*\n?default +old +1 +1 +0\n/);
  const after = JSON.parse((await doctor('-o', 'json')).out) as { findings: { message: string }[] };
  expect(after.findings.filter(({ message }) => /Hasura v2 captures|pending in/.test(message))).toEqual([]);
  await sql('drop schema hdb_catalog cascade');
});

it('doctor --orphans lists and removes what triggers have left', { timeout: 120_000 }, async () => {
  await sql(`create function joinery.joinery_77_insert() returns trigger language plpgsql as 'begin return null; end'`);
  expect(await doctor('--orphans')).toMatchObject({ code: 0, out: expect.stringContaining('joinery_77_insert') });
  expect((await doctor('--orphans', '--remove')).out).toContain('removed the capture function "joinery_77_insert"');
  expect((await doctor('--orphans')).out).toContain('event triggers have left nothing');
  expect((await doctor('--orphans', '--database-url-env', 'FORMER_DATABASE_URL')).out).toContain('have left nothing');
});
