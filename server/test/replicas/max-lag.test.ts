/** Replicas with a maximum lag, on a standby whose replay stops. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { testDatabase } from '../support/database/test-database.ts';
import { until } from '../support/until.ts';
import { by, type ReplicaShop, servedBy, startReplicaShop } from './replica-shop.ts';

let shop: ReplicaShop;

beforeAll(async () => {
  shop = await startReplicaShop();
});
afterAll(() => shop.stop());
beforeEach(async () => {
  await shop.setReplica({ max_lag: 1 });
  await serves('standby');
});
afterEach(() => shop.resume());

const serves = (server: 'standby' | 'primary') =>
  until(`the ${server} serves queries`, async () => {
    return JSON.stringify(await shop.service.graphql(servedBy)) === JSON.stringify(by(server));
  });

/** Stops the replay, and commits until the lag is too large. */
async function fallBehind(): Promise<void> {
  await shop.pause();
  await shop.write();
  await serves('primary');
}

const labels = () => `{source="shop",replica="${shop.pair.standby.address}"}`;

test('a replica of an idle primary has no lag', async () => {
  await shop.caughtUp();
  // Longer than the maximum lag, in which nothing is committed.
  const before = await shop.metric(`joinery_statement_duration_seconds_count{pool="source shop"}`);
  await until('twenty measurements', async () => {
    const now = await shop.metric(`joinery_statement_duration_seconds_count{pool="source shop"}`);
    return (now ?? 0) - (before ?? 0) > 20;
  });
  expect(await shop.service.graphql(servedBy)).toEqual(by('standby'));
});

test('the primary serves queries while the lag of the replica is too large, and the replica afterwards', async () => {
  await fallBehind();
  expect(await shop.service.graphql(servedBy)).toEqual(by('primary'));
  await shop.resume();
  await serves('standby');
});

test('the metrics show a replica that is not used and its lag', async () => {
  await fallBehind();
  expect(await shop.metric(`joinery_replica_in_use${labels()}`)).toBe(0);
  expect(await shop.metric(`joinery_replica_lag_seconds${labels()}`)).toBeGreaterThan(1);
});

test('the metrics show a replica that is used', async () => {
  expect(await shop.metric(`joinery_replica_in_use${labels()}`)).toBe(1);
});

test('a replica without a maximum lag is used whatever its lag is', async () => {
  await fallBehind();
  await shop.setReplica({});
  expect(await shop.service.graphql(servedBy)).toEqual(by('standby'));
});

test('a server that does not follow the primary is not used with a maximum lag', async () => {
  const other = await testDatabase({ sql: "create view served_by as select 1 as id, text 'other' as server" });
  try {
    await shop.setReplica({ max_lag: 1 }, other.url);
    expect(await shop.service.graphql(servedBy)).toEqual(by('primary'));
    const { host } = new URL(other.url);
    const name = `joinery_replica_in_use{source="shop",replica="${host}"}`;
    expect(await shop.metric(name)).toBe(0);
  } finally {
    await shop.setReplica({});
    await other.drop();
  }
});

test('the maximum lag is exported and applied', async () => {
  const exported = (await shop.service.command('export_metadata', {})) as object;
  await shop.service.command('replace_metadata', exported);
  expect(await shop.service.command('export_metadata', {})).toMatchObject({
    sources: [{}, { configuration: { read_replicas: [{ max_lag: 1 }] } }],
  });
});

test('a maximum lag below one second is rejected', async () => {
  await expect(shop.setReplica({ max_lag: 0.1 })).rejects.toThrow('read_replicas[0].max_lag');
});
