/** Cron triggers whose target is a saved operation or a function. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pooled } from '../../support/database/pooler.ts';
import { startTargetScene, type TargetScene } from '../../support/events/target-scene.ts';
import { until } from '../../support/until.ts';

let scene: TargetScene;

beforeAll(async () => {
  scene = await startTargetScene({ JOINERY_DEV_MODE: 'true' });
  await scene.sql(`insert into orders (id, owner_id) select n, 7 from generate_series(1, 9) n`);
});
afterAll(() => scene.service.stop());

const cron = { schedule: '0 0 * * *', include_in_metadata: true };
const pay = { collection: 'shop', name: 'pay', role: 'clerk', session_variables: { 'x-hasura-user-id': '7' } };
const operation = { operation: { ...pay, variables: { id: '{{$body.payload.order}}' } } };

test('a run calls the operation with the payload of the trigger, and the trigger is listed and exported with its target', async () => {
  const { service } = scene;
  await service.command('create_cron_trigger', { ...cron, name: 'pay', payload: { order: 1 }, target: operation });
  const listed = (await service.command('get_cron_triggers', {})) as { cron_triggers: object[] };
  expect(listed.cron_triggers).toMatchObject([{ name: 'pay', target: operation }]);
  const exported = (await service.command('export_metadata', {})) as { cron_triggers: object[] };
  expect(exported.cron_triggers).toEqual([{ ...cron, name: 'pay', payload: { order: 1 }, target: operation }]);
  await service.command('advance_clock', { seconds: 2 * 86_400 });
  await until(
    'the operation has run',
    async () => (await scene.sql('select state from orders where id = 1'))[0] === 'paid',
  );
  await service.command('delete_cron_trigger', { name: 'pay' });
});

test('a changed target replaces that of planned runs', async () => {
  const { service } = scene;
  const note = (body: string): object => ({ function: { function: 'note', arguments: { body } } });
  await service.command('create_cron_trigger', { ...cron, name: 'note', target: note('first') });
  await service.command('create_cron_trigger', { ...cron, name: 'note', target: note('second'), replace: true });
  await service.command('advance_clock', { seconds: 2 * 86_400 });
  await until('the function has run', async () => (await scene.sql('select body from notes')).length > 0);
  expect(await scene.sql('select distinct body from notes')).toEqual(['second']);
  await service.command('delete_cron_trigger', { name: 'note' });
});

describe('rejects with path and code', () => {
  test.each<[string, object, string, string]>([
    ['neither webhook nor target', {}, 'parse-failed', '$.args.webhook'],
    ['webhook and target', { webhook: 'http://127.0.0.1:1/', target: operation }, 'parse-failed', '$.args.webhook'],
    ['signing beside a target', { target: operation, signing: false }, 'parse-failed', '$.args.signing'],
    [
      'an unknown operation',
      { target: { operation: { ...pay, name: 'none' } } },
      'not-exists',
      '$.args.target.operation.name',
    ],
    [
      'an unknown function',
      { target: { function: { function: 'none' } } },
      'not-exists',
      '$.args.target.function.function',
    ],
  ])('%s', async (_what, change, code, path) => {
    const error = await scene.rejection('create_cron_trigger', { ...cron, name: 'wrong', ...change });
    expect(error).toMatchObject({ code, path });
  });
});

describe('what a target uses cannot be removed', () => {
  test('an operation, a role and a function', async () => {
    const { service } = scene;
    const called = { function: { function: 'note', arguments: { body: 'a' } } };
    await service.command('create_cron_trigger', { ...cron, name: 'used', payload: { order: 2 }, target: operation });
    await service.command('create_cron_trigger', { ...cron, name: 'called', target: called });
    const removal = { collection_name: 'shop', query_name: 'pay' };
    expect(await scene.rejection('drop_query_from_collection', removal)).toMatchObject({
      code: 'dependency-error',
      error: 'cannot drop due to the following dependent objects: cron_trigger used',
    });
    const permission = { table: 'orders', role: 'clerk' };
    expect(await scene.rejection('pg_drop_update_permission', permission)).toMatchObject({ code: 'validation-failed' });
    const { status, body } = await service.post(
      '/v2/query',
      { type: 'run_sql', args: { sql: 'drop function note(text, int)' } },
      { 'x-hasura-role': 'admin' },
    );
    expect([status, body]).toMatchObject([400, { code: 'dependency-error' }]);
  });

  test('a source', async () => {
    const { service } = scene;
    const configuration = { connection_info: { database_url: pooled(service.database.url) } };
    await service.command('pg_add_source', { name: 'more', configuration });
    const target = { function: { source: 'more', function: 'note', arguments: { body: 'a' } } };
    await service.command('create_cron_trigger', { ...cron, name: 'elsewhere', target });
    const rejection = await scene.rejection('pg_drop_source', { name: 'more' });
    await service.command('delete_cron_trigger', { name: 'elsewhere' });
    await service.command('pg_drop_source', { name: 'more' });
    expect(rejection).toMatchObject({
      code: 'dependency-error',
      error: 'cannot drop due to the following dependent objects: cron_trigger elsewhere',
    });
  });

  test('metadata with a target that does not exist is inconsistent at the path of the target', async () => {
    const { service } = scene;
    const metadata = (await service.command('export_metadata', {})) as { query_collections: unknown };
    await service.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args: { allow_inconsistent_metadata: true, metadata: { ...metadata, query_collections: [] } },
    });
    const found = (await service.command('get_inconsistent_metadata', {})) as { inconsistent_objects: object[] };
    expect(found.inconsistent_objects).toMatchObject([
      { type: 'cron_trigger', path: '$.cron_triggers[1].target.operation.collection' },
    ]);
  });
});
