/** A source whose primary ends and whose replica is promoted. The URL of the source names both servers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../support/database/test-database.ts';
import { connectionTo } from '../support/service/two-sources.ts';
import { until } from '../support/until.ts';
import { by, type ReplicaShop, servedBy, startReplicaShop } from './replica-shop.ts';

let shop: ReplicaShop;
/** The position of a mutation before the promotion. */
let before: string;

const insert = (name: string) =>
  `mutation { shop_insert_item(objects: {name: ${JSON.stringify(name)}}) { affected_rows } }`;
const send = (query: string, position = 'new') =>
  shop.service.post('/v1/graphql', { query }, { 'x-service-role': 'admin', 'joinery-position': position });
const names = (condition: string) => `{ shop_item(where: {name: {_eq: "${condition}"}}) { name } }`;

beforeAll(async () => {
  shop = await startReplicaShop();
  const { primary, standby, url } = shop.pair;
  const configuration = {
    ...connectionTo(url([primary, standby], '?target_session_attrs=read-write')),
    read_replicas: [{ database_url: standby.url, max_lag: 1 }],
  };
  await shop.service.command('pg_update_source', { name: 'shop', configuration });
  await until('the replica serves queries', async () => {
    return JSON.stringify(await shop.service.graphql(servedBy)) === JSON.stringify(by('standby'));
  });
  const { headers } = await send(insert('before'));
  before = headers.get('joinery-position') ?? '';
  await shop.caughtUp();
  await primary.stop();
  const promoted = connect(standby.url, 1);
  await promoted.query({ text: 'select pg_promote()::text', values: [] });
  await promoted.close();
  await until('a mutation succeeds', async () => {
    const { body } = await send(insert('after'));
    return (body as { readonly data?: unknown }).data !== undefined;
  });
}, 180_000);
afterAll(() => shop?.stop());

test('mutations reach the promoted server, by the hosts of the URL', async () => {
  expect(await shop.service.graphql(names('after'))).toEqual({ data: { shop_item: [{ name: 'after' }] } });
});

test('queries run on the promoted server', async () => {
  expect(await shop.service.graphql(servedBy)).toEqual(by('primary'));
});

test('a query with the position of a mutation after the promotion reads it', async () => {
  const { headers } = await send(insert('newest'));
  const position = headers.get('joinery-position') ?? '';
  expect((await send(names('newest'), position)).body).toEqual({ data: { shop_item: [{ name: 'newest' }] } });
});

test('a position of the timeline before the promotion is accepted, and its rows are read', async () => {
  expect((await send(names('before'), before)).body).toEqual({ data: { shop_item: [{ name: 'before' }] } });
});
