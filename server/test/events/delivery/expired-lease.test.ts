/** Leases that the database takes for expired and the node does not, as after a change of the database's clock. */
import { expect, test, vi } from 'vitest';
import { takeLease } from '../../../src/events/leases/leases.ts';
import { column } from '../../support/events/delivery-node.ts';
import { deliveryScene } from '../../support/events/delivery-scene.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

const scene = deliveryScene();

test('an event whose claim is not confirmed because the database takes the lease for expired is called later', async () => {
  const sink = await scene.sinkFor((_call, response) => response.end());
  await scene.nodeFor();
  const { database } = scene.db;
  const insert =
    "insert into joinery.scheduled_events (webhook, schedule_at) values ($1, now() + interval '1500 ms') returning id";
  await column(database, insert, [sink.origin]);
  await until('the event is claimed', async () => {
    const [isClaimed] = await column(database, 'select lease is not null from joinery.scheduled_events');
    return isClaimed === 't';
  });
  await until('the event is due', async () => {
    const expireAndRead = `with expired as (update joinery.event_leases set expires_at = clock_timestamp() - interval '1 s')
      select bool_and(clock_timestamp() > schedule_at + interval '300 ms') from joinery.scheduled_events`;
    const [isDue] = await column(database, expireAndRead);
    return isDue !== 'f';
  });
  await until('the webhook is called', () => sink.calls.length > 0);
  expect(sink.calls).toHaveLength(1);
});

test('a lease has an id that no earlier lease had, although a failover has set the sequence of ids back', async () => {
  const { database } = scene.db;
  const lost = await takeLease(database.query, 'a node', 8_000);
  // The state of a standby that has not received the lease.
  await column(database, 'delete from joinery.event_leases where id = $1', [lost]);
  await column(database, 'alter table joinery.event_leases alter column id restart');
  expect(await takeLease(database.query, 'another node', 8_000)).not.toBe(lost);
});
