/** Nodes beside nodes of an earlier version, which store event triggers in the metadata and create nothing in databases. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Sink, startSink } from '../../support/events/delivery-node.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let sink: Sink;
let service: TestService | undefined;

beforeEach(async () => {
  sink = await startSink();
  db = await testDatabase({ migrated: true, sql: 'create table item (id int primary key, name text)' });
});
afterEach(async () => {
  await service?.stop();
  await sink.close();
});

const trigger = (name: string, more: object = {}): object => ({
  name,
  definition: { enable_manual: false, insert: { columns: '*' } },
  retry_conf: { interval_sec: 10, num_retries: 0, timeout_sec: 60 },
  webhook: `${sink.origin}/${name}`,
  ...more,
});

/** Writes metadata as a node of an earlier version does. */
async function write(...triggers: readonly object[]): Promise<void> {
  const item = { table: { name: 'item', schema: 'public' }, ...(triggers.length > 0 && { event_triggers: triggers }) };
  const metadata = { version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [item] }] };
  await db.database.query({
    text: `insert into joinery.metadata (id, resource_version, metadata) values (1, 1, $1)
      on conflict (id) do update set metadata = excluded.metadata, resource_version = metadata.resource_version + 1,
        updated_at = clock_timestamp()`,
    values: [JSON.stringify(metadata)],
  });
}

const run = (text: string) => db.database.query({ text, values: [] });

/** Inserts rows until the webhook of the trigger is called. */
async function untilCalled(name: string): Promise<void> {
  await until(`the webhook of ${name} is called`, async () => {
    await run('insert into item select coalesce(max(id), 0) + 1 from item');
    return sink.calls.some(({ path }) => path === `/${name}`);
  });
}

const captures = async (): Promise<number> => {
  const { rows } = await run(`select count(*) from pg_trigger where tgname like 'joinery\\_%' and not tgisinternal`);
  return Number(rows[0]?.[0]);
};

test('a node calls the triggers of metadata that an earlier version has stored', async () => {
  await write(trigger('stored'));
  service = await startService({}, db);
  await untilCalled('stored');
});

test('a node follows changes of triggers by nodes of an earlier version', async () => {
  service = await startService({}, db);
  await write(trigger('one'));
  await untilCalled('one');
  await write(trigger('one'), trigger('two', { headers: [{ name: 'X-Shop', value: 'roastery' }] }));
  await untilCalled('two');
  expect(sink.calls.find(({ path }) => path === '/two')?.headers).toMatchObject({ 'x-shop': 'roastery' });
  await write();
  await until('the triggers are removed', async () => (await captures()) === 0);
});

test('a trigger that a node cannot read is inconsistent, and the others call their webhooks', async () => {
  await write(trigger('known'), trigger('newer', { definition: { enable_manual: false, insert: { columns: 7 } } }));
  service = await startService({}, db);
  await untilCalled('known');
  expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({
    inconsistent_objects: expect.arrayContaining([
      expect.objectContaining({ type: 'event_trigger', name: 'event_trigger newer in table item in source default' }),
    ]),
  });
  expect(JSON.stringify(await service.command('export_metadata', {}))).toContain('"name":"newer"');
});
