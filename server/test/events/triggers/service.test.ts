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
