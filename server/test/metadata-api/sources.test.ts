/** Several sources in one service: commands on sources, customization of names, and relationships between sources. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type TestDatabase } from '../support/database/test-database.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import type { TestService } from '../support/service/test-service.ts';
import { admin, connectionTo, prefixed, type Shop, startShop } from '../support/service/two-sources.ts';

let first: TestDatabase;
let second: TestDatabase;
let service: TestService;
let withShop: Shop['withShop'];
let stop: Shop['stop'];

beforeAll(async () => {
  ({ first, second, service, withShop, stop } = await startShop());
});

afterAll(() => stop());

async function rejectionOf(type: string, args: unknown): Promise<unknown> {
  const { status, body } = await service.post('/v1/metadata', { type, args }, admin);
  expect(status).not.toBe(200);
  const { code, path } = body as { code: string; path: string };
  return { code, path };
}

describe('pg_add_source', () => {
  test('accepts an environment variable or connection parameters', async () => {
    const { username, password, hostname, port, pathname } = new URL(second.url);
    const parts = {
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
    };
    for (const database_url of [{ from_env: 'SHOP_URL' }, { connection_parameters: parts }]) {
      const info = { database_url, isolation_level: 'serializable', use_prepared_statements: false };
      const configuration = { connection_info: { ...info, pool_settings: { max_connections: 2, retries: 1 } } };
      await service.command('pg_add_source', { name: 'shop', configuration });
      expect(await service.command('pg_get_source_tables', { source: 'shop' })).toEqual([
        { name: 'author', schema: 'public' },
        { name: 'book', schema: 'public' },
      ]);
      await service.command('pg_drop_source', { name: 'shop' });
    }
  });

  test('rejects the name of an existing source unless replace_configuration is set', async () => {
    await service.command('pg_add_source', { name: 'shop', configuration: connectionTo(second.url) });
    const again = { name: 'shop', configuration: connectionTo(second.url, { use_prepared_statements: false }) };
    expect(await rejectionOf('pg_add_source', again)).toEqual({ code: 'already-exists', path: '$.args.name' });
    await service.command('pg_add_source', { ...again, replace_configuration: true });
    await service.command('pg_drop_source', { name: 'shop' });
  });

  test.each([
    ['the database is unreachable', connectionTo('postgres://postgres@127.0.0.1:1/none'), 'busy'],
    ['the variable is not set', connectionTo('x', { database_url: { from_env: 'MISSING' } }), 'invalid-configuration'],
    ['the source has no URL', {}, 'invalid-configuration'],
  ])('changes nothing if %s', async (_reason, configuration, code) => {
    const before = await service.command('export_metadata', {});
    expect(await rejectionOf('pg_add_source', { name: 'far', configuration })).toEqual({
      code,
      path: '$.args.configuration',
    });
    expect(await service.command('export_metadata', {})).toEqual(before);
  });

  test('reports the cause and a suggestion if the database is unreachable', async () => {
    const configuration = connectionTo('postgres://postgres@127.0.0.1:1/none');
    const response = await service.post('/v1/query', { type: 'pg_add_source', args: { name: 'far', configuration } });
    expect((response.body as { error: string }).error).toMatch(
      /the database is not reachable: connection refused: .*127\.0\.0\.1:1.*\. Check that PostgreSQL runs/,
    );
  });

  test('rejects invalid settings with their path', async () => {
    const configuration = connectionTo(second.url, { pool_settings: { max_connections: 'many' } });
    expect(await rejectionOf('pg_add_source', { name: 'far', configuration })).toEqual({
      code: 'parse-failed',
      path: '$.args.configuration.connection_info.pool_settings.max_connections',
    });
  });
});

test('rejects a table name of two sources without a customization', async () => {
  await service.command('pg_add_source', { name: 'shop', configuration: connectionTo(second.url) });
  expect(await rejectionOf('pg_track_table', { source: 'shop', table: 'author' })).toMatchObject({
    code: 'unexpected',
  });
  await service.command('pg_drop_source', { name: 'shop' });
});

describe('the customization of a source', () => {
  test('adds prefixes to root fields and types', async () => {
    await withShop(prefixed, async () => {
      const query = '{ author { name } shop_author { __typename name } shop_book_by_pk(id: 3) { title } }';
      expect(await service.graphql(query)).toEqual({
        data: {
          author: [{ name: 'Ann' }, { name: 'Ben' }],
          shop_author: [{ __typename: 'Shop_author', name: 'Zoe' }],
          shop_book_by_pk: { title: 'Three' },
        },
      });
      const variables = { where: { title: { _eq: 'Two' } } };
      const filtered = 'query ($where: Shop_book_bool_exp) { shop_book(where: $where) { id } }';
      expect(await service.graphql(filtered, {}, variables)).toEqual({ data: { shop_book: [{ id: 2 }] } });
    });
  });

  test('adds suffixes to root fields and types', async () => {
    await withShop({ root_fields: { suffix: '_s' }, type_names: { suffix: '_t' } }, async () => {
      const query = `query ($where: book_bool_exp_t, $order: [book_order_by_t!]) {
        book_s(where: $where, order_by: $order) { __typename id }
        book_aggregate_s { __typename aggregate { __typename count } }
      }`;
      const variables = { where: { id: { _gt: 1 } }, order: [{ id: 'desc' }] };
      expect(await service.graphql(query, {}, variables)).toEqual({
        data: {
          book_s: [
            { __typename: 'book_t', id: 3 },
            { __typename: 'book_t', id: 2 },
          ],
          book_aggregate_s: {
            __typename: 'book_aggregate_t',
            aggregate: { __typename: 'book_aggregate_fields_t', count: 3 },
          },
        },
      });
    });
  });

  test('adds a namespace whose fields are executed like root fields', async () => {
    await withShop({ root_fields: { namespace: 'shop' }, type_names: { prefix: 'Shop_' } }, async () => {
      const query = `{
        author(where: { id: { _eq: 1 } }) { name }
        one: shop { __typename author { name } book(limit: 1) { title } }
        two: shop { n: book_aggregate { aggregate { count } } }
        none: shop { book @skip(if: true) { id } }
        __typename
      }`;
      expect(await service.graphql(query)).toEqual({
        data: {
          author: [{ name: 'Ann' }],
          one: { __typename: 'Shop_shop_query', author: [{ name: 'Zoe' }], book: [{ title: 'One' }] },
          two: { n: { aggregate: { count: 3 } } },
          none: {},
          __typename: 'query_root',
        },
      });
      const steps = (await service.post('/v1/graphql/explain', { query: { query } }, admin)).body;
      const statements = (steps as { sql: string | null }[]).flatMap(({ sql }) => sql ?? []);
      expect(new Set(statements).size).toBe(2);
    });
  });

  test('applies to functions', async () => {
    const types = { prefix: 'Shop_', suffix: '_t' };
    await withShop({ root_fields: { namespace: 'shop', prefix: 'all_' }, type_names: types }, async () => {
      await service.command('pg_track_function', { source: 'shop', function: 'titled' });
      const query = 'query ($args: Shop_titled_args_t!) { shop { all_titled(args: $args) { __typename title } } }';
      expect(await service.graphql(query, {}, { args: { part: 'T' } })).toEqual({
        data: {
          shop: {
            all_titled: [
              { __typename: 'Shop_book_t', title: 'Two' },
              { __typename: 'Shop_book_t', title: 'Three' },
            ],
          },
        },
      });
    });
  });

  test('is rejected if the name of the namespace exists or the naming convention is unknown', async () => {
    const configuration = connectionTo(second.url);
    const taken = { name: 'shop', configuration, customization: { root_fields: { namespace: 'author' } } };
    expect(await rejectionOf('pg_add_source', taken)).toMatchObject({ code: 'unexpected' });
    expect(
      await rejectionOf('pg_add_source', {
        name: 'shop',
        configuration,
        customization: { naming_convention: 'kebab' },
      }),
    ).toMatchObject({ code: 'not-supported', path: '$.args.customization.naming_convention' });
  });

  test('applies to subscriptions', async () => {
    await withShop({ root_fields: { namespace: 'shop' }, type_names: { prefix: 'Shop_' } }, async () => {
      const client = await frameClient(service.url);
      client.send({ type: 'connection_init' });
      await client.next();
      const query = 'subscription { s: shop { all: book(where: { id: { _eq: 2 } }) { title } } }';
      client.send({ id: '1', type: 'subscribe', payload: { query } });
      const { payload } = await client.next();
      expect(payload).toEqual({ data: { s: { all: [{ title: 'Two' }] } } });
      await client.close();
    });
  });

  test('applies to mutations', async () => {
    await withShop({ root_fields: { namespace: 'shop' }, type_names: { prefix: 'Shop_' } }, async () => {
      const mutation = `mutation {
        shop { insert_author_one(object: { name: "Yan" }) { name } delete_author(where: { name: { _eq: "Yan" } }) { affected_rows } }
      }`;
      expect(await service.graphql(mutation)).toEqual({
        data: { shop: { insert_author_one: { name: 'Yan' }, delete_author: { affected_rows: 1 } } },
      });
      const rejected = await service.graphql(
        'mutation { shop { insert_author(objects: [{ name: "Zoe" }]) { affected_rows } } }',
      );
      expect(rejected).toMatchObject({ errors: [{ extensions: { code: 'constraint-violation' } }] });
    });
  });
});

describe('a relationship from one source to another', () => {
  const books = {
    source: 'default',
    table: 'author',
    name: 'books',
    definition: {
      to_source: { source: 'shop', table: 'book', relationship_type: 'array', field_mapping: { id: 'author_id' } },
    },
  };
  const query = '{ author(order_by: { id: asc }) { name books(order_by: { id: asc }) { title } } }';
  const expected = {
    data: {
      author: [
        { name: 'Ann', books: [{ title: 'One' }, { title: 'Two' }] },
        { name: 'Ben', books: [{ title: 'Three' }] },
      ],
    },
  };

  test('prevents the drop of the target source without cascade', async () => {
    await withShop(prefixed, async () => {
      await service.command('pg_create_remote_relationship', books);
      expect(await service.graphql(query)).toEqual(expected);
      expect(await rejectionOf('pg_drop_source', { name: 'shop' })).toEqual({
        code: 'dependency-error',
        path: '$.args',
      });
      expect(await service.graphql(query)).toEqual(expected);
    });
    expect(await service.graphql(query)).toMatchObject({ errors: [{ message: expect.stringContaining("'books'") }] });
    expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: true });
  });

  test('is updated when the target source is renamed', async () => {
    await withShop(prefixed, async () => {
      await service.command('pg_create_remote_relationship', books);
      await service.command('rename_source', { name: 'shop', new_name: 'store' });
      expect(await service.graphql(query)).toEqual(expected);
      expect(await rejectionOf('rename_source', { name: 'store', new_name: 'default' })).toEqual({
        code: 'already-exists',
        path: '$.args.new_name',
      });
      await service.command('rename_source', { name: 'store', new_name: 'shop' });
    });
  });
});

test('a source of an unsupported kind is stored and reported as inconsistent, and does not affect other sources', async () => {
  const { metadata } = (await service.post('/v1/metadata', { type: 'export_metadata', version: 2, args: {} }, admin))
    .body as { metadata: { sources: object[] } };
  const foreign = {
    name: 'warehouse',
    kind: 'bigquery',
    tables: [{ table: { dataset: 'd', name: 't' } }],
    configuration: { project_id: 'p' },
  };
  const written = { ...metadata, sources: [...metadata.sources, foreign] };
  const replaced = await service.command('replace_metadata', { allow_inconsistent_metadata: true, metadata: written });
  expect(replaced).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: 'source', name: 'source warehouse', reason: expect.stringContaining('bigquery') }],
  });
  expect(await service.graphql('{ author { id } }')).toEqual({ data: { author: [{ id: 1 }, { id: 2 }] } });
  expect(await service.command('export_metadata', {})).toEqual(written);
  await service.command('drop_inconsistent_metadata', {});
  expect(await service.command('export_metadata', {})).toEqual(metadata);
});

test('mutations on two sources run in order, each in a transaction of its own', async () => {
  await withShop(prefixed, async () => {
    const mutation = `mutation {
      insert_author_one(object: { name: "Cleo" }) { name }
      shop_insert_author_one(object: { name: "Zoe" }) { name }
    }`;
    expect(await service.graphql(mutation)).toMatchObject({
      errors: [{ extensions: { code: 'constraint-violation' } }],
    });
    // The commit in one database is not undone by the error in the other.
    const check = connect(first.url, 1);
    const { rows } = await check.query({ text: `delete from author where name = 'Cleo' returning name`, values: [] });
    await check.close();
    expect(rows).toEqual([['Cleo']]);
  });
});
