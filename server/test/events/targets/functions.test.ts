/** One-off events whose target is a function of a source. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTargetScene, type TargetScene } from '../../support/events/target-scene.ts';

let scene: TargetScene;

beforeAll(async () => {
  scene = await startTargetScene();
});
afterAll(() => scene.service.stop());

const target = (name: string, more: object = {}): object => ({ target: { function: { function: name, ...more } } });
const retried = (times: number): object => ({
  retry_conf: { num_retries: times, retry_interval_seconds: 0, tolerance_seconds: 2_000_000_000 },
});

describe('an event calls a function', () => {
  test('with named arguments from the payload, and logs its rows', async () => {
    const id = await scene.create({
      payload: { text: 'one' },
      ...target('note', { arguments: { body: '{{$body.payload.text}} of {{$event_id}}', times: 2 } }),
    });
    const calls = await scene.processed(id, 'delivered');
    expect(await scene.sql(`select body from notes where body like 'one%'`)).toEqual([`one of ${id}`, `one of ${id}`]);
    expect(calls).toMatchObject([
      {
        status: 200,
        request: { payload: { function: { source: 'default', schema: 'public', name: 'note' } } },
        response: { type: 'webhook_response', data: { body: expect.stringContaining(`"body":"one of ${id}"`) } },
      },
    ]);
  });

  test('with defaults of arguments that are not given', async () => {
    const id = await scene.create(target('note', { arguments: '{"body": "default"}' }));
    await scene.processed(id, 'delivered');
    expect(await scene.sql(`select body from notes where body = 'default'`)).toHaveLength(1);
  });

  test('whose errors are logged with their SQLSTATE, and retried', async () => {
    const id = await scene.create({ ...target('fail', { arguments: { kind: '22012' } }), ...retried(1) });
    const calls = await scene.processed(id, 'error');
    expect(calls).toHaveLength(2);
    expect(JSON.parse(calls[0]?.response.data.message ?? '')).toEqual({
      errors: [
        {
          message: 'failed as 22012',
          extensions: {
            path: '$',
            code: 'data-exception',
            sqlstate: '22012',
            error: 'failed as 22012',
            hint: 'look here',
          },
        },
      ],
    });
  });

  test('in a transaction that ends at the timeout of the event', async () => {
    await scene.sql(`create function wait() returns void language sql as 'select pg_sleep(600)'`);
    await scene.service.command('reload_metadata', {});
    const id = await scene.create({
      ...target('wait'),
      retry_conf: { timeout_seconds: 1, tolerance_seconds: 2_000_000_000 },
    });
    const calls = await scene.processed(id, 'error');
    expect(calls).toMatchObject([{ status: 504, response: { data: { message: expect.stringContaining('timeout') } } }]);
  });
});

describe('rejects with path and code', () => {
  test.each<[string, object, string, string]>([
    ['an unknown source', target('note', { source: 'none' }), 'not-exists', '.function.source'],
    ['an unknown function', target('none'), 'not-exists', '.function.function'],
    ['a function of PostgreSQL', target('pg_sleep'), 'not-exists', '.function.function'],
    ['an overloaded function', target('twice', { arguments: { a: 1 } }), 'not-supported', '.function.function'],
    ['a variadic function', target('spread', { arguments: { parts: [] } }), 'not-supported', '.function.function'],
    [
      'an unknown argument',
      target('note', { arguments: { body: 'a', none: 1 } }),
      'not-exists',
      '.function.arguments.none',
    ],
    ['a missing argument', target('note', { arguments: { times: 1 } }), 'validation-failed', '.function.arguments'],
    ['an invalid template', target('note', { arguments: '{"body": ' }), 'validation-failed', '.function.arguments'],
  ])('%s', async (_what, event, code, path) => {
    const error = await scene.rejection('create_scheduled_event', {
      schedule_at: '2020-01-01T00:00:00Z',
      payload: null,
      ...event,
    });
    expect(error).toMatchObject({ code, path: `$.args.target${path}` });
  });
});
