/** Tracked functions as root fields of subscriptions, over a websocket, against a database. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectedClient, type FrameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { nextData, subscribe } from './notes-service.ts';

const schema = `
create table article (id int primary key, title text not null, rating int not null);
insert into article values (1, 'Trees', 3), (2, 'Stones', 5), (3, 'Trees again', 4);
create table visit (id serial primary key, who text);
create function search_articles(search text, lowest int default 0) returns setof article language sql stable as $$
  select * from article where title ilike '%' || search || '%' and rating >= lowest
$$;
create function best_article(session json) returns article language sql stable as $$
  select * from article where rating >= (session ->> 'x-service-least')::int order by rating desc limit 1
$$;
create function visit_by(who text) returns setof visit language sql volatile as $$
  insert into visit (who) values (who) returning *
$$;
create function hidden_articles() returns setof article language sql stable as $$ select * from article $$;
`;

let service: TestService;
const clients: FrameClient[] = [];

async function connected(headers: Readonly<Record<string, string>> = {}): Promise<FrameClient> {
  const client = await connectedClient(service.url, headers);
  clients.push(client);
  return client;
}

const run = (text: string) => service.database.database.query({ text, values: [] });
const user = (least = 0) => ({ 'x-service-role': 'user', 'x-service-least': String(least) });

beforeAll(async () => {
  service = await startService({ JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '40' }, { sql: schema });
  for (const table of ['article', 'visit']) await service.command('track_table', table);
  await service.command('track_function', 'search_articles');
  await service.command('track_function', {
    function: 'best_article',
    configuration: { session_argument: 'session', custom_name: 'best' },
  });
  await service.command('track_function', 'visit_by');
  await service.command('create_select_permission', {
    table: 'article',
    role: 'user',
    permission: { columns: ['id', 'title'], filter: { rating: { _gt: 3 } }, allow_aggregations: true },
  });
  await service.command('create_select_permission', {
    table: 'article',
    role: 'reader',
    permission: { columns: ['title'], filter: {}, subscription_root_fields: [] },
  });
}, 60_000);

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(() => service?.stop());

describe('a subscription to a function', () => {
  test('sends its rows, and a new result after each change', async () => {
    const client = await connected();
    const query = `subscription($search: String!) {
      search_articles(args: {search: $search}, where: {id: {_lt: 9}}, order_by: {id: desc}, limit: 2) { id title }
    }`;
    subscribe(client, query, { search: 'tree' });
    expect(await nextData(client)).toEqual({
      search_articles: [
        { id: 3, title: 'Trees again' },
        { id: 1, title: 'Trees' },
      ],
    });
    await run(`insert into article values (4, 'More trees', 5)`);
    expect(await nextData(client)).toEqual({
      search_articles: [
        { id: 4, title: 'More trees' },
        { id: 3, title: 'Trees again' },
      ],
    });
    await run('delete from article where id = 4');
    expect(await nextData(client)).toMatchObject({ search_articles: [{ id: 3 }, { id: 1 }] });
  });

  test('sends its aggregate', async () => {
    const client = await connected();
    const query =
      'subscription { search_articles_aggregate(args: {search: "tree"}) { aggregate { count max { rating } } } }';
    subscribe(client, query);
    expect(await nextData(client)).toEqual({
      search_articles_aggregate: { aggregate: { count: 2, max: { rating: 4 } } },
    });
    await run(`update article set rating = 9 where id = 1`);
    expect(await nextData(client)).toEqual({
      search_articles_aggregate: { aggregate: { count: 2, max: { rating: 9 } } },
    });
    await run(`update article set rating = 3 where id = 1`);
    await nextData(client);
  });

  test('passes the arguments and the session of each subscriber', async () => {
    const query = 'subscription { best { id } }';
    const unrestricted = await connected(user(0));
    const restricted = await connected(user(9));
    subscribe(unrestricted, query);
    subscribe(restricted, query);
    expect(await nextData(unrestricted)).toEqual({ best: { id: 2 } });
    expect(await nextData(restricted)).toEqual({ best: null });
    await run(`update article set rating = 9 where id = 3`);
    expect(await nextData(unrestricted)).toEqual({ best: { id: 3 } });
    expect(await nextData(restricted)).toEqual({ best: { id: 3 } });
    await run(`update article set rating = 4 where id = 3`);
    expect(await nextData(unrestricted)).toEqual({ best: { id: 2 } });
    expect(await nextData(restricted)).toEqual({ best: null });
  });

  test("applies the role's row filter and columns", async () => {
    const client = await connected(user());
    subscribe(client, 'subscription { search_articles(args: {search: "tree"}) { id title } }');
    expect(await nextData(client)).toEqual({ search_articles: [{ id: 3, title: 'Trees again' }] });
    subscribe(client, 'subscription { search_articles(args: {search: "tree"}) { rating } }', undefined, 'b');
    expect(await client.next()).toMatchObject({ id: 'b', type: 'error' });
  });

  test('requires no subscription root field of the table', async () => {
    const client = await connected({ 'x-service-role': 'reader' });
    subscribe(client, 'subscription { search_articles(args: {search: "stone"}) { title } }');
    expect(await nextData(client)).toEqual({ search_articles: [{ title: 'Stones' }] });
  });

  test('rejects a call without a required argument', async () => {
    const client = await connected();
    subscribe(client, 'subscription { search_articles(args: {lowest: 1}) { id } }');
    expect(JSON.stringify(await client.next())).toContain('Non default arguments cannot be omitted');
  });
});

test('subscription_root has functions of queries and their aggregates, and none of mutations', async () => {
  const names = async (role: string) => {
    const query = '{ __type(name: "subscription_root") { fields { name } } }';
    const response = await fetch(`${service.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-role': role },
      body: JSON.stringify({ query }),
    });
    const { data } = (await response.json()) as { data: { __type: { fields: { name: string }[] } } };
    return data.__type.fields.map(({ name }) => name).filter((name) => /^(search|best|visit_by$)/.test(name));
  };
  const all = ['best', 'best_aggregate', 'search_articles', 'search_articles_aggregate'];
  expect(await names('admin')).toEqual(all);
  expect(await names('user')).toEqual(all);
  expect(await names('reader')).toEqual(['best', 'search_articles']);
});

test('subscribers to a function that loses its permission get an error', async () => {
  await service.command('track_function', 'hidden_articles');
  const client = await connected(user());
  subscribe(client, 'subscription { hidden_articles { id } }');
  expect(await nextData(client)).toEqual({ hidden_articles: [{ id: 2 }, { id: 3 }] });
  await service.command('untrack_function', 'hidden_articles');
  expect(await client.next()).toMatchObject({ type: 'error' });
});
