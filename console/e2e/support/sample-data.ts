/** Sample data for all pages: events of all kinds, and metadata with two inconsistent objects. */
import { until } from '../../../server/test/support/until.ts';
import type { Service } from './service.ts';

/** Creates events of all kinds, and metadata with two inconsistent objects. */
export async function fill({ command, url }: Service): Promise<void> {
  const create = (args: object) => command('create_scheduled_event', { payload: {}, schedule_at: soon(0), ...args });
  const retry_conf = { num_retries: 2, retry_interval_seconds: 3_600 };
  for (let hours = 1; hours <= 23; hours += 1) {
    await create({
      webhook: '{{NOTIFY_URL}}/remind',
      schedule_at: soon(hours * 3_600),
      payload: { customerId: hours, kind: 'renewal', due: [12.5, true, null] },
      headers: [{ name: 'X-Key', value_from_env: 'NOTIFY_KEY' }],
      ...(hours % 3 === 0 && { comment: 'Remind of the renewal of the yearly contract' }),
    });
  }
  await create({ webhook: '{{NOTIFY_URL}}/fail/once', retry_conf, comment: 'Fails, and is tried again' });
  for (let order = 1; order <= 4; order += 1) {
    await create({
      webhook: '{{NOTIFY_URL}}/orders/confirmed',
      payload: { order, exact: 1 },
      comment: `Order ${order}`,
    });
  }
  await create({ webhook: '{{NOTIFY_URL}}/fail/for/good' });
  await create({ webhook: 'http://127.0.0.1:9/unreachable', comment: 'No server listens' });
  await create({ webhook: '{{NOTIFY_URL}}/late', schedule_at: soon(-86_400) });
  await command('create_cron_trigger', {
    name: 'nightly_orders',
    webhook: '{{NOTIFY_URL}}/close',
    schedule: '0 2 * * *',
    timezone: 'Europe/Berlin',
    include_in_metadata: false,
    payload: { scope: 'all' },
    comment: 'closes the day',
  });
  await command('set_event_destination', { destination: 'https://api.example.com', concurrency: 10, paused: true });
  const sql = `create table product (id int primary key, name text); insert into product values (1, 'Tea'), (2, 'Coffee')`;
  await fetch(`${url}/v2/query`, { method: 'POST', body: JSON.stringify({ type: 'run_sql', args: { sql } }) });
  const metadata = {
    version: 3,
    custom_types: {
      objects: [
        {
          name: 'PlacedOrder',
          fields: [
            { name: 'orderId', type: 'Int!' },
            { name: 'customerId', type: 'Int!' },
          ],
        },
      ],
    },
    actions: [
      {
        name: 'placeOrder',
        comment: 'Places an order',
        permissions: [{ role: 'user' }],
        definition: {
          handler: '{{NOTIFY_URL}}/place-order',
          output_type: 'PlacedOrder',
          arguments: [{ name: 'product', type: 'String!' }],
        },
      },
    ],
    query_collections: [
      {
        name: 'shop',
        comment: 'The operations of the shop',
        definition: { queries: [{ name: 'ordersOfDay', query: 'query ordersOfDay {\n  __typename\n}' }] },
      },
    ],
    allowlist: [{ collection: 'shop' }],
    rest_endpoints: [
      {
        name: 'ordersOfDay',
        url: 'orders/today',
        methods: ['GET', 'POST'],
        definition: { query: { collection_name: 'shop', query_name: 'ordersOfDay' } },
        comment: 'For the screen in the warehouse',
      },
    ],
    api_limits: {
      depth_limit: { global: 8, per_role: { user: 5 } },
      rate_limit: { global: { max_reqs_per_min: 600, unique_params: 'IP' } },
    },
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          { table: 'product' },
          { table: { schema: 'public', name: 'customer' } },
          { table: { schema: 'public', name: 'order' } },
        ],
        configuration: { connection_info: { database_url: { from_env: 'JOINERY_DATABASE_URL' } } },
      },
    ],
  };
  await command('replace_metadata', { allow_inconsistent_metadata: true, metadata });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/v1/graphql`, { method: 'POST', headers, body: '{"query":"{ nothing }"}' });
  const args = { type: 'one_off', status: ['delivered', 'error', 'dead'], limit: 0, get_rows_count: true };
  await until('the webhooks of seven events are called', async () => {
    const { count } = (await command('get_scheduled_events', args)) as { readonly count: number };
    return count === 7;
  });
}

function soon(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}
