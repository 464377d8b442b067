/** Sources with replicas, and sources whose databases become unreachable and reachable again. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { authors, books, connectionTo, prefixed, type Shop, startShop } from '../support/service/two-sources.ts';
import { until } from '../support/until.ts';

let first: TestDatabase;
let second: TestDatabase;
let service: TestService;
let withShop: Shop['withShop'];
let stop: Shop['stop'];

beforeAll(async () => {
  ({ first, second, service, withShop, stop } = await startShop());
});

afterAll(() => stop());

describe('read replicas', () => {
  test('serve queries in turn without unreachable ones, and the primary serves mutations', async () => {
    const marked = books.replace("'Zoe'", "'Replica'");
    const replicas = await Promise.all([testDatabase({ sql: marked }), testDatabase({ sql: marked })]);
    const proxies = await Promise.all(replicas.map(({ url }) => startProxy(url)));
    const settings = { read_replicas: proxies.map(({ url }) => connectionTo(url)).map((one) => Object.values(one)[0]) };
    const names = async () => {
      const responses = await Promise.all([1, 2, 3, 4].map(() => service.graphql('{ shop_author { name } }')));
      return new Set(responses.map((response) => JSON.stringify(response)));
    };
    const of = (name: string) => new Set([JSON.stringify({ data: { shop_author: [{ name }] } })]);
    try {
      await withShop(
        prefixed,
        async () => {
          expect(await names()).toEqual(of('Replica'));
          const update = 'mutation { shop_update_author(where: {}, _set: { name: "Zoe" }) { returning { name } } }';
          expect(await service.graphql(update)).toEqual({
            data: { shop_update_author: { returning: [{ name: 'Zoe' }] } },
          });
          await proxies[0]?.close();
          expect(await names()).toEqual(of('Replica'));
          await proxies[1]?.close();
          expect(await names()).toEqual(of('Zoe'));
        },
        settings,
      );
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close().catch(() => undefined)));
      await Promise.all(replicas.map((replica) => replica.drop()));
    }
  });
});

test('an unreachable source rejects requests with busy, does not affect others and recovers', async () => {
  let proxy = await startProxy(second.url);
  const { port } = new URL(proxy.url);
  await service.command('pg_add_source', {
    name: 'shop',
    configuration: connectionTo(proxy.url),
    customization: prefixed,
  });
  await service.command('pg_track_table', { source: 'shop', table: 'book' });
  const one = '{ shop_book_by_pk(id: 1) { title } }';
  expect(await service.graphql(one)).toEqual({ data: { shop_book_by_pk: { title: 'One' } } });
  await proxy.close();
  expect(await service.graphql(one)).toMatchObject({ errors: [{ extensions: { code: 'busy' } }] });
  expect(await service.graphql('{ author { id } }')).toEqual({ data: { author: [{ id: 1 }, { id: 2 }] } });

  // After a reload only the objects of the source are inconsistent.
  const reloaded = await service.command('reload_metadata', { reload_sources: true });
  expect(reloaded).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ name: 'source shop' }, { name: 'table book in source shop' }],
  });
  expect(await service.graphql('{ author { id } }')).toEqual({ data: { author: [{ id: 1 }, { id: 2 }] } });

  proxy = await startProxy(second.url, {}, Number(port));
  try {
    await until('the source responds', async () => 'data' in ((await service.graphql(one)) as object));
    expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: true });
  } finally {
    await service.command('pg_drop_source', { name: 'shop' });
    await proxy.close();
  }
});

describe('a connection that is lost while a catalog is read', () => {
  let isCut = false;

  async function withCut(work: () => Promise<void>): Promise<void> {
    const proxy = await startProxy(second.url, { cuts: (data) => isCut && data.includes('pg_relation_is_updatable') });
    const configuration = connectionTo(proxy.url);
    await service.command('pg_add_source', { name: 'shop', configuration, customization: prefixed });
    await service.command('pg_track_table', { source: 'shop', table: 'book' });
    isCut = true;
    try {
      await work();
    } finally {
      isCut = false;
      await service.command('pg_drop_source', { name: 'shop' });
      await proxy.close();
    }
  }

  test('rejects a change that needs the catalog as busy, not as an inconsistent object', () =>
    withCut(async () => {
      const tracked = service.command('pg_track_table', { source: 'shop', table: 'author' });
      await expect(tracked).rejects.toThrow('"code":"busy"');
    }));

  test('does not change the error of an inconsistent object of another source', () =>
    withCut(async () => {
      const permission = { columns: ['missing'], filter: {} };
      const created = service.command('pg_create_select_permission', { table: 'author', role: 'user', permission });
      await expect(created).rejects.toThrow('missing');
    }));
});

test('a service that starts with an unreachable source serves the others, and the source when it is reachable', async () => {
  const ownDatabase = await testDatabase({ sql: authors });
  let proxy = await startProxy(second.url);
  const { port } = new URL(proxy.url);
  const before = await startService({}, ownDatabase);
  await before.command('track_table', 'author');
  await before.command('pg_add_source', {
    name: 'shop',
    configuration: connectionTo(proxy.url),
    customization: prefixed,
  });
  await before.command('pg_track_table', { source: 'shop', table: 'book' });
  await before.stop();
  await proxy.close();
  const after = await startService({}, ownDatabase);
  try {
    expect(await after.graphql('{ author { id } }')).toEqual({ data: { author: [{ id: 1 }, { id: 2 }] } });
    proxy = await startProxy(second.url, {}, Number(port));
    await until('the source responds', async () => 'data' in ((await after.graphql('{ shop_book { id } }')) as object));
  } finally {
    await after.stop();
    await proxy.close();
    await ownDatabase.drop();
  }
});

test('a node with an unreachable source applies the changes of other nodes', async () => {
  let proxy = await startProxy(second.url);
  const { port } = new URL(proxy.url);
  const other = await startService({}, first);
  await service.command('pg_add_source', {
    name: 'shop',
    configuration: connectionTo(proxy.url),
    customization: prefixed,
  });
  await service.command('pg_track_table', { source: 'shop', table: 'book' });
  await until('the source responds', async () => 'data' in ((await other.graphql('{ shop_book { id } }')) as object));
  try {
    await proxy.close();
    const select = { role: 'user', permission: { columns: ['name'], filter: {} } };
    await service.command('pg_create_select_permission', { table: 'author', ...select });
    await until(
      'the other node has the permission',
      async () => 'data' in ((await other.graphql('{ author { name } }', { 'x-service-role': 'user' })) as object),
    );
    // The model of the source is unchanged.
    expect(await other.graphql('{ shop_book { id } }')).toMatchObject({ errors: [{ extensions: { code: 'busy' } }] });
    proxy = await startProxy(second.url, {}, Number(port));
    await until('the source responds', async () => 'data' in ((await other.graphql('{ shop_book { id } }')) as object));
    await service.command('pg_drop_select_permission', { table: 'author', role: 'user' });
  } finally {
    await other.stop();
    await service.command('pg_drop_source', { name: 'shop' });
    await proxy.close();
  }
});

test('a mutation whose second source is unreachable after the commit of the first has an unknown outcome, not busy', async () => {
  const proxy = await startProxy(second.url);
  const { command, graphql } = service;
  await command('pg_add_source', { name: 'shop', configuration: connectionTo(proxy.url), customization: prefixed });
  await command('pg_track_table', { source: 'shop', table: 'author' });
  const own = (name: string) => `insert_author(objects: { name: "${name}" }) { affected_rows }`;
  const other = (name: string) => `shop_insert_author(objects: { name: "${name}" }) { affected_rows }`;
  const codeOf = (code: string) => ({ errors: [{ extensions: { code } }] });
  try {
    await proxy.close();
    expect(await graphql(`mutation { ${own('Cid')} ${other('Cid')} }`)).toMatchObject(codeOf('unknown-outcome'));
    expect(await graphql('{ author(where: { name: { _eq: "Cid" } }) { name } }')).toEqual({
      data: { author: [{ name: 'Cid' }] },
    });
    expect(await graphql(`mutation { ${other('Dan')} ${own('Dan')} }`)).toMatchObject(codeOf('busy'));
    expect(await graphql('{ author(where: { name: { _eq: "Dan" } }) { name } }')).toEqual({ data: { author: [] } });
  } finally {
    await command('run_sql', { sql: `delete from author where name = 'Cid'` });
    await command('pg_drop_source', { name: 'shop', cascade: true });
  }
});
