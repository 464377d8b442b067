/** A service with a source `shop` on a primary with a standby that follows it. */
import { type ServerPair, startServerPair } from '../support/database/standby-server.ts';
import { connect } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { connectionTo } from '../support/service/two-sources.ts';
import { until } from '../support/until.ts';

/** `served_by` shows which server has served a query. */
const sql = `
  create table item (id serial primary key, name text not null);
  create view served_by as select 1 as id, case when pg_is_in_recovery() then 'standby' else 'primary' end as server`;

export const servedBy = '{ shop_served_by { server } }';
export const by = (server: 'standby' | 'primary') => ({ data: { shop_served_by: [{ server }] } });

export interface ReplicaShop {
  readonly pair: ServerPair;
  readonly service: TestService;
  /** Sets the replicas of the source; without them, to the standby with these settings. */
  setReplica(settings: object, url?: string): Promise<void>;
  /** Stops and continues the replay of the standby. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Commits a row on the primary without the service. */
  write(): Promise<void>;
  /** Waits until the standby has replayed what the primary has committed. */
  caughtUp(): Promise<void>;
  /** Returns the value of a metric with all labels in its name; undefined if it has none. */
  metric(name: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

export async function startReplicaShop(environment: Readonly<Record<string, string>> = {}): Promise<ReplicaShop> {
  const pair = await startServerPair(sql, { streams: true });
  const primary = connect(pair.primary.url, 1);
  const standby = connect(pair.standby.url, 1);
  const service = await startService(environment);
  const read = async (database: typeof primary, text: string) =>
    (await database.query({ text, values: [] })).rows[0]?.[0] ?? '';
  const shop = connectionTo(pair.primary.url);
  await service.command('pg_add_source', {
    name: 'shop',
    configuration: shop,
    customization: { root_fields: { prefix: 'shop_' }, type_names: { prefix: 'Shop_' } },
  });
  for (const table of ['item', 'served_by']) await service.command('pg_track_table', { source: 'shop', table });
  return {
    pair,
    service,
    setReplica: async (settings, url = pair.standby.url) => {
      const configuration = { ...shop, read_replicas: [{ database_url: url, ...settings }] };
      await service.command('pg_update_source', { name: 'shop', configuration });
    },
    pause: async () => {
      await read(standby, 'select pg_wal_replay_pause()::text');
      const state = 'select pg_get_wal_replay_pause_state()';
      await until('the replay is paused', async () => (await read(standby, state)) === 'paused');
    },
    resume: async () => {
      await read(standby, 'select pg_wal_replay_resume()::text');
    },
    write: async () => {
      await read(primary, `insert into item (name) values ('written')`);
    },
    caughtUp: async () => {
      const end = await read(primary, 'select pg_current_wal_lsn()::text');
      const replayed = `select (pg_last_wal_replay_lsn() >= '${end}')::text`;
      await until('the standby has replayed all', async () => (await read(standby, replayed)) === 'true');
    },
    metric: async (name) => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      const line = text.split('\n').find((one) => one.startsWith(`${name} `));
      return line === undefined ? undefined : Number(line.slice(name.length));
    },
    stop: async () => {
      await service.stop();
      await Promise.all([primary.close(), standby.close()]);
      await pair.stop();
    },
  };
}
