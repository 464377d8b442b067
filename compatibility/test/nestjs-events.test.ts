/** Tests of `@golevelup/nestjs-hasura`, unmodified: a NestJS application that receives the events of triggers. */
import { HasuraEventHandler, TrackedHasuraEventHandler, type TypedHasuraEvent } from '@golevelup/nestjs-hasura';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestService } from '../../server/test/support/service/test-service.ts';
import { until } from '../../server/test/support/until.ts';
import { handlerSecret, type NestApplication, startNestApplication } from './nestjs-application.ts';
import { adminSecret, startHasuraService } from './project.ts';

interface Order {
  readonly id: number;
  readonly status: string;
  readonly total: number | null;
}

interface Received {
  readonly method: string;
  readonly event: TypedHasuraEvent<Order>;
}

const received: Received[] = [];

class Handlers {
  tracked(event: TypedHasuraEvent<Order>): { readonly accepted: number } {
    received.push({ method: 'tracked', event });
    return { accepted: event.event.data.new.id };
  }

  manual(event: TypedHasuraEvent<Order>): void {
    received.push({ method: 'manual', event });
  }

  failing(event: TypedHasuraEvent<Order>): void {
    received.push({ method: 'failing', event });
    if (event.delivery_info.current_retry === 0) throw new Error('the first call fails');
  }
}

const decorators = {
  tracked: TrackedHasuraEventHandler({
    triggerName: 'order_changed',
    tableName: 'order',
    definition: { type: 'update', columns: ['status'] },
  }),
  manual: HasuraEventHandler({ triggerName: 'order_checked' }),
  failing: HasuraEventHandler({ triggerName: 'order_deleted' }),
};

const trigger = (name: string, definition: object, num_retries = 0, headers = true) => ({
  name,
  definition: { enable_manual: false, ...definition },
  retry_conf: { num_retries, interval_sec: 0, timeout_sec: 60 },
  webhook_from_env: 'NEST_ENDPOINT',
  ...(headers && { headers: [{ name: 'nest-secret', value_from_env: 'NEST_SECRET' }] }),
});

const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'order',
          event_triggers: [
            trigger('order_changed', { update: { columns: ['status'] } }),
            trigger('order_checked', { enable_manual: true }),
            trigger('order_deleted', { delete: { columns: '*' } }, 1),
            trigger('order_without_secret', { insert: { columns: '*' } }, 0, false),
          ],
        },
      ],
    },
  ],
};

let application: NestApplication;
let service: TestService;

beforeAll(async () => {
  application = await startNestApplication(Handlers, decorators);
  service = await startHasuraService(
    'create table "order" (id int primary key, status text not null, total numeric)',
    metadata,
    { NEST_ENDPOINT: application.webhook, NEST_SECRET: handlerSecret },
  );
});
afterAll(async () => {
  await service?.stop();
  await application?.close();
});
beforeEach(() => {
  received.length = 0;
});

const headers = { 'x-hasura-admin-secret': adminSecret };

async function command(type: string, args: object): Promise<unknown> {
  const { status, body } = await service.post('/v1/metadata', { type, args }, headers);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

const run = (text: string): Promise<unknown> => service.database.database.query({ text, values: [] });

/** Waits until the newest event of the trigger is processed. Returns its status. */
async function outcome(name: string): Promise<string> {
  return until(`an event of ${name} is processed`, async () => {
    const [event] = (await command('pg_get_event_logs', { name })) as readonly { readonly status: string }[];
    return event === undefined || event.status === 'pending' ? undefined : event.status;
  });
}

describe('the handler of a trigger', () => {
  test('receives the rows, the session variables and the table of a mutation', async () => {
    await run(`insert into "order" values (1, 'open', 7.5)`);
    await service.graphql('mutation { update_order_by_pk(pk_columns: { id: 1 }, _set: { status: "paid" }) { id } }', {
      ...headers,
      'x-hasura-role': 'admin',
      'x-hasura-user-id': '3',
    });
    expect(await outcome('order_changed')).toBe('delivered');
    expect(received).toEqual([
      {
        method: 'tracked',
        event: {
          id: expect.any(String),
          created_at: expect.any(String),
          table: { schema: 'public', name: 'order' },
          trigger: { name: 'order_changed' },
          delivery_info: { current_retry: 0, max_retries: 0 },
          event: {
            op: 'UPDATE',
            data: { old: { id: 1, status: 'open', total: 7.5 }, new: { id: 1, status: 'paid', total: 7.5 } },
            session_variables: { 'x-hasura-role': 'admin', 'x-hasura-user-id': '3' },
            trace_context: null,
          },
        },
      },
    ]);
  });

  test('receives manual events', async () => {
    await command('pg_invoke_event_trigger', { name: 'order_checked', payload: { id: 2 } });
    expect(await outcome('order_checked')).toBe('delivered');
    expect(received).toMatchObject([
      { method: 'manual', event: { event: { op: 'MANUAL', data: { old: null, new: { id: 2 } } } } },
    ]);
  });

  test('is called again with the number of the retry after it failed', async () => {
    await run(`insert into "order" values (3, 'open'); delete from "order" where id = 3`);
    expect(await outcome('order_deleted')).toBe('delivered');
    const retries = received.filter(({ method }) => method === 'failing').map(({ event }) => event);
    expect(retries.map(({ delivery_info }) => delivery_info.current_retry)).toEqual([0, 1]);
    expect(new Set(retries.map(({ id }) => id)).size).toBe(1);
    expect(retries[0]?.event).toMatchObject({ op: 'DELETE', data: { new: null, old: { id: 3 } } });
  });

  test('is not called without the secret header', async () => {
    await run(`insert into "order" values (4, 'open')`);
    expect(await outcome('order_without_secret')).toBe('error');
    expect(received).toEqual([]);
  });
});
