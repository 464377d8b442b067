/** Changes of large metadata take many turns of the event loop. Requests and commands in between see a consistent model. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let service: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true });
  service = await startServiceCore(database);
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

beforeEach(() => service.run('replace_metadata', withActions('before', 1)));

function withActions(prefix: string, count: number, outputType = 'Int'): Readonly<Record<string, unknown>> {
  const definition = { kind: 'synchronous', type: 'query', handler: 'http://127.0.0.1:1', output_type: outputType };
  const actions = Array.from({ length: count }, (_, index) => ({ name: `${prefix}_${index}`, definition }));
  return { version: 3, sources: [], actions };
}

function actionNames(model: Model): readonly string[] {
  return [...model.actions.keys()];
}

test('requests see the previous model until a large change is complete, and then the new one', async () => {
  const before = service.model();
  let done = false;
  const change = service.run('replace_metadata', withActions('after', 5_000)).finally(() => {
    done = true;
  });
  const models = new Set<Model>();
  while (!done) {
    models.add(service.model());
    await nextTurn();
  }
  await change;
  expect([...models].filter((model) => model !== before && model !== service.model())).toEqual([]);
  expect(models).toContain(before);
  expect(service.model().actions.size).toBe(5_000);
});

test('a command that arrives during a large change is applied to the result of that change', async () => {
  const change = service.run('replace_metadata', withActions('after', 5_000));
  const drop = service.run('drop_action', { name: 'after_7' });
  await Promise.all([change, drop]);
  expect(service.model().actions.size).toBe(4_999);
  expect(actionNames(service.model())).not.toContain('after_7');
});

test('a large change that is rejected leaves the previous model', async () => {
  const before = service.model();
  const rejection = await service.rejection('replace_metadata', withActions('after', 5_000, 'Nothing'));
  expect(rejection.code).toBe('invalid-configuration');
  expect(service.model()).toBe(before);
});

test('the error of a change that makes thousands of objects inconsistent lists 1,000 of them and counts the others', async () => {
  const rejection = await service.rejection('replace_metadata', withActions('after', 5_000, 'Nothing'));
  expect(rejection.internal).toHaveLength(1_000);
  expect(rejection.message).toContain('and 4999 more inconsistent objects');
});

test('changes of large metadata by two nodes at the same time are both applied', async () => {
  await service.run('replace_metadata', withActions('before', 5_000));
  const other = await startServiceCore(database, { sync: 'none' });
  try {
    await Promise.all([
      service.run('drop_action', { name: 'before_1' }),
      other.run('drop_action', { name: 'before_2' }),
    ]);
    await service.run('reload_metadata');
  } finally {
    await other.stop();
  }
  expect(service.model().actions.size).toBe(4_998);
});
