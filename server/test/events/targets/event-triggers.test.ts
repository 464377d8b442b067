/** Event triggers whose target is a saved operation or a function. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTargetScene, type TargetScene } from '../../support/events/target-scene.ts';
import { until } from '../../support/until.ts';

let scene: TargetScene;

beforeAll(async () => {
  scene = await startTargetScene();
});
afterAll(() => scene.service.stop());

const create = (name: string, table: string, target: object, more: object = {}): Promise<unknown> =>
  scene.service.command('pg_create_event_trigger', { name, table, insert: { columns: '*' }, target, ...more });
const remove = (name: string): Promise<unknown> => scene.service.command('pg_delete_event_trigger', { name });

interface Log {
  readonly http_status: number | null;
  readonly request: { readonly payload: unknown };
  readonly response: { readonly data: { readonly body?: string; readonly message?: string } };
}
const logs = async (name: string): Promise<readonly Log[]> =>
  (await scene.service.command('pg_get_event_invocation_logs', { name })) as Log[];
const noted = (text: string): Promise<unknown> =>
  until(`the note "${text}" is written`, async () => {
    return (await scene.sql(`select body from notes where body = '${text}'`)).length > 0;
  });

describe('a change of a row', () => {
  test('runs an operation with the row and the session variables of the change', async () => {
    await create('paid', 'orders', {
      operation: {
        collection: 'shop',
        name: 'note',
        role: 'admin',
        variables: { body: 'order {{$body.event.data.new.id}} by {{getSessionVariable("x-hasura-user-id")}}' },
      },
    });
    const mutation = 'mutation { insert_orders_one(object: {id: 1, owner_id: 7}) { id } }';
    await scene.service.graphql(mutation, { 'x-hasura-role': 'admin', 'x-hasura-user-id': '42' });
    await noted('order 1 by 42');
    await until('the call is logged', async () => (await logs('paid')).length > 0);
    expect((await logs('paid'))[0]).toMatchObject({
      http_status: 200,
      request: { payload: { operation: { name: 'note', role: 'admin', variables: { body: 'order 1 by 42' } } } },
      response: { data: { body: '{"data":{"insert_notes_one":{"body":"order 1 by 42"}}}' } },
    });
    await remove('paid');
  });

  test('calls a function with the row', async () => {
    const target = { function: { function: 'note', arguments: { body: 'called for {{$body.event.data.new.id}}' } } };
    await create('called', 'orders', target);
    await scene.sql('insert into orders (id, owner_id) values (2, 7)');
    await noted('called for 2');
    await remove('called');
  });

  test('calls the target once for a batch, with the list of events', async () => {
    const body = '{"body": "{{$body[0].event.data.new.id}};{{$body[1].event.data.new.id}}"}';
    const target = { function: { function: 'note', arguments: body } };
    await create('batch', 'orders', target, { batch: { max_events: 2, max_wait_ms: 60_000 } });
    await scene.sql('insert into orders (id, owner_id) values (11, 7), (12, 7)');
    await until('the batch is delivered', async () => (await logs('batch')).length > 0);
    expect((await logs('batch'))[0]?.http_status).toBe(200);
    await remove('batch');
  });
});

test('targets that cause their own events end after 16 of them, and the last event is dead', async () => {
  const operation = { collection: 'shop', name: 'note', role: 'admin', variables: { body: 'again {{$event_id}}' } };
  await create('loop', 'notes', { operation });
  // The caller cannot set the depth.
  await scene.service.graphql('mutation { insert_notes_one(object: {body: "start"}) { id } }', {
    'x-hasura-role': 'admin',
    'x-hasura-event-depth': '99',
  });
  const dead = async (): Promise<unknown[]> =>
    (await scene.service.command('pg_get_event_logs', { name: 'loop', status: 'dead' })) as unknown[];
  await until('an event is dead', async () => (await dead()).length > 0);
  expect(await scene.sql(`select count(*) from notes where body like 'again %'`)).toEqual(['16']);
  expect((await logs('loop'))[0]?.response.data.message).toContain('not called');
  await remove('loop');
});

describe('rejects with path and code', () => {
  const operation = { collection: 'shop', name: 'mine', role: 'admin' };
  test.each<[string, object, string, string]>([
    ['webhook and target', { webhook: 'http://127.0.0.1:1/', target: { operation } }, 'parse-failed', '$.args.webhook'],
    [
      'a variable with the webhook and a target',
      { webhook_from_env: 'HOOK', target: { operation } },
      'parse-failed',
      '$.args.webhook_from_env',
    ],
    [
      'headers beside a target',
      { headers: [{ name: 'A', value: 'b' }], target: { operation } },
      'parse-failed',
      '$.args.headers',
    ],
    [
      'an unknown operation',
      { target: { operation: { ...operation, name: 'none' } } },
      'not-exists',
      '$.args.target.operation.name',
    ],
    [
      'an invalid template',
      { target: { operation: { ...operation, variables: '{"a": ' } } },
      'validation-failed',
      '$.args.target.operation.variables',
    ],
  ])('%s', async (_what, change, code, path) => {
    const args = { name: 'wrong', table: 'orders', insert: { columns: '*' }, ...change };
    expect(await scene.rejection('pg_create_event_trigger', args)).toMatchObject({ code, path });
  });
});

test('events of a trigger whose operation was removed stay pending until the operation exists again', async () => {
  const { service } = scene;
  const operation = { collection: 'shop', name: 'note', role: 'admin', variables: { body: 'kept' } };
  await create('kept', 'orders', { operation });
  const metadata = (await service.command('export_metadata', {})) as object;
  const replace = (changed: object): Promise<unknown> =>
    service.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args: { allow_inconsistent_metadata: true, metadata: { ...metadata, ...changed } },
    });
  await replace({ query_collections: [] });
  await scene.sql('insert into orders (id, owner_id) values (3, 7)');
  expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: 'event_trigger', path: expect.stringContaining('.target.operation.collection') }],
  });
  expect(await scene.sql(`select body from notes where body = 'kept'`)).toEqual([]);
  await replace({});
  await noted('kept');
});

test('an event that waits for its batch stays pending while the operation of its trigger does not exist', async () => {
  const { service } = scene;
  const operation = { collection: 'shop', name: 'note', role: 'admin', variables: { body: 'kept in a batch' } };
  // The engine continues for this trigger.
  const target = { function: { function: 'note', arguments: { body: 'deleted' } } };
  await create('other', 'notes', target, { insert: undefined, delete: { columns: '*' } });
  await create('waiting', 'orders', { operation }, { batch: { max_events: 2, max_wait_ms: 4_000 } });
  const metadata = (await service.command('export_metadata', {})) as object;
  const replace = (changed: object): Promise<unknown> =>
    service.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args: { allow_inconsistent_metadata: true, metadata: { ...metadata, ...changed } },
    });
  const has = (rows: string): Promise<boolean> =>
    scene
      .sql(`select 1 from ${rows} where number = (select number from joinery.triggers where name = 'waiting')`)
      .then(({ length }) => length > 0);
  const calls = async (): Promise<number> =>
    (await scene.sql(`select body from notes where body = 'kept in a batch'`)).length;
  await scene.sql('insert into orders (id, owner_id) values (21, 7), (22, 7)');
  await until('the first batch is delivered', async () => (await calls()) === 1);
  await scene.sql('insert into orders (id, owner_id) values (23, 7)');
  await until('the event is claimed', () => has('joinery.trigger_batches'));
  await replace({ query_collections: [] });
  await until('the event is released', () => has('(select * from joinery.trigger_work where lease is null) w'));
  expect(await calls()).toBe(1);
  await replace({});
  await until('the event is delivered', async () => (await calls()) === 2);
});
