/** Event triggers of the whole service, from the mutation to the webhook. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Call, type Sink, startSink } from '../../support/events/delivery-node.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let sink: Sink;

beforeAll(async () => {
  sink = await startSink();
  service = await startService({ JOINERY_HEADER_PREFIX: 'x-hasura-' });
  await service.database.database.query({ text: 'create table item (id int primary key, name text)', values: [] });
  await service.command('pg_track_table', { table: 'item' });
});
afterAll(async () => {
  await service.stop();
  await sink.close();
});

const callsOf = (name: string): readonly Call[] =>
  sink.calls.filter(({ body }) => (body as { trigger?: { name: string } }).trigger?.name === name);

const create = (name: string, more: object = {}): Promise<unknown> =>
  service.command('pg_create_event_trigger', {
    name,
    table: 'item',
    insert: { columns: '*' },
    webhook: `${sink.origin}/${name}`,
    ...more,
  });

const insert = (id: number, session?: Record<string, string>): Promise<unknown> =>
  service.graphql(`mutation { insert_item_one(object: { id: ${id}, name: "n${id}" }) { id } }`, session);

const called = (name: string, count: number): Promise<unknown> =>
  until(`${name} is called`, () => callsOf(name).length >= count);

describe('a mutation', () => {
  test('calls the webhook of a trigger that was created while the service runs, with the session variables', async () => {
    await create('first');
    await insert(1);
    await called('first', 1);
    expect(callsOf('first')[0]?.body).toMatchObject({
      event: {
        op: 'INSERT',
        data: { old: null, new: { id: 1, name: 'n1' } },
        session_variables: { 'x-hasura-role': 'admin' },
      },
      table: { schema: 'public', name: 'item' },
    });
  });

  test('calls the new webhook of a changed trigger, and no webhook of a deleted one', async () => {
    await create('changed');
    await insert(2);
    await called('changed', 1);
    await create('changed', { webhook: `${sink.origin}/new`, replace: true });
    // Nodes notice the change within a second.
    let id = 100;
    await until('the new webhook is called', async () => {
      id += 1;
      await insert(id);
      return callsOf('changed').some(({ path }) => path === '/new');
    });
    await service.command('pg_delete_event_trigger', { name: 'changed' });
    await until('events of the other trigger are delivered', () => callsOf('first').length >= id - 98);
    const before = callsOf('changed').length;
    await insert(3);
    const seen = callsOf('first').length;
    await until('the other trigger is called', () => callsOf('first').length >= seen);
    expect(callsOf('changed').length).toBe(before);
  });
});

test('with a debounce only the last change of a row is sent, and the log lists the others as superseded', async () => {
  await create('calmed', { debounce: { key: ['name'], window_ms: 60_000 } });
  const insertNamed = (id: number): Promise<unknown> =>
    service.graphql(`mutation { insert_item_one(object: { id: ${id}, name: "calm" }) { id } }`);
  for (const id of [5_001, 5_002, 5_003]) await insertNamed(id);
  const statuses = async (): Promise<unknown> => {
    const events = (await service.command('pg_get_event_logs', { name: 'calmed' })) as { status: string }[];
    return events.map(({ status }) => status);
  };
  await expect.poll(statuses, { timeout: 15_000 }).toEqual(['pending', 'superseded', 'superseded']);
  expect(callsOf('calmed')).toEqual([]);
  await create('calmed', { debounce: { key: ['name'], window_ms: 200 }, replace: true });
  await service.database.database.query({ text: 'update joinery.trigger_work set due_at = now()', values: [] });
  await called('calmed', 1);
  await insertNamed(5_004);
  await called('calmed', 2);
  const ids = callsOf('calmed').map(
    ({ body }) => (body as { event?: { data: { new: { id: number } } } }).event?.data.new.id,
  );
  expect(ids).toEqual([5_003, 5_004]);
  // The log of a call is written after its response.
  const logs = (): Promise<unknown> => service.command('pg_get_event_invocation_logs', { name: 'calmed' });
  await expect.poll(logs).toHaveLength(2);
});
