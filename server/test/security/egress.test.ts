/** The settings for egress and signing: every kind of HTTP call of a service applies them. */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig, printConfig } from '../../src/config/config.ts';
import { column, fromNow, type Sink, startSink } from '../support/events/delivery-node.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

const sql = 'create table note (id int primary key, text text)';
const key = `whsec_${randomBytes(32).toString('base64')}`;

let sink: Sink;
beforeAll(async () => {
  sink = await startSink();
});
afterAll(() => sink.close());

const schedule = {
  type: 'create_scheduled_event',
  args: { webhook: '{{HOOK}}/event', payload: { n: 1 }, schedule_at: fromNow(0) },
};

async function firstInvocation(service: TestService): Promise<string> {
  const text = 'select response from joinery.event_invocations';
  await until('the call is logged', async () => (await column(service.database.database, text)).length > 0);
  return (await column(service.database.database, text))[0] ?? '';
}

describe('a service that rejects private addresses', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ HOOK: sink.origin, JOINERY_EGRESS_PRIVATE: 'refuse' }, { sql });
    await service.command('bulk', [
      { type: 'track_table', args: 'note' },
      {
        type: 'create_insert_permission',
        args: {
          table: 'note',
          role: 'user',
          permission: {
            columns: '*',
            check: {},
            validate_input: { type: 'http', definition: { url: '{{HOOK}}/check' } },
          },
        },
      },
      {
        type: 'create_action',
        args: {
          name: 'lookup',
          definition: { kind: 'synchronous', type: 'query', output_type: 'String', handler: '{{HOOK}}/lookup' },
        },
      },
      schedule,
    ]);
  });
  afterAll(() => service.stop());

  test('does not call the handler of an action', async () => {
    const { errors } = (await service.graphql('{ lookup }')) as { errors: readonly unknown[] };
    expect(JSON.stringify(errors)).toContain('"kind":"egress"');
    expect(sink.calls).toEqual([]);
  });

  test('does not call a webhook that validates input, and writes nothing', async () => {
    const response = await service.graphql('mutation { insert_note(objects: [{ id: 1 }]) { affected_rows } }', {
      'x-service-role': 'user',
    });
    expect(response).toHaveProperty('errors');
    expect(await column(service.database.database, 'select id from note')).toEqual([]);
    expect(sink.calls).toEqual([]);
  });

  test('does not introspect a remote schema', async () => {
    const args = { name: 'elsewhere', definition: { url: '{{HOOK}}/graphql' } };
    const response = await service.post('/v1/query', { type: 'add_remote_schema', args });
    expect(response.status).toBe(400);
    expect(JSON.stringify(response.body)).toContain('not public');
    expect(sink.calls).toEqual([]);
  });

  test('does not deliver an event, and logs the reason', async () => {
    expect(await firstInvocation(service)).toContain('egress: the address is not public');
    expect(sink.calls).toEqual([]);
  });
});

test('a service with an allowed address range and a signing key delivers signed events', async () => {
  const service = await startService({
    HOOK: sink.origin,
    JOINERY_EGRESS_PRIVATE: 'refuse',
    JOINERY_EGRESS_ALLOW: '127.0.0.0/8',
    JOINERY_WEBHOOK_SIGNING_KEYS: key,
  });
  await service.command(schedule.type, schedule.args);
  await until('the event is delivered', () => sink.calls.length === 1);
  const [call] = sink.calls;
  expect(new Webhook(key).verify(call?.text ?? '', call?.headers as Record<string, string>)).toMatchObject({
    payload: { n: 1 },
  });
  await service.stop();
});

test.each([
  ['JOINERY_EGRESS_PRIVATE', 'deny'],
  ['JOINERY_EGRESS_ALLOW', '10.0.0.0/33'],
  ['JOINERY_EGRESS_DENY', 'internal.example'],
  ['JOINERY_EGRESS_HTTPS_ONLY', 'maybe'],
  ['JOINERY_WEBHOOK_SIGNING_KEYS', 'whsec_c2hvcnQ='],
])('rejects %s=%s with a message that names the setting', (name, value) => {
  expect(() => parseConfig({ [name]: value })).toThrow(name);
});

test('signing keys are contained neither in the printed settings nor in error messages', () => {
  expect(printConfig(parseConfig({ JOINERY_WEBHOOK_SIGNING_KEYS: key }))).not.toContain(key);
  expect(() => parseConfig({ JOINERY_WEBHOOK_SIGNING_KEYS: 'whsec_c2hvcnQ=' })).toThrow(/^(?!.*c2hvcnQ)/);
});
