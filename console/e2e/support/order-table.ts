/** A tracked table of orders, and commands on its event triggers. */
import type { Service } from './service.ts';

interface Defined {
  readonly name: string;
}

export interface OrderTable {
  /** Runs SQL and returns its rows without the header. */
  sql(sql: string): Promise<readonly (readonly string[])[]>;
  /** Creates a trigger on the table: on inserts, unless `args` has operations. */
  create(name: string, args: object): Promise<void>;
  /** The definition of a trigger in the metadata. */
  defined(name: string): Promise<Defined | undefined>;
}

export async function openOrders(service: Service): Promise<OrderTable> {
  const sql = async (text: string): Promise<readonly (readonly string[])[]> => {
    const body = JSON.stringify({ type: 'run_sql', args: { sql: text } });
    const response = await fetch(`${service.url}/v2/query`, { method: 'POST', body });
    if (response.status !== 200) throw new Error(await response.text());
    return ((await response.json()) as { result: string[][] | null }).result?.slice(1) ?? [];
  };
  await sql(`create table orders (
    id int generated always as identity primary key, status text not null default 'open', total numeric not null)`);
  await service.command('pg_track_table', { table: 'orders' });
  return {
    sql,
    create: async (name, args) => {
      const operations =
        'update' in args || 'delete' in args || 'enable_manual' in args ? {} : { insert: { columns: '*' } };
      await service.command('pg_create_event_trigger', { name, table: 'orders', ...operations, ...args });
    },
    defined: async (name) => {
      const { sources } = (await service.command('export_metadata', {})) as {
        sources: { tables: { event_triggers?: Defined[] }[] }[];
      };
      const triggers = sources.flatMap(({ tables }) => tables.flatMap(({ event_triggers = [] }) => event_triggers));
      return triggers.find((one) => one.name === name);
    },
  };
}
