/** Runs of cron triggers: run once, pause, resume, and the statistics. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startNode, startSink } from '../../support/events/delivery-node.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let service: TestServiceCore;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  service = await startServiceCore(db, { environment: { JOBS_URL: 'https://jobs.example' } });
});
afterEach(async () => {
  await service.stop();
  await db.drop();
});

const nightly = {
  name: 'nightly_orders',
  webhook: '{{JOBS_URL}}/close',
  schedule: '0 2 * * *',
  include_in_metadata: true,
  payload: { scope: 'all' },
};

interface EventList {
  readonly events: readonly { readonly scheduled_time: string }[];
}

async function events(args: object = {}): Promise<EventList['events']> {
  return ((await service.run('get_scheduled_events', { type: 'cron', ...args })) as EventList).events;
}

async function create(change: Record<string, unknown> = {}): Promise<unknown> {
  return service.run('create_cron_trigger', { ...nightly, ...change });
}

describe('run_cron_trigger', () => {
  test('calls the webhook at once, and the planned runs stay', async () => {
    const sink = await startSink();
    const node = await startNode(db);
    await create({ webhook: `${sink.origin}/close` });
    const planned = (await events()).length;
    const { event_id } = (await service.run('run_cron_trigger', { name: 'nightly_orders' })) as { event_id: string };
    await until('the webhook was called', () => sink.callsOf(event_id).length === 1);
    expect(sink.callsOf(event_id)[0]?.body).toMatchObject({ name: 'nightly_orders', payload: { scope: 'all' } });
    expect((await events({ status: ['scheduled'] })).length).toBe(planned);
    await node.close();
    await sink.close();
  });

  test('rejects a trigger that does not exist', async () => {
    expect(await service.rejection('run_cron_trigger', { name: 'missing' })).toMatchObject({
      code: 'not-exists',
      path: '$.args.name',
    });
  });
});

describe('pause_cron_trigger', () => {
  test('deletes the future runs, and resume_cron_trigger plans those after now', async () => {
    await create();
    await service.run('pause_cron_trigger', { name: 'nightly_orders' });
    expect(await events()).toEqual([]);
    await service.run('resume_cron_trigger', { name: 'nightly_orders' });
    const planned = await events();
    expect(planned).toHaveLength(20);
    expect(planned.every((one) => Date.parse(one.scheduled_time) > Date.now())).toBe(true);
  });

  test('is part of exports, and a new definition keeps it', async () => {
    await create();
    await service.run('pause_cron_trigger', { name: 'nightly_orders' });
    await create({ replace: true, schedule: '0 3 * * *' });
    const exported = await service.run('export_metadata', {});
    expect(exported).toMatchObject({
      cron_triggers: [{ name: 'nightly_orders', schedule: '0 3 * * *', paused: true }],
    });
    await service.run('replace_metadata', exported);
    expect(await events()).toEqual([]);
  });

  test('a paused trigger can be run once', async () => {
    await create({ paused: true });
    await service.run('run_cron_trigger', { name: 'nightly_orders' });
    expect(await events()).toHaveLength(1);
  });

  test('rejects a trigger that does not exist', async () => {
    expect(await service.rejection('pause_cron_trigger', { name: 'missing' })).toMatchObject({ code: 'not-exists' });
  });
});

test('get_cron_trigger_stats returns the next run and the latest runs of each trigger', async () => {
  await create();
  await create({ name: 'other', paused: true });
  await db.database.query({
    text: `insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
        timeout_seconds, tolerance_seconds, created_at, tries, status, trigger_name)
      select gen_random_uuid(), 'https://a', now() - n * interval '1 day', '1', '[]', 0, 0, 1, 1, now(), n,
        case n when 2 then 'error' else 'delivered' end, 'nightly_orders' from generate_series(1, 30) n`,
    values: [],
  });
  await service.run('run_cron_trigger', { name: 'nightly_orders' });
  const { triggers } = (await service.run('get_cron_trigger_stats', {})) as {
    readonly triggers: readonly {
      readonly next_run_at: string;
      readonly runs: readonly { readonly status: string }[];
    }[];
  };
  expect(triggers).toMatchObject([
    { name: 'nightly_orders', paused: false },
    { name: 'other', paused: true, next_run_at: null, runs: [] },
  ]);
  expect(Date.parse(triggers[0]?.next_run_at ?? '')).toBeGreaterThan(Date.now());
  expect(triggers[0]?.runs.length).toBe(20);
  expect(triggers[0]?.runs.slice(0, 4).map(({ status }) => status)).toEqual([
    'scheduled',
    'delivered',
    'error',
    'delivered',
  ]);
});
