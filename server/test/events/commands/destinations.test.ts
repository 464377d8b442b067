/** The metadata commands for destinations of events. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let service: TestServiceCore;

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  service = await startServiceCore(db);
});
afterEach(() => column(db.database, 'delete from joinery.event_destinations'));
afterAll(async () => {
  await service.stop();
  await db.drop();
});

const destinations = async (): Promise<unknown> => {
  const result = await service.run('get_event_destinations', {});
  return (result as { destinations: unknown }).destinations;
};

describe('set_event_destination', () => {
  test('changes the given settings and no others', async () => {
    await service.run('set_event_destination', { destination: 'https://API.example.com:443/', concurrency: 5 });
    await service.run('set_event_destination', { destination: 'https://api.example.com', rate_per_second: 0.5 });
    const row = { destination: 'https://api.example.com', paused: false, circuit: { state: 'closed' } };
    expect(await destinations()).toEqual([{ ...row, concurrency: 5, rate_per_second: 0.5 }]);
    await service.run('set_event_destination', { destination: 'https://api.example.com', concurrency: null });
    expect(await destinations()).toEqual([{ ...row, concurrency: null, rate_per_second: 0.5 }]);
    await service.run('set_event_destination', { destination: 'https://api.example.com', rate_per_second: null });
    expect(await destinations()).toEqual([]);
  });

  test.each([
    [{}, '$.args.destination'],
    [{ destination: 'example.com', paused: true }, '$.args.destination'],
    [{ destination: 'https://example.com/hook', paused: true }, '$.args.destination'],
    [{ destination: 'ftp://example.com', paused: true }, '$.args.destination'],
    [{ destination: 'https://user:pw@example.com', paused: true }, '$.args.destination'],
    [{ destination: 'https://example.com', concurrency: 0 }, '$.args.concurrency'],
    [{ destination: 'https://example.com', rate_per_second: -1 }, '$.args.rate_per_second'],
    [{ destination: 'https://example.com', speed: 1 }, '$.args.speed'],
    [{ destination: 'https://example.com' }, '$.args'],
  ])('rejects %j at %s', async (args, path) => {
    expect(await service.rejection('set_event_destination', args)).toMatchObject({ code: 'parse-failed', path });
  });
});

test('pause and resume take effect on nodes, and get_event_destinations shows an open circuit', async () => {
  const sink = await startSink((_call, response) => response.writeHead(503).end());
  const node = await startNode(db, { settings: { circuitFailures: 3 } });
  try {
    await service.run('pause_event_destination', { destination: sink.origin });
    expect(await destinations()).toMatchObject([{ destination: sink.origin, paused: true }]);
    const insert = `insert into joinery.scheduled_events (webhook, schedule_at)
      select $1, now() from generate_series(1, 10)`;
    await column(db.database, insert, [sink.origin]);
    await service.run('resume_event_destination', { destination: sink.origin });
    await until('the circuit is open', async () => JSON.stringify(await destinations()).includes('"open"'));
    expect(await destinations()).toMatchObject([
      {
        destination: sink.origin,
        paused: false,
        circuit: { state: 'open', reason: 'status 503', opened_at: expect.stringMatching(/^20.*Z$/) },
      },
    ]);
  } finally {
    await node.close();
    await sink.close();
  }
});
