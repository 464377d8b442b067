/** Asynchronous actions on a stopping node. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database/test-database.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService } from '../support/service/test-service.ts';

let handlers: HandlerServer;
/** Responses that wait until a test sends them. */
const pendingResponses: (() => void)[] = [];

beforeAll(async () => {
  handlers = await startHandlerServer({
    '/wait': () => new Promise((resolve) => pendingResponses.push(() => resolve({ id: 7 }))),
  });
});

afterEach(() => {
  for (const respond of pendingResponses.splice(0)) respond();
});

afterAll(() => handlers?.close());

describe('a stopping node', () => {
  const environment = { JOINERY_GRACEFUL_SHUTDOWN_TIMEOUT: '0' };

  it('releases an action that it cannot finish, and another node runs it', async () => {
    const database = await testDatabase({ migrated: true });
    const stopping = await startService({ ...environment, HANDLERS: handlers.url }, database);
    const definition = { kind: 'asynchronous', handler: '{{HANDLERS}}/wait', output_type: 'Int' };
    await stopping.command('create_action', { name: 'work', definition });
    const { data: submitted } = (await stopping.graphql('mutation { work }')) as { data: { work: string } };
    await expect.poll(() => pendingResponses.length).toBe(1);
    await stopping.stop();
    const entries = await database.database.query({ text: 'select status, tries from joinery.action_log', values: [] });
    expect(entries.rows).toEqual([['created', '0']]);

    const next = await startService({ ...environment, HANDLERS: handlers.url }, database);
    await expect.poll(() => pendingResponses.length).toBe(2);
    await next.graphql(`{ work(id: "${submitted.work}") { id } }`);
    await next.stop();
    await database.drop();
  });

  it('finishes running actions within the shutdown time', async () => {
    const database = await testDatabase({ migrated: true });
    const stopping = await startService({ HANDLERS: handlers.url }, database);
    const definition = { kind: 'asynchronous', handler: '{{HANDLERS}}/wait', output_type: 'Int' };
    await stopping.command('create_action', { name: 'work', definition });
    await stopping.graphql('mutation { work }');
    await expect.poll(() => pendingResponses.length).toBe(1);
    const stopped = stopping.stop();
    for (const respond of pendingResponses.splice(0)) respond();
    await stopped;
    const entries = await database.database.query({ text: 'select status, tries from joinery.action_log', values: [] });
    expect(entries.rows).toEqual([['error', '1']]);
    await database.drop();
  });
});
