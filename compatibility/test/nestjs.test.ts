/** Tests of `@golevelup/nestjs-hasura`, unmodified: a NestJS application that receives the events of the service. */
import {
  HasuraEventHandler,
  type HasuraScheduledEventPayload,
  TrackedHasuraScheduledEventHandler,
} from '@golevelup/nestjs-hasura';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestService } from '../../server/test/support/service/test-service.ts';
import { until } from '../../server/test/support/until.ts';
import { handlerSecret, type NestApplication, startNestApplication } from './nestjs-application.ts';
import { adminSecret, startHasuraService } from './project.ts';

interface Received {
  readonly method: string;
  readonly event: HasuraScheduledEventPayload;
}

const received: Received[] = [];

class Handlers {
  nightly(event: HasuraScheduledEventPayload): { readonly closed: number } {
    received.push({ method: 'nightly', event });
    return { closed: 3 };
  }

  reminder(event: HasuraScheduledEventPayload): void {
    received.push({ method: 'reminder', event });
  }
}

const decorators = {
  nightly: TrackedHasuraScheduledEventHandler({ name: 'nightly_orders', cronSchedule: '0 2 * * *', payload: {} }),
  reminder: HasuraEventHandler({ triggerName: 'reminder' }),
};

let application: NestApplication;
let service: TestService;

beforeAll(async () => {
  application = await startNestApplication(Handlers, decorators);
  const settings = { NEST_ENDPOINT: application.webhook, NEST_SECRET: handlerSecret };
  service = await startHasuraService('', { version: 3, sources: [] }, settings);
});
afterAll(async () => {
  await service?.stop();
  await application?.close();
});
afterEach(() => {
  received.length = 0;
});

const header = { name: 'nest-secret', value_from_env: 'NEST_SECRET' };
const once = { num_retries: 0, retry_interval_seconds: 1, timeout_seconds: 60, tolerance_seconds: 21_600 };

async function command(type: string, args: object): Promise<unknown> {
  const { status, body } = await service.post('/v1/metadata', { type, args }, { 'x-hasura-admin-secret': adminSecret });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

/** Waits until the event with the comment is processed. Returns its status. */
async function outcome(type: 'cron' | 'one_off', comment: string): Promise<string> {
  const args = { type, ...(type === 'cron' && { trigger_name: comment }), status: ['delivered', 'error'] };
  return until(`the event ${comment} is processed`, async () => {
    const { events } = (await command('get_scheduled_events', args)) as { readonly events: readonly Listed[] };
    return events.find((event) => type === 'cron' || event.comment === comment)?.status;
  });
}

interface Listed {
  readonly comment?: string;
  readonly status: string;
}

test('the handler of a cron trigger receives its event, with the name and the payload of the trigger', async () => {
  await command('create_cron_trigger', {
    name: 'nightly_orders',
    webhook: '{{NEST_ENDPOINT}}',
    schedule: '0 2 * * *',
    include_in_metadata: true,
    payload: { scope: 'all' },
    comment: 'closes the orders of the day',
    headers: [header],
    retry_conf: once,
  });
  const first = 'select id from joinery.scheduled_events order by schedule_at limit 1';
  const text = `update joinery.scheduled_events set schedule_at = now() where id = (${first})`;
  await service.database.database.query({ text, values: [] });
  const call = await until('the handler was called', () => received[0]);
  expect(call).toMatchObject({
    method: 'nightly',
    event: {
      id: expect.any(String),
      name: 'nightly_orders',
      payload: { scope: 'all' },
      comment: 'closes the orders of the day',
    },
  });
  expect(Date.parse(String(call.event.scheduled_time))).not.toBeNaN();
  expect(await outcome('cron', 'nightly_orders')).toBe('delivered');
  await command('delete_cron_trigger', { name: 'nightly_orders' });
});

describe('one-off scheduled events', () => {
  const event = (comment: string, headers: readonly object[]) =>
    command('create_scheduled_event', {
      webhook: '{{NEST_ENDPOINT}}',
      schedule_at: new Date().toISOString(),
      payload: { user: 7 },
      comment,
      headers,
      retry_conf: once,
    });

  test('reach the handler with the name of their comment', async () => {
    await event('reminder', [header]);
    expect(await outcome('one_off', 'reminder')).toBe('delivered');
    expect(received).toMatchObject([
      { method: 'reminder', event: { comment: 'reminder', payload: { user: 7 }, id: expect.any(String) } },
    ]);
  });

  test('fail without the secret header, and do not reach the handler', async () => {
    await event('without the header', []);
    expect(await outcome('one_off', 'without the header')).toBe('error');
    expect(received).toEqual([]);
  });

  test('fail if no handler has their name', async () => {
    await event('unknown', [header]);
    expect(await outcome('one_off', 'unknown')).toBe('error');
    expect(received).toEqual([]);
  });
});
