/** A service with a shop, and the events that call its operations and functions. */
import { startService, type TestService } from '../service/test-service.ts';
import { until } from '../until.ts';

export interface TargetScene {
  readonly service: TestService;
  /** Runs SQL and returns the first column. */
  sql(text: string): Promise<(string | null)[]>;
  /** Creates an event that is due now and returns its id. */
  create(event: object): Promise<string>;
  /** Returns the error of a command. */
  rejection(
    type: string,
    args: unknown,
  ): Promise<{ readonly path: string; readonly code: string; readonly error: string }>;
  /** Waits until an event has the status and returns its calls, the first one first. */
  processed(id: string, status: string): Promise<readonly LoggedCall[]>;
  calls(id: string): Promise<readonly LoggedCall[]>;
}

export interface LoggedCall {
  readonly status: number | null;
  readonly attempt: number;
  readonly request: { readonly payload: unknown; readonly headers: unknown };
  readonly response: { readonly type: string; readonly data: { readonly body?: string; readonly message?: string } };
}

const schema = `
  create table orders (id int primary key, owner_id int not null, state text not null default 'new', event text);
  create table notes (id int generated always as identity primary key, body text not null);
  create function note(body text, times int default 1) returns setof notes language sql
    as $$ insert into notes (body) select note.body from generate_series(1, times) returning * $$;
  create function fail(kind text) returns void language plpgsql
    as $$ begin raise exception 'failed as %', kind using errcode = kind, hint = 'look here'; end $$;
  create function twice(a int) returns int language sql as 'select a * 2';
  create function twice(a text) returns text language sql as 'select a || a';
  create function spread(variadic parts text[]) returns text language sql as $$ select array_to_string(parts, '') $$;
`;

const queries = [
  {
    name: 'pay',
    query:
      'mutation pay($id: Int!, $state: String = "paid") { update_orders_by_pk(pk_columns: {id: $id}, _set: {state: $state}) { id state } }',
  },
  {
    name: 'add',
    query: 'mutation add($id: Int!, $owner: Int!) { insert_orders_one(object: {id: $id, owner_id: $owner}) { id } }',
  },
  { name: 'mine', query: 'query mine { orders(order_by: {id: asc}) { id } }' },
  { name: 'note', query: 'mutation note($body: String!) { insert_notes_one(object: {body: $body}) { body } }' },
  { name: 'follow', query: 'subscription follow { orders { id } }' },
  { name: 'two', query: 'query one { orders { id } } query other { orders { id } }' },
];

/** Starts a service whose collection `shop` has the queries above. The role `clerk` reads and changes own orders. */
export async function startTargetScene(environment: Readonly<Record<string, string>> = {}): Promise<TargetScene> {
  const service = await startService({ JOINERY_HEADER_PREFIX: 'x-hasura-', ...environment });
  const { database } = service.database;
  const sql = async (text: string): Promise<(string | null)[]> =>
    (await database.query({ text, values: [] })).rows.map(([cell]) => cell ?? null);
  await sql(schema);
  const own = { owner_id: { _eq: 'X-Hasura-User-Id' } };
  for (const table of ['orders', 'notes']) await service.command('pg_track_table', { table });
  await service.command('pg_create_select_permission', {
    table: 'orders',
    role: 'clerk',
    permission: { columns: ['id', 'state'], filter: own },
  });
  await service.command('pg_create_update_permission', {
    table: 'orders',
    role: 'clerk',
    permission: { columns: ['state'], filter: own, check: null, set: { event: 'X-Hasura-Event-Id' } },
  });
  await service.command('create_query_collection', { name: 'shop', definition: { queries } });
  const calls = async (id: string): Promise<readonly LoggedCall[]> => {
    const found = await service.command('get_scheduled_event_invocations', { event_id: id, type: 'one_off' });
    return (found as { invocations: LoggedCall[] }).invocations.toReversed();
  };
  return {
    service,
    sql,
    calls,
    async create(event) {
      const args = {
        schedule_at: '2020-01-01T00:00:00Z',
        payload: null,
        retry_conf: { tolerance_seconds: 2_000_000_000 },
        ...event,
      };
      return ((await service.command('create_scheduled_event', args)) as { event_id: string }).event_id;
    },
    async rejection(type, args) {
      const { status, body } = await service.post('/v1/metadata', { type, args }, { 'x-hasura-role': 'admin' });
      if (status === 200) throw new Error(`${type} succeeded`);
      return body as { path: string; code: string; error: string };
    },
    async processed(id, status) {
      await until(`event ${id} is ${status}`, async () => {
        const { event } = (await service.command('get_scheduled_event', { event_id: id })) as {
          event: { status: string };
        };
        return event.status === status;
      });
      return calls(id);
    },
  };
}
