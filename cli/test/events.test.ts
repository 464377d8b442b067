/** Tests of `joinery events`, run as processes against a service that delivers to an HTTP server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { joinery } from './support/command.ts';
import { RunningCommand } from './support/running-command.ts';

let service: TestService;
let receiver: Server;
let hook: string;
let status = 200;

beforeAll(async () => {
  receiver = createServer((_request, response) => response.writeHead(status).end('{"received":true}'));
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  service = await startService();
});

afterAll(async () => {
  await service.stop();
  receiver.close();
});

const events = (...args: string[]) => joinery(['events', ...args, '--endpoint', service.url]);

it('schedules an event, lists it, shows it, and cancels it by key', async () => {
  const made = await events(
    'schedule',
    hook,
    '--in',
    '1h30m',
    '--payload',
    '{"customer":7}',
    '--key',
    'k7',
    '--comment',
    'later',
  );
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(
    (await events('schedule', hook, '--at', '2030-01-01T00:00:00Z', '--key', 'other', '--header', 'X-A: 1')).code,
  ).toBe(0);
  expect((await events('list', '--payload', '{"customer":7}')).out).toMatch(/scheduled .* later/);
  const listed = JSON.parse((await events('list', '-o', 'json', '--from', '+1h', '--until', '+2h')).out);
  expect(listed.events).toMatchObject([{ key: 'k7', payload: { customer: 7 } }]);
  expect((await events('show', '--key', 'other', '-o', 'json')).out).toContain('"X-A"');
  expect(await events('cancel', '--key', 'k7')).toMatchObject({ code: 0, out: 'Canceled.\n' });
  expect((await events('cancel', '--all')).out).toBe('Canceled 1 event.\n');
});

it('rejects a missing filter, two names, an invalid duration and a missing event', async () => {
  const outcomes = await Promise.all([
    events('cancel'),
    events('show', 'one', '--key', 'two'),
    events('schedule', hook, '--in', 'soon'),
    events('show', '--key', 'missing'),
    events('list', '-o', 'yaml'),
  ]);
  expect(outcomes.map(({ code, err }) => [code, err.split('\n')[0]])).toEqual([
    [1, expect.stringContaining('--all')],
    [1, expect.stringContaining('give the id of one event')],
    [1, expect.stringContaining('1h30m')],
    [1, expect.stringContaining('missing')],
    [1, expect.stringContaining('text or json')],
  ]);
});

it('schedules a saved operation and a function, which run', async () => {
  await service.command('run_sql', {
    sql: `create table notes (id int primary key, text text not null);
      create function add_note(id int, text text) returns void language sql as 'insert into notes values (id, text)'`,
  });
  await service.command('pg_track_table', { table: 'notes' });
  await service.command('create_query_collection', {
    name: 'notes',
    definition: {
      queries: [
        { name: 'add', query: 'mutation add($id: Int!) { insert_notes_one(object: {id: $id, text: "saved"}) { id } }' },
      ],
    },
  });
  const saved = ['--operation', 'notes.add', '--role', 'admin', '--variables', '{"id":"{{$body.payload.id}}"}'];
  expect(await events('schedule', ...saved, '--payload', '{"id":1}')).toMatchObject({ code: 0, err: '' });
  const called = ['--function', 'default:public.add_note', '--arguments', '{"id":2,"text":"called"}'];
  expect(await events('schedule', ...called)).toMatchObject({ code: 0, err: '' });
  await expect
    .poll(async () => service.graphql('{ notes(order_by: {id: asc}) { id text } }'), { timeout: 30_000 })
    .toEqual({
      data: {
        notes: [
          { id: 1, text: 'saved' },
          { id: 2, text: 'called' },
        ],
      },
    });
  expect((await events('list', '--destination', 'operation:notes.add')).out).toContain('operation:notes.add');
});

it('rejects options of a target that do not fit, and an unknown operation', async () => {
  const outcomes = await Promise.all([
    events('schedule'),
    events('schedule', hook, '--role', 'clerk'),
    events('schedule', '--operation', 'notes.missing', '--role', 'admin'),
  ]);
  expect(outcomes.map(({ code, err }) => [code, err.split('\n')[0]])).toEqual([
    [1, expect.stringContaining('give one of a webhook, --operation and --function')],
    [1, expect.stringContaining('--role needs --operation')],
    [1, expect.stringContaining('missing')],
  ]);
});

it('prints errors as JSON with -o json', async () => {
  const { code, out, err } = await joinery(['events', 'list', '-o', 'json', '--endpoint', 'http://127.0.0.1:1']);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(JSON.parse(out)).toMatchObject({ error: expect.stringContaining('joinery serve'), faults: [{}] });
});

it('tail prints deliveries as they occur, and redeliver repeats failed ones', async () => {
  const tail = new RunningCommand(['events', 'tail', '--endpoint', service.url, '-o', 'json']);
  // It prints deliveries after its first poll, so events are scheduled until one is printed.
  status = 500;
  await events('schedule', hook, '--comment', 'first');
  const scheduling = setInterval(() => events('schedule', hook, '--comment', 'more'), 1000);
  await tail.until(/"status":500/);
  clearInterval(scheduling);
  status = 200;
  expect((await events('redeliver', '--status', 'error', '--comment', 'first')).out).toMatch(/^1 event will/);
  await tail.until(/"status":200.*"comment":"first"/);
  expect(await tail.stop()).toBe(0);
  const [first] = JSON.parse((await events('list', '--comment', 'first', '-o', 'json')).out).events;
  const shown = await events('show', first.id);
  expect(shown.out).toMatch(/Calls, the newest first:\n.* 200 .*\n.* 500 .*received/);
});
